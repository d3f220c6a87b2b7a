"""A golden set through the real pipeline: routing, the passages found, what is cited, the facts said, the time taken.

Source:
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002 (nDCG).
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from classifier.decision import QueryType
from classifier.files import filled_lines
from engine.answering.ports import Answers
from engine.conversation.store.port import SessionStore
from engine.domain import Answer, Completed, Evidence, Passage, Retrieved, Turn
from engine.errors import DeadlineExceeded, InvalidInput, NotFound, Overloaded
from engine.evaluation.measures import gained_share, known_mean
from engine.text.quotation import subject_of

#: Evaluation turns belong to nobody who can list them, and are forgotten when each case is done.
PRINCIPAL = "evaluation"


@dataclass(frozen=True, slots=True)
class Relevant:
    """A section that answers a question; an empty heading means the whole document."""

    document: str
    heading: str = ""

    def matches(self, passage: Passage) -> bool:
        """Whether `passage` is of this section; its heading path ends with the heading, or is the title."""
        if passage.document != self.document:
            return False
        return not self.heading or self.heading in (subject_of(passage), passage.title)


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """A question with the sections that answer it and the facts that a right answer states."""

    id: str
    query: str
    type: QueryType
    language: str = "en"
    relevant: tuple[Relevant, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """One case, run. Shares from 0 to 1; None where the case does not say."""

    case: GoldenCase
    routed: bool
    hit_at_3: float | None
    recall: float | None
    ndcg: float | None
    mrr: float | None
    citation_precision: float | None
    fact_coverage: float | None
    first_token_ms: float
    total_ms: float
    grounding: float | None = None


@dataclass(frozen=True, slots=True)
class Metrics:
    """Means over cases, from 0 to 1; milliseconds are medians."""

    cases: int = 0
    routing_accuracy: float = 0.0
    hit_at_3: float = 0.0
    recall: float = 0.0
    ndcg: float = 0.0
    mrr: float = 0.0
    citation_precision: float = 0.0
    fact_coverage: float = 0.0
    first_token_ms: float = 0.0
    total_ms: float = 0.0
    grounding: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an evaluation."""

    overall: Metrics
    by_type: dict[str, Metrics] = field(default_factory=dict)
    by_language: dict[str, Metrics] = field(default_factory=dict)


def read_golden_set(path: Path) -> list[GoldenCase]:
    """The cases of a JSON lines file.

    Raises:
        NotFound: There is no such file.
        InvalidInput: A line is not a case; the message names file and line.
    """
    if not path.is_file():
        raise NotFound(f"there is no golden set at {path}; name one with ENGINE_GOLDEN_SET or send cases along")
    return [_case(line, f"{path.name}:{place}") for place, line in filled_lines(path.read_text("utf-8", "replace"))]


