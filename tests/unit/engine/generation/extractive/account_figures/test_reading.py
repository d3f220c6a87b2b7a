from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.generation.extractive.account_figures.figure import (
    MOST_FIGURES,
    Amount,
    Day,
    Figure,
    amount_of,
    day_of,
    value_of,
    words_of_key,
)
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.text.language import Language

EN, ES = Language.ENGLISH, Language.SPANISH


def read(context: str) -> list[tuple[str, str, str]]:
    """Figures as path, value and row."""
    return [(" / ".join(one.path), shown(one), one.row) for one in read_figures(context)]


def shown(figure: Figure) -> str:
    value = figure.value
    if isinstance(value, Amount):
        return f"{float(value.value):g}{value.unit and ' ' + value.unit}"
    return value.day.isoformat() if isinstance(value, Day) else str(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,204", Amount(Fraction(1204))),
        ("85%", Amount(Fraction(85), "%")),
        ("$12.50", Amount(Fraction("12.5"), "$", before=True)),
        ("49 EUR", Amount(Fraction(49), "EUR")),
        ("3.5 GB", Amount(Fraction("3.5"), "GB")),
        ("-20", Amount(Fraction(-20))),
        ("2026-12-01", Day(date(2026, 12, 1), written="2026-12-01")),
        ("2026-12-01T03:10:00Z", Day(date(2026, 12, 1), written="2026-12-01T03:10:00Z")),
        ("1 December 2026", Day(date(2026, 12, 1), written="1 December 2026")),
        ("yes", True),
        ("disabled", False),
        ("n/a", None),
        ("", None),
        ("null", None),
        ("Pro", "Pro"),
        ("tomorrow", "tomorrow"),
        ("v1.2.3", "v1.2.3"),
        ("2026-13-45", "2026-13-45"),
    ],
)
def test_a_written_value_has_a_type(text: str, value: object) -> None:
    assert value_of(text, EN) == value


def test_numbers_are_read_as_the_contexts_language_writes_them() -> None:
    assert amount_of("1.250,50 €", ES) == Amount(Fraction("1250.5"), "€")
    assert amount_of("1.250", ES) == Amount(Fraction(1250))
    assert amount_of("1.250", EN) == Amount(Fraction("1.25"))


def test_a_day_without_a_year_is_that_day_of_every_year() -> None:
    some = day_of("3 November")
    assert some is not None
    assert not some.whole
    assert some.same(Day(date(2026, 11, 3)))
    assert not some.same(Day(date(2026, 11, 4)))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("callsThisMonth", "calls this month"),
        ("api_calls", "api calls"),
        ("CPU-hours", "CPU hours"),
        ("dueDate", "due date"),
    ],
)
def test_keys_are_words(key: str, words: str) -> None:
    assert words_of_key(key) == words


@pytest.mark.parametrize(
    ("amount", "english", "spanish"),
    [
        (Amount(Fraction(12500)), "12,500", "12.500"),
        (Amount(Fraction(41, 2), "%"), "20.5%", "20,5 %"),
        (Amount(Fraction("9.5"), "€"), "9.50 €", "9,50 €"),
        (Amount(Fraction("1840.2"), "$", before=True), "$1840.20", "$1840,20"),
        (Amount(Fraction("18.5"), "GB"), "18.5 GB", "18,5 GB"),
    ],
)
def test_amounts_are_written_as_the_answers_language_has_them(amount: Amount, english: str, spanish: str) -> None:
    assert (amount.shown(EN), amount.shown(ES)) == (english, spanish)


def test_json_is_flattened_with_units_of_keys_and_siblings() -> None:
    context = '{"disk_gb": 12, "fee": {"amount": 9.5, "currency": "EUR"}, "speed": {"value": 3, "unit": "Mbps"}, "note": null}'
    assert read(context) == [
        ("disk", "12 GB", ""),
        ("fee", "9.5 EUR", ""),
        ("speed", "3 Mbps", ""),
        ("note", "None", ""),
    ]


def test_objects_in_a_list_are_rows_named_by_their_day_or_first_text() -> None:
    context = '{"days": [{"day": "2026-11-03", "hits": 4}, {"day": "2026-11-04", "hits": 6}], "crew": [{"who": "Ana", "age": 30}]}'
    assert read(context) == [
        ("days / hits", "4", "2026-11-03"),
        ("days / hits", "6", "2026-11-04"),
        ("crew / age", "30", "Ana"),
    ]
    assert [one.day for one in read_figures('{"hits": {"2026-11-03": 4, "2026-11-04": 6}}')] == [
        Day(date(2026, 11, 3), written="2026-11-03"),
        Day(date(2026, 11, 4), written="2026-11-04"),
    ]


