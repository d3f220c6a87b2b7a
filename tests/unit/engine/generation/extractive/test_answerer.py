from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace

import pytest

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.domain import Evidence, Exchange, Origin, Part, Passage, Recall, Relation
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.generation.port import Done, Prompt, Token
from engine.testing import HashedWordsEmbedder
from engine.text import messages
from engine.text.language import Language
from engine.text.sentences import sentences
from tests.account_cases import encoder

EN, ES = Language.ENGLISH, Language.SPANISH
RETRIEVAL, CODE, PLATFORM = QueryType.RETRIEVAL, QueryType.CODE_GENERATION, QueryType.PLATFORM
CODE_BLOCK = "```avap\naddVar(x, 1)\n```"
ADD = Evidence(
    4, Passage("p4", "doc.md", "Variables", "addVar", f"The addVar command adds a variable.\n\n{CODE_BLOCK}")
)
TYPE = Evidence(9, Passage("p9", "doc.md", "Types", "", "Every variable has a type. Bananas are yellow."))


#: One for all, as a service has one.
ANSWERER = ExtractiveAnswerer(HashedWordsEmbedder(), AccountFigures(encoder()), RowArithmetic(encoder()))


async def answer(prompt: Prompt) -> str:
    said: list[str] = []
    async with aclosing(ANSWERER.stream(prompt)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Token):
                said.append(piece.text)
            else:
                assert piece == Done()
    assert "" not in said
    return "".join(said)


async def test_sentences_are_quoted_each_with_its_mark() -> None:
    text = await answer(Prompt(RETRIEVAL, "What does the addVar command add, a variable?", evidence=(ADD, TYPE)))
    assert "The addVar command adds a variable. [4]" in text
    assert "Bananas" not in text


async def test_nothing_is_said_that_is_not_in_the_material() -> None:
    text = await answer(Prompt(RETRIEVAL, "variable type addVar command", evidence=(ADD, TYPE)))
    rest = text
    for known in (
        "The addVar command adds a variable.",
        "Every variable has a type.",
        CODE_BLOCK,
        messages.EXAMPLE[EN],
    ):
        rest = rest.replace(known, "")
    assert set(rest.replace("[4]", "").replace("[9]", "").split()) == set()


async def test_a_heading_says_the_subject_once() -> None:
    about = "Reads a parameter of the request. A parameter of the request has a type."
    piece = Evidence(2, Passage("p", "d.md", "Commands", "Commands > addParam", about))
    text = await answer(Prompt(RETRIEVAL, "Which parameter of the request is read?", evidence=(piece,)))
    assert text == "addParam: Reads a parameter of the request. [2] A parameter of the request has a type. [2]"


async def test_a_question_as_heading_is_no_label() -> None:
    piece = Evidence(2, Passage("p", "d.md", "", "What is a kiln?", "It is an oven for clay."))
    assert await answer(Prompt(RETRIEVAL, "kiln oven", evidence=(piece,))) == (
        "What is a kiln? It is an oven for clay. [2]"
    )


async def test_a_table_is_quoted_with_its_mark_below() -> None:
    table = "| Fuel | Heat | Cost |\n|---|---|---|\n| gas fuel | 1 | 2 |\n| wood fuel | 1 | 2 |"
    piece = Evidence(3, Passage("p", "d.md", "", "", table))
    assert await answer(Prompt(RETRIEVAL, "which fuel?", evidence=(piece,))) == f"{table}\n\n[3]"


async def test_code_alone_is_shown_where_no_sentence_answers() -> None:
    piece = Evidence(5, Passage("p", "d.md", "", "", CODE_BLOCK))
    assert await answer(Prompt(RETRIEVAL, "addVar x 1", evidence=(piece,))) == f"{CODE_BLOCK}\n\n[5]"


@pytest.mark.parametrize(("query", "language"), [("What is the moon made of?", EN), ("¿De qué es la luna?", ES)])
async def test_nothing_near_is_nothing_found_in_the_questions_language(query: str, language: Language) -> None:
    assert await answer(Prompt(RETRIEVAL, query)) == messages.NOTHING_FOUND[language]
    far = Evidence(1, Passage("p", "d", "", "", "zzz yyy xxx."))
    assert await answer(Prompt(RETRIEVAL, query, evidence=(far,))) == messages.NOTHING_FOUND[language]


