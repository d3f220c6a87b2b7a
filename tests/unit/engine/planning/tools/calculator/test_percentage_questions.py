from __future__ import annotations

import pytest

from engine.planning.tools.calculator.percentage_questions import percentage_question
from engine.planning.tools.calculator.tool import arithmetic


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how much is a 60 euro coat with 20% off?", ""),  # a coat is nothing that is read
        ("how much is an article of 60 euros with 20% off?", "60 - 20% = 48 euros"),
        ("how much do I pay for something worth $250 with a 12% discount?", "250 - 12% = $220"),
        ("how much do I save with 30% off 90?", "30% × 90 = 27"),
        ("what is the 5% discount on a purchase of 640 dollars?", "5% × 640 = 32 dollars"),
        ("what was the price before a 25% discount if I paid 75 €?", "75 / (1 - 25 / 100) = 100 €"),
        ("how much is the tip of 15% on a bill of $84?", "15% × 84 = $12.60"),
        ("total of a dinner of $84 with 15% tip", "84 + 15% = $96.60"),
        ("¿Cuánto es el 10% de IVA de 320 euros?", "10 % × 320 = 32 euros"),
        ("¿Cuánto me sale con el 10% de IVA algo que vale 320 €?", "320 + 10 % = 352 €"),
        ("¿cuánto vale sin IVA un producto de 242 € si el IVA es del 21%?", "242 / (1 + 21 / 100) = 200 €"),
        ("¿Cuánto se queda una compra de 80,50 € con un 50% de rebaja?", "80,50 - 50 % = 40,25 €"),
        ("¿Cuánto me ahorro con un 40% de descuento en 55 euros?", "40 % × 55 = 22 euros"),
    ],
)
def test_what_is_done_with_the_percentage_is_said_by_a_word(question: str, answer: str) -> None:
    assert arithmetic(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "is there a 10% discount on 50",  # no sum is asked for
        "how much is the 10% discount over 50",
        "how much is the 10% discount from 50 on",
        "how much is the 20% deposit on 300",
        "what is the discount of 10% and the vat of 21% on 50",
        "what is the vat of 21% on 50 with 10% off",
        "how much is the 21% vat on 50 and 60",
        "how much is the 21% vat on hotels of 60",
        "cuanto descuento hay a partir de 50 con el 10%",
        "how much is 10% of 50",
    ],
)
def test_what_says_more_or_asks_for_no_sum_is_left_alone(question: str) -> None:
    assert percentage_question(question) is None
