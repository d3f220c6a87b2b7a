"""What is open, unpaid or late, what is owed, what is left of a month, and what goes on from the row of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import months_alone, step_in
from engine.generation.extractive.account_figures.asking.synonyms import is_state, late, owes, unfinished
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.vocabulary import month_called, months_asked, months_told
from tests.account_cases import encoder

CLIMBING = """{"socia": "Ada Rey", "abono": {"tipo": "Tardes", "precio_eur": 28.5, "caduca": "2027-03-09"},
 "facturacion": {"recibos": [{"ref": "R-7", "mes": "septiembre", "total_eur": 28.5, "situacion": "cobrado"},
  {"ref": "R-8", "mes": "octubre", "total_eur": 33.0, "situacion": "cobrado"},
  {"ref": "R-9", "mes": "noviembre", "total_eur": 28.5, "situacion": "pendiente"}]},
 "vias": {"incluidas_al_mes": 12, "subidas": {"septiembre": 9, "octubre": 11, "noviembre": 7}}}"""
HEAT = """holder: Nan Birk
standing_charge_quarter: 19.20 GBP
readings:
- period: July, units: 12, cost_gbp: 28.40
- period: August, units: 15, cost_gbp: 33.50
- period: September, units: 11, cost_gbp: 26.70
billing:
  amount_due: 26.70 GBP
  due_date: 2026-12-04"""
TOYS = """{"member": "Kim Oda", "card": {"number": "T-55", "valid_until": "2027-01-20"},
 "items_out": [{"title": "Train set", "due_back": "2026-11-12", "overdue_days": 14},
  {"title": "Puzzle", "due_back": "2026-12-02", "overdue_days": 0}], "item_limit": 6}"""
SUPPLIES = """customer: Wren Ltd
orders:
- id: SO-1, item: paper, amount: 420 GBP, status: shipped
- id: SO-2, item: toner, amount: 610 GBP, status: delayed
- id: SO-3, item: chairs, amount: 1830 GBP, status: shipped
invoices:
- no: 9001, amount: 420 GBP, state: settled
- no: 9002, amount: 610 GBP, state: outstanding"""
DOMAINS = """{"plan": {"name": "Scale", "price_eur_year": 348},
 "sites": [{"domain": "wren.es", "visits": 8200}, {"domain": "blog.wren.es", "visits": 2050}],
 "last_invoice": {"number": "F-9", "amount_eur": 58.4, "status": "pending"}}"""
STAFF = """{"leave": {"annual": {"entitled_days": 25, "taken_days": 17}, "sick": {"taken_days": 4}},
 "last_payslip": {"month": "October", "gross_eur": 3210.0, "net_eur": 2298.4}}"""
LETTER = "Clienta: Eva Sol. La prima anual es de 264 €. Tiene un recibo sin pagar de 66 €."
SALES = '{"sold": {"may": 4, "june": 9, "july": 6}, "orders": [{"order": "A", "state": "open", "total_eur": 80}]}'


@dataclass(frozen=True)
class Turn:
    """A question behind others; without `says`, one that is not answered for sure.

    Attributes:
        doubted: The answer is right, with a word of doubt.
    """

    context: str
    query: str
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    doubted: bool = False


TURNS = [
    Turn(CLIMBING, "¿cuánto debo ahora?", ("28,50", "R-9"), ("33",)),
    Turn(CLIMBING, "¿qué recibo me queda por pagar?", ("R-9",), ("R-7", "R-8")),
    Turn(CLIMBING, "¿tengo algún recibo pendiente?", ("Sí", "R-9"), ("R-7", "R-8")),
    Turn(CLIMBING, "¿cuántas vías me quedan en noviembre?", ("5", "12 − 7")),
    Turn(CLIMBING, "¿y en octubre?", ("11",), ("12",), ("¿cuántas vías hice en septiembre?",)),
    Turn(CLIMBING, "¿por qué debo 28 euros?"),
    Turn(CLIMBING, "¿qué pasa si no pago el recibo?"),
    Turn(HEAT, "how much do I owe right now?", ("26.70",), ("88",)),
    Turn(HEAT, "and the month before?", ("33.50", "August"), (), ("what did it cost in September?",)),
    Turn(HEAT, "and the one before that?", ("28.40", "July"), (), ("cost in September?", "and the one before?")),
    Turn(HEAT, "and the month before?", before=("what did it cost in July?",)),
    Turn(HEAT, "and per month?", ("6.40",), (), ("how much is the standing charge per quarter?",)),
    Turn(HEAT, "how much do I owe for the boiler?"),
    Turn(TOYS, "is anything overdue?", ("Yes", "Train set"), ("Puzzle",)),
    Turn(TOYS, "which toy is late?", ("Train set",), ("Puzzle",), doubted=True),
    Turn(SUPPLIES, "which invoice is still open?", ("9002",), ("9001",)),
    Turn(SUPPLIES, "how much is still unpaid?", ("610",), ("420",)),
    Turn(SUPPLIES, "is anything delayed?", ("SO-2",), ("SO-1", "SO-3")),
    Turn(SUPPLIES, "and the one before?", ("610", "SO-2"), (), ("how much was order SO-3?",)),
    Turn(SUPPLIES, "and the next one?", ("1830", "SO-3"), (), ("how much was order SO-2?",)),
    Turn(DOMAINS, "how much do we owe?", ("58.40",), ("348",)),
    Turn(DOMAINS, "and in euros per month?", ("29",), (), ("how much is the plan per year?",)),
    Turn(DOMAINS, "what is the difference in visits between wren.es and blog.wren.es?", ("6150",)),
    Turn(STAFF, "how many days of leave do I have left?", ("8", "25 − 17"), ("21",)),
    Turn(STAFF, "and the gross?", ("3210",), ("25",), ("what was my net pay?",), doubted=True),
    Turn(LETTER, "¿cuánto debo?", ("66",), ("264",)),
    Turn(SALES, "which month did I sell most?", ("9", "june"), ("80",)),
    Turn(SALES, "how many did we sell in june?", ("9",), ("1 ",)),
]


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 26))


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: f"{turn.query}|{turn.before}")
def test_what_is_not_done_yet_and_what_goes_on_from_a_row(figures: AccountFigures, turn: Turn) -> None:
    found = figures.answered(turn.query, turn.context, before=turn.before)
    if not turn.says:
        assert not found.sure, found.text
        return
    assert found.sure or (turn.doubted and found.likely), found.text
    said = found.text.replace(",", "").replace(".", "")
    assert all(text.replace(",", "").replace(".", "") in said for text in turn.says), found
    assert not any(text in found.text for text in turn.never), found


@pytest.mark.parametrize(
    ("text", "open_", "behind"),
    [
        ("which invoice is still open", True, False),
        ("qué me queda por pagar", True, False),
        ("recibos sin pagar", True, False),
        ("impagado", True, False),
        ("overdue", True, True),
        ("which van is late", False, True),
        ("cuándo vence", False, False),
        ("what did I pay", False, False),
    ],
)
def test_what_speaks_of_what_is_not_done_or_late(text: str, open_: bool, behind: bool) -> None:
    assert unfinished(text) is open_
    assert late(text) is behind


def test_states_and_debts() -> None:
    assert is_state("settled")
    assert not is_state("paper")
    assert owes("how much do I owe")
    assert not owes("how much do I pay")


@pytest.mark.parametrize(
    ("text", "step"),
    [("and the one before?", -1), ("¿y el mes anterior?", -1), ("and the next one?", 1), ("the fee before tax", 0)],
)
def test_a_step_from_row_to_row(text: str, step: int) -> None:
    assert step_in(text) == step


@pytest.mark.parametrize(
    ("text", "asked", "alone"),
    [
        ("and in euros a month?", 1, 1),
        ("¿y al trimestre?", 3, 3),
        ("yearly?", 12, 12),
        ("fee per month", 1, 0),
        ("this month", 0, 0),
    ],
)
def test_a_stretch_of_time_that_a_price_is_for(text: str, asked: int, alone: int) -> None:
    assert months_asked(text) == asked
    assert months_alone(text) == alone
    assert months_told("plan price quarter") == 3
    assert months_told("plan price") == 0


def test_the_months_that_names_are() -> None:
    assert month_called("Sept. 2026") == 9
    assert month_called("september sales") == 0


@pytest.mark.parametrize("context", [SUPPLIES, '[{"no": 9001, "state": "paid"}, {"no": 9002, "state": "open"}]'])
def test_a_number_names_rows_that_differ_by_a_state_otherwise(context: str) -> None:
    assert any("9002" in figure.row for figure in read_figures(context))


MANY = """{"invoices": [{"id": "A", "amount_eur": 40, "state": "unpaid"}, {"id": "B", "amount_eur": 60, "state": "paid"},
  {"id": "C", "amount_eur": 25, "state": "unpaid"}], "orders": [{"order": "P", "total_eur": 80, "state": "open"},
  {"order": "Q", "total_eur": 10, "state": "closed"}], "monthly_fee_eur": 12}"""
APART = '{"balance_due_eur": 12, "bill": {"amount_eur": 30, "status": "unpaid"}}'
PAID = '{"plan": {"name": "Solo", "price_eur": 15}, "visits": 4}'


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("how much do I owe?", "65 EUR in total (40 EUR + 25 EUR)"),
        ("which invoices are unpaid?", "A (unpaid), C (unpaid)"),
        ("which orders are open?", "P"),
        ("do I have open orders?", "Yes"),
        ("¿cuánto debo?", "65 EUR en total (40 EUR + 25 EUR)"),
    ],
)
def test_several_are_added_and_an_open_order_is_no_debt(figures: AccountFigures, query: str, says: str) -> None:
    found = figures.answered(query, MANY)
    assert found.sure, found.text
    assert says in found.text


def test_two_amounts_that_are_owed_are_both_named(figures: AccountFigures) -> None:
    found = figures.answered("how much do I owe?", APART)
    assert not found.sure
    assert found.likely
    assert "12 EUR" in found.text
    assert "30 EUR" in found.text


@pytest.mark.parametrize("query", ["how much do I owe?", "¿cuánto debo ahora?"])
def test_a_price_is_no_debt(figures: AccountFigures, query: str) -> None:
    assert not figures.answered(query, PAID).sure


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("how much is the balance?", "12 EUR"),
        ("what is the status of the bill?", "unpaid"),
        ("is the bill unpaid?", "unpaid"),
    ],
)
def test_what_else_is_asked_of_them_is_answered_as_ever(figures: AccountFigures, query: str, says: str) -> None:
    assert says in figures.answered(query, APART).text


@pytest.mark.parametrize(
    "query", ["why are two invoices unpaid?", "when will the open order arrive?", "what happens if I owe money?"]
)
def test_what_no_figure_tells_of_them_is_not_answered_with_a_list(figures: AccountFigures, query: str) -> None:
    assert not figures.answered(query, MANY).sure
