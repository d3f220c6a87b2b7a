from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from math import log2
from pathlib import Path

import pytest

from classifier.decision import Decision, Layer, QueryType
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Answer, Completed, Event, Evidence, Grounding, Outcome, Passage, Retrieved, Route, Turn
from engine.errors import DeadlineExceeded, DependencyUnavailable, InvalidInput, NotFound, Overloaded
from engine.evaluation.golden import (
    GoldenCase,
    Measured,
    Metrics,
    Relevant,
    evaluate,
    gained,
    measure,
    read_golden_set,
    select,
    summarise,
)
from engine.testing import counting_ids

RETRIEVAL, PLATFORM = QueryType.RETRIEVAL, QueryType.PLATFORM
ADD = Passage("add", "vars.md", "Variables", "Commands > addVar", "Adds.")
ADD_TWICE = Passage("add-2", "vars.md", "Variables", "Commands > addVar", "Adds, part two.")
GET = Passage("get", "vars.md", "Variables", "Commands > getVar", "Gets.")
LOOP = Passage("loop", "loops.md", "Loops", "", "Loops.")
TWO = (Relevant("vars.md", "addVar"), Relevant("loops.md"))


def case(id_: str = "c1", **more: object) -> GoldenCase:
    values: dict[str, object] = {"query": "What?", "type": RETRIEVAL, "relevant": TWO, "facts": ("Adds", "42")}
    return GoldenCase(id_, **{**values, **more})  # type: ignore[arg-type]


def answer(text: str, cited: tuple[Passage, ...] = (), type_: QueryType = RETRIEVAL, session: str = "s") -> Answer:
    citations = tuple(Evidence(place, passage) for place, passage in enumerate(cited, start=1))
    route = Route(Decision(type_, Layer.LLM, 1.0, "model"))
    return Answer(text, session, "t", route, citations, timings={"first_token": 5.0, "total": 20.0})


@pytest.mark.parametrize(
    ("relevant", "passage", "matches"),
    [
        (Relevant("vars.md", "addVar"), ADD, True),
        (Relevant("vars.md", "Variables"), ADD, True),
        (Relevant("vars.md"), ADD, True),
        (Relevant("vars.md", "Commands"), ADD, False),
        (Relevant("vars.md", "getVar"), ADD, False),
        (Relevant("loops.md", "addVar"), ADD, False),
    ],
)
def test_a_section_is_named_by_document_and_last_heading_or_title(
    relevant: Relevant, passage: Passage, matches: bool
) -> None:
    assert relevant.matches(passage) is matches


def test_a_section_counts_once() -> None:
    assert gained(TWO, [GET, ADD, ADD_TWICE, LOOP]) == [False, True, False, True]
    assert gained([Relevant("vars.md"), Relevant("vars.md")], [ADD, GET, ADD_TWICE]) == [True, True, False]


def test_one_answer_is_measured() -> None:
    measured = measure(case(), answer("It ADDS a variable.", (ADD, GET)), [GET, ADD, ADD_TWICE, LOOP])
    assert (measured.routed, measured.hit_at_3, measured.recall, measured.mrr) == (True, 1.0, 1.0, 0.5)
    assert measured.ndcg == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))
    assert (measured.citation_precision, measured.fact_coverage) == (0.5, 0.5)
    assert (measured.first_token_ms, measured.total_ms) == (5.0, 20.0)


def test_a_perfect_answer_has_ones() -> None:
    measured = measure(case(), answer("Adds 42.", (LOOP, ADD)), [ADD, LOOP, GET])
    assert (measured.hit_at_3, measured.recall, measured.ndcg, measured.mrr) == (1.0, 1.0, 1.0, 1.0)
    assert (measured.citation_precision, measured.fact_coverage) == (1.0, 1.0)


def test_nothing_found_and_nothing_cited_is_zero() -> None:
    measured = measure(case(), answer("I found nothing."), [])
    assert (measured.hit_at_3, measured.recall, measured.ndcg, measured.mrr) == (0.0, 0.0, 0.0, 0.0)
    assert (measured.citation_precision, measured.fact_coverage) == (0.0, 0.0)


def test_a_hit_in_fourth_place_is_no_hit_at_three() -> None:
    measured = measure(case(relevant=(Relevant("loops.md"),)), answer("x"), [GET, ADD, ADD_TWICE, LOOP])
    assert (measured.hit_at_3, measured.recall, measured.mrr) == (0.0, 1.0, 0.25)


def test_what_a_case_does_not_say_is_not_measured() -> None:
    measured = measure(case(relevant=(), facts=(), type=PLATFORM), answer("x"), [ADD])
    assert not measured.routed
    assert {measured.hit_at_3, measured.recall, measured.ndcg, measured.mrr} == {None}
    assert measured.citation_precision is measured.fact_coverage is None


def measured_of(type_: QueryType, language: str, recall: float | None, total: float) -> Measured:
    of = case(type=type_, language=language)
    return Measured(of, type_ is RETRIEVAL, recall, recall, recall, recall, recall, recall, total / 2, total)


def test_a_report_has_means_overall_by_type_and_by_language() -> None:
    report = summarise(
        [
            measured_of(RETRIEVAL, "en", 1.0, 10.0),
            measured_of(RETRIEVAL, "es", 0.5, 20.0),
            measured_of(PLATFORM, "es", None, 90.0),
        ]
    )
    assert report.overall == Metrics(3, 2 / 3, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 10.0, 20.0)
    assert set(report.by_type) == {"RETRIEVAL", "PLATFORM"}
    assert (report.by_type["RETRIEVAL"].cases, report.by_type["RETRIEVAL"].recall) == (2, 0.75)
    assert (report.by_type["PLATFORM"].cases, report.by_type["PLATFORM"].recall) == (1, 0.0)
    assert {name: metrics.cases for name, metrics in report.by_language.items()} == {"en": 1, "es": 2}


