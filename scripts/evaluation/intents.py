"""What becomes of messages that sound like an act, a recall or a question for the account, and of such that are one.

    python -m scripts.evaluation.intents [--rows FILE] [--errors]

Each row is asked behind its earlier messages, in a session of its own, of an engine without a model over the passages
of all rows. It says what is wanted: `search`, `example`, `recall`, `form` and `rewrite` (of the last answer) or
`account`. Nothing is fitted to these rows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import classifier
from classifier.decision import QueryType
from classifier.dialogue_act.acts import REFORMULATIONS, REWRITINGS, DialogueAct
from engine import bootstrap
from engine.cli.common import settings_for_command
from engine.domain import Relation, Route, Routed, Turn
from scripts.evaluation.refusals import indexed

ROWS = classifier.DATA / "left_out" / "intents.jsonl"


@dataclass(frozen=True, slots=True)
class IntentRow:
    """A message with what is wanted of it.

    Attributes:
        kind: Of the messages that it is one of.
        wanted: See the module.
        earlier: What was asked before it, oldest first.
        passage: What answers it; empty where nothing has to.
    """

    text: str
    language: str
    kind: str
    wanted: str
    earlier: tuple[tuple[QueryType, str], ...] = ()
    passage: str = ""


def read_rows(path: Path = ROWS) -> list[IntentRow]:
    """The rows of a file of JSON lines."""
    return [_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _row(entry: dict[str, Any]) -> IntentRow:
    earlier = tuple((QueryType(one["type"]), one["query"]) for one in entry["earlier"])
    return IntentRow(**{**entry, "earlier": earlier})


def intent_of(route: Route) -> str:
    """What the engine takes a message for."""
    act = route.decision.clear_act
    if route.relation is Relation.HISTORY_RECALL:
        return "recall"
    if route.type is QueryType.PLATFORM:
        return "account"
    follows = route.relation is Relation.CONTEXTUAL_FOLLOW_UP
    if route.type.searches and act is DialogueAct.EXAMPLE and follows:
        return "example"
    if act in REFORMULATIONS and not route.type.searches:
        return "form"
    return "rewrite" if not route.type.searches or (act in REWRITINGS and follows) else "search"


def judged(rows: Sequence[IntentRow]) -> list[tuple[IntentRow, Route]]:
    """The rows with what the engine makes of them."""
    with tempfile.TemporaryDirectory(prefix="intents-") as folder:
        for number, passage in enumerate(sorted({row.passage for row in rows if row.passage})):
            Path(folder, f"{number}.md").write_text(passage, encoding="utf-8")
        with indexed(Path(folder)):
            return asyncio.run(_asked(rows))


async def _asked(rows: Sequence[IntentRow]) -> list[tuple[IntentRow, Route]]:
    """Each row behind its earlier messages, of an engine over the settings of the process."""
    found = []
    async with bootstrap.engine(settings_for_command()) as engine:
        for number, row in enumerate(rows):
            session = f"judged-{number}"
            for type_, query in row.earlier:
                await _route(engine, Turn(query, session, principal="judge", declared=type_))
            found.append((row, await _route(engine, Turn(row.text, session, principal="judge"))))
    return found


async def _route(engine: bootstrap.Engine, turn: Turn) -> Route:
    route: Route | None = None
    async with aclosing(engine.answers.answer(turn)) as events:
        async for event in events:
            route = event.route if isinstance(event, Routed) else route
    if route is None:
        raise RuntimeError(f"{turn.query!r} was not routed")
    return route


def main() -> None:
    """Reads the arguments, asks, reports."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=Path, default=ROWS, metavar="FILE")
    parser.add_argument("--errors", action="store_true", help="show what went wrong")
    options = parser.parse_args()
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for row, route in judged(read_rows(options.rows)):
        for name in (row.kind, row.language, "all"):
            asked[name] += 1
            right[name] += intent_of(route) == row.wanted
        if options.errors and intent_of(route) != row.wanted:
            decision = route.decision
            print(
                f"{row.kind}: {row.wanted} -> {intent_of(route)} | {row.text} | {decision.type} {decision.reason} "
                f"{decision.confidence:.2f}, {decision.act.likeliest} {decision.act.confidence:.2f}, "
                f"{decision.relation.relation} {decision.relation.confidence:.2f}, {route.relation}"
            )
    for name in asked:
        print(f"{name:12} {right[name]:3} of {asked[name]:3} right ({right[name] / asked[name]:.2f})")


if __name__ == "__main__":
    main()
