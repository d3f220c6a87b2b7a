"""Whole conversations through the answer engine, with the searches counted: the cases of the change request."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.answering.ports import fold
from engine.conversation.followup.query_rewriting.model import Rewritten
from engine.conversation.store.port import Conversation
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Action, Answer, Origin, Passage, Relation, Turn
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.port import ChatModel, Prompt
from engine.planning.workflow import Workflow
from engine.testing import HashedWordsEmbedder, ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from engine.text import messages
from engine.text.language import Language

TALK = QueryType.CONVERSATIONAL
FEATURE = Passage(
    "f1", "features.md", "Features", "Feature 1", "Feature 1 exports reports as PDF. Feature 1 is run every night."
)
LIMITS = Passage(
    "f2",
    "features.md",
    "Features",
    "Limits of feature 1",
    "Feature 1 keeps thirty reports. Feature 1 deletes old ones.",
)
LAB = Passage("x", "lab.md", "CrossLab", "CrossLab?", "CrossLab compares laboratories.")
FUNCION = Passage(
    "e1", "es.md", "Funciones", "La función 1", "La función 1 exporta informes. La función 1 es nocturna."
)
LABES = Passage("e2", "es.md", "CrossLab", "¿Y CrossLab", "CrossLab compara laboratorios.")
SHARE = Passage(
    "s1", "smi.md", "Eligibility", "", "What determines eligibility: income at or below 85 percent of SMI, the median."
)
SIZES = Passage(
    "s2", "smi.md", "SMI", "", "The SMI for a family of 3 is $76,500. The SMI for a family of 4 is $92,041."
)
PARTE = Passage("s3", "es.md", "Elegibilidad", "", "La elegibilidad la determina el porcentaje: el 85 % del SMI.")
TALLAS = Passage("s4", "es.md", "SMI", "", "El SMI para una familia de 4 es de 92.041 $.")
EVERYTHING = [FEATURE, LIMITS, LAB, FUNCION, LABES, SHARE, SIZES, PARTE, TALLAS]


ACTS = {
    "thanks": DialogueAct.THANKS,
    "gracias": DialogueAct.THANKS,
    "hello": DialogueAct.GREETING,
    "shorter": DialogueAct.SHORTER,
    "en menos palabras": DialogueAct.SHORTER,
    "in a table": DialogueAct.TABLE,
    "make it longer": DialogueAct.LONGER,
    "Give me that as a list": DialogueAct.LIST,
    "translate it into French": DialogueAct.TRANSLATE,
}
MORE = dict.fromkeys(
    (
        "Tell me more about the first one.", "Tell me more about that", "Elaborate on that.",
        "Cuéntame más sobre la primera.", "Profundiza en eso.", "dime más",
    ),
    DialogueAct.MORE,
)  # fmt: skip


class Talk:
    """A session over doubles."""

    def __init__(self, store: SqlSessionStore, model: ChatModel, **parts: object) -> None:
        self.retriever = ListRetriever(EVERYTHING)
        models = Models(model, model)
        router = ScriptedRouter(dict.fromkeys(ACTS, TALK), ACTS | MORE)
        flow = Workflow.by_rules(self.retriever)
        nodes = Nodes(router, self.retriever, store, models, Limits(), flow, **parts)  # type: ignore[arg-type]
        self.engine = AnswerEngine(nodes, new_id=counting_ids())

    async def say(self, query: str) -> Answer:
        return await fold(self.engine.answer(Turn(query, "s", principal="ana")))

    async def searches(self, query: str) -> int:
        """Searches in all after this message."""
        answer = await self.say(query)
        assert answer.searches == answer.route.action.searches
        return len(self.retriever.queries)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


def extractive() -> ExtractiveAnswerer:
    return ExtractiveAnswerer(HashedWordsEmbedder(512))


def scripted() -> ScriptedModel:
    return ScriptedModel(lambda prompt: " ".join(f"It is so [{piece.number}]." for piece in prompt.evidence) or "Well.")


@pytest.fixture(params=[extractive, scripted], ids=["extractive", "scripted"])
def talk(store: SqlSessionStore, request: pytest.FixtureRequest) -> Talk:
    model: Callable[[], ChatModel] = request.param
    return Talk(store, model())


@pytest.mark.parametrize(
    ("first", "more", "other"),
    [
        ("What is feature 1?", "Tell me more about the first one.", "What about CrossLab?"),
        ("¿Qué es la función 1?", "Cuéntame más sobre la primera.", "¿Y CrossLab?"),
    ],
)
async def test_more_needs_no_search_and_another_topic_does(talk: Talk, first: str, more: str, other: str) -> None:
    assert await talk.searches(first) == 1
    assert await talk.searches(more) == 1
    assert await talk.searches(other) == 2
    assert talk.retriever.queries == [first, other]


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("What is feature 1?", "Elaborate on that."),
        ("What is feature 1?", "Tell me more about that"),
        ("¿Qué es la función 1?", "Profundiza en eso."),
        ("¿Qué es la función 1?", "dime más"),
    ],
)
async def test_elaborating_needs_no_search(talk: Talk, first: str, more: str) -> None:
    await talk.say(first)
    answer = await talk.say(more)
    assert (answer.route.relation, answer.route.action) == (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY)
    assert (answer.searches, answer.route.search_query) == (0, "")
    assert answer.citations
    assert {piece.origin for piece in answer.citations} == {Origin.LEDGER}


async def test_more_tells_what_was_not_said(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    first = await talk.say("What is feature 1?")
    more = await talk.say("Tell me more about the first one.")
    told = set(re.findall(r"Feature 1 [^.]+\.", first.text))
    assert told
    assert not told & set(re.findall(r"Feature 1 [^.]+\.", more.text))


async def test_the_first_question_is_recalled_from_history(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    await talk.say("hello")
    await talk.say("What is feature 1?")
    await talk.say("What about CrossLab?")
    answer = await talk.say("What was my first question?")
    assert "“What is feature 1?”" in answer.text
    assert (answer.route.relation, answer.searches) == (Relation.HISTORY_RECALL, 0)
    assert len(talk.retriever.queries) == 2


async def test_a_turn_is_recalled_from_among_all_of_them(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    await talk.say("What about CrossLab?")
    for _ in range(15):
        await talk.say("What is feature 1?")
    answer = await talk.say("What did you say about CrossLab?")
    assert "compares laboratories" in answer.text
    assert [(piece.passage.id, piece.origin) for piece in answer.citations] == [("x", Origin.LEDGER)]
    assert answer.searches == 0


async def test_what_was_never_talked_about_is_searched_for(talk: Talk) -> None:
    await talk.say("What is feature 1?")
    answer = await talk.say("What did you say about CrossLab?")
    assert answer.searches == 1


async def test_a_model_is_told_exactly_the_turns_that_are_asked_about(store: SqlSessionStore) -> None:
    model = scripted()
    talk = Talk(store, model)
    for query in ("What about CrossLab?", "What is feature 1?", "What is SMI for family of 4?"):
        await talk.say(query)
    await talk.say("What was my second question?")
    message = model.prompts[-1].messages[1].content
    told = message[message.index("<conversation>") : message.index("</conversation>")]
    assert "Turn 2\nUser: What is feature 1?" in told
    assert told.count("User: ") == 1


@pytest.mark.parametrize(
    ("asked", "cutoff", "qualifies"),
    [
        (
            [
                "What percentage of SMI determines eligibility?",
                "What is SMI for family of 4?",
                "Calculate the exact income cutoff for that family",
                "If family of 4 makes $4,500/month, qualify?",
                "Based on what you told me, calculate the cutoff",
            ],
            "$78,235",
            ("Yes", "$54,000"),
        ),
        (
            [
                "¿Qué porcentaje del SMI determina la elegibilidad?",
                "¿Cuál es el SMI para una familia de 4?",
                "Calcula el límite exacto para esa familia",
                "Si una familia de 4 gana 4.500 $ al mes, ¿cumple los requisitos?",
                "Según lo que me dijiste, calcula el límite",
            ],
            "78.235 $",
            ("Sí", "54.000 $"),
        ),
    ],
)
async def test_facts_across_turns_without_a_model(
    store: SqlSessionStore, asked: list[str], cutoff: str, qualifies: tuple[str, str]
) -> None:
    talk = Talk(store, extractive())
    answers = [await talk.say(query) for query in asked]
    assert "85" in answers[0].text
    assert "92" in answers[1].text
    assert cutoff in answers[2].text
    assert all(word in answers[3].text for word in qualifies)
    assert cutoff in answers[4].text
    assert [answer.searches for answer in answers] == [1, 1, 0, 0, 0]
    for answer in answers[2:]:
        assert len(answer.citations) == 2
        assert {piece.origin for piece in answer.citations} == {Origin.LEDGER}


def reads_its_prompt(prompt: Prompt) -> str:
    """A model that knows nothing but the text of its messages, and calculates with what stands there."""
    said = prompt.messages[1].content
    share = re.search(r"Assistant: [^\n]*?(\d+) ?%", said)
    amount = re.search(r"Assistant: [^\n]*?\$(9[\d,]+)", said)
    if prompt.query.startswith("What percentage"):
        return "It is 85 % of SMI [1]."
    if prompt.query.startswith("What is SMI"):
        return "It is $92,041 for a family of 4 [2]."
    if share is None or amount is None:
        return "I do not know."
    cutoff = int(share[1]) * int(amount[1].replace(",", "")) / 100
    if "qualify" in prompt.query:
        income = int(re.search(r"\$([\d,]+)/month", said)[1].replace(",", "")) * 12  # type: ignore[index]
        return f"{'Yes' if income <= cutoff else 'No'}: ${income:,} a year is below ${cutoff:,.0f}."
    return f"The cutoff is ${cutoff:,.0f}."


async def test_facts_across_turns_with_a_model_that_can_only_read_its_prompt(store: SqlSessionStore) -> None:
    talk = Talk(store, ScriptedModel(reads_its_prompt))
    asked = [
        "What percentage of SMI determines eligibility?",
        "What is SMI for family of 4?",
        "Calculate the exact income cutoff for that family",
        "If family of 4 makes $4,500/month, qualify?",
    ]
    texts = [(await talk.say(query)).text for query in asked]
    assert texts[2] == "The cutoff is $78,235."
    assert texts[3] == "Yes: $54,000 a year is below $78,235."


async def test_the_exact_result_stands_in_the_models_prompt(store: SqlSessionStore) -> None:
    model = ScriptedModel(reads_its_prompt)
    talk = Talk(store, model)
    for query in ("What percentage of SMI determines eligibility?", "What is SMI for family of 4?"):
        await talk.say(query)
    await talk.say("Calculate the exact income cutoff for that family")
    message = model.prompts[-1].messages[1].content
    assert "<calculation>\nThat comes to $78,235 (85 % of $92,041 = $78,234.85)." in message


@pytest.mark.parametrize("courtesy", ["thanks", "hello"])
@pytest.mark.parametrize("form", ["shorter", "Give me that as a list", "in a table", "make it longer"])
async def test_a_courtesy_is_not_what_is_reworked(store: SqlSessionStore, courtesy: str, form: str) -> None:
    talk = Talk(store, extractive())
    first = await talk.say("What is feature 1?")
    await talk.say(courtesy)
    answer = await talk.say(form)
    assert answer.searches == 0
    assert "Feature 1" in answer.text
    assert {piece.passage.id for piece in answer.citations} & {piece.passage.id for piece in first.citations}
    sentences = re.findall(r"Feature 1 [^.]+\.", answer.text)
    passages = f"{FEATURE.text} {LIMITS.text}"
    assert sentences
    assert all(sentence in passages for sentence in sentences)


async def test_a_reworked_answer_is_reworked_again(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    await talk.say("What is feature 1?")
    short = await talk.say("shorter")
    listed = await talk.say("Give me that as a list")
    assert len(listed.text.splitlines()) == short.text.count("[")
    assert listed.citations[0].passage.id == short.citations[0].passage.id


async def test_translation_without_a_model_says_so_in_one_sentence_and_only_once(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    await talk.say("What is feature 1?")
    answer = await talk.say("translate it into French")
    again = await talk.say("translate it into French")
    assert answer.text == again.text == messages.NEEDS_MODEL[Language.ENGLISH]
    short = await talk.say("shorter")
    assert "Feature 1" in short.text


async def test_an_item_of_a_list_is_told_again(store: SqlSessionStore) -> None:
    talk = Talk(store, extractive())
    await talk.say("What is feature 1?")
    listed = await talk.say("Give me that as a list")
    answer = await talk.say("What was the second item of your list?")
    second = listed.text.splitlines()[1].removeprefix("- ").split(" [")[0]
    assert second in answer.text
    assert answer.searches == 0


class Fixed:
    """A `Rewriter` that writes one question."""

    async def rewrite(self, query: str, by_rules: str, conversation: Conversation) -> Rewritten:
        del query, by_rules, conversation
        return Rewritten("What does CrossLab compare?", "model")

    async def close(self) -> None:
        """See `Rewriter.close`."""


async def test_a_models_rewrite_is_searched_for_and_stands_on_the_receipt(store: SqlSessionStore) -> None:
    talk = Talk(store, scripted(), rewriter=Fixed())
    await talk.say("What is feature 1?")
    answer = await talk.say("Who sells it?")
    assert answer.route.action is Action.REWRITE
    assert answer.route.search_query == "What does CrossLab compare?"
    assert talk.retriever.queries[-1] == "What does CrossLab compare?"
    fresh = await talk.say("What about CrossLab?")
    assert fresh.route.search_query == "What about CrossLab?"