@pytest.mark.parametrize(
    ("language", "near"),
    [(EN, "Nearest to it are: “Fees” (Prices), “Prices”."), (ES, "Lo que más se acerca: «Fees» (Prices), «Prices».")],
)
async def test_where_nothing_answers_the_nearest_sections_are_named_and_not_cited(
    language: Language, near: str
) -> None:
    sections = [("Prices", "A > Fees"), ("Prices", "A > Fees"), ("Prices", ""), ("", "")]
    found = tuple(
        Evidence(at, Passage(f"p{at}", "d.md", title, heading, "It is 7."))
        for at, (title, heading) in enumerate(sections, 1)
    )
    asked = Prompt(RETRIEVAL, "why?", evidence=found, answerable=False, language=language)
    assert await answer(replace(asked, near=True)) == f"{messages.NOTHING_FOUND[language]} {near}"
    assert await answer(asked) == messages.NOTHING_FOUND[language]


@pytest.mark.parametrize(
    ("language", "near"),
    [
        (EN, "What comes nearest, in “Fees” (Prices): Two kilns cost 12."),
        (ES, "Lo que más se acerca, en «Fees» (Prices): Two kilns cost 12."),
    ],
)
async def test_where_nothing_answers_what_comes_nearest_is_told_and_not_cited(language: Language, near: str) -> None:
    passages = [
        Passage("p", "prices.md", "Prices", "A > Fees", "A kiln costs 7 euros. Two kilns cost 12. Bring wood."),
        Passage("o", "other.md", "Other", "Kilns", "A kiln costs time."),
    ]
    found = tuple(Evidence(at, passage) for at, passage in enumerate(passages, 1))
    asked = Prompt(RETRIEVAL, "what do two kilns cost", evidence=found, answerable=False, language=language)
    assert await answer(replace(asked, near=True)) == f"{messages.NOTHING_FOUND[language]} {near}"
    assert await answer(asked) == messages.NOTHING_FOUND[language]


async def test_a_list_that_comes_nearest_stands_below() -> None:
    found = (Evidence(1, Passage("p", "prices.md", "Prices", "Fees", "To pay:\n\n1. Take a form.\n2. Sign it.")),)
    asked = Prompt(RETRIEVAL, "how do I pay", evidence=found, answerable=False, near=True, language=EN)
    told = await answer(asked)
    assert told.startswith(f"{messages.NOTHING_FOUND[EN]} What comes nearest, in “Fees” (Prices):\n\nTo pay:\n1. Take")
    assert told.endswith("2. Sign it.")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("what does F12 mean", "F12 - Sensor dirty. Wipe it. [1]"),
        ("lamp code F12?", "Lamp codes: F12 - Sensor dirty. Wipe it. [1]"),
        ("what does an F12 permit cost", ""),  # a permit stands nowhere
        ("F40?", ""),
        ("12?", ""),
    ],
)
async def test_a_code_that_is_all_that_is_asked_for_is_told_where_nothing_is_sure(query: str, said: str) -> None:
    lamps = "F1 - Lid open. Close it.\nF12 - Sensor dirty. Wipe it."
    piece = Evidence(1, Passage("p", "dryer.txt", "Dryer", "Lamp codes", lamps))
    asked = Prompt(RETRIEVAL, query, evidence=(piece,), answerable=False)
    told = await answer(replace(asked, near=True))
    assert (told if said else "") == said
    assert said or told.startswith(messages.NOTHING_FOUND[EN])
    assert await answer(asked) == messages.NOTHING_FOUND[EN]


async def test_of_a_follow_up_what_was_not_said_yet_comes_first() -> None:
    piece = Evidence(1, Passage("p", "d.md", "", "", "Ovens are swept on Monday. Ovens with care are lit on Friday."))
    asked = Prompt(RETRIEVAL, "and by whom?", evidence=(piece,), question="and by whom? ovens swept")
    told = Exchange("ovens", "Ovens are swept on Monday. [1]", 1)
    going_on = replace(asked, history=(told,), relation=Relation.CONTEXTUAL_FOLLOW_UP)
    assert (await answer(asked)).startswith("Ovens are swept on Monday.")
    assert (await answer(going_on)).startswith("Ovens with care are lit on Friday.")


async def test_code_comes_first_when_code_is_asked_for() -> None:
    text = await answer(Prompt(CODE, "write code: addVar command variable", evidence=(ADD, TYPE)))
    assert text.startswith(f"{CODE_BLOCK}\n\n[4]")


async def test_the_same_sentence_is_not_said_twice() -> None:
    twin = Evidence(5, Passage("p5", "other.md", "", "", "The addVar command adds a variable."))
    text = await answer(Prompt(RETRIEVAL, "addVar command adds variable", evidence=(ADD, twin)))
    assert text.count("The addVar command adds a variable.") == 1


