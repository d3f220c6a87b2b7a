"""What figures are called, how surely they are meant, and what goes on from the figure that was answered last."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.ranking.weighing import Answer
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.vocabulary import Period
from tests.account_cases import doubts, encoder

TODAY = date(2027, 3, 10)
CLIMBING = (
    '{"club": "Roca Viva", "gasto_trimestre_actual_eur": 612.4, "gasto_trimestre_anterior_eur": 540.0,'
    ' "clases_totales": 84, "clases_anuladas": 7, "fecha_revision": "2027-04-20"}'
)
BREWERY = '{"consumo_semana_actual_kwh": 930, "consumo_semana_anterior_kwh": 775, "presupuesto_mes_eur": 4000}'
FARM = (
    '{"farm": "Low Meadow", "deliveries_this_month": 48, "late_deliveries": 6, "water_used_l": 5200,'
    ' "water_used_last_month_l": 4800, "water_limit_l": 9000, "tractors": 4}'
)
FLAT = "deposit: €300\ntenant: Mo\nrent: €700\nbalance: £20.50\nrenewal_date: 2027-05-01\nmeter_reading: 5512"
POOL = "cuota: 30 €\nsaldo: 12,50 €\nlectura_contador: 5512\nfecha_alta: 2025-02-03"
STUDIO = (
    '{"spend_this_month_usd": 40.5, "spend_last_month_usd": 30, "uploads": 48, "failed_uploads": 6,'
    ' "memory_used_gb": 20, "memory_limit_gb": 50, "calls_this_week": 90, "calls_last_week": 60}'
)
PLANT = '{"pedidos_totales": 240, "pedidos_devueltos": 12, "consumo_actual_m3": 30, "consumo_anterior_m3": 24}'


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


def asked(figures: AccountFigures, context: str, *queries: str) -> Answer:
    """The answer to the last of several questions."""
    *before, query = queries
    return figures.answered(query, context, before=before)


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("cuánto he gastado este trimestre", CLIMBING, "Gasto: 612,40 EUR."),
        ("cuánto hemos consumido esta semana", BREWERY, "Consumo: 930 kWh."),
        ("cuánto me queda", '{"usado": 40, "limite": 100}', "Usado: quedan 60 (100 − 40)."),
        ("cuánto he usado", '{"usado": 40, "limite": 100}', "Usado: 40."),
        ("cuánto he gastado este mes", '{"gasto_mes_eur": 40, "consumo_mes_kwh": 9}', "Gasto: 40 EUR."),
        ("cuánto he consumido este mes", '{"gasto_mes_eur": 40, "consumo_mes_kwh": 9}', "Consumo: 9 kWh."),
        ("how much have I used today", '{"used_today": 4, "used_this_week": 30}', "Used: 4."),
        ("how much did I spend this month", STUDIO, "Spend: 40.50 USD."),
    ],
)
def test_what_is_used_is_called_by_its_own_words(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    assert asked(figures, context, query) == Answer(answer)


def test_what_is_missing_is_said_of_its_own_words(figures: AccountFigures) -> None:
    said = asked(figures, BREWERY, "cuánto hay de propinas").text
    assert "consumo" in said
    assert "usage" not in said.lower()


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("whats my current deposit", FLAT, "Deposit: €300."),
        ("what's my balance right now", FLAT, "Balance: £20.50."),
        ("whats my meter reading at the moment", FLAT, "Meter reading: 5512."),
        ("cuál es mi saldo actual", POOL, "Saldo: 12,50 €."),
        ("cómo está mi saldo", POOL, "Saldo: 12,50 €."),
    ],
)
def test_what_is_asked_for_by_its_whole_name_is_sure(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    assert asked(figures, context, query) == Answer(answer)


@pytest.mark.parametrize(
    ("query", "context"),
    [
        ("what is my neighbours deposit", FLAT),
        ("will my deposit be returned", FLAT),
        ("why is my balance so high", FLAT),
        ("what was my balance last month", FLAT),
        ("por qué mi saldo es tan bajo", POOL),
        ("qué saldo tenía el mes pasado", POOL),
    ],
)
def test_a_name_beside_something_else_is_not(figures: AccountFigures, query: str, context: str) -> None:
    assert doubts(asked(figures, context, query).text)


@pytest.mark.parametrize("query", ["how is my account doing?", "give me an overview"])
def test_an_overview_is_still_of_all(figures: AccountFigures, query: str) -> None:
    said = asked(figures, FLAT, query).text
    assert "Deposit" in said
    assert "Rent" in said


DIALOGUES = [
    (
        CLIMBING,
        [
            ("cuánto he gastado este trimestre", "Gasto: 612,40 EUR."),
            ("y el trimestre pasado", "Gasto trimestre anterior: 540 EUR."),
            (
                "cuánto ha crecido en porcentaje",
                "Gasto: 72,40 EUR más que antes (612,40 EUR frente a 540 EUR, +13,41 %).",
            ),
        ],
    ),
    (
        CLIMBING,
        [
            ("cuántas clases se han anulado", "Clases anuladas: 7."),
            ("qué parte del total es eso", "Clases anuladas: 8,33 % (7 de 84 (clases totales))."),
        ],
    ),
    (
        BREWERY,
        [
            ("cuánto hemos consumido esta semana", "Consumo: 930 kWh."),
            ("y la semana pasada?", "Consumo semana anterior: 775 kWh."),
            (
                "y eso en porcentaje cuánto es de subida",
                "Consumo: 155 kWh más que antes (930 kWh frente a 775 kWh, +20 %).",
            ),
        ],
    ),
    (
        FARM,
        [
            ("how many deliveries were late", "Late deliveries: 6."),
            ("what share of all of them is that", "Late deliveries: 12.5% (6 of 48 (deliveries this month))."),
        ],
    ),
    (
        STUDIO,
        [
            ("how many calls this week", "Calls: 90."),
            ("and the week before?", "Calls last week: 60."),
            ("is that in percent a big drop", "Calls: 30 more than before (90 against 60, +50%)."),
        ],
    ),
    (
        STUDIO,
        [
            ("how much memory do I use", "Memory (used): 20 GB."),
            ("what percentage is that", "Memory: 40% used (20 GB of 50 GB)."),
        ],
    ),
    (
        PLANT,
        [
            ("cuánto consumo", "Actual: 30 m³."),
            ("y antes?", "Consumo anterior: 24 m³."),
            ("cuánto ha subido", "Consumo: 6 m³ más que antes (30 m³ frente a 24 m³, +25 %)."),
        ],
    ),
    (
        PLANT,
        [
            ("cuántos pedidos devueltos hay", "Pedidos devueltos: 12."),
            ("qué porcentaje del total supone", "Pedidos devueltos: 5 % (12 de 240 (pedidos totales))."),
        ],
    ),
]


@pytest.mark.parametrize(("context", "turns"), DIALOGUES)
def test_what_names_nothing_goes_on_from_the_figure_that_was_answered(
    figures: AccountFigures, context: str, turns: list[tuple[str, str]]
) -> None:
    queries = [query for query, _ in turns]
    for until, (_, answer) in enumerate(turns, 1):
        assert asked(figures, context, *queries[:until]).text == answer


@pytest.mark.parametrize(
    ("before", "query", "said"),
    [
        ("how many uploads are there", "and last month?", "no figure of uploads for last month"),
        ("how many calls this week", "what fraction of all is that", "enough of calls"),
    ],
)
def test_rather_than_the_figure_of_another_thing_it_is_said_to_be_missing(
    figures: AccountFigures, before: str, query: str, said: str
) -> None:
    answer = asked(figures, STUDIO, before, query)
    assert said in answer.text
    assert not answer.sure


BOOKS = (
    "shop: Lark Street Books\nbalance: £812.40\nminimum_due: £40\ndue_date: 2027-03-28\n"
    "last_payment: £120 on 2027-02-26\nrewards_points: 950"
)
CLINIC = (
    "titular: Nuria\nsaldo: 640,20 €\nultimo_pago: 2027-02-12\nfecha_vencimiento: 2027-03-25\n"
    "proxima_revision: 2027-05-02\nultima_revision: 2026-05-02"
)
KEEPER = '{"last_backup": "2027-03-08", "plan": "Solo", "last_day_to_cancel": "2027-04-01"}'


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("when do I have to pay", BOOKS, "Due date: March 28, 2027."),
        ("when do i need to pay", BOOKS, "Due date: March 28, 2027."),
        ("when will I pay", BOOKS, "Due date: March 28, 2027."),
        ("when did I pay", BOOKS, "Last payment: February 26, 2027."),
        ("when was my payment", BOOKS, "Last payment: February 26, 2027."),
        ("cuándo tengo que pagar", CLINIC, "Fecha vencimiento: 25 de marzo de 2027."),
        ("cuándo me toca la revisión", CLINIC, "Proxima revision: 2 de mayo de 2027."),
        ("cuándo fue la revisión", CLINIC, "Ultima revision: 2 de mayo de 2026."),
        ("cuándo he pagado", CLINIC, "Ultimo pago: 12 de febrero de 2027."),
    ],
)
def test_what_is_to_come_is_no_day_that_is_called_the_last(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    assert asked(figures, context, query) == Answer(answer)


def test_a_day_that_is_to_come_is_told_behind_what_is_to_be_paid(figures: AccountFigures) -> None:
    said = asked(figures, BOOKS, "what is the minimum due", "when must I have paid it off")
    assert said.text == "Due date: March 28, 2027."


def test_the_last_day_of_all_is_still_to_come(figures: AccountFigures) -> None:
    assert asked(figures, KEEPER, "when do I have to cancel").text == "Last day to cancel: April 1, 2027."


def test_a_day_of_the_other_turn_is_not_given_for_one_that_is_not_there(figures: AccountFigures) -> None:
    assert doubts(asked(figures, KEEPER, "when will the backup run").text)


@pytest.fixture(scope="module")
def operations() -> Operations:
    return Operations(encoder())


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("when do I have to renew", "next"),
        ("cuándo nos toca renovar", "next"),
        ("when did you renew it", "last"),
        ("cuándo se ha renovado", "last"),
        ("when is it", ""),
        ("when did I last have to renew", ""),
        ("how much do I have to pay", ""),
    ],
)
def test_the_turn_that_is_asked_for(operations: Operations, text: str, turn: str) -> None:
    assert operations.read(text, TODAY).turn == turn


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("and last month?", Period("month", "previous")),
        ("y antes?", Period("", "previous")),
        ("and the week before?", Period("", "previous")),
        ("y en mayo?", Period("month", "", 5)),
        ("and the tickets last month?", None),
        ("and?", None),
    ],
)
def test_a_period_that_is_all_that_is_asked_for(operations: Operations, text: str, period: Period | None) -> None:
    assert operations.read(text, TODAY).period_alone == period


@pytest.mark.parametrize(
    ("text", "changes", "shares"),
    [
        ("cuánto ha subido", True, False),
        ("by what percent did it drop", True, True),
        ("what fraction of all is that", False, True),
        ("what percentage of my limit have I used", False, False),
        ("how many are there", False, False),
    ],
)
def test_a_change_is_told_from_a_share(operations: Operations, text: str, changes: bool, shares: bool) -> None:
    read = operations.read(text, TODAY)
    assert (read.changes, read.shares) == (changes, shares)


@pytest.mark.parametrize(
    ("context", "called"),
    [
        ('{"gasto_mes_actual_eur": 4, "gasto_mes_anterior_eur": 5}', ["gasto"]),
        ('{"gasto_eur": 4, "consumo_kwh": 5}', ["gasto", "consumo"]),
        ('{"gasto": 4, "consumo": 5}', ["gasto", "consumo"]),
        ('{"usados": 4, "cupo": 5}', ["usados"]),
        ('{"monthly_limit": 5}', ["limit"]),
        ('{"usage": {"used": 4, "limit": 5}}', ["usage"]),
    ],
)
def test_measures_are_called_by_words_of_their_keys(context: str, called: list[str]) -> None:
    assert [measure.called for measure in measures_of(read_figures(context))] == called


CARD = "shop: Lark Street Books\nbalance: £812.40\ncredit_limit: £3,000\nrewards_points: 950"
TARJETA = "titular: Nuria\nsaldo: 640,20 €\nlimite_credito: 2.500 €\nultimo_pago: 2027-02-12"
SAVINGS = "holder: Otis\nbalance: €2,310.55\nwithdrawal_limit: €5,000"


@pytest.mark.parametrize(
    ("query", "context", "answer"),
    [
        ("how much of my credit limit is left", CARD, "Credit: £2187.60 left (£3000 − £812.40)."),
        ("how much is left of the limit", CARD, "Credit: £2187.60 left (£3000 − £812.40)."),
        ("what percentage of my limit have I used", CARD, "Credit: 27.08% used (£812.40 of £3000)."),
        ("am I over my limit?", CARD, "No: £812.40 of £3000 are used (27.08%), £2187.60 left (credit)."),
        ("can I still spend £500 of my limit", CARD, "Yes: £2187.60 left, enough for £500 (credit)."),
        ("what is my credit limit", CARD, "Credit: £3000."),
        ("what's my balance", CARD, "Balance: £812.40."),
        ("cuánto me queda del límite", TARJETA, "Credito: quedan 1859,80 € (2500 € − 640,20 €)."),
        ("qué crédito me queda", TARJETA, "Credito: quedan 1859,80 € (2500 € − 640,20 €)."),
        ("cuánto saldo tengo", TARJETA, "Saldo: 640,20 €."),
        ("how much is left in my account", SAVINGS, "Balance: €2310.55."),
        ("how much credit is left", "balance: $20\navailable_credit: $15\ncredit_limit: $35", "Credit: $15."),
        (
            "how much of my limit is left",
            "balance: $900\ncredit_limit: $700",
            "Yes: credit is $200 over the limit ($900 of $700).",
        ),
    ],
)
def test_a_balance_beside_a_credit_limit_is_what_is_used_of_it(
    figures: AccountFigures, query: str, context: str, answer: str
) -> None:
    assert asked(figures, context, query) == Answer(answer)


@pytest.mark.parametrize("query", ["how much is left of my storage limit", "how much is left of my data limit"])
def test_another_limit_is_no_credit(figures: AccountFigures, query: str) -> None:
    context = "balance: $90\ncredit_limit: $700\nstorage_limit: 40 GB\nstorage_used: 10 GB"
    assert "610" not in asked(figures, context, query).text
