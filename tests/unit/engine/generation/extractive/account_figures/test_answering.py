from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.text.dates import find_dates, fold
from engine.text.sentences import sentences
from scripts.fitting.account.figure_heads import operation_rows
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
GARAGE = (
    '{"oil_changes": {"used": 3, "included": 8}, "wash_price_eur": 12.5, "contract_ends": "2028-01-31", "bay": null}'
)
SHIFTS = '{"shifts": [{"date": "2027-03-08", "hours": 6}, {"date": "2027-03-09", "hours": 9}]}'


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("how many oil changes do I have left?", GARAGE, "Oil changes: 5 left (8 − 3)."),
        ("what percentage of the oil changes is used?", GARAGE, "Oil changes: 37.5% used (3 of 8)."),
        ("what is the price of a wash?", GARAGE, "Wash price: 12.50 EUR."),
        ("when does the contract end?", GARAGE, "Contract ends: January 31, 2028."),
        ("which bay is mine?", GARAGE, "The data of this request has no value for bay."),
        ("how many hours did I work yesterday?", SHIFTS, "Shifts hours, March 9, 2027: 9."),
        ("which day had the most hours?", SHIFTS, "Hours: the most is 9, March 9, 2027."),
        ("how many hours in total?", SHIFTS, "Shifts hours: 15 in total (6 + 9)."),
        ("how many hours on 1 March?", SHIFTS, "The data of this request has no figure of shifts hours for March 1."),
        ("¿cuántas horas en total?", SHIFTS, "Shifts hours: 15 en total (6 + 9)."),
    ],
)
def test_a_figure_is_picked_or_calculated(figures: AccountFigures, query: str, context: str, answer: str) -> None:
    assert figures.answer(query, context) == answer


def test_what_is_not_there_is_named_with_what_is(figures: AccountFigures) -> None:
    answer = figures.answer("how many zeppelins do I own?", SHIFTS)
    assert answer == "The data of this request has no figure for zeppelins. It has: shifts hours."


def test_two_figures_that_may_be_meant_are_both_named(figures: AccountFigures) -> None:
    answer = figures.answer("how many calls?", '{"inbound_calls": 4, "outbound_calls": 9}')
    assert answer.startswith("I am not sure which figure you mean: ")
    assert {"Inbound calls: 4", "Outbound calls: 9"} == set(answer.rstrip("?").partition(": ")[2].split(" or "))


def test_measures_that_may_be_meant_are_named_with_their_figures(figures: AccountFigures) -> None:
    answer = figures.answer("which calls are meant?", '{"inbound_calls": 4, "outbound_calls": 9, "calls_lost": 2}')
    named = answer.rstrip("?").removeprefix("I am not sure which figure you mean: ").split(" or ")
    assert set(named) == {"Inbound calls: 4", "Outbound calls: 9"}


def test_what_is_there_beside_what_is_missing_is_named_without_its_figures(figures: AccountFigures) -> None:
    answer = figures.answer("how many zeppelins do I own?", '{"inbound_calls": 4, "tier": "Gold"}')
    assert answer == "The data of this request has no figure for zeppelins. It has: inbound calls, tier."


def test_a_question_that_names_nothing_goes_on_from_the_one_before(figures: AccountFigures) -> None:
    context = '{"stamps": {"used": 3, "limit": 8}, "cards": {"used": 1, "limit": 9}}'
    before = ["how many stamps have I used?"]
    assert figures.answer("and how many are left?", context, before=before) == "Stamps: 5 left (8 − 3)."


def test_several_contexts_are_read_each_by_itself(figures: AccountFigures) -> None:
    assert figures.answer("which role do I have?", '{"hits": 4}', "role: editor") == "Role: editor."


def test_without_a_figure_there_is_no_answer(figures: AccountFigures) -> None:
    assert figures.answer("how many hours?", "", "{}") == ""