@pytest.mark.parametrize(
    "context",
    [
        "Seats: 20\nSeats used: 17",
        "- Seats: 20\n- Seats used: 17",
        "Seats = 20\nSeats used = 17",
        "**Seats**: 20\n**Seats used**: 17",
    ],
)
def test_lines_are_pairs(context: str) -> None:
    assert read(context) == [("seats", "20", ""), ("seats used", "17", "")]


def test_sections_and_indented_blocks_lead_to_their_lines() -> None:
    assert read("# Storage\nused: 3 GB\nlimit: 5 GB") == [
        ("storage / used", "3 GB", ""),
        ("storage / limit", "5 GB", ""),
    ]
    assert read("mail:\n  sent: 3\n  bounced: 1\nplan: Pro") == [
        ("mail / sent", "3", ""),
        ("mail / bounced", "1", ""),
        ("plan", "Pro", ""),
    ]


def test_a_share_of_something_is_two_figures() -> None:
    assert read("Seats: 17 / 20\nPlan: Pro")[:2] == [("seats / used", "17", ""), ("seats / limit", "20", "")]


@pytest.mark.parametrize(
    "context",
    [
        "city,orders\nOslo,4\nRome,6",
        "city;orders\nOslo;4\nRome;6",
        "| city | orders |\n|---|---|\n| Oslo | 4 |\n| Rome | 6 |",
    ],
)
def test_tables_have_a_figure_for_each_cell(context: str) -> None:
    assert read(context) == [("orders", "4", "Oslo"), ("orders", "6", "Rome")]


def test_running_text_has_the_words_that_each_number_counts() -> None:
    found = read(
        "You have sent 820 of your 1,200 letters this month. Your plan is Gold. There are 3 printers and 2 scanners."
    )
    assert found == [
        ("letters / used", "820", ""),
        ("letters / limit", "1200", ""),
        ("plan", "Gold", ""),
        ("printers", "3", ""),
        ("scanners", "2", ""),
    ]


def test_a_context_is_read_up_to_a_limit() -> None:
    assert len(read_figures(str(list(range(MOST_FIGURES * 2))))) == MOST_FIGURES


@pytest.mark.parametrize(
    "context",
    [
        "",
        " ",
        "{}",
        "[]",
        "[" * 100_000,
        '{"a":' * 700 + "1" + "}" * 700,
        "{broken",
        "1" * 5000,
        "NaN",
        "\ud800",
        "|" * 300,
        "a" * 100_000,
    ],
)
def test_odd_contexts_do_no_harm(context: str) -> None:
    assert isinstance(read_figures(context), list)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab1,.:|-\n #%€$/{}[]\"'de", max_size=120))
def test_no_context_breaks_it(context: str) -> None:
    read_figures(context)


@pytest.mark.parametrize(
    ("context", "figures"),
    [
        ('[{"name": "2B", "chairs": 9}]', [("chairs", "9", "2B")]),
        (
            '{"wells": [{"month": "2026-05", "m3": 3}]}',
            [("wells / m3", "3 m³", "2026-05")],
        ),
        (
            '{"fees": [{"at": "2026-05-01", "amount": 40}, {"at": "2026-05-02", "amount": 4.5}], "currency": "EUR"}',
            [
                ("fees / amount", "40 EUR", "2026-05-01"),
                ("fees / amount", "4.5 EUR", "2026-05-02"),
                ("currency", "EUR", ""),
            ],
        ),
        (
            "Shift    Trays    Waste\nearly    40    3\nlate     52    1",
            [("trays", "40", "early"), ("waste", "3", "early"), ("trays", "52", "late"), ("waste", "1", "late")],
        ),
        (
            "Rent May: 310.00 EUR (paid)\nDoor: 4",
            [("rent may", "310 EUR", ""), ("rent may / status", "paid", ""), ("door", "4", "")],
        ),
        ("Crates (kg): 12\nBay: no data", [("crates", "12 kg", ""), ("bay", "None", "")]),
    ],
)
def test_names_units_and_columns_are_told_apart(context: str, figures: list[tuple[str, str, str]]) -> None:
    assert read(context) == figures


def told(context: str) -> dict[tuple[str, str], str]:
    """What is read of a context: (name, row) -> value as it is written."""
    return {
        (" ".join(figure.path), figure.row): str(getattr(figure.value, "value", figure.value))
        for figure in read_figures(context)
    }


