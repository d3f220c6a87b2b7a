from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain import Exchange
from engine.text.questions.stated_figures import Calculation, Figure, calculate_from_statements, price_of_so_many

SHARE = Exchange(
    "What percentage of SMI determines eligibility?",
    "Families whose income is at or below 85 percent of the State Median Income are eligible. [1]",
    1,
)
AMOUNT = Exchange("What is SMI for family of 4?", "The SMI for a family of 4 is $92,041. [1]", 2)
HISTORY = (SHARE, AMOUNT)
CUTOFF = Fraction(7_823_485, 100)


def found(message: str, history: tuple[Exchange, ...] = HISTORY) -> Calculation:
    calculation = calculate_from_statements(message, history)
    assert calculation is not None
    return calculation


@pytest.mark.parametrize(
    "message",
    [
        "Calculate the exact income cutoff for that family",
        "Based on what you told me, calculate the cutoff",
        "So what is the income cutoff for a family of 4?",
        "work out the limit for that family",
        "Calcula el límite exacto para esa familia",
        "Según lo que me dijiste, calcula el límite",
        "¿cuál sería el límite para esa familia?",
    ],
)
def test_a_share_and_an_amount_that_were_said_are_put_together(message: str) -> None:
    calculation = found(message)
    assert calculation.limit == CUTOFF
    assert (calculation.share.text, calculation.amount.text, calculation.income) == ("85", "$92,041", None)
    assert (calculation.share.sequence, calculation.amount.sequence) == (1, 2)
    assert calculation.amount.like(calculation.limit) == "$78,235"
    assert calculation.amount.like(calculation.limit, places=2) == "$78,234.85"


@pytest.mark.parametrize(
    ("message", "yearly", "within"),
    [
        ("If family of 4 makes $4,500/month, qualify?", 54_000, True),
        ("If a family of 4 makes $4,500 a month, are they eligible?", 54_000, True),
        ("Would a family with $1,600 per week be over the cutoff?", 83_200, False),
        ("Do we qualify with a family income of $78,234.85 a year?", CUTOFF, True),
        ("Do we qualify with a family income of $78,234.86?", CUTOFF + Fraction(1, 100), False),
        ("Si una familia de 4 gana 4.500 $ al mes, ¿cumple los requisitos?", 54_000, True),
        ("¿Una familia que gana 7.000 € al mes supera el límite?", 84_000, False),
    ],
)
def test_an_income_is_held_against_the_limit(message: str, yearly: Fraction, within: bool) -> None:
    calculation = found(message)
    assert (calculation.yearly_income, calculation.within, calculation.limit) == (yearly, within, CUTOFF)


@pytest.mark.parametrize(
    "message",
    [
        "What is SMI for family of 5?",
        "How do I calculate a checksum?",
        "Calculate 15 % of that",
        "calculate the sum of $5 and that",
        "thanks",
        "",
    ],
)
def test_what_is_not_clear_is_left_to_the_search(message: str) -> None:
    assert (
        calculate_from_statements(
            message, (Exchange("Which?", "85 % of them."), Exchange("How much?", "It is $92,041."))
        )
        is None
    )


@pytest.mark.parametrize("history", [(), (SHARE,), (AMOUNT,), (Exchange("hi", "Hello!"),)])
def test_both_figures_have_to_have_been_said(history: tuple[Exchange, ...]) -> None:
    assert calculate_from_statements("Calculate the exact income cutoff for that family", history) is None


def test_the_amount_is_that_of_the_clause_that_was_asked_about() -> None:
    table = "The SMI for a family of 3 is $76,500, for a family of 4 it is $92,041, for a family of 5 $106,768. [1]"
    rows = "Family of 3: $76,500. [1] Family of 4: $92,041. [1] Family of 5: $106,768. [1]"
    for answer in (table, rows):
        history = (SHARE, Exchange("What is SMI for family of 4?", answer, 2))
        assert found("Calculate the exact income cutoff for that family", history).limit == CUTOFF


@pytest.mark.parametrize(
    "said",
    [
        "The cutoff is $78,235.",
        "That comes to $78,235 (85 % of $92,041 = $78,234.85). [1] [2]",
        "85% of $92,041 is $78,234.85, so $78,235.",
        "Son 78.235 $ (85 % de 92.041 $ = 78.234,85 $).",
    ],
)
def test_a_result_is_not_taken_for_what_it_was_made_from(said: str) -> None:
    history = (*HISTORY, Exchange("Calculate it", said, 3))
    assert found("If family of 4 makes $4,500/month, qualify?", history).limit == CUTOFF


