from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct as Act
from engine.domain import Exchange, Part, Recall
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.reformulation import (
    as_list,
    as_table,
    converse,
    figured,
    in_another_language,
    language_alone,
    recall,
    shorter,
)
from engine.generation.port import Prompt
from engine.text import messages
from engine.text.language import Language, language_of, language_wished
from engine.text.questions.stated_figures import calculate_from_statements
from tests.account_cases import encoder

EN, ES = Language.ENGLISH, Language.SPANISH
ANSWER = (
    "addVar adds a variable [1]. It has a type [2]. It lives as long as the session [1]. Remove it with delVar [3]."
)
HISTORY = (Exchange("What is addVar?", "It adds a variable [1]."), Exchange("And its type?", ANSWER))


def talk(query: str, act: Act = Act.NONE, *, history: tuple[Exchange, ...] = HISTORY) -> Prompt:
    return Prompt(QueryType.CONVERSATIONAL, query, history=history, act=act)


def test_as_a_list() -> None:
    assert converse(talk("in points", Act.LIST)) == (
        "- addVar adds a variable [1].\n- It has a type [2].\n- It lives as long as the session [1].\n"
        "- Remove it with delVar [3]."
    )


def test_shorter() -> None:
    assert converse(talk("be brief", Act.SHORTER)) == "addVar adds a variable [1]. It has a type [2]."


def test_as_a_table() -> None:
    rows = converse(talk("in columns", Act.TABLE)).splitlines()
    assert rows[:2] == ["| # | |", "| --- | --- |"]
    assert rows[2] == "| 1 | addVar adds a variable [1]. |"
    assert len(rows) == 6


def test_again() -> None:
    assert converse(talk("once more", Act.REPEAT)) == ANSWER


@pytest.mark.parametrize("act", [Act.TRANSLATE, Act.SIMPLIFY, Act.CONVERT, Act.NONE])
def test_what_needs_a_model_says_so_and_nothing_else(act: Act) -> None:
    assert converse(talk("like a pirate", act)) == messages.NEEDS_MODEL[EN]


@pytest.mark.parametrize("form", [as_list, as_table, shorter])
def test_a_rework_keeps_code_whole_or_leaves_it_out(form: type) -> None:
    code = "```avap\naddVar(x, 1)\n```\n\n[2]"
    reworked = form(f"It adds a variable. [1]\n\nFor example:\n\n{code}")
    assert (code in reworked) or ("addVar(x" not in reworked and "[2]" not in reworked)


def test_a_bar_in_a_table_is_escaped() -> None:
    assert as_table("Use a | b here.").splitlines()[2:] == ["| 1 | Use a \\| b here. |"]


def test_an_answer_with_marks_behind_the_stops_is_made_shorter_too() -> None:
    assert shorter("One is here. [1] Two is there. [2]") == "One is here. [1]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("3 in all:\n\n- Oak\n- Ash\n- Elm [1]", "3 in all: Oak, Ash, Elm [1]"),
        ("- Oak — Height: 9 m\n- Ash — Height: 7 m\n- Elm — Height: 8 m [2]", "Oak, Ash, Elm [2]"),
        ("- Oak stands by the gate.\n- Ash grows at the pond. [1]", "Oak stands by the gate."),
        ("It opens. [1]\n\n- Oak\n- Ash [1]", "It opens. [1]"),
        ("", ""),
    ],
)
def test_a_list_of_names_is_no_list_of_half_of_them(said: str, kept: str) -> None:
    assert shorter(said) == kept


def test_what_leads_a_list_in_heads_its_column() -> None:
    table = as_table("3 in all:\n\n- Oak\n- Ash\n- Elm [1]").splitlines()
    assert table == ["| # | 3 in all |", "| --- | --- |", "| 1 | Oak |", "| 2 | Ash |", "| 3 | Elm [1] |"]


