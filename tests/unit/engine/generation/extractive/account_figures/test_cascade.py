"""Answers by rules and by the ranking together, on contexts of many forms."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import doubts, encoder

TODAY = date(2027, 3, 10)

HUTS = """
[
  {
    "hut": "Larch Top",
    "beds": 42,
    "nights_sold": 610,
    "income_eur": 15250.5,
    "warden": "Sepp",
    "open": true
  },
  {
    "hut": "Grey Rock",
    "beds": 18,
    "nights_sold": 233,
    "income_eur": 5825.0,
    "warden": "Lina",
    "open": false
  },
  {
    "hut": "Windy Pass",
    "beds": 30,
    "nights_sold": 488,
    "income_eur": 12200.0,
    "warden": "Marco",
    "open": true
  }
]
"""

TRAMS = """
line,stops,passengers,late_runs,depot
T1,21,18400,12,Harbour
T2,14,9200,31,Harbour
T3,26,15100,8,Hill
"""

CHOIRS = """
choir: Stadtsingers
rehearsals:
  planned: 24
  held: 17
voices:
  soprano: 14
  alto: 11
  tenor: 5
  bass: 8
fees:
  - member: Una
    paid_eur: 60
    arrears_eur: 0
  - member: Tove
    paid_eur: 20
    arrears_eur: 40
  - member: Raul
    paid_eur: 45
    arrears_eur: 15
"""

PRESS = "shop=Inkwell%20Press&month=2027-02&paper_kg=410&paper_limit_kg=600&press1=Heidi&press1_sheets=5200&press2=Max&press2_sheets=7400"

LETTER = """Subject: Allotments in February

Dear all, a short note. We have let 46 of the 60 plots. The water bill came to £312.40.
Best wishes, Joan"""

NOTES = """Harbour office
- Berths: 120
- Berths used: 97
- Fuel sold: 8,400 L
- Visitors: Aland 31, Gotland 22, Bornholm 9
- Next inspection: 4 June 2027
"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


class TestRecords:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("which hut has the most beds", "Larch Top"),
            ("which hut has the fewest beds", "Grey Rock"),
            ("how many beds in total", "90"),
            ("how many nights were sold in total", "1331"),
            ("nights sold at Grey Rock", "233"),
            ("who is the warden of Larch Top", "Sepp"),
            ("is Grey Rock open", "No"),
            ("how many huts have more than 25 beds", "2"),
            ("how many huts sold less than 300 nights", "1"),
            ("average beds per hut", "30"),
        ],
    )
    def test_in_english(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, HUTS)
        assert said in answer
        assert not doubts(answer)

    def test_a_name_and_nothing_else_may_be_said_with_a_word_of_doubt(self, figures: AccountFigures) -> None:
        assert "Beds, Windy Pass: 30" in figures.answer("beds at Windy Pass", HUTS)

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("total de beds", "90"),
            ("qué hut tiene más beds", "Larch Top"),
            ("beds de Windy Pass", "30"),
        ],
    )
    def test_in_spanish(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, HUTS)
        assert said in answer
        assert not doubts(answer)

    @pytest.mark.parametrize(
        "query",
        [
            "how many showers does Larch Top have",
            "how many beds has Blue Lake",
            "beds at Larch Top in August 2024",
            "¿cuántas mantas hay?",
            "why did the income fall",
        ],
    )
    def test_what_is_not_there_is_doubted(self, figures: AccountFigures, query: str) -> None:
        assert doubts(figures.answer(query, HUTS))


class TestTables:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("which line has the most stops", "T3"),
            ("which line carries the fewest passengers", "T2"),
            ("total passengers", "42,700"),
            ("stops of T2", "14"),
            ("how many lines have more than 10 late runs", "2"),
            ("late runs of T3", "8"),
        ],
    )
    def test_cells_rows_and_sums(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, TRAMS)
        assert said in answer
        assert not doubts(answer)

    def test_a_code_is_told_with_what_its_row_says(self, figures: AccountFigures) -> None:
        assert figures.answer("which line has the most stops", TRAMS) == "Stops: the most is 26, T3 (Hill)."

    @pytest.mark.parametrize("query", ["stops of T9", "how many drivers has T1", "passengers in 2021"])
    def test_what_is_not_there_is_doubted(self, figures: AccountFigures, query: str) -> None:
        assert doubts(figures.answer(query, TRAMS))


class TestYaml:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("how much has Tove paid", "20"),
            ("total arrears", "55"),
            ("who has the most arrears", "Tove"),
            ("how many tenor voices", "5"),
        ],
    )
    def test_records_in_lists_are_rows(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, CHOIRS)
        assert said in answer
        assert not doubts(answer)


class TestQueryString:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("how much paper is left", "190"),
            ("which press printed the most sheets", "Max"),
            ("total sheets", "12,600"),
        ],
    )
    def test_numbered_keys_are_rows_and_escapes_are_read(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, PRESS)
        assert said in answer
        assert not doubts(answer)


class TestLetter:
    @pytest.mark.parametrize(
        ("query", "said"),
        [("how many plots are left", "14"), ("how much was the water bill", "312.4")],
    )
    def test_what_stands_below_a_subject_is_read(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, LETTER)
        assert said in answer
        assert not doubts(answer)


class TestLines:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("how many berths are free", "23"),
            ("what percentage of the berths is used", "80.83"),
            ("how much fuel was sold", "8400"),
            ("when is the next inspection", "June 4, 2027"),
            ("visitors from Gotland", "22"),
        ],
    )
    def test_names_with_numbers_behind_them_are_read(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, NOTES)
        assert said in answer
        assert not doubts(answer)

    @pytest.mark.parametrize("query", ["how many lifeboats", "berths used in 2019", "how do I reserve a berth"])
    def test_what_is_not_there_is_doubted(self, figures: AccountFigures, query: str) -> None:
        assert doubts(figures.answer(query, NOTES))


