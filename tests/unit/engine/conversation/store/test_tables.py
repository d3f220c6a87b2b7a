from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from sqlalchemy.engine import Dialect, make_url

from classifier.decision import Layer, QueryType
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.tables import Text, ledger, ledger_evidence, ledger_row, turn_record, turn_row, turns
from engine.domain import Action, Evidence, Origin, Outcome, Passage, PlanMode, Rating, Relation, Usage

POSTGRES: Dialect = make_url("postgresql+psycopg://").get_dialect()()
SQLITE: Dialect = make_url("sqlite+pysqlite://").get_dialect()()
PLAIN = TurnRecord("t", "ana", "s", "q", "a", QueryType.RETRIEVAL, Layer.DEFAULT, Outcome.COMPLETE, 1.5)
FULL = TurnRecord(
    "t", "ana", "s", "¿qué?", "🙂", QueryType.PLATFORM, Layer.LLM, Outcome.PARTIAL, 1.5,
    sequence=3, request_id="r", confidence=0.5, runner_up=QueryType.RETRIEVAL, runner_up_confidence=0.25,
    reason="model", editor=True, artifact_id="a-1", relation=Relation.HISTORY_RECALL, action=Action.HISTORY,
    plan_mode=PlanMode.SINGLE_RETRIEVAL, search_query="q", searches=2, model="m", shown=(1, 2), cited=(2,),
    usage=Usage(3, 4), timings={"total": 1.0}, corrected_type=QueryType.CODE_GENERATION,
    corrected_relation=Relation.CONTEXTUAL_FOLLOW_UP, relation_confidence=0.75, relation_reason="words",
    extra_context="calls: 7", rating=Rating.DOWN, rating_reason="no",
)  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "plain", "\x00", "\x1a", "\x1a0", "\x1a1", "\x1a10", "\x00\x1a\x1a0\x001", "0\x1a1\x00"]
)
def test_any_text_can_be_written_where_no_nul_can(text: str) -> None:
    written = Text().process_bind_param(text, POSTGRES)
    assert written is not None
    assert "\x00" not in written
    assert Text().process_result_value(written, POSTGRES) == text
    assert Text().process_bind_param(text, SQLITE) == text
    assert Text().process_result_value(text, SQLITE) == text


def test_texts_that_differ_are_written_differently() -> None:
    texts = ["".join(letters) for letters in itertools.product("\x00\x1a01", repeat=4)]
    assert len({Text().process_bind_param(text, POSTGRES) for text in texts}) == len(texts)


@pytest.mark.parametrize("record", [PLAIN, FULL])
def test_a_turn_comes_back_from_its_row(record: TurnRecord) -> None:
    again = turn_record(turn_row(record))
    assert again == record
    assert isinstance(again.type, QueryType)
    assert isinstance(again.layer, Layer)
    assert isinstance(again.outcome, Outcome)


def test_a_row_has_every_column_and_nothing_else() -> None:
    assert set(turn_row(FULL)) == {column.name for column in turns.columns}
    row = ledger_row("ana", "s", Evidence(1, Passage("p", "d", "t", "h", "x")))
    assert set(row) == {column.name for column in ledger.columns}


def test_turns_without_a_request_id_do_not_collide() -> None:
    assert turn_row(PLAIN)["request_id"] is None
    assert turn_row(FULL)["request_id"] == "r"


def test_a_row_holds_plain_values_only() -> None:
    assert {type(value) for value in turn_row(FULL).values()} - {QueryType, Layer, Outcome, Relation, Action, PlanMode, Rating} == {
        str, int, float, bool, list, dict,
    }  # fmt: skip


def test_evidence_comes_back_as_the_ledgers() -> None:
    piece = Evidence(7, Passage("p", "d.md", "T", "H > K", "Text.", 0.5), Origin.SEARCH)
    again = ledger_evidence(SimpleNamespace(**ledger_row("ana", "s", piece)))
    assert again == Evidence(7, piece.passage, Origin.LEDGER)