@pytest.mark.parametrize("heading", ["", "Kilns"])
async def test_a_question_of_the_document_stands_once_before_what_answers_it(heading: str) -> None:
    asked = "**Does a kiln burn wood?**\nNo kiln here burns wood. The kiln by the gate burns wood chips."
    text = await answer(
        Prompt(RETRIEVAL, "which kiln burns wood", evidence=(Evidence(2, Passage("p", "d", "", heading, asked)),))
    )
    assert "burns wood. [2]" in text
    assert "wood chips. [2]" in text
    assert text.count("Does a kiln burn wood?") == 1


async def test_a_question_that_the_document_asks_too_is_answered_by_it_alone() -> None:
    heading, other = "Does a kiln burn wood?", "A kiln burns wood like a stove burns wood, said a kiln of wood."
    told = Passage("p", "d", "", heading, "No. The kiln by the gate burns chips.")
    evidence = (Evidence(1, Passage("q", "d", "", "Wood", other)), Evidence(2, told))
    text = await answer(Prompt(RETRIEVAL, "does a kiln burn wood", evidence=evidence))
    assert text == "No. The kiln by the gate burns chips. [2]"


async def test_the_same_question_gets_the_same_answer() -> None:
    prompt = Prompt(RETRIEVAL, "addVar variable type", evidence=(ADD, TYPE))
    assert await answer(prompt) == await answer(prompt)


async def test_recall_and_talk_are_answered_from_history() -> None:
    history = (Exchange("What is addVar?", "It adds a variable [4]. It has a type [9]."),)
    recall = Prompt(
        RETRIEVAL,
        "What was my first question?",
        history=history,
        relation=Relation.HISTORY_RECALL,
        recall=Recall(Part.QUESTION, 1),
    )
    assert await answer(recall) == messages.FIRST_QUESTION[EN].format(query="What is addVar?")
    listed = Prompt(QueryType.CONVERSATIONAL, "as a list", history=history, act=DialogueAct.LIST)
    assert await answer(listed) == "- It adds a variable [4].\n- It has a type [9]."


async def test_it_can_always_be_asked() -> None:
    await ANSWERER.ping()
    assert ANSWERER.name == "extractive"


@pytest.mark.parametrize(
    "odd", ["", "\x00", "[" * 5000, "🙂" * 300, "|" * 300, "```", "\ud800 lone", "a" * 100_000, "\u202e"]
)
async def test_any_text_is_answered(odd: str) -> None:
    piece = Evidence(1, Passage("p", "d", odd, odd, odd))
    for type_ in QueryType:
        prompt = Prompt(type_, odd, evidence=(piece,), history=(Exchange(odd, odd),), extra_context=odd, user_info=odd)
        assert isinstance(await answer(prompt), str)


async def account(query: str, context: str = "", user: str = "") -> str:
    return await answer(Prompt(PLATFORM, query, extra_context=context, user_info=user))


async def test_figures_are_read_of_the_context_and_of_the_user() -> None:
    context = '{"calls_this_month": 1204, "plan": {"name": "Pro", "storage_gb": 50}}'
    assert await account("how many calls this month?", context) == "Calls: 1204."
    assert await account("which plan?", user="Plan: Pro") == "Plan: Pro."


async def test_a_question_goes_on_from_the_one_before() -> None:
    context = '{"stamps": {"used": 3, "limit": 8}, "cards": {"used": 1, "limit": 9}}'
    before = (Exchange("how many stamps have I used?", "Stamps (used): 3."),)
    asked = Prompt(PLATFORM, "and how many are left?", extra_context=context, history=before)
    assert await answer(asked) == "Stamps: 5 left (8 − 3)."


async def test_the_widgets_prompt_brings_its_figure_along() -> None:
    text = await account("You have a project usage percentage of 20%. Provide an insight. Rules: Exactly 3 sentences.")
    assert text.startswith("You have a project usage percentage of 20%. That leaves 80%.")
    assert len(sentences(text)) == 3


@pytest.mark.parametrize("context", ["", " ", "{}", "[]"])
async def test_without_figures_it_says_so(context: str) -> None:
    assert await account("cuántas llamadas llevo este mes?", context) == messages.NO_FIGURES[ES]