def test_a_table_of_columns_and_rows_is_a_list_of_records() -> None:
    split = '{"shop": "Mar", "week": {"fields": ["day", "sold"], "data": [["Mon", 12], ["Tue", 31]], "closed": 0}}'
    assert told(split) == {
        ("shop", ""): "Mar",
        ("week closed", ""): "0",
        ("week data sold", "Mon"): "12",
        ("week data sold", "Tue"): "31",
    }
    uneven = told('{"fields": ["day", "sold"], "data": [["Mon", 12], ["Tue"]]}')
    assert "31" not in uneven.values()
    assert not any(row == "Mon" for _, row in uneven)


@pytest.mark.parametrize(
    ("line", "figures"),
    [
        (
            "oven-2 | heat=900 | fuel=gas | load=12.5kg",
            {("heat", ""): "900", ("fuel", ""): "gas", ("load", ""): "25/2"},
        ),
        ("heat = 900; load = 3", {("heat", ""): "900", ("load", ""): "3"}),
    ],
)
def test_pairs_between_bars_are_read_one_by_one(line: str, figures: dict[tuple[str, str], str]) -> None:
    found = told(line)
    assert {name: value for name, value in found.items() if name in figures} == figures


def test_numbers_that_name_something_are_no_amounts() -> None:
    assert all(isinstance(figure.value, str) for figure in read_figures('{"card": {"last4": 4821, "id": 7}}'))


