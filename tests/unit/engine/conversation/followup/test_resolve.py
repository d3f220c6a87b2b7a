from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Decision, Layer, QueryType
from classifier.dialogue_act.acts import ActReading
from classifier.dialogue_act.acts import DialogueAct as Act
from engine.conversation.followup.history_recall import recall_in
from engine.conversation.followup.resolve import PASSAGES, Resolution, evidence_of, resolve
from engine.conversation.store.port import Conversation, Said, TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Action, Evidence, Origin, Outcome, Part, Passage, Recall, Relation, Turn
from engine.text.questions.stated_figures import calculate_from_statements

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
LEDGER = [Evidence(n, Passage(f"p{n}", "doc.md", "Doc", "addVar", f"addVar does thing {n}.")) for n in range(1, 13)]


def said(number: int, query: str, answer: str = "It is so [1].", **more: Any) -> TurnRecord:
    record = TurnRecord(f"t{number}", "ana", "s", query, answer, RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, number)
    searched = {"action": Action.FRESH, "search_query": query} if more.get("type", RETRIEVAL).searches else {}
    return replace(record, **{**searched, **more})


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


async def resolved(
    store: SqlSessionStore,
    query: str,
    *past: TurnRecord,
    type_: QueryType = RETRIEVAL,
    editor: bool = False,
    act: Act = Act.NONE,
) -> Resolution:
    for place, record in enumerate(past):
        await store.append(record, LEDGER if place == 0 else ())
    conversation = await store.load("ana", "s", turns=12)
    decision = Decision(type_, Layer.EMBEDDING, 0.9, "confident", editor=editor, act=ActReading(act))
    return await resolve(Turn(query, "s", principal="ana"), decision, conversation, store)


ADD = said(1, "What is addVar?", shown=tuple(range(1, 13)), cited=(3, 1))


async def test_a_first_message_is_searched_for(store: SqlSessionStore) -> None:
    assert await resolved(store, "What is addVar?") == Resolution(
        Relation.NEW_TOPIC_INFORMATIONAL, Action.FRESH, "What is addVar?"
    )


async def test_more_gets_all_that_was_shown_with_the_cited_ones_first(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "Tell me more about that", ADD, act=Act.MORE)
    assert (resolution.relation, resolution.action) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY)
    assert resolution.numbers[:3] == (3, 1, 2)
    assert len(resolution.numbers) == PASSAGES
    assert (resolution.question, resolution.more) == ("What is addVar?", True)


async def test_the_first_one_is_the_first_item_of_a_list(store: SqlSessionStore) -> None:
    listed = replace(ADD, answer="- To declare [1].\n- To assign [2].")
    resolution = await resolved(store, "Tell me more about the second one.", listed, act=Act.MORE)
    assert (resolution.action, resolution.search_query) == (Action.REWRITE, "What is addVar? To assign")


async def test_a_question_about_an_item_is_searched_for_with_it_in_its_place(store: SqlSessionStore) -> None:
    listed = replace(ADD, answer="- To declare [1].\n- To assign the value that a request has sent along [2].")
    resolution = await resolved(store, "When do I need the second one?", listed)
    assert resolution.search_query == "When do I need To assign the value that a request has sent along?"


async def test_an_item_of_few_words_is_searched_for_with_its_topic(store: SqlSessionStore) -> None:
    listed = replace(ADD, answer="- To declare [1].\n- To assign the value that a request has sent along [2].")
    resolution = await resolved(store, "When do I need the first one?", listed)
    assert resolution.search_query == "When do I need To declare? addVar"


async def test_what_the_second_one_was_is_said_again(store: SqlSessionStore) -> None:
    listed = replace(ADD, answer="- To declare [1].\n- To assign [2].")
    resolution = await resolved(store, "Which was the second one?", listed)
    assert (resolution.action, resolution.recall) == (Action.HISTORY, Recall(Part.ITEM, 2))