def test_a_lone_sentence_ends_at_its_first_clause_and_keeps_its_mark() -> None:
    assert shorter("addVar adds a variable, which lives as long as the session [4].") == "addVar adds a variable. [4]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("If the tram stops, the pass is paid back. [1]", "If the tram stops, the pass is paid back. [1]"),
        ("Cuando se para el tren, se devuelve, lo que tarda. [1]", "Cuando se para el tren, se devuelve. [1]"),
        ("The pass, which has a photo, is for one person. [1]", "The pass, which has a photo, is for one person. [1]"),
        ("Bring a towel, a cap and shoes. [1]", "Bring a towel, a cap and shoes. [1]"),
        ("La sala cierra a las ocho (los lunes a las dos). [2]", "La sala cierra a las ocho. [2]"),
        ("Kiln — Heat: 900 °C; Time: 8 h. [1]", "Kiln — Heat: 900 °C; Time: 8 h. [1]"),
    ],
)
def test_a_lone_sentence_stays_one(said: str, kept: str) -> None:
    assert shorter(said) == kept


def test_steps_stand_below_the_sentence_before_and_may_be_too_much() -> None:
    steps = "1. Open it.\n2. Fill it. [2]"
    said = f"It takes water. [1]\n\n{steps}\n\n"
    assert (
        shorter(f"{said}The lamp then turns from orange to green. [1] It is ready.")
        == f"It takes water. [1]\n\n{steps}"
    )
    assert shorter(f"{said}It beeps. [1] It is on. [1]") == "It takes water. [1]"
    assert shorter(f"Kettle: {steps}") == f"Kettle:\n{steps}"


TABLE = "| Kiln | Heat | Fee |\n| --- | --- | --- |\n| Raku | 900 °C | 8 € |\n| Salt | 1,250 °C | 9 € |\n\n[2]"
KILNS = (
    Exchange("When is the raku kiln on?", "The raku kiln is on each Monday. [1] Bring gloves. [3]", 1),
    Exchange("what about the fee", TABLE, 2),
    Exchange("and who lights it?", "I take “rakku” for Raku. A warden does. [4]", 3),
)


def test_what_was_said_of_a_topic_is_a_list_of_what_the_answers_say_of_it() -> None:
    about = Prompt(
        QueryType.CONVERSATIONAL,
        "as a list",
        history=KILNS,
        act=Act.LIST,
        recall=Recall(ANSWERED, 0, ("raku",), count=0),
    )
    assert recall(about) == (
        "- The raku kiln is on each Monday. [1]\n- Raku — Heat: 900 °C; Fee: 8 €. [2]\n- A warden does. [4]"
    )


def test_the_last_two_answers_in_another_form_or_as_they_were() -> None:
    two = Prompt(QueryType.CONVERSATIONAL, "", history=(KILNS[0], KILNS[2]), recall=Recall(ANSWERED, -1, count=2))
    assert recall(replace(two, act=Act.LIST)) == (
        "- The raku kiln is on each Monday. [1]\n- Bring gloves. [3]\n- A warden does. [4]"
    )
    assert recall(two).count(" I answered: ") == 2


def test_a_list_keeps_steps_as_the_list_that_they_are() -> None:
    assert as_list("It opens. [1]\n\n1. Push.\n2. Pull. [2]\n\nIt shuts. [1]") == (
        "- It opens. [1]\n\n1. Push.\n2. Pull. [2]\n\n- It shuts. [1]"
    )


def test_code_alone_cannot_be_shortened() -> None:
    assert shorter("```\nx\n```") == "```\nx\n```"


def test_an_example_without_more_words_is_no_shorter() -> None:
    example = "For example:\n\n```\nx\n```\n\n[2]"
    assert shorter(example) == example
    assert shorter(f"It opens. [1] It shuts. [1]\n\n{example}") == "It opens. [1]"


LISTED = Exchange("How do I start?", "1. Install it [2].\n2. Index a folder [3].\n3. Ask [4].", 3)
ASKED, ANSWERED, THING, TALKED = Part.QUESTION, Part.ANSWER, Part.ITEM, Part.TOPICS