class TestToolResults:
    RAIN = Evidence(12, Passage("tool-1", "tool:weather", "weather", "rain", "Madrid: sunny, 18 °C."), Origin.TOOL)

    async def test_they_are_said_word_for_word_with_their_mark(self) -> None:
        text = await answer(Prompt(RETRIEVAL, "Will it rain?", evidence=(self.RAIN,)))
        assert text == "Madrid: sunny, 18 °C. [12]"

    async def test_documents_beside_them_are_quoted_after_them(self) -> None:
        query = "Will it rain, and what does the addVar command add, a variable?"
        text = await answer(Prompt(RETRIEVAL, query, evidence=(ADD, self.RAIN)))
        assert text.startswith("Madrid: sunny, 18 °C. [12]")
        assert "The addVar command adds a variable. [4]" in text

    async def test_a_long_result_is_cut_and_says_so(self) -> None:
        long = Evidence(3, Passage("tool-2", "tool:web_search", "web_search", "", "word " * 1000), Origin.TOOL)
        text = await answer(Prompt(RETRIEVAL, "words?", evidence=(long,)))
        assert text.endswith("word … [3]")
        assert len(text) < 1300

    async def test_each_part_of_a_question_is_answered(self) -> None:
        loop = Evidence(7, Passage("p7", "doc.md", "Loops", "", "startLoop counts from one number to another."))
        parts = ("What does the addVar command add, a variable?", "What does startLoop count from one number to?")
        text = await answer(Prompt(RETRIEVAL, " and ".join(parts), evidence=(ADD, loop), parts=parts))
        first, second = text.index("[4]"), text.index("[7]")
        assert first < second

    async def test_the_same_is_not_said_twice(self) -> None:
        parts = ("What does the addVar command add?", "What does the addVar command add?")
        text = await answer(Prompt(RETRIEVAL, parts[0], evidence=(ADD,), parts=parts))
        assert text.count("The addVar command adds a variable. [4]") == 1


@pytest.mark.parametrize(
    ("query", "language"),
    [("How many calls did I make since 2026-11-01?", EN), ("¿Cuántos días faltan para el 25 de diciembre?", ES)],
)
async def test_a_question_for_figures_tells_none(query: str, language: Language) -> None:
    assert await account(query) == messages.NO_FIGURES[language]


async def test_figures_told_in_a_question_are_figures() -> None:
    told = await account("My project has used 80 % of its quota, should I upgrade?")
    assert told.startswith("My project has used 80 % of its quota. That leaves 20%.")


async def test_an_example_is_rather_one_of_the_passage_that_was_cited_first() -> None:
    blocks = {3: "```avap\nopenGate(up)\n```", 5: "```avap\nopenDoor(left)\n```"}
    evidence = tuple(
        Evidence(n, Passage(f"p{n}", "d.md", "", "", f"It opens.\n\n{code}")) for n, code in blocks.items()
    )
    past, query = (Exchange("How is it opened?", "It opens. [3]"),), "show what opens on the left side of our old house"
    for pieces in (evidence, evidence[::-1]):  # the code of the second has a word of the question
        prompt = Prompt(RETRIEVAL, query, evidence=pieces, history=past, act=DialogueAct.EXAMPLE, more=True)
        assert (await answer(prompt)).endswith("[3]")


CLOSED, REASON = "The upper gate is closed in winter", "The lower gate stays open because boats need it."
LEFT = "Keys hang in the office. The lock was built in 1910."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{CLOSED} due to ice. {LEFT}", f"{CLOSED} due to ice. [2]"),  # the answer has said it already
        (f"{CLOSED}. {LEFT} {REASON}", f"{REASON} [2]"),
    ],
)
async def test_a_reason_is_told_where_one_stands(text: str, told: str) -> None:
    first = text.split(". ", maxsplit=1)[0]
    evidence = (Evidence(2, Passage("2", "d.md", "", "", text)), ADD)
    past = (Exchange("Is the upper gate closed in winter?", f"{first}. [2]"),)
    prompt = Prompt(RETRIEVAL, "why?", evidence=evidence, history=past, act=DialogueAct.WHY, more=True)
    assert await answer(prompt) == told


async def test_without_a_reason_it_is_what_was_not_said() -> None:
    evidence = (Evidence(2, Passage("2", "d.md", "", "", f"{CLOSED} since 1910. The gate weighs two tons.")),)
    asked = "Is the upper gate closed in winter?"
    past = (Exchange(asked, f"{CLOSED} since 1910. [2]"),)
    prompt = Prompt(RETRIEVAL, "why?", evidence=evidence, history=past, act=DialogueAct.WHY, more=True, question=asked)
    assert await answer(prompt) == "The gate weighs two tons. [2]"