@pytest.mark.parametrize(
    ("query", "type_", "editor"),
    [("What about CrossLab?", RETRIEVAL, False), ("document it", CODE, True), ("who wrote it?", RETRIEVAL, False)],
)
async def test_what_the_ledger_does_not_cover_is_searched_for(
    store: SqlSessionStore, query: str, type_: QueryType, editor: bool
) -> None:
    resolution = await resolved(store, query, ADD, type_=type_, editor=editor)
    assert resolution.action.searches
    assert resolution.numbers == ()


async def test_figures_of_an_account_are_never_taken_from_history(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "What was my first question?", ADD, type_=PLATFORM)
    assert resolution == Resolution(Relation.NEW_TOPIC_INFORMATIONAL, Action.NONE)


async def test_a_recall_names_its_turns_and_their_citations(store: SqlSessionStore) -> None:
    other = said(2, "What is getVar?", "It reads.", cited=(5,), shown=(5,))
    resolution = await resolved(store, "What did you say about addVar?", ADD, other)
    assert resolution.turns is not None
    assert [turn.query for turn in resolution.turns] == ["What is addVar?"]
    assert (resolution.numbers, resolution.recall) == ((3, 1), Recall(Part.ANSWER, 0, ("addVar",)))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("the last two as a list", ["What is addVar?", "What is getVar?"]),
        ("a list of what you told me about addVar", ["What is addVar?"]),
        ("as a list", ["What is addVar?", "What is getVar?"]),  # the window: its last answer is meant
    ],
)
async def test_another_form_may_be_wished_of_more_than_the_last_answer(
    store: SqlSessionStore, query: str, asked: list[str]
) -> None:
    other = said(2, "What is getVar?", "It reads.", cited=(5,), shown=(5,))
    resolution = await resolved(store, query, ADD, other, type_=TALK, act=Act.LIST)
    assert resolution.turns is not None
    assert [turn.query for turn in resolution.turns] == asked
    assert (resolution.recall is None) is (query == "as a list")


async def test_what_is_to_be_summed_up_is_searched_for_by_its_name(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "sum up the raku kiln in one sentence", ADD)
    assert (resolution.search_query, resolution.question) == ("raku kiln", "raku kiln")
    assert resolution.otherwise == ("sum up the raku kiln in one sentence",)


class _Counting(SqlSessionStore):
    """Says how many turns were read besides the last ones."""

    read = 0

    async def told(self, principal: str, session_id: str, *, after: int, before: int) -> list[Said]:
        found = await super().told(principal, session_id, after=after, before=before)
        self.read += len(found)
        return found


LIST = "- One [1].\n- Two [1]."
#: Of a session in which every third turn is talk, the questions that are told again.
LAST_QUESTIONS = [n for n in range(151) if n % 3 != 1][-20:]


def _long_session(turns: int) -> list[TurnRecord]:
    talk = {"type": TALK, "answer": "Hello."}
    about = {40: "readFile", 90: "closeFile"}
    return [
        said(n, "hi there", **talk)
        if n % 3 == 1
        else said(n, f"What is {about.get(n, 'addVar')}?", LIST if n == 41 else "It is so.", cited=(n % 2,) * (n % 2))
        for n in range(1, turns + 1)
    ]


@pytest.mark.parametrize(
    ("query", "asked", "most"),
    [
        ("What was my first question?", [2], 64),
        ("What was my last question?", [150], 0),
        ("What was my 30th question?", [45], 64),
        ("What did I ask you?", LAST_QUESTIONS, 64),
        ("What did you say about closeFile?", [90], 138),
        ("What was the second item of your list?", [41], 64 + 138),
        ("What was my 120th question?", LAST_QUESTIONS, 64 + 138 + 64),
    ],
)
async def test_a_recall_reads_no_more_of_a_long_session_than_it_needs(
    tmp_path: Path, query: str, asked: list[int], most: int
) -> None:
    store = _Counting(tmp_path / "long.sqlite3")
    resolution = await resolved(store, query, *_long_session(150))
    assert resolution.turns is not None
    assert [turn.sequence for turn in resolution.turns] == asked
    assert store.read <= most
    await store.close()


async def test_a_place_that_no_question_has_tells_all_of_them(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "What was my seventh question?", ADD, said(2, "What is getVar?"))
    assert resolution.recall == Recall(Part.QUESTION, 0)
    assert resolution.turns is not None
    assert len(resolution.turns) == 2