class TestTwoQuestions:
    @pytest.mark.parametrize(
        "query",
        [
            "when is the next inspection & how much fuel was sold",
            "when is the next inspection and how much fuel was sold",
        ],
    )
    def test_both_are_answered(self, figures: AccountFigures, query: str) -> None:
        answer = figures.answer(query, NOTES)
        assert "June 4, 2027" in answer
        assert "8400" in answer


class TestYears:
    @pytest.mark.parametrize(
        "query", ["berths used in 2019", "how much fuel was sold in 2024?", "visitantes de Gotland en 2021"]
    )
    def test_a_year_that_the_context_does_not_name_is_doubted(self, figures: AccountFigures, query: str) -> None:
        assert doubts(figures.answer(query, NOTES))

    @pytest.mark.parametrize("query", ["how many berths were used in 2027", "how many berths are used"])
    def test_the_present_year_goes_without_saying(self, figures: AccountFigures, query: str) -> None:
        assert "97" in figures.answer(query, NOTES)


SHOW = """
{
  "festival": "Lanternlight",
  "tents": {
    "main": {
      "seats": 800,
      "sold": 800
    },
    "jazz": {
      "seats": 240,
      "sold": 171
    },
    "kids": {
      "seats": 120,
      "sold": 64
    }
  },
  "volunteers": 58,
  "volunteers_last_year": 41,
  "bar_takings_gbp": 6420.5,
  "lost_property": null
}
"""

GARDEN = """
bed;crop;harvest_kg;plants;sown;netted
B-1;beans;14,5;60;2026-05-02;yes
B-2;kale;22,0;35;2026-04-18;no
B-3;beans;9,5;48;2026-05-20;no
B-4;leeks;31,0;90;2026-03-30;yes
"""


class TestObjectsOfOneForm:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            (
                "which tent has the most seats",
                "main",
            ),
            (
                "which tent sold the fewest",
                "kids",
            ),
            (
                "how many volunteers do we have",
                "58",
            ),
            (
                "how much were the bar takings",
                "6420.5",
            ),
        ],
    )
    def test_their_names_are_those_of_rows(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, SHOW)
        assert said in answer
        assert not doubts(answer)

    @pytest.mark.parametrize(
        "query",
        [
            "how many items of lost property",
            "how many portable toilets",
            "how did the ticket shop crash",
        ],
    )
    def test_what_is_not_there_is_doubted(self, figures: AccountFigures, query: str) -> None:
        assert doubts(figures.answer(query, SHOW))


class TestTextsInRows:
    @pytest.mark.parametrize(
        ("query", "said"),
        [
            (
                "total harvest",
                "77",
            ),
            (
                "harvest of B-2",
                "22",
            ),
            (
                "which bed has the most plants",
                "B-4 (leeks)",
            ),
            (
                "how many beds grow beans",
                "2",
            ),
            (
                "harvest of B-4",
                "31",
            ),
            (
                "how many plants in B-3",
                "48",
            ),
        ],
    )
    def test_they_tell_rows_apart(self, figures: AccountFigures, query: str, said: str) -> None:
        answer = figures.answer(query, GARDEN)
        assert said in answer
        assert not doubts(answer)

    def test_a_bed_that_is_not_there_is_doubted(self, figures: AccountFigures) -> None:
        assert doubts(figures.answer("harvest of B-9", GARDEN))


def test_the_same_question_has_the_same_answer_twice(figures: AccountFigures) -> None:
    queries = ["total harvest", "harvest of B-2", "how many beds grow beans"]
    first = [figures.answer(query, GARDEN) for query in queries]
    assert [figures.answer(query, GARDEN) for query in reversed(queries)] == first[::-1]


def test_a_context_without_figures_has_no_answer(figures: AccountFigures) -> None:
    assert figures.answer("total harvest", "") == ""


def test_contexts_are_read_together(figures: AccountFigures) -> None:
    assert "58" in figures.answer("how many volunteers do we have", SHOW, GARDEN)
    assert "77" in figures.answer("total harvest", SHOW, GARDEN)


class TestDoubt:
    """A doubt names what is missing, or both figures that may be meant."""

    @pytest.mark.parametrize(
        ("query", "named"),
        [
            ("how many lifeboats", "lifeboats"),
            ("berths used in 2019", "2019"),
        ],
    )
    def test_what_is_missing_is_named(self, figures: AccountFigures, query: str, named: str) -> None:
        assert named in figures.answer(query, NOTES)

    def test_a_doubt_is_not_sure(self, figures: AccountFigures) -> None:
        assert not figures.answered("how many lifeboats", NOTES).sure
        assert figures.answered("how many berths are free", NOTES).sure


class TestEmpty:
    @pytest.mark.parametrize(
        "context",
        [
            "",
            "   ",
            "{}",
            "[]",
            "[{}]",
            "null",
        ],
    )
    def test_an_empty_context_has_no_answer(self, figures: AccountFigures, context: str) -> None:
        assert figures.answer("how many berths are free", context) == ""

    @pytest.mark.parametrize(
        "query",
        [
            "",
            "?",
            "   ",
            "¿?",
            "!!!",
            "a" * 3000,
        ],
    )
    def test_a_question_of_nothing_gets_no_figure(self, figures: AccountFigures, query: str) -> None:
        assert isinstance(figures.answer(query, NOTES), str)