class TestMoreForms:
    @pytest.mark.parametrize(
        ("context", "label", "value"),
        [
            ("kiosk=Old%20Pier&cups=41", ("kiosk",), "Old Pier"),
            ("kiosk=Old+Pier&cups=41", ("kiosk",), "Old Pier"),
        ],
    )
    def test_escapes_of_query_strings_are_read(self, context: str, label: tuple[str, ...], value: str) -> None:
        assert {figure.path: figure.value for figure in read_figures(context)}[label] == value

    def test_records_of_yaml_are_rows(self) -> None:
        text = "season: 2027\nteas:\n  - tea: Oolong\n    tins: 14\n  - tea: Sencha\n    tins: 9\n"
        assert [(f.row, f.path, f.listed) for f in read_figures(text) if f.row] == [
            ("Oolong", ("teas", "tins"), ("teas",)),
            ("Sencha", ("teas", "tins"), ("teas",)),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "- Stalls: 20\n- Stalls used: 17",
            "teas:\n  - tea: Oolong\n   tins: 14\n\t- broken",
            "note: - one: two",
        ],
    )
    def test_what_is_no_list_of_records_is_read_as_lines(self, text: str) -> None:
        assert all(not figure.row for figure in read_figures(text))

    def test_a_letter_is_read_below_its_subject(self) -> None:
        text = "Subject: Mill, March\n\nDear Kim, the mill ground 41 sacks. It stood still for 3 days. Yours, Bo"
        assert [f.value.value for f in read_figures(text) if isinstance(f.value, Amount)] == [41, 3]

    def test_names_with_numbers_are_values_of_their_own(self) -> None:
        told = {f.path: f.value for f in read_figures("Town: Lund\nWards: North 12 t, South 9 t, Old Town 4.5 t")}
        assert {path: v.value for path, v in told.items() if isinstance(v, Amount)} == {
            ("wards", "north"): 12,
            ("wards", "south"): 9,
            ("wards", "old town"): 4.5,
        }

    def test_a_name_with_a_number_alone_is_a_name(self) -> None:
        (figure, _) = read_figures("Plan: Basic 40GB\nUsers: 3")
        assert figure.value == "Basic 40GB"

    def test_a_number_with_another_one_behind_it_is_two(self) -> None:
        told = [
            f.value.value for f in read_figures("Gifts: $810 from 61 people\nYear: 2027") if isinstance(f.value, Amount)
        ]
        assert told[:2] == [810, 61]

    @pytest.mark.parametrize(
        ("text", "values"),
        [
            ("We lent 40 audiobooks and 12 maps.", [40, 12]),
            ("The busiest day was the 24th with 51 guests.", [51]),
            ("The 3rd team won 7 games.", [7]),
        ],
    )
    def test_ordinals_and_beginnings_of_words_are_no_amounts(self, text: str, values: list[int]) -> None:
        assert [f.value.value for f in read_figures(text) if isinstance(f.value, Amount)] == values

    def test_sums_of_one_sentence_have_names_of_their_own(self) -> None:
        figures = read_figures("Of the bill, 30 € are for water, 12 € for waste and 4 € for tax.")
        names = [" ".join(figure.path) for figure in figures]
        assert ["water" in names[0], "waste" in names[1], "tax" in names[2]] == [True, True, True]

    @pytest.mark.parametrize(
        "units",
        [["x", "ñ", "a1"], ["1 "], ["5%"], ["1/"], ["- ", "a1 ", "ab."], ["\n"]],
        ids=lambda units: repr(units[0]),
    )
    def test_reading_grows_with_the_length_of_a_text_and_not_with_its_square(self, units: list[str]) -> None:
        """Read in a second each, at the length that a request may have; by the square it is over the limit of a test."""
        for unit in units:
            assert isinstance(read_figures(unit * (131_000 // len(unit)) + "- a: 1"), list)

    @pytest.mark.parametrize("text", ["a: " * 5_000, "a=" * 5_000, "a\t" * 5_000])
    def test_names_within_names_are_followed_to_a_depth(self, text: str) -> None:
        assert max(len(figure.path) for figure in read_figures(f"{text}1")) <= 9
        (figure,) = read_figures("storage: disk: used: 3 GB")
        assert (figure.path, figure.value) == (("storage", "disk", "used"), Amount(Fraction(3), "GB"))

    def test_a_clause_is_read_up_to_a_limit(self) -> None:
        figures = read_figures(f"We lent {'very ' * 390}many, 40 maps in all, and {'very ' * 500} 12 books.")
        assert [f.value.value for f in figures if isinstance(f.value, Amount)] == [40]


class TestBesideATable:
    TABLE = "| bed | kg |\n|---|---|\n| A | 4 |\n| B | 7 |\n\n"

    @pytest.mark.parametrize(
        ("line", "name", "value"),
        [
            ("Limit: 20 kg. Warden: Ines.", "limit", "20 kg"),
            ("Limit: 20 kg. Warden: Ines.", "warden", "Ines"),
            ("season goal;45", "season goal", "45"),
            ("water rights .... 12", "water rights", "12"),
        ],
    )
    def test_lines_beside_it_are_read_too(self, line: str, name: str, value: str) -> None:
        found = {one.name: one.value for one in read_figures(self.TABLE + line)}
        said = found[name]
        assert (str(said.value) if isinstance(said, Amount) else said) == value.removesuffix(" kg")

    def test_a_title_is_no_figure(self) -> None:
        found = read_figures("Orchard report, week 12\n\n" + self.TABLE)
        assert {one.name for one in found} == {"kg"}


def test_rows_in_flow_style_are_the_rows_of_a_list() -> None:
    text = "farm: Elm\nbeds:\n  - {name: North, kg: 4}\n  - {name: South, kg: 7}\nshed: {racks: 9, full: 3}\n"
    found = read_figures(text)
    kilos = {one.row: int(one.value.value) for one in found if isinstance(one.value, Amount) and one.row}
    assert kilos == {"North": 4, "South": 7}
    assert {one.name for one in found if not one.row} >= {"farm", "shed racks", "shed full"}


def test_a_column_that_is_called_by_a_currency_and_a_unit_is_a_price() -> None:
    found = read_figures("item,units,eur_box\nNails,4,2.50\nBolts,7,3.10\n")
    prices = [one for one in found if one.name == "price per box"]
    assert [one.value.unit for one in prices if isinstance(one.value, Amount)] == ["eur", "eur"]


def test_columns_aligned_by_spaces_may_have_an_empty_corner() -> None:
    found = read_figures("          may    jun\nBarley    40     45\nOats      12     19\n")
    assert {(one.row, one.name) for one in found} == {(r, m) for r in ("Barley", "Oats") for m in ("may", "jun")}


@pytest.mark.parametrize(("key", "unit"), [("payments", ""), ("payment", "EUR"), ("costs", "EUR")])
def test_a_currency_beside_it_is_of_money_and_not_of_a_count(key: str, unit: str) -> None:
    (found,) = [
        one for one in read_figures(f'{{"till": {{"currency": "EUR", "{key}": 40}}}}') if one.name.endswith(key)
    ]
    assert isinstance(found.value, Amount)
    assert found.value.unit == unit


def test_dots_lead_from_names_with_commas_and_points_to_their_values() -> None:
    found = read_figures("Idle, fog ...... 8.25 h\nIdle, rep. of mast ...... 1.5 h\nSkipper ...... Dr. Ines Roa\n")
    assert {one.name for one in found} == {"idle, fog", "idle, rep of mast", "skipper"}
    assert [one.value for one in found if one.name == "skipper"] == ["Dr. Ines Roa"]
