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
from collections import defaultdict
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
from engine.evaluation.measures import Detection

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

    @property
    def leans(self) -> bool:
        """Whether it needs the conversation."""
        return self.relation not in (Relation.NEW_TOPIC_INFORMATIONAL, Relation.NEW_TOPIC_PROCEDURAL, None)


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


def judge(turn: DialogueTurn, found: Found) -> dict[str, tuple[bool, bool]]:
    """What the engine has decided of one message, and what is true, by question; of its type, whether it is right."""
    needs = turn.relation in ASKING and turn.type.searches
    pairs = {
        "type": (found.type is turn.type, True),
        "search": (found.searches, needs),
        "recall": (found.relation is Relation.HISTORY_RECALL, turn.relation == "recall"),
    }
    if needs:
        pairs["follow-up"] = (found.relation is Relation.CONTEXTUAL_FOLLOW_UP, turn.relation == "follow_up")
    return pairs


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
    pairs: defaultdict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for language, turn, found in dialogues(cascade, options.dialogues):
        judged = judge(turn, found)
        for question, pair in judged.items():
            pairs[language, question].append(pair)
        wrong = [question for question, (decided, true) in judged.items() if decided is not true]
        if wrong and options.errors:
            print(f"{', '.join(wrong)}: {turn.type} {turn.relation} -> {found.type} {found.relation} | {turn.text}")
    for language in dict.fromkeys(language for language, _ in pairs):
        told = {name: Detection.of(pairs[language, name]) for name in ("type", "follow-up", "search", "recall")}
        right = told.pop("type").recall
        print(f"{language}: type right {right:.3f}; F1 {', '.join(f'{name} {it.f1:.3f}' for name, it in told.items())}")
    if options.tasks is not None:
        asked = list(tasks(cascade, options.tasks))
        for text, needs, found in asked:
            if options.errors and found.leans is not needs:
                print(f"{'needs' if needs else 'alone'}: {found.relation} | {text}")
        counts = Detection.of((found.leans, needs) for _, needs, found in asked)
        print(f"MTRAG: needs the conversation F1 {counts.f1:.3f}, {counts}")


if __name__ == "__main__":
    main()