@pytest.mark.parametrize(
    ("query", "asked", "history", "says"),
    [
        ("my first question?", Recall(ASKED, 1), HISTORY[:1], "Your first question was: “What is addVar?”"),
        ("mi primera pregunta", Recall(ASKED, 1), HISTORY[:1], "Tu primera pregunta fue: «What is addVar?»"),
        ("my last question?", Recall(ASKED, -1), HISTORY[1:], "Your last question was: “And its type?”"),
        ("my second question?", Recall(ASKED, 2), HISTORY[1:], "Your question number 2 was: “And its type?”"),
        ("the one before?", Recall(ASKED, -2), HISTORY[:1], "Your last question but one was: “What is addVar?”"),
        ("what did I ask?", Recall(ASKED, 0, ("type",)), HISTORY[1:], "You asked: “And its type?”"),
        (
            "¿de qué hablamos?",
            Recall(TALKED),
            HISTORY,
            f"{messages.QUESTIONS[ES]}\n1. What is addVar?\n2. And its type?",
        ),
        ("what was it at the start?", Recall(TALKED, 1), HISTORY[:1], "Your first question was: “What is addVar?”"),
        ("what did I ask?", Recall(ASKED), HISTORY[:1], f"{messages.QUESTIONS[EN]}\n1. What is addVar?"),
        ("What did you say?", Recall(ANSWERED), HISTORY[1:], messages.LAST_ANSWER[EN].format(answer=ANSWER)),
        (
            "What did you say about it?",
            Recall(ANSWERED, 0, ("addVar",)),
            HISTORY[:1],
            "To “What is addVar?” I answered: It adds a variable [1].",
        ),
        ("the third item", Recall(THING, 3), (LISTED,), "Item 3 of my list was: Ask [4]."),
        ("the last item", Recall(THING, -1), (LISTED,), "The last item of my list was: Ask [4]."),
        (
            "el segundo punto de tu lista",
            Recall(THING, 2),
            (LISTED,),
            "El elemento 2 de mi lista era: Index a folder [3].",
        ),
        ("¿qué me dijiste sobre X?", Recall(ANSWERED, 0, ("X",)), (), messages.NOT_SAID[ES]),
    ],
)
def test_recall(query: str, asked: Recall, history: tuple[Exchange, ...], says: str) -> None:
    assert recall(replace(talk(query, history=history), recall=asked)) == says


def test_recall_without_history() -> None:
    assert recall(talk("What was my first question?", history=())) == messages.NO_HISTORY[EN]


def calculation(message: str, amount: str = "$92,041") -> str:
    history = (Exchange("Which share?", "At most 85 % of it [3]."), Exchange("How much?", f"It is {amount} [5]."))
    found = calculate_from_statements(message, history)
    assert found is not None
    return figured(found, language_of(message))


@pytest.mark.parametrize(
    ("message", "amount", "says"),
    [
        ("Calculate that", "$92,041", "That comes to $78,235 (85 % of $92,041 = $78,234.85). [3] [5]"),
        ("calcula eso", "92.041 €", "Son 78.235 € (85 % de 92.041 € = 78.234,85 €). [3] [5]"),
        (
            "Is that too much: $7,000 a month, or do I qualify?",
            "$92,041",
            (
                "No: $7,000 times 12 is $84,000 a year, which is above the limit of $78,235 "
                "(85 % of $92,041 = $78,234.85). [3] [5]"
            ),
        ),
        (
            "Do they qualify with that: $850?",
            "$1,000",
            "Yes: $850, which is exactly the limit of $850 (85 % of $1,000 = $850.00). [3] [5]",
        ),
    ],
)
def test_what_figures_come_to(message: str, amount: str, says: str) -> None:
    assert calculation(message, amount) == says


@pytest.mark.parametrize(
    ("query", "act", "says"),
    [
        ("¿qué tal?", Act.GREETING, messages.GREETING[ES]),
        ("hi there", Act.GREETING, messages.GREETING[EN]),
        ("te lo agradezco", Act.THANKS, messages.THANKS[ES]),
        ("hasta mañana", Act.FAREWELL, messages.FAREWELL[ES]),
        ("what are you?", Act.ABILITIES, messages.ABILITIES[EN]),
        ("do you know me?", Act.USER_IDENTITY, messages.USER_IDENTITY[EN]),
    ],
)
@pytest.mark.parametrize("history", [(), HISTORY])
def test_courtesies(query: str, act: Act, says: str, history: tuple[Exchange, ...]) -> None:
    assert converse(talk(query, act, history=history)) == says


@pytest.mark.parametrize("act", [Act.AFFIRMATION, Act.NEGATION, Act.ACKNOWLEDGEMENT])
def test_yes_and_no_to_nothing(act: Act) -> None:
    assert converse(talk("yes indeed", act, history=())) == messages.NOTHING_ASKED[EN]
    assert converse(talk("yes indeed", act)) == messages.ACKNOWLEDGED[EN]


def test_how_many_questions_there_were() -> None:
    assert converse(replace(talk("how many?", Act.QUESTION_COUNT), asked=3)) == messages.QUESTION_COUNT[EN].format(
        count=3
    )
    assert converse(talk("how many?", Act.QUESTION_COUNT, history=())) == messages.ONE_QUESTION[EN]


