"""Questions as they come one after another: what goes on from the last, what rows say, and what is for the documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder

GYM = """{"socio": "Iván Mora", "cuota": "Mañanas", "caduca": "2027-01-31", "clases_incluidas": 12,
 "clases": {"2026-07": 9, "2026-08": 4, "2026-09": 11, "2026-10": 13, "2026-11": 8},
 "recibos": [{"recibo": "R-77", "fecha": "2026-10-05", "importe": 35.0, "estado": "cobrado"},
  {"recibo": "R-81", "fecha": "2026-11-05", "importe": 38.5, "estado": "devuelto"}]}"""
COURIER = """plan: Courier
monthly_fee: 45.00 GBP
parcels_2026_07: 320
parcels_2026_08: 410
parcels_2026_09: 295
parcels_2026_10: 505
parcels_2026_11: 467
labels_used: 1730
labels_limit: 2000
open_claims: 3
last_payment: PAY-88, 2026-11-02, 45.00 GBP, settled"""
READER = """{"reader": "Tom Vale", "card": "Adult", "valid_until": "2027-05-09",
 "borrowed": [{"title": "Middlemarch", "shelf": "fiction", "due": "2026-11-20", "days_overdue": 6},
  {"title": "Birds of Europe", "shelf": "nature", "due": "2026-12-04", "days_overdue": 0},
  {"title": "Emma", "shelf": "fiction", "due": "2026-12-09", "days_overdue": 0}],
 "max_books": 8, "fine_due": 3, "visits_by_month": {"2026-08": 5, "2026-09": 2, "2026-10": 7, "2026-11": 4}}"""
SHOP = """{"cliente": "Talleres Roca", "vence": "2027-06-30",
 "pedidos": [{"pedido": "P-310", "articulo": "gato", "importe": 129.0, "estado": "entregado"},
  {"pedido": "P-322", "articulo": "compresor", "importe": 310.5, "estado": "en camino"},
  {"pedido": "P-325", "articulo": "soldador", "importe": 64.0, "estado": "en camino"}],
 "max_pedidos": 7, "ventas_eur": {"2026-08": 1900, "2026-09": 2750, "2026-10": 2300, "2026-11": 2420}}"""
POWER = """tarifa: Noche
potencia_contratada: 4.6 kW
consumo_2026_08: 310 kWh
consumo_2026_09: 240 kWh
consumo_2026_10: 205 kWh
consumo_2026_11: 280 kWh
saldo_pendiente: 42.10 EUR
fin_contrato: 2027-04-15
averias_abiertas: 2"""
DESK = """{"workspace": "Ostra", "seats": {"used": 9, "limit": 12}, "expires": "2027-03-01",
 "tickets": [{"ticket": "T-5", "title": "login loop", "state": "closed", "hours": 4},
  {"ticket": "T-9", "title": "slow export", "state": "open", "hours": 11},
  {"ticket": "T-12", "title": "lost upload", "state": "open", "hours": 2}],
 "invoices": [{"number": "A-3", "amount_eur": 90.0, "status": "paid"},
  {"number": "A-4", "amount_eur": 96.5, "status": "overdue"}],
 "messages": {"2026-08": 700, "2026-09": 640, "2026-10": 910, "2026-11": 805}}"""


@dataclass(frozen=True)
class Turn:
    """A question behind others; without `says`, one that the figures do not answer.

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
    Turn(GYM, "¿en qué mes hice más?", ("13", "octubre"), ("38",), ("¿cuántas clases me quedan este mes?",)),
    Turn(GYM, "¿y la media?", ("9",), ("36",), ("¿cuántas clases me quedan este mes?", "¿en qué mes hice más?")),
    Turn(GYM, "¿cuántas clases llevo desde septiembre?", ("32",)),
    Turn(GYM, "¿hay algún recibo sin cobrar?", ("R-81",), ("R-77",)),
    Turn(GYM, "¿cuándo se me acaba la cuota?", ("31 de enero de 2027",), doubted=True),
    Turn(COURIER, "what was my best month", ("505", "October"), ("July",)),
    Turn(COURIER, "how many more than september", ("210",), (), ("what was my best month",)),
    Turn(COURIER, "how many more than august", ("57",), (), ("how many parcels in november?",)),
    Turn(COURIER, "i have 3 claims, how long do you take to answer"),
    Turn(COURIER, "how many parcels since september", ("1267",)),
    Turn(COURIER, "how many labels have i got left", ("270",)),
    Turn(
        READER, "what have i borrowed", ("Middlemarch", "Birds of Europe", "Emma"), ("fiction", "nature"), doubted=True
    ),
    Turn(READER, "is anything overdue?", ("Middlemarch",), ("Emma",), doubted=True),
    Turn(READER, "how many more books can i borrow", ("5",), ("8 left",), doubted=True),
    Turn(READER, "when does my card run out", ("May 9, 2027",), ("2026",)),
    Turn(READER, "why do i owe 3 euros"),
    Turn(READER, "how many visits since september", ("13",)),
    Turn(READER, "what if i lose one of them", before=("what have i borrowed",)),
    Turn(SHOP, "¿qué pedidos están en camino?", ("P-322", "P-325"), ("P-310",)),
    Turn(SHOP, "¿tengo algún pedido sin entregar?", ("P-322", "P-325"), ("P-310",)),
    Turn(SHOP, "¿cuál fue mi mejor mes?", ("septiembre",), ("310",), ("¿cuánto vendí en noviembre?",)),
    Turn(SHOP, "¿cuántos pedidos más puedo hacer?", ("4",), doubted=True),
    Turn(SHOP, "¿cuánto más que en octubre?", ("120",), (), ("¿cuánto vendí en noviembre?",)),
    Turn(SHOP, "¿cuánto he vendido desde septiembre?", ("7470",), doubted=True),
    Turn(SHOP, "¿y si devuelvo uno me cobran algo?", before=("¿qué pedidos están en camino?",)),
    Turn(POWER, "¿en qué mes gasté menos?", ("205", "octubre"), (), ("¿cuánto consumo tuve en noviembre?",)),
    Turn(POWER, "¿cuánto menos que en agosto?", ("30",), (), ("¿cuánto consumo tuve en noviembre?",)),
    Turn(POWER, "tengo 2 averías, ¿cuánto tardan en venir?"),
    Turn(POWER, "¿por qué debo 42 euros?"),
    Turn(POWER, "¿cuándo se termina mi contrato?", ("15 de abril de 2027",)),
    Turn(DESK, "do i have any unpaid invoices?", ("A-4",), ("A-3",), doubted=True),
    Turn(DESK, "will they charge me interest for it?", before=("do i have any unpaid invoices?",)),
    Turn(DESK, "which tickets are not closed?", ("T-9", "T-12"), ("T-5",)),
    Turn(DESK, "in which month did i write most", ("910", "October"), ("96",), ("how many messages in november?",)),
    Turn(
        DESK, "and the average?", ("763.75",), ("93",), ("how many messages in november?", "which month was the best?")
    ),
    Turn(DESK, "how many messages since september", ("2355",)),
]


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 26))


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.query)
def test_a_question_within_a_dialogue(figures: AccountFigures, turn: Turn) -> None:
    found = figures.answered(turn.query, turn.context, before=turn.before)
    if not turn.says:
        assert not found.sure, found.text
        assert not found.likely, found.text
        return
    assert found.sure or (turn.doubted and found.likely), found.text
    assert all(text in found.text.replace(",", "").replace(".", "") or text in found.text for text in turn.says), found
    assert not any(text in found.text for text in turn.never), found


BY_MONTH = '{"site": "North", "rain_mm": {"may": 31, "june": 12, "july": 4}, "alarms": 2}'


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("how much did we get in june?", "12"),
        ("¿cuánto cayó en julio?", "4"),
        ("how much rain in may?", "31"),
        ("how much did we get in august?", ""),
    ],
)
def test_a_month_that_names_the_only_figures_by_month(figures: AccountFigures, query: str, says: str) -> None:
    found = figures.answered(query, BY_MONTH)
    if says:
        assert found.sure, found.text
        assert says in found.text
    else:
        assert not found.sure, found.text