@pytest.mark.parametrize(
    ("query", "count"),
    [("sum up the tides in one sentence", 1), ("a summary of the tides", 2), ("tell me of the tides", 4)],
)
async def test_a_summary_has_as_many_sentences_as_are_asked_for(query: str, count: int) -> None:
    text = " ".join(f"The tides turn at {hour} on the {side} side." for hour, side in zip("1234", "abcd", strict=True))
    told = await answer(Prompt(RETRIEVAL, query, evidence=(Evidence(1, Passage("1", "d.md", "", "Tides", text)),)))
    assert told.count("[1]") == count


PUSH = "```sh\nqueue push {}\n```"
PAGES = {
    1: Passage("1", "es.md", "Guía", "push", f"Pone un mensaje al final de la cola.\n\n{PUSH.format('pedidos')}"),
    2: Passage("2", "es.md", "Guía", "pop", "Saca un mensaje de la cola.\n\n```sh\nqueue pop pedidos\n```"),
    5: Passage("5", "es.md", "Guía", "Vaciado", "La cola se vacía sola cada noche."),
    3: Passage("3", "en.md", "Guide", "push", f"Puts a message into the queue.\n\n{PUSH.format('orders')}"),
}


class TestAnExample:
    async def asked(self, said: str, *numbers: int) -> str:
        evidence = tuple(Evidence(number, PAGES[number]) for number in numbers)
        past = (Exchange("¿Qué hace push?", said),)
        return await answer(
            Prompt(RETRIEVAL, "¿y un ejemplo?", evidence=evidence, history=past, act=DialogueAct.EXAMPLE, language=ES)
        )

    async def test_is_of_what_was_told_of_in_its_language(self) -> None:
        text = await self.asked("Pone un mensaje al final de la cola. [1]", 3, 2, 1)
        assert text == f"{messages.EXAMPLE[ES]}\n\n{PUSH.format('pedidos')}\n\n[1]"

    async def test_is_in_another_language_where_there_is_none(self) -> None:
        text = await self.asked("Puts a message into the queue. [3]", 2, 3)
        assert text.endswith(f"{PUSH.format('orders')}\n\n[3]")

    async def test_that_was_shown_is_shown_as_the_last_one(self) -> None:
        block = PUSH.format("pedidos")
        text = await self.asked(f"Pone un mensaje al final de la cola. [1]\n\n{block}\n\n[1]", 1, 2, 3)
        assert text == f"{messages.NO_OTHER_EXAMPLE[ES]}\n\n{block}\n\n[1]"

    async def test_is_of_the_next_thing_told_of_where_the_first_has_none(self) -> None:
        text = await self.asked("Lo vacía. [5] Pone un mensaje al final de la cola. [1]", 5, 1)
        assert text == f"{messages.EXAMPLE[ES]}\n\n{PUSH.format('pedidos')}\n\n[1]"

    async def test_is_another_one_only_where_one_was_shown(self) -> None:
        assert await self.asked("Lo vacía. [5]", 5) == messages.NO_EXAMPLE[ES]
        assert await self.asked(f"Lo vacía. [5]\n\n{PUSH.format('x')}\n\n[1]", 5) == messages.NO_OTHER_EXAMPLE[ES]

    async def test_of_nothing_else_is_shown(self) -> None:
        bare = Evidence(4, Passage("4", "es.md", "Guía", "peek", "Enseña un mensaje y lo deja en la cola."))
        evidence = (bare, Evidence(2, PAGES[2]))
        past = (Exchange("¿Qué hace peek?", "Enseña un mensaje y lo deja en la cola. [4]"),)
        prompt = Prompt(
            RETRIEVAL, "¿y un ejemplo?", evidence=evidence, history=past, act=DialogueAct.EXAMPLE, language=ES
        )
        assert await answer(prompt) == messages.NO_EXAMPLE[ES]


@pytest.mark.parametrize(
    ("written", "name", "said"),
    [("reserving", "Reserves", False), ("kilnn", "kilns", True), ("addGlaz", "addGlaze", True)],
)
async def test_another_form_of_a_word_is_no_slip_that_is_told(written: str, name: str, said: bool) -> None:
    piece = Evidence(1, Passage("p", "d.md", "", "", "Reserves and kilns are told of in addGlaze."))
    text = await answer(Prompt(RETRIEVAL, "reserves kilns addGlaze", evidence=(piece,), corrections=((written, name),)))
    assert (written in text) is said