def _case(line: str, where: str) -> GoldenCase:
    try:
        row = json.loads(line)
        return GoldenCase(
            str(row["id"]),
            str(row["query"]),
            QueryType(row["type"]),
            str(row.get("language", "en")),
            tuple(Relevant(r["document"], r.get("heading", "")) for r in row.get("relevant", ())),
            tuple(str(fact) for fact in row.get("facts", ())),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(
            where, f"is not a golden case ({type(error).__name__}): id, query and type are needed"
        ) from None


def select(
    cases: Sequence[GoldenCase], *, type_: QueryType | None = None, language: str = "", limit: int = 0
) -> list[GoldenCase]:
    """The cases of a type and a language, at most `limit` (0: all)."""
    chosen = [c for c in cases if type_ in (None, c.type) and language in ("", c.language)]
    return chosen[:limit] if limit else chosen


async def evaluate(
    cases: Sequence[GoldenCase],
    engine: Answers,
    store: SessionStore,
    *,
    new_id: Callable[[], str],
    deadline: float | None = None,
) -> AsyncGenerator[Measured]:
    """Runs the cases one after another, each in a session of its own that is forgotten afterwards.

    Args:
        deadline: Of all together, on the event loop's clock, seconds. A case that finds the engine full is tried again
            until then.

    Raises:
        DeadlineExceeded: The cases take longer.
    """
    for case in cases:
        turn = Turn(case.query, new_id(), principal=PRINCIPAL, deadline=deadline)
        try:
            answer, shown = await _answered(turn, engine)
        finally:
            await forget(store, turn.session_id)
        if answer is not None:
            yield measure(case, answer, [piece.passage for piece in shown])


async def _answered(turn: Turn, engine: Answers) -> tuple[Answer | None, tuple[Evidence, ...]]:
    """The answer, and the passages that it was made from."""
    shown: tuple[Evidence, ...] = ()
    while True:
        try:
            async with aclosing(engine.answer(turn)) as events:
                async for event in events:
                    if isinstance(event, Retrieved):
                        shown = event.evidence
                    elif isinstance(event, Completed):
                        return event.answer, shown
                return None, shown
        except Overloaded as full:
            now = asyncio.get_running_loop().time()
            if turn.deadline is not None and now + full.retry_after > turn.deadline:
                raise DeadlineExceeded("the engine was full until the evaluation's time was over") from full
            await asyncio.sleep(full.retry_after)


async def forget(store: SessionStore, session: str) -> None:
    """Takes a session of an evaluation out of the store, where anything of it got there."""
    try:
        await store.delete(PRINCIPAL, session)
    except NotFound:
        return  # it broke before anything was stored


def measure(case: GoldenCase, answer: Answer, shown: Sequence[Passage]) -> Measured:
    """What one answer is worth."""
    text = answer.text.casefold()
    cited = [any(r.matches(piece.passage) for r in case.relevant) for piece in answer.citations]
    known = bool(case.relevant)
    gains = gained(case.relevant, shown)
    return Measured(
        case,
        routed=answer.route.type is case.type,
        hit_at_3=float(any(gains[:3])) if known else None,
        recall=sum(gains) / len(case.relevant) if known else None,
        ndcg=_ndcg(gains, len(case.relevant)) if known else None,
        mrr=next((1 / place for place, gain in enumerate(gains, start=1) if gain), 0.0) if known else None,
        citation_precision=sum(cited) / len(cited) if known and cited else (0.0 if known else None),
        fact_coverage=sum(f.casefold() in text for f in case.facts) / len(case.facts) if case.facts else None,
        first_token_ms=answer.timings.get("first_token", answer.timings.get("total", 0.0)),
        total_ms=answer.timings.get("total", 0.0),
        grounding=answer.grounding.share,
    )


def gained(relevant: Sequence[Relevant], shown: Sequence[Passage]) -> list[bool]:
    """For each passage in order, whether it is the first of a relevant section: a section counts once."""
    left = list(relevant)
    gains = []
    for passage in shown:
        found = next((section for section in left if section.matches(passage)), None)
        gains.append(found is not None)
        if found is not None:
            left.remove(found)
    return gains


def _ndcg(gains: Sequence[bool], relevant: int) -> float:
    return gained_share(gains, [1.0] * min(relevant, max(len(gains), 1)))


def summarise(measured: Sequence[Measured]) -> Report:
    """The means, overall, by the cases' type and by their language."""
    types = sorted({m.case.type.value for m in measured})
    languages = sorted({m.case.language for m in measured})
    return Report(
        _metrics(measured),
        {name: _metrics([m for m in measured if m.case.type == name]) for name in types},
        {name: _metrics([m for m in measured if m.case.language == name]) for name in languages},
    )


def _metrics(measured: Sequence[Measured]) -> Metrics:
    if not measured:
        return Metrics()
    return Metrics(
        len(measured),
        known_mean(m.routed for m in measured),
        known_mean(m.hit_at_3 for m in measured),
        known_mean(m.recall for m in measured),
        known_mean(m.ndcg for m in measured),
        known_mean(m.mrr for m in measured),
        known_mean(m.citation_precision for m in measured),
        known_mean(m.fact_coverage for m in measured),
        statistics.median(m.first_token_ms for m in measured),
        statistics.median(m.total_ms for m in measured),
        known_mean(m.grounding for m in measured),
    )