def test_who_says_it_is_wrong_is_told_where_to_look() -> None:
    assert converse(talk("you are mistaken", Act.DISAGREEMENT)) == messages.DISAGREEMENT[EN]


def test_a_rework_of_nothing() -> None:
    assert converse(talk("en menos palabras", Act.SHORTER, history=())) == messages.NO_HISTORY[ES]


def test_as_many_sentences_as_were_asked_for() -> None:
    answer = "One is here. [1] Two is there. [2] Three is gone. [3] Four came. [4]"
    assert shorter(answer, 1) == "One is here. [1]"
    assert shorter(answer, 3) == "One is here. [1] Two is there. [2] Three is gone. [3]"
    assert shorter(answer, 9) == "One is here. [1] Two is there. [2]"
    asked = talk("sum it up in three sentences", Act.SHORTER, history=(Exchange("What?", answer, 1),))
    assert converse(asked) == "One is here. [1] Two is there. [2] Three is gone. [3]"


@pytest.mark.parametrize("form", [as_list, as_table, shorter])
@pytest.mark.parametrize(
    "answer",
    [
        "Which kiln is it? The old kiln is hot. [1]",
        "To “is it hot?” I answered: The old kiln is hot. [1]",
        "¿Cuál es? [2] The old kiln is hot. [1]",
    ],
)
def test_a_question_among_what_was_said_is_no_part_of_another_form_of_it(form: type, answer: str) -> None:
    assert "The old kiln is hot. [1]" in form(answer)
    assert "?" not in form(answer)


def test_an_answer_that_only_asks_stays() -> None:
    assert "which kiln" in as_list("But which kiln? [1]")


def test_an_answer_that_begins_with_code_is_recalled_below_what_introduces_it() -> None:
    history = (Exchange("Show it", "```\nfire()\n```", 1),)
    said = recall(replace(talk("what did you say?", history=history), recall=Recall(Part.ANSWER, 0)))
    assert said.startswith("My last answer was:")
    assert "\n\n```\nfire()\n```" in said


def test_what_introduces_code_is_no_item_of_its_own() -> None:
    answer = "A kiln is hot. [1]\n\nFor example:\n\n```\nfire()\n```\n\n[1]"
    assert as_list(answer) == "- A kiln is hot. [1]\n\n```\nfire()\n```\n\n[1]"
    assert "For example" not in as_table(answer)
    assert "It needs:" in as_list("It needs:\n\nGas.")


def test_rows_of_a_table_become_one_again() -> None:
    said = "Hall \u2014 Height: 4 m; Routes: 12. [1] Wall \u2014 Height: 9 m; Who: all. [2] Both are dry. [2]"
    assert as_table(said).splitlines() == [
        "| | Height | Routes | Who |",
        "| --- | --- | --- | --- |",
        "| Hall [1] | 4 m | 12 | |",
        "| Wall [2] | 9 m | | all |",
        "",
        "Both are dry. [2]",
    ]


@pytest.mark.parametrize(
    "said", ["Hall \u2014 Height: 4 m. [1] It is dry. [1]", "It \u2014 the hall \u2014 is dry. So is it."]
)
def test_a_single_row_and_a_dash_are_sentences(said: str) -> None:
    assert as_table(said).startswith("| # | |")


@pytest.mark.parametrize("act", [Act.TABLE, Act.LIST, Act.SHORTER, Act.REPEAT])
def test_a_refusal_has_no_other_form(act: Act) -> None:
    refusal = f"{messages.NOTHING_FOUND[EN]} Nearest to it is: \u201cKilns\u201d."
    prompt = talk("another form", act)
    asked = replace(prompt, history=(*prompt.history[:-1], replace(prompt.history[-1], answer=refusal)))
    assert converse(asked) == refusal


@pytest.mark.parametrize(
    ("query", "history", "says"),
    [
        ("cheers", HISTORY, messages.THANKS),
        ("Cheers mate!", HISTORY, messages.THANKS),
        ("cheers", (), messages.GREETING),
        ("hi again", HISTORY, messages.GREETING),
    ],
)
def test_a_toast_behind_an_answer_is_thanks(
    query: str, history: tuple[Exchange, ...], says: dict[Language, str]
) -> None:
    assert converse(talk(query, Act.GREETING, history=history)) == says[EN]


