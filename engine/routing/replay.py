"""Stored sessions routed again: what another artifact would have decided."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from classifier.cascade import Cascade
from classifier.decision import Decision, DecisionLayer, Layer, Query
from engine.conversation.history import WINDOW, intent_history
from engine.conversation.store.port import Conversation, SessionStore, TurnRecord
from engine.routing.label_export import sessions_in_order
from engine.routing.turn_labels import type_and_source


@dataclass(frozen=True, slots=True)
class Flip:
    """A turn that would get another type.

    Attributes:
        label: What is known of its type from people or a model; empty where nothing is.
        source: Where that is known from.
    """

    turn_id: str
    old: str
    new: str
    label: str
    source: str
    text: str

    def fields(self, *, texts: bool) -> dict[str, str]:
        """For a report, with the message only where it is asked for."""
        shown = {name: getattr(self, name) for name in ("turn_id", "old", "new", "label", "source")}
        return shown | ({"text": self.text} if texts else {})


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay found.

    Attributes:
        turns: Routed again.
        undecided: Were decided by layer 2 or 3 and would now be left to layer 3 or the default; no flips.
        flips: In the order of the store.
    """

    turns: int
    undecided: int
    flips: tuple[Flip, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Flips by old and new type."""
        return dict(sorted(Counter(f"{flip.old} -> {flip.new}" for flip in self.flips).items()))

    @property
    def mended(self) -> int:
        """Flips to what is known to be right."""
        return sum(flip.new == flip.label for flip in self.flips)

    @property
    def broken(self) -> int:
        """Flips away from what is known to be right."""
        return sum(flip.old == flip.label for flip in self.flips)

    def to_json(self, *, texts: bool = False) -> dict[str, Any]:
        """The report for programs."""
        flips = [flip.fields(texts=texts) for flip in self.flips]
        figures = {"turns": self.turns, "undecided": self.undecided, "mended": self.mended, "broken": self.broken}
        return figures | {"counts": self.counts, "flips": flips}

    def table(self, *, texts: bool = False) -> str:
        """The report for people."""
        lines = [f"{self.turns} turns, {len(self.flips)} flips, {self.undecided} no longer decided by layer 2"]
        lines += [f"  {name}: {count}" for name, count in self.counts.items()]
        lines.append(f"  mended {self.mended}, broken {self.broken}, by the labels there are")
        for flip in self.flips:
            known = f"  label {flip.label} ({flip.source})" if flip.label else ""
            lines.append(f"{flip.turn_id}  {flip.old} -> {flip.new}{known}")
            if texts:
                lines.append(f"    {' '.join(flip.text.split())[:200]}")
        return "\n".join(lines)


async def replay_sessions(store: SessionStore, prefixes: DecisionLayer, layer2: DecisionLayer) -> Replayed:
    """Routes every stored turn again by layers 1 and 2; layer 3 is not asked.

    What callers declared stays as it is. What stood beside a message is known only as far as the turn says: a turn
    about the editor is taken to have had a selection.

    Args:
        prefixes: Layer 1.
        layer2: Over the artifact that is tried.
    """
    router = Cascade(prefixes, layer2)
    turns, undecided = 0, 0
    flips: list[Flip] = []
    async for session in sessions_in_order(store):
        decisions = await asyncio.to_thread(router.decide_many, _queries(session))
        turns += len(session)
        for place, (turn, decision) in enumerate(zip(session, decisions, strict=True)):
            if decision.layer is Layer.DEFAULT and turn.layer in (Layer.LLM, Layer.EMBEDDING):
                undecided += 1
            elif decision.type is not turn.type:
                flips.append(_flip(turn, decision, session[place + 1] if place + 1 < len(session) else None))
    return Replayed(turns, undecided, tuple(flips))


def _queries(session: Sequence[TurnRecord]) -> list[Query]:
    """What the router is given of each turn of a session."""
    return [
        Query(
            turn.query,
            declared=turn.type if turn.layer is Layer.DECLARED else None,
            history=intent_history(Conversation(tuple(session[max(0, place - WINDOW) : place]), place)),
            has_selection=turn.editor,
        )
        for place, turn in enumerate(session)
    ]


def _flip(turn: TurnRecord, decision: Decision, following: TurnRecord | None) -> Flip:
    known = type_and_source(turn, following)
    trains = known is not None and known[1].trains
    label, source = (str(known[0]), known[1].name.lower()) if known is not None and trains else ("", "")
    return Flip(turn.turn_id, str(turn.type), str(decision.type), label, source, turn.query)