async def test_talk_that_recalls_what_was_never_said_does_not_search(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "¿qué me dijiste sobre CrossLab?", ADD, type_=TALK)
    assert (resolution.relation, resolution.action, resolution.turns) == (Relation.HISTORY_RECALL, Action.HISTORY, ())


async def test_figures_have_the_sessions_numbers_of_their_passages(store: SqlSessionStore) -> None:
    share = said(1, "Which share?", "It is 85 % [1].", cited=(4,), shown=(4,))
    amount = said(2, "Which amount?", "So [1]. It is $92,041 [2].", cited=(4, 9), shown=(4, 9))
    resolution = await resolved(store, "calculate that", share, amount)
    assert resolution.action is Action.HISTORY
    assert resolution.numbers == (4, 9)
    assert resolution.calculation is not None
    assert resolution.calculation.numbers == (4, 9)


@pytest.mark.parametrize(
    ("act", "numbers"), [(Act.SHORTER, (3, 1)), (Act.LIST, (3, 1)), (Act.LONGER, (3, 1, 2, 4, 5, 6, 7, 8))]
)
async def test_only_a_longer_form_gets_what_was_not_cited(
    store: SqlSessionStore, act: Act, numbers: tuple[int, ...]
) -> None:
    thanks = said(2, "thanks", "You are welcome.", type=TALK)
    resolution = await resolved(store, "that, please", ADD, thanks, type_=TALK, act=act)
    assert resolution.numbers == numbers
    assert resolution.turns is not None
    assert [turn.sequence for turn in resolution.turns] == [1]


async def test_evidence_of_earlier_turns_is_from_the_ledger(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "Elaborate on that.", ADD, act=Act.MORE)
    turn = Turn("Elaborate on that.", "s", principal="ana")
    evidence = await evidence_of(turn, resolution, store)
    assert [piece.number for piece in evidence] == list(resolution.numbers)
    assert {piece.origin for piece in evidence} == {Origin.LEDGER}
    assert await evidence_of(turn, Resolution(None, Action.NONE), store) == ()


@pytest.mark.parametrize(
    ("more", "editor", "expected"),
    [
        ({}, True, "explain this"),
        ({"selected_text": "addVar(x)"}, False, "explain this"),
        ({"selected_text": "addVar(x)", "editor_content": "file"}, True, "explain this\naddVar(x)"),
        ({"editor_content": "file"}, True, "explain this\nfile"),
        ({"selected_text": " "}, True, "explain this"),
        ({"selected_text": "x" * 1000}, True, "explain this\n" + "x" * 400),
    ],
)
async def test_a_search_for_shown_code_uses_its_beginning(
    store: SqlSessionStore, more: dict[str, Any], editor: bool, expected: str
) -> None:
    decision = Decision(CODE, Layer.EMBEDDING, 0.9, "confident", editor=editor)
    found = await resolve(Turn("explain this", "s", principal="ana", **more), decision, Conversation(), store)
    assert (found.action, found.search_query) == (Action.FRESH, expected)


@pytest.mark.parametrize(
    ("query", "more", "expected"),
    [
        ("what is line 2 for", {"editor_content": "a\nb()\nc"}, "what is line 2 for\nb()"),
        ("¿y las líneas 1 a 2?", {"selected_text": "a\nb()\nc"}, "¿y las líneas 1 a 2?\na\nb()"),
        ("what is line 9 for", {"editor_content": "a\nb()"}, "what is line 9 for"),
        ("what is line 2 for", {}, "what is line 2 for"),
    ],
)
async def test_a_search_for_a_line_of_shown_code_uses_that_line(
    store: SqlSessionStore, query: str, more: dict[str, Any], expected: str
) -> None:
    decision = Decision(RETRIEVAL, Layer.EMBEDDING, 0.9, "confident")
    found = await resolve(Turn(query, "s", principal="ana", **more), decision, Conversation(), store)
    assert found.search_query == expected