def test_the_latest_figures_count() -> None:
    history = (*HISTORY, Exchange("And for a family of 5?", "The SMI for a family of 5 is $106,768. [1]", 3))
    assert found("Calculate the cutoff for that family", history).amount.text == "$106,768"


def test_an_amount_of_a_month_is_no_limit_of_a_year() -> None:
    history = (SHARE, Exchange("What is SMI for family of 4?", "It is $7,670 a month for a family of 4."))
    assert calculate_from_statements("Calculate the cutoff for that family", history) is None


def test_the_marks_of_both_figures_are_kept() -> None:
    calculation = found("Calculate the cutoff for that family")
    assert (calculation.share.number, calculation.amount.number) == (1, 1)
    assert calculation.numbers == (1,)


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (Figure(Fraction(0), "", "$"), "$1,234,568"),
        (Figure(Fraction(0), "", "€", behind=True), "1,234,568 €"),
        (Figure(Fraction(0), "", "€", behind=True, point=","), "1.234.568 €"),
    ],
)
def test_a_value_is_written_as_the_amount_was(figure: Figure, shown: str) -> None:
    assert figure.like(Fraction("1234567.5")) == shown


@given(st.integers(1, 100), st.integers(1, 10**7))
def test_the_product_is_exact(share: int, amount: int) -> None:
    history = (Exchange("Which share?", f"It is {share} %."), Exchange("Which amount?", f"It is ${amount:,}."))
    assert found("calculate that", history).limit == Fraction(share * amount, 100)


@pytest.mark.parametrize(
    ("answer", "message", "total"),
    [
        ("In July the hut costs 82 € per night. [1]", "how much for 6 nights", 492),
        ("En julio la cabaña cuesta 82 € por noche. [1]", "6 noches en julio cuanto seria", 492),
        ("A kayak is £9 an hour. The deposit is £40. [1]", "what would 3 hours cost", 27),
        ("In July the hut costs 82 € per night. [1]", "how much for 6 nights with a dog", None),
        ("In July the hut costs 82 € per night. [1]", "how much for 3 weeks", None),
        ("In July 82 € per night; in May 60 € per night. [1]", "how much for 6 nights", None),
        ("Parking costs 12 € per day from the third day. [1]", "how much for 4 days", None),
        ("La cabaña cuesta 82 € por noche y persona. [1]", "6 noches cuanto seria", None),
    ],
)
def test_so_many_at_the_price_for_each_that_was_said(answer: str, message: str, total: int | None) -> None:
    calculation = calculate_from_statements(message, [Exchange("price?", answer, 1)])
    assert (calculation.limit if calculation else None) == total


@pytest.mark.parametrize(
    ("message", "topic", "answer", "total"),
    [
        ("what does freezing cost for 3 months?", "", "It may be frozen; freezing costs £5 a month. [2]", 15),
        ("cuanto vale subir 2 kw", "Cambiar la potencia", "Subirla cuesta 38 € por cada kW de aumento. [2]", 76),
        ("how much is storing 4 boxes?", "Storage", "We store boxes for £3 for each box and month.", None),
        ("how much are 3 boxes", "Boxes", "They cost £3 for each box. [2]", 9),
        ("how much for 12 kg", "Prices", "Courier — Price (€/kg): 1.50. [2]", 18),
        ("cuanto son 200 litros del azul", "Tintes", "Azul — Precio (€/litro): 0,125; Botes: 3. [2]", 25),
        ("cuanto por 6 metros cuadrados", "Suelos", "Roble (más de 15 mm): 61 euros por metro cuadrado. [2]", 366),
        ("how much for 60 kg", "Parcels", "Heavy (over 50 kg): £2 per kg. [2]", None),
        ("how much do you charge for 3 boxes", "Boxes", "They cost £3 for each box. [2]", 9),
        ("how much are 3 boxes and a lid", "Boxes", "They cost £3 for each box. [2]", None),
        ("how much are 3 boxes", "Boxes", "They cost £3 for each box from the tenth on.", None),
        ("how much are 3 months of parking", "Gym", "Freezing costs £5 a month. [2]", None),
        ("how long are 3 months?", "Gym", "Freezing costs £5 a month. [2]", None),
    ],
)
def test_so_many_at_the_price_for_each_that_an_answer_to_it_states(
    message: str, topic: str, answer: str, total: int | None
) -> None:
    calculation = price_of_so_many(message, topic, answer)
    assert (calculation.limit if calculation else None) == total
    assert calculation is None or calculation.numbers == (2,)