class TestInsight:
    STATEMENT = "Your workspace has a disk usage of 64%."
    PARCELS = '{"parcels": {"used": 30, "limit": 40}, "labels": {"used": 1, "limit": 5}}'

    @pytest.mark.parametrize(
        ("asked", "count"), [("Exactly 2 sentences.", 2), ("Exactly three sentences.", 3), ("One sentence.", 1)]
    )
    def test_a_widgets_prompt_gets_as_many_sentences_as_it_asks_for(
        self, figures: AccountFigures, asked: str, count: int
    ) -> None:
        answer = figures.answer(f"{self.STATEMENT} Provide an insight. Rules: {asked}")
        assert answer.startswith(self.STATEMENT)
        assert len(sentences(answer)) == count

    def test_what_is_left_and_what_follows_are_in_the_messages_language(self, figures: AccountFigures) -> None:
        answer = figures.answer("Tu espacio tiene un uso del 64 %. Da una recomendación. Reglas: exactamente 3 frases.")
        assert "Queda un 36 %." in answer
        assert len(sentences(answer)) == 3

    @pytest.mark.parametrize(
        "question",
        [
            "there are 25 days to our wedding and we must call it off, do we get anything back?",
            "we broke 3 of the plates, what do we pay",
            "tengo 2 perros en la residencia, me hacéis descuento?",
        ],
    )
    def test_what_a_question_states_itself_is_no_answer_to_it(self, figures: AccountFigures, question: str) -> None:
        assert figures.answer(question) == ""

    def test_a_statement_is_said_without_the_request_behind_it(self, figures: AccountFigures) -> None:
        answer = figures.answer("The bucket has a usage of 91%, provide a recommendation")
        assert answer.startswith("The bucket has a usage of 91%. That leaves 9%. The limit is near")

    def test_the_figures_of_a_context_are_what_it_is_about(self, figures: AccountFigures) -> None:
        answer = figures.answer("Give me a recommendation about my usage. Exactly 3 sentences.", GARAGE)
        assert answer.startswith("Oil changes: 37.5% used (3 of 8). That leaves 62.5%.")
        assert len(sentences(answer)) == 3

    @pytest.mark.parametrize(
        "prompt",
        [
            "Write a short insight on my account in exactly three sentences",
            "Please provide an insight on where I stand, exactly three sentences.",
            "Quiero un resumen de mi cuenta en tres frases",
            "Sum up my account. Three sentences at most, please",
        ],
    )
    def test_the_count_may_stand_anywhere_in_the_prompt(self, figures: AccountFigures, prompt: str) -> None:
        answer = figures.answer(prompt, self.PARCELS)
        assert answer.startswith("Parcels: 75")
        assert len(sentences(answer)) == 3

    def test_it_is_about_what_the_prompt_names(self, figures: AccountFigures) -> None:
        answer = figures.answer("Provide an insight on my labels in exactly two sentences", self.PARCELS)
        assert answer.startswith("Labels: 20% used (1 of 5).")
        assert "arcels" not in answer

    def test_what_is_left_stands_behind_what_it_is_left_of(self, figures: AccountFigures) -> None:
        answer = figures.answer("how is my account doing?", self.PARCELS)
        assert answer.startswith("Parcels: 75% used (30 of 40). That leaves 25%. Labels: 20% used (1 of 5).")


class TestOperations:
    def test_no_example_stands_twice(self) -> None:
        texts = [text for examples in operation_rows().values() for text in examples]
        assert len(set(texts)) == len(texts)

    @pytest.mark.parametrize(
        ("text", "operation"),
        [
            ("how many stamps remain?", "left"),
            ("¿cuántos sellos me quedan?", "left"),
            ("what percentage of the stamps did I use", "percent"),
            ("did I use more stamps than last week?", "compare"),
            ("when do the stamps arrive?", "date"),
            ("how many stamps did I use last week?", "value"),
            ("¿cuántos sellos usé el mes pasado?", "value"),
            ("on average how many stamps a day?", "average"),
        ],
    )
    def test_words_tell_an_operation_whatever_it_is_about(self, text: str, operation: str) -> None:
        assert Operations(encoder()).read(text, TODAY).operation == operation


class TestWhatIsRemembered:
    CONTEXT = '{"crates": [{"day": "2026-11-04", "crates": 12}, {"day": "2026-11-05", "crates": 31}]}'

    def test_the_same_question_of_the_same_figures_is_answered_once(self) -> None:
        figures = AccountFigures(encoder(), lambda: date(2026, 11, 5))
        first = figures.answered("how many crates yesterday?", self.CONTEXT)
        assert figures.answered("how many crates yesterday?", self.CONTEXT, " ", before=()) is first

    def test_another_day_another_answer(self) -> None:
        today = [date(2026, 11, 5)]
        figures = AccountFigures(encoder(), lambda: today[0])
        assert "12" in figures.answered("how many crates yesterday?", self.CONTEXT).text
        today[0] = date(2026, 11, 6)
        assert "31" in figures.answered("how many crates yesterday?", self.CONTEXT).text

    def test_of_what_was_asked_before_it_is_another_question(self) -> None:
        figures = AccountFigures(encoder(), lambda: date(2026, 11, 5))
        alone = figures.answered("and the day before?", self.CONTEXT)
        assert figures.answered("and the day before?", self.CONTEXT, before=["crates today?"]) is not alone


@pytest.mark.parametrize(
    ("query", "context", "says"),
    [
        (
            "How many barrels do we hold?",
            "Cellar\n| Cave |  | Held |\n|---|---|---|\n| Upper | 3 | 41 |\n| Lower | 5 | 60 |",
            "It has: held.",
        ),
        ("what do 3 corks cost?", "Cork price ² per bag: 4 EUR\nCorks: 12", "EUR"),
        ("how many barrels?", "Barrels on 0 March: 7\nBarrels: 9", ""),
    ],
)
def test_what_is_written_oddly_does_not_end_an_answer(query: str, context: str, says: str) -> None:
    assert says in AccountFigures(encoder()).answer(query, context)


@pytest.mark.parametrize("text", ["29 February", "30 February", "0 March"])
def test_what_no_calendar_has_is_no_date_in_a_text_and_refused_of_a_question(text: str) -> None:
    day = date(2027, 1, 1)
    found = find_dates(fold(f"{text} and 3 April"), day)
    assert [one.day for one in found][-1] == date(2027, 4, 3)
    if len(found) == 1:
        with pytest.raises(ValueError, match=r"day|month"):
            find_dates(fold(text), day, strict=True)