def test_steps_lose_what_is_said_aside_but_none_that_a_semicolon_holds() -> None:
    steps = "1. Lift the lid (slowly).\n2. Turn the knob; then wait (a minute).\n3. Close it, which takes force. [2]"
    assert shorter(steps) == "1. Lift the lid.\n2. Turn the knob; then wait (a minute).\n3. Close it. [2]"


def test_what_leads_something_in_is_not_kept_without_it() -> None:
    answer = "Kettles:\n\nTo clean one:\n1. Fill it.\n2. Boil it. [1]\n\nUp to four fit. [1]"
    assert shorter(answer) == "Kettles:\nTo clean one:\n1. Fill it.\n2. Boil it. [1]"
    assert shorter("What it holds:\n\n- Ropes and poles.\n- A lamp. [1]\n\nIt is dry. [1]").startswith(
        "What it holds: Ropes"
    )


class TestDocumentsThatThereAre:
    def test_what_it_can_do_names_them(self) -> None:
        prompt = replace(talk("what documents are there?", Act.ABILITIES), documents=("kilns.md", "clay/glaze.pdf"))
        assert converse(prompt) == f"{messages.ABILITIES[EN]} The documents are: kilns.md, clay/glaze.pdf."

    def test_of_many_the_first_ones_and_how_many(self) -> None:
        names = tuple(f"{n:02}.md" for n in range(40))
        said = converse(replace(talk("¿qué documentos hay?", Act.ABILITIES), documents=names))
        assert "Algunos de los 40 documentos son: 00.md, 01.md" in said
        assert "09.md" in said
        assert "10.md" not in said

    def test_nothing_else_names_them(self) -> None:
        prompt = replace(talk("do you know me?", Act.USER_IDENTITY), documents=("kilns.md",))
        assert "kilns.md" not in converse(prompt)


@pytest.fixture(scope="module")
def account() -> AccountFigures:
    return AccountFigures(encoder())


def in_the_wished(prompt: Prompt, account: AccountFigures) -> str:
    wished = language_alone(prompt)
    return "" if wished is None else in_another_language(prompt, wished, account.answer)


class TestFiguresInAnotherLanguage:
    CONTEXT = '{"berths": {"used": 12, "limit": 40}, "next_invoice": "2026-12-03"}'

    def prompt(self, account: AccountFigures, query: str, wish: str, act: Act = Act.NONE) -> Prompt:
        told = account.answer(query, self.CONTEXT)
        history = (Exchange("how many berths are used?", "Berths used: 12."), Exchange(query, told))
        return Prompt(QueryType.PLATFORM, wish, history=history, act=act, extra_context=self.CONTEXT)

    @pytest.mark.parametrize(
        ("query", "wish", "act", "says"),
        [
            ("how many berths are left?", "and in Spanish?", Act.NONE, "28"),
            ("when is the next invoice?", "¿y en español?", Act.NONE, "3 de diciembre de 2026"),
            ("¿cuándo es la próxima factura?", "dímelo en inglés", Act.TRANSLATE, "December 3, 2026"),
        ],
    )
    def test_they_are_told_again(self, account: AccountFigures, query: str, wish: str, act: Act, says: str) -> None:
        said = in_the_wished(self.prompt(account, query, wish, act), account)
        assert says in said
        assert said != account.answer(query, self.CONTEXT)

    @pytest.mark.parametrize("wish", ["and in French?", "how do you say berth in Spanish?", "and the next one?"])
    def test_nothing_else_is(self, account: AccountFigures, wish: str) -> None:
        assert in_the_wished(self.prompt(account, "when is the next invoice?", wish), account) == ""

    def test_no_answer_of_documents_is(self, account: AccountFigures) -> None:
        prompt = replace(self.prompt(account, "when is the next invoice?", "and in Spanish?"), history=HISTORY)
        assert in_the_wished(prompt, account) == ""
        assert in_the_wished(replace(prompt, extra_context=""), account) == ""


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("and in Spanish?", ES),
        ("dímelo en ingles", EN),
        ("¿y en español?", ES),
        ("in English please", EN),
        ("from English to Spanish", None),
        ("in French", None),
        ("", None),
    ],
)
def test_the_language_that_a_message_names(message: str, language: Language | None) -> None:
    assert language_wished(message) is language
