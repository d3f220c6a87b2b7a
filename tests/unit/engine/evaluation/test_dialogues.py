from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from classifier.decision import Decision, Layer, QueryType
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Action, Answer, Completed, Event, Evidence, Origin, Passage, Relation, Route, Turn
from engine.errors import InvalidInput, NotFound
from engine.evaluation.dialogues import (
    Conversations,
    Dialogue,
    Heard,
    Said,
    Talked,
    converse,
    heard,
    read_dialogues,
    summarise,
)
from engine.testing import counting_ids

ROOT = Path(__file__).resolve().parents[4]
DECISION = Decision(QueryType.RETRIEVAL, Layer.DEFAULT, 0.0, "default")
PASSAGE = Passage("p", "doc.md", "Doc", "", "Text.")


def answered(
    text: str = "It is so.",
    action: Action = Action.FRESH,
    *,
    relation: Relation = Relation.NEW_TOPIC_INFORMATIONAL,
    search_query: str = "",
    citations: tuple[Evidence, ...] = (),
) -> Answer:
    route = Route(DECISION, relation, action, search_query=search_query)
    return Answer(text, "s", "t", route, citations, int(action.searches), timings={"total": 7.0})


def judged(said: Said, answer: Answer, known: set[str] | None = None) -> Heard:
    return heard(Dialogue("d", (said,)), said, answer, known or set())


def test_the_conversations_that_ship_can_be_read_and_are_many() -> None:
    dialogues = read_dialogues(ROOT / "examples" / "golden" / "conversations.jsonl")
    turns = [turn for dialogue in dialogues for turn in dialogue.turns]
    assert len(turns) >= 60
    assert {dialogue.language for dialogue in dialogues} == {"en", "es"}
    assert len({dialogue.id for dialogue in dialogues}) == len(dialogues)
    assert all(dialogue.turns[0].search or dialogue.turns[1].search for dialogue in dialogues)


def test_a_conversation_is_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    turns = [
        {"query": "What?", "search": True, "says": ["this"]},
        {"query": "More?", "search": False, "relation": "CONTEXTUAL_FOLLOW_UP", "carries": ["x"]},
    ]
    path.write_text(f"\n{json.dumps({'id': 'one', 'turns': turns})}\n", "utf-8")
    assert read_dialogues(path) == [
        Dialogue(
            "one",
            (
                Said("What?", search=True, says=("this",)),
                Said("More?", search=False, relation=Relation.CONTEXTUAL_FOLLOW_UP, carries=("x",)),
            ),
        )
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"id": "x"}',
        '{"id": "x", "turns": 1}',
        '{"id": "x", "turns": [{}]}',
        '{"id": "x", "turns": [{"query": "q"}]}',
        '{"id": "x", "turns": [{"query": "q", "search": "yes"}]}',
        '{"id": "x", "turns": [{"query": "q", "search": true, "relation": "FRIEND"}]}',
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(f'{{"id": "ok", "turns": []}}\n{line}\n', "utf-8")
    with pytest.raises(InvalidInput) as raised:
        read_dialogues(path)
    assert "talk.jsonl:2" in str(raised.value)


def test_no_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_dialogues(tmp_path / "none")


def test_what_a_case_does_not_say_is_not_judged() -> None:
    result = judged(Said("q", search=True), answered())
    assert (result.relation_right, result.said_right, result.carried, result.cited_known) == (None, None, None, None)


def test_words_relation_and_rewrite_are_judged_without_case() -> None:
    said = Said("q", search=True, relation=Relation.CONTEXTUAL_FOLLOW_UP, says=("IT", "so"), carries=("ADDVAR",))
    right = answered(relation=Relation.CONTEXTUAL_FOLLOW_UP, action=Action.REWRITE, search_query="q addVar")
    result = judged(said, right)
    assert (result.relation_right, result.said_right, result.carried) == (True, True, True)
    result = judged(said, answered("It."))
    assert (result.relation_right, result.said_right, result.carried) == (False, False, False)


def test_citations_of_an_answer_from_history_have_been_shown_before() -> None:
    pieces = (Evidence(1, PASSAGE, Origin.LEDGER), Evidence(2, Passage("new", "", "", "", ""), Origin.SEARCH))
    result = judged(Said("q", search=False), answered(action=Action.HISTORY, citations=pieces))
    assert result.cited_known == 0.5
    assert (
        judged(Said("q", search=False), answered(action=Action.HISTORY, citations=pieces), {"new"}).cited_known == 1.0
    )
    assert judged(Said("q", search=True), answered(citations=pieces)).cited_known is None


def test_precision_and_recall_of_searching() -> None:
    searched, history = answered(), answered(action=Action.HISTORY)
    report = summarise(
        [
            judged(Said("right", search=True), searched),
            judged(Said("needless", search=False), searched),
            judged(Said("missed", search=True), history),
            judged(Said("spared", search=False), history),
            judged(Said("also right", search=True), searched),
        ]
    )
    assert report.overall.search_precision == pytest.approx(2 / 3)
    assert report.overall.search_recall == pytest.approx(2 / 3)
    assert report.overall.messages == 5
    assert report.overall.search_ms == report.overall.history_ms == 7.0
    assert report.wrong == ("d: needless (searched)", "d: missed (not searched)")
    assert set(report.by_language) == {"en"}


def test_nothing_heard_is_an_empty_report() -> None:
    assert summarise([]) == Conversations(Talked())


class Echo:
    """Answers with what it is asked, and keeps the sessions."""

    def __init__(self) -> None:
        self.sessions: list[str] = []

    async def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        self.sessions.append(turn.session_id)
        yield Completed(answered(turn.query, citations=(Evidence(1, PASSAGE),)))


async def test_each_conversation_has_a_session_of_its_own(tmp_path: Path) -> None:
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    engine = Echo()
    dialogues = [
        Dialogue("a", (Said("one", search=True), Said("two", search=True))),
        Dialogue("b", (Said("three", search=True),), "es"),
    ]
    results = [one async for one in converse(dialogues, engine, store, new_id=counting_ids("talk"))]
    assert engine.sessions == ["talk-1", "talk-1", "talk-2"]
    assert [(one.dialogue, one.language, one.said.query) for one in results] == [
        ("a", "en", "one"),
        ("a", "en", "two"),
        ("b", "es", "three"),
    ]
    await store.close()