async def test_a_follow_up_searches_with_the_words_that_it_lacks(store: SqlSessionStore) -> None:
    past = (said(1, "What is CrossLab?", "A comparison."), said(2, "explain this", "It compares."))
    found = await resolved(store, "Who wrote it?", *past)
    assert (found.action, found.search_query) == (Action.REWRITE, "Who wrote it? CrossLab")
    assert found.carried_from == (1,)


async def test_nothing_is_searched_for_without_a_search(store: SqlSessionStore) -> None:
    found = await resolved(store, "shorter", ADD, type_=TALK)
    assert (found.action, found.search_query) == (Action.HISTORY, "")


async def test_another_example_needs_code_that_was_not_shown(store: SqlSessionStore) -> None:
    found = await resolved(store, "one more of those", ADD, act=Act.EXAMPLE)
    assert (found.action, found.more) == (Action.REWRITE, False)
    assert found.search_query == "one more of those addVar"


@pytest.mark.parametrize("query", ["Tell me more about that", "another example of it"])
async def test_what_was_shown_for_an_answer_that_cites_nothing_covers_nothing(
    store: SqlSessionStore, query: str
) -> None:
    refused = replace(ADD, cited=(), answer="Nothing was found.")
    found = await resolved(store, query, refused, act=Act.MORE)
    assert (found.action, found.numbers) == (Action.REWRITE, ())
    assert found.search_query.endswith("addVar")


async def test_a_reason_is_looked_for_in_what_was_not_said(store: SqlSessionStore) -> None:
    found = await resolved(store, "for what reason?", ADD, act=Act.WHY)
    assert (found.action, found.more, found.question) == (Action.HISTORY, True, "What is addVar?")


async def test_a_correction_is_searched_for_in_place_of_what_was_said(store: SqlSessionStore) -> None:
    found = await resolved(store, "sorry, I was thinking of delVar", ADD, act=Act.CORRECTION)
    assert (found.relation, found.action) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE)
    assert found.search_query == "What is delVar?"
    assert found.carried_from == (1,)


async def test_an_ordinal_means_a_name_of_the_question_where_the_answer_has_no_list(store: SqlSessionStore) -> None:
    both = replace(ADD, query="How do addVar and delVar differ?", search_query="How do addVar and delVar differ?")
    found = await resolved(store, "Say more on the second.", both, act=Act.MORE)
    assert (found.action, found.search_query) == (Action.REWRITE, "delVar")  # no passage of the ledger has it
    found = await resolved(store, "Say more on the first.", act=Act.MORE)
    assert (found.action, found.question) == (Action.HISTORY, "addVar")


@pytest.mark.parametrize(
    "text", ["what did i " * 20_000, "qué te " * 30_000, "$1,000 " * 20_000, "remember " * 20_000, "a" * 200_000]
)
def test_a_pasted_file_takes_no_time(text: str) -> None:
    started = time.process_time()
    recall_in(text)
    calculate_from_statements(text, ())
    assert time.process_time() - started < 0.2


async def test_an_ordinal_alone_means_an_item_of_the_last_answer(store: SqlSessionStore) -> None:
    listed = said(
        1,
        "which steps are there?",
        "- Sand the board [1]\n- Oil the board [1]\n- Wait a day [1]",
        shown=(3,),
        cited=(3,),
    )
    resolution = await resolved(store, "and the second?", listed)
    assert (resolution.action, resolution.search_query) == (Action.REWRITE, "which steps are there? Oil the board")


async def test_a_correction_without_a_thing_goes_on_from_the_question(store: SqlSessionStore) -> None:
    resolution = await resolved(store, "no, only for it", said(1, "which oil is used?"), act=Act.CORRECTION)
    assert resolution.search_query == "no, only for it oil"


async def test_a_follow_up_goes_on_from_the_document_that_was_quoted_first(store: SqlSessionStore) -> None:
    refused = said(2, "And removeVar?", "Nothing.", shown=(5,))
    assert (await resolved(store, "how long does it live", ADD, refused)).document == "doc.md"


async def test_a_message_that_needs_no_conversation_goes_on_from_no_document(store: SqlSessionStore) -> None:
    assert (await resolved(store, "How do I write a loop over a list of orders?", ADD)).document == ""