def test_grounding_is_the_mean_of_the_answers_that_cite() -> None:
    cited = replace(answer("Adds [1].", (ADD,)), grounding=Grounding(0.5))
    measured = [measure(case(), said, [ADD]) for said in (cited, answer("Hello."))]
    assert [one.grounding for one in measured] == [0.5, None]
    assert summarise(measured).overall.grounding == 0.5


def test_a_report_of_nothing() -> None:
    assert summarise([]).overall == Metrics()


def test_cases_are_chosen_by_type_language_and_number() -> None:
    cases = [case("1"), case("2", language="es"), case("3", type=PLATFORM), case("4")]
    assert [c.id for c in select(cases)] == ["1", "2", "3", "4"]
    assert [c.id for c in select(cases, type_=RETRIEVAL, language="en")] == ["1", "4"]
    assert [c.id for c in select(cases, type_=RETRIEVAL, limit=2)] == ["1", "2"]


def test_a_golden_set_is_read_from_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    rows = [
        {"id": "a", "query": "¿Qué\u2028es?", "type": "RETRIEVAL", "language": "es", "facts": ["uno"]},
        {"id": "b", "query": "My quota?", "type": "PLATFORM"},
        {
            "id": "c",
            "query": "q",
            "type": "RETRIEVAL",
            "relevant": [{"document": "d", "heading": "h"}, {"document": "e"}],
        },
    ]
    path.write_text("\r\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", "utf-8")
    first, second, third = read_golden_set(path)
    assert first == GoldenCase("a", "¿Qué\u2028es?", RETRIEVAL, "es", facts=("uno",))
    assert second == GoldenCase("b", "My quota?", PLATFORM, "en")
    assert third.relevant == (Relevant("d", "h"), Relevant("e"))


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "5", '"x"', "{}", '{"id": "a", "query": "q", "type": "WEATHER"}', '{"id": "a", "type": "PLATFORM"}',
     '{"id": "a", "query": "q", "type": "PLATFORM", "relevant": [{}]}',
     '{"id": "a", "query": "q", "type": "PLATFORM", "relevant": ["d"]}',
     '{"id": "a", "query": "q", "type": "PLATFORM", "facts": null}'],
)  # fmt: skip
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text('{"id": "a", "query": "q", "type": "PLATFORM"}\n\n' + line, "utf-8")
    with pytest.raises(InvalidInput, match=r"^golden\.jsonl:3: is not a golden case"):
        read_golden_set(path)


def test_a_golden_set_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="ENGINE_GOLDEN_SET"):
        read_golden_set(tmp_path / "none.jsonl")


class StoringEngine:
    """Stores each turn and answers it; breaks when it is told to."""

    def __init__(self, store: SqlSessionStore, *, breaks: bool = False) -> None:
        self._store = store
        self._breaks = breaks
        self.asked: list[Turn] = []

    async def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        self.asked.append(turn)
        record = TurnRecord(
            f"t-{turn.session_id}", turn.principal, turn.session_id, turn.query, "Adds 42.", RETRIEVAL, Layer.LLM,
            Outcome.COMPLETE, 1.0,
        )  # fmt: skip
        await self._store.append(record)
        yield Retrieved((Evidence(1, ADD), Evidence(2, LOOP)))
        if self._breaks:
            raise DependencyUnavailable("ollama", "broke off")
        yield Completed(answer("Adds 42.", (ADD,), session=turn.session_id))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


async def test_each_case_has_a_session_of_its_own_that_is_forgotten(store: SqlSessionStore) -> None:
    engine = StoringEngine(store)
    measured = [m async for m in evaluate([case("1"), case("2")], engine, store, new_id=counting_ids())]
    assert [(m.case.id, m.recall, m.fact_coverage) for m in measured] == [("1", 1.0, 1.0), ("2", 1.0, 1.0)]
    assert len({turn.session_id for turn in engine.asked}) == 2
    (principal,) = {turn.principal for turn in engine.asked}
    assert (await store.sessions(principal, size=5)).sessions == ()


async def test_a_case_that_breaks_is_forgotten_too(store: SqlSessionStore) -> None:
    engine = StoringEngine(store, breaks=True)
    with pytest.raises(DependencyUnavailable):
        _ = [m async for m in evaluate([case()], engine, store, new_id=counting_ids())]
    assert (await store.sessions(engine.asked[0].principal, size=5)).sessions == ()


class FullEngine:
    """Refuses each turn `times` times before it answers; it keeps the deadlines of all."""

    def __init__(self, times: int, hint: float) -> None:
        self._left, self._hint = times, hint
        self.deadlines: list[float | None] = []

    async def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        self.deadlines.append(turn.deadline)
        self._left -= 1
        if self._left >= 0:
            raise Overloaded("full", self._hint)
        yield Completed(answer("Adds 42.", session=turn.session_id))


async def test_a_case_that_finds_the_engine_full_is_tried_again(store: SqlSessionStore) -> None:
    engine = FullEngine(3, 0.0)
    deadline = asyncio.get_running_loop().time() + 60
    results = [one async for one in evaluate([case()], engine, store, new_id=counting_ids(), deadline=deadline)]
    assert [one.fact_coverage for one in results] == [1.0]
    assert engine.deadlines == [deadline] * 4


async def test_an_engine_that_stays_full_ends_the_evaluation_in_its_time(store: SqlSessionStore) -> None:
    deadline = asyncio.get_running_loop().time() + 60
    with pytest.raises(DeadlineExceeded):
        [x async for x in evaluate([case()], FullEngine(9, 61.0), store, new_id=counting_ids(), deadline=deadline)]
