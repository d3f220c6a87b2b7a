"""What messages are to their conversations, as the engine decides it, on dialogues that nothing was fitted to.

    python -m scripts.evaluation.conversations [--tasks FILE] [--errors]

Every message is routed after those before it, as these were routed, and held against its labels: its type, whether it
is a follow-up, whether it is a recall, whether it needs a search. `--tasks` names the `tasks.jsonl` of MTRAG (Katsis et
al. 2025): of its messages `needs_conversation.json` says whether they can be told without the turns before them, by one
who saw neither the engine's answer nor the collection's own rewrites, which put questions in full in other words too.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import classifier
from classifier.cascade import Cascade
from classifier.decision import Decision, IntentEntry, Query, QueryType
from classifier.training.dialogues import ASKING, DialogueTurn, read_dialogues
from engine.bootstrap import build_embedder, build_routing
from engine.cli.common import settings_for_command
from engine.conversation.followup.relation import read, relate
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Outcome, Relation

DIALOGUES = classifier.DATA / "left_out" / "dialogues.jsonl"
NEEDS = Path(__file__).with_name("needs_conversation.json")


@dataclass(frozen=True, slots=True)
class Found:
    """What the engine makes of one message.

    Attributes:
        type: Of the message.
        relation: To the conversation.
        searches: Before it looks whether the passages shown so far answer it.
    """

    type: QueryType
    relation: Relation | None
    searches: bool


@dataclass(slots=True)
class Session:
    """A conversation as the engine would have stored it, its answers unknown."""

    cascade: Cascade
    history: list[IntentEntry] = field(default_factory=list)
    turns: list[TurnRecord] = field(default_factory=list)

    def ask(self, text: str) -> Found:
        """The next message."""
        (decision,) = self.cascade.decide_many([Query(text, history=tuple(self.history))])
        conversation = Conversation(tuple(self.turns), len(self.turns))
        relation, action = relate(read(text, conversation, decision), decision.type, conversation)
        self.tell(text, decision, action, relation)
        return Found(decision.type, relation, action.searches)

    def tell(self, text: str, decision: Decision, action: Action, relation: Relation | None) -> None:
        """Keeps a message."""
        place = len(self.turns) + 1
        self.history.append(IntentEntry(decision.type, text))
        self.turns.append(
            TurnRecord(
                f"turn-{place}", "judge", "session", text, "", decision.type, decision.layer, Outcome.COMPLETE,
                float(place), sequence=place, action=action, relation=relation, search_query=text,
            )
        )  # fmt: skip


@dataclass(slots=True)
class Counts:
    """Outcomes of one yes-or-no question.

    Attributes:
        pairs: How often it was (so by the label, so by the engine).
    """

    pairs: Counter[tuple[bool, bool]] = field(default_factory=Counter)

    def add(self, *, wanted: bool, found: bool) -> bool:
        """Counts a message; whether both agree."""
        self.pairs[wanted, found] += 1
        return wanted is found

    @property
    def f1(self) -> float:
        """Of the yes; 1.0 where nothing was yes for either."""
        right, wrong = self.pairs[True, True], self.pairs[True, False] + self.pairs[False, True]
        return 2 * right / (2 * right + wrong) if right + wrong else 1.0

    @property
    def accuracy(self) -> float:
        """The share on which both agree."""
        return (self.pairs[True, True] + self.pairs[False, False]) / max(1, self.pairs.total())


Figures = dict[str, Counts]


def judge(turn: DialogueTurn, found: Found, figures: Figures) -> list[str]:
    """Counts one message, and says what is wrong with it."""
    asks = turn.relation in ASKING
    needs = asks and turn.type.searches
    right = {
        "type": figures["type"].add(wanted=True, found=found.type is turn.type),
        "search": figures["search"].add(wanted=needs, found=found.searches),
        "recall": figures["recall"].add(
            wanted=turn.relation == "recall", found=found.relation is Relation.HISTORY_RECALL
        ),
    }
    if needs:
        follows = found.relation is Relation.CONTEXTUAL_FOLLOW_UP
        right["follow-up"] = figures["follow-up"].add(wanted=turn.relation == "follow_up", found=follows)
    return [name for name, agrees in right.items() if not agrees]


def dialogues(cascade: Cascade, path: Path) -> Iterator[tuple[str, DialogueTurn, Found]]:
    """The language of every message but the first ones, the message, and what the engine makes of it."""
    for dialogue in read_dialogues([path]):
        session = Session(cascade)
        for place, turn in enumerate(dialogue.turns):
            found = session.ask(turn.text)
            if place:
                yield dialogue.language, turn, found


def tasks(cascade: Cascade, path: Path) -> Iterator[tuple[str, bool, Found]]:
    """The text of every message of MTRAG that has a label, whether it needs the conversation, and the engine's view."""
    needs = json.loads(NEEDS.read_text(encoding="utf-8"))
    for line in path.read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        if task["task_id"] not in needs:
            continue
        session = Session(cascade)
        for text in _asked(task["history"]):
            session.ask(text)
        yield task["question"], needs[task["task_id"]], session.ask(task["question"])


def _asked(history: Sequence[dict[str, str]]) -> Iterable[str]:
    return (turn["text"] for turn in history if turn["role"] == "user")


def main() -> None:
    """Judges, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=Path, default=DIALOGUES)
    parser.add_argument("--tasks", type=Path, help="tasks.jsonl of MTRAG")
    parser.add_argument("--errors", action="store_true", help="print every message that is not as its labels say")
    options = parser.parse_args()
    settings = settings_for_command()
    cascade = build_routing(settings, build_embedder(settings)).cascade
    by_language: dict[str, Figures] = defaultdict(lambda: defaultdict(Counts))
    for language, turn, found in dialogues(cascade, options.dialogues):
        wrong = judge(turn, found, by_language[language])
        if wrong and options.errors:
            print(f"{', '.join(wrong)}: {turn.type} {turn.relation} -> {found.type} {found.relation} | {turn.text}")
    for language, figures in by_language.items():
        told = ", ".join(f"{name} {figures[name].f1:.3f}" for name in ("follow-up", "search", "recall"))
        print(f"{language}: type right {figures['type'].accuracy:.3f}; F1 {told}")
    if options.tasks is not None:
        counts = Counts()
        for text, needs, found in tasks(cascade, options.tasks):
            agrees = counts.add(wanted=needs, found=found.relation not in (*_NEW, None))
            if options.errors and not agrees:
                print(f"{'needs' if needs else 'alone'}: {found.relation} | {text}")
        print(f"MTRAG: needs the conversation F1 {counts.f1:.3f}, {dict(counts.pairs)}")


_NEW = (Relation.NEW_TOPIC_INFORMATIONAL, Relation.NEW_TOPIC_PROCEDURAL)

if __name__ == "__main__":
    main()
