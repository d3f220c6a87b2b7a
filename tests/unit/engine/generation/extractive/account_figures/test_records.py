"""Lines of one form, values under the names of periods, and JSON inside text, as the rows that they are."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from engine.generation.extractive.account_figures.figure import Amount, Day, Figure, measured
from engine.generation.extractive.account_figures.reading import tables
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.reading.periods import by_period
from engine.generation.extractive.account_figures.reading.records import counted, records
from engine.generation.extractive.account_figures.vocabulary import is_calendar_name
from engine.text.language import Language

FERRIES = "ferry 3: crossings 14, passengers 610, fuel 88 L\nferry 9: crossings 11, passengers 402, fuel 71 L\n"


def cells(context: str) -> list[tuple[str, str, str]]:
    """The row, name and value of every figure of a context."""
    found = []
    for figure in read_figures(context):
        value = figure.value
        shown = value.shown(Language.ENGLISH) if isinstance(value, Amount) else value
        shown = value.day.isoformat() if isinstance(value, Day) else shown
        found.append((figure.row, " ".join(figure.path), str(shown)))
    return found


def rows(context: str, name: str) -> list[tuple[str, str]]:
    return [(row, value) for row, path, value in cells(context) if path == name]


class TestRecords:
    def test_lines_of_a_log_are_rows_of_their_days(self) -> None:
        log = "2027-03-01 herd=A milk_l=310 sick=2\n2027-03-02 herd=A milk_l=296 sick=3 vet=Osk\n"
        assert rows(log, "milk") == [("2027-03-01", "310 L"), ("2027-03-02", "296 L")]
        assert rows(log, "vet") == [("2027-03-02", "Osk")]
        assert [figure.day.day.day for figure in read_figures(log) if figure.day and figure.path == ("sick",)] == [1, 2]

    def test_the_first_text_names_a_row(self) -> None:
        items = "moorings:\n  - pier: Long, boats: 14, fee: 20.50\n  - pier: Short, boats: 6, fee: 11\nharbour: Oby\n"
        assert rows(items, "moorings boats") == [("Long", "14"), ("Short", "6")]
        assert rows(items, "harbour") == [("", "Oby")]

    def test_so_does_a_first_number_behind_its_name(self) -> None:
        hives = "hive 04 | frames 9 | honey 12.5 kg\nhive 11 | frames 7 | honey 8 kg\n"
        assert rows(hives, "frames") == [("hive 04", "9"), ("hive 11", "7")]
        assert rows(hives, "honey") == [("hive 04", "12.5 kg"), ("hive 11", "8 kg")]

    def test_and_what_stands_without_a_name(self) -> None:
        shelves = "Poetry; 40 books; 3 lent\nMaps; 12 books; 5 lent\n"
        assert rows(shelves, "lent") == [("Poetry", "3"), ("Maps", "5")]

    @pytest.mark.parametrize(
        "lines",
        [
            ["hive=4 frames=9"],
            ["Long pier, 14 boats and a light", "Short pier, which is closed, has none"],
            ["plan=Basic seats=4", "invoices: 3, due: May"],
            ["name,boats,fee", "Long,14,20.50"],
            ["", ""],
        ],
    )
    def test_other_lines_are_none(self, lines: list[str]) -> None:
        assert records(lines) == []

    def test_a_line_of_another_form_ends_them(self) -> None:
        lines = ["2027-03-01 milk=310 sick=2", "2027-03-02 milk=296 sick=3", "owner=Osk vat=21"]
        assert len(records(lines)) == 2
        assert rows("\n".join(lines), "vat") == [("", "21")]

    def test_pairs_on_a_line_of_their_own_are_figures(self) -> None:
        assert cells("berths=12 taken=9 warden=Ilse") == [
            ("", "berths", "12"),
            ("", "taken", "9"),
            ("", "warden", "Ilse"),
        ]
        assert cells("berths: 12, taken: 9, warden: Ilse")[:2] == [("", "berths", "12"), ("", "taken", "9")]

    def test_a_header_before_lines_with_signs_is_no_table(self) -> None:
        days = "Takings, by day\nMon 2027-03-01: 1,860.20 (62 tickets)\nTue 2027-03-02: 1,422.75 (49 tickets)\n"
        assert rows(days, "takings") == [("Mon 2027-03-01", "1860.2"), ("Tue 2027-03-02", "1422.75")]
        assert rows(days, "takings tickets") == [("Mon 2027-03-01", "62"), ("Tue 2027-03-02", "49")]


class TestDatedLines:
    def test_a_day_before_a_colon_dates_its_line(self) -> None:
        context = "2027-01-09: shipped 31, returned 4\n2027-01-10: shipped 28, returned 2"
        assert [(figure.path, figure.day is not None) for figure in read_figures(context) if figure.row] == [
            (("shipped",), True),
            (("returned",), True),
            (("shipped",), True),
            (("returned",), True),
        ]

    def test_so_does_a_month(self) -> None:
        context = "January: shipped 31, returned 4\nFebruary: shipped 28, returned 2"
        assert {figure.row for figure in read_figures(context)} == {"January", "February"}

    def test_other_words_before_a_colon_do_not(self) -> None:
        context = "crew: cooks 31, sailors 4\nshore: clerks 28, guards 2"
        assert not any(figure.row == "crew" and figure.path == ("cooks",) for figure in read_figures(context))


class TestYearsOfYaml:
    def test_values_by_year_are_rows_of_their_years(self) -> None:
        found = [(f.path, f.row, f.value) for f in read_figures("moorings:\n  2025: 140\n  2026: 165\nowner: Ines\n")]
        assert [value for *_, value in found[:2]] == [Amount(Fraction(140)), Amount(Fraction(165))]
        assert all("2025" in (*path, row) or "2026" in (*path, row) for path, row, _ in found[:2])

    def test_a_year_within_a_line_of_text_makes_no_yaml(self) -> None:
        found = read_figures("Owner: Ines\nBoats since 2025: 14")
        assert [(figure.path, figure.value) for figure in found] == [
            (("owner",), "Ines"),
            (("boats since 2025",), Amount(Fraction(14))),
        ]


class TestCodes:
    def test_numbers_that_go_on_from_row_to_row_are_texts(self) -> None:
        context = "slip=4107 boat=Gull feet=30\nslip=4108 boat=Tern feet=41\nslip=4109 boat=Ruff feet=27"
        slips = [figure.value for figure in read_figures(context) if figure.path == ("slip",)]
        assert slips == ["4107", "4108", "4109"]

    @pytest.mark.parametrize("feet", [(30, 41, 27), (30, 31, 32), (300, 301, 303), (300, 302, 304)])
    def test_other_numbers_are_not(self, feet: tuple[int, ...]) -> None:
        context = "\n".join(f"boat=B{at}x feet={number}" for at, number in enumerate(feet))
        found = [figure.value for figure in read_figures(context) if figure.path == ("feet",)]
        assert found == [Amount(Fraction(number)) for number in feet]

    def test_two_rows_are_too_few(self) -> None:
        context = "slip=4107 boat=Gull feet=30\nslip=4108 boat=Tern feet=41"
        assert all(isinstance(figure.value, Amount) for figure in read_figures(context) if figure.path == ("slip",))


class TestMeasured:
    @pytest.mark.parametrize(
        ("name", "amount", "path", "unit"),
        [
            (("hay kg",), Amount(Fraction(4)), ("hay",), "kg"),
            (("hay kg",), Amount(Fraction(4), "kg"), ("hay",), "kg"),
            (("price per kg",), Amount(Fraction(4), "EUR"), ("price per kg",), "EUR"),
            (("price kg",), Amount(Fraction(4)), ("price kg",), ""),
            (("price eur",), Amount(Fraction(4)), ("price",), "EUR"),
            (("hay",), Amount(Fraction(4), "kg"), ("hay",), "kg"),
            (("hay",), Amount(Fraction(4)), ("hay",), ""),
        ],
    )
    def test_the_unit_in_a_name_is_that_of_the_amount_but_for_prices(
        self, name: tuple[str, ...], amount: Amount, path: tuple[str, ...], unit: str
    ) -> None:
        found = measured(name, amount)
        assert found.path == path
        assert isinstance(found.value, Amount)
        assert found.value.unit == unit


class TestCounted:
    def test_names_with_their_numbers_are_figures(self) -> None:
        assert counted(["Mill 14.5 t", "- Dam 12 t", "closed on Sunday"]) == [("mill", "14.5 t"), ("dam", "12 t")]

    @pytest.mark.parametrize("lines", [["Mill 14 t"], ["Mill 14 t", "Mill 12 t"], ["Mill", "Dam"]])
    def test_one_alone_and_one_twice_are_none(self, lines: list[str]) -> None:
        assert counted(lines) == []


class TestPeriods:
    def test_objects_by_month_are_columns_of_one_table(self) -> None:
        shop = '{"visits": {"jan": 40, "feb": 55, "mar": 61}, "sales": {"jan": 4, "feb": 7, "mar": 6}, "open": {"days": 9}}'
        assert rows(shop, "visits") == [("jan", "40"), ("feb", "55"), ("mar", "61")]
        assert rows(shop, "sales") == [("jan", "4"), ("feb", "7"), ("mar", "6")]
        assert rows(shop, "open days") == [("", "9")]

    def test_two_months_are_so_only_beside_another_two(self) -> None:
        assert rows('{"visits": {"jan": 40, "feb": 55}}', "visits jan") == [("", "40")]
        both = '{"visits": {"jan": 40, "feb": 55}, "sales": {"jan": 4, "feb": 7}}'
        assert rows(both, "sales") == [("jan", "4"), ("feb", "7")]

    def test_a_line_of_weekdays_and_one_of_quarters(self) -> None:
        assert rows("eggs: mon=7; tue=9; wed=8\nhens: 12\n", "eggs") == [("mon", "7"), ("tue", "9"), ("wed", "8")]
        assert rows("- Rent by quarter: Q1 $2,100; Q2 $1,850; Q3 $2,390\n- Flat: 4B\n", "rent by quarter") == [
            ("Q1", "$2100"),
            ("Q2", "$1850"),
            ("Q3", "$2390"),
        ]

    def test_months_without_any_name_are_called_by_their_unit(self) -> None:
        assert rows("Jan 9.1 kWh\nFeb 8.4 kWh\nMar 8.8 kWh\n", "kWh") == [
            ("jan", "9.1 kWh"),
            ("feb", "8.4 kWh"),
            ("mar", "8.8 kWh"),
        ]

    def test_without_name_and_unit_they_stay_as_they_are(self) -> None:
        figures = [Figure((name,), "x") for name in ("jan", "feb", "mar")]
        assert by_period(figures) == figures

    @pytest.mark.parametrize("name", ["may", "Sept.", "octubre", "march 2027", "Wed", "viernes", "Q3", "t1"])
    def test_names_of_periods(self, name: str) -> None:
        assert is_calendar_name(name)

    @pytest.mark.parametrize("name", ["", "marble", "q5", "last month", "we", "may sales", "march 27", "t10"])
    def test_other_names(self, name: str) -> None:
        assert not is_calendar_name(name)


class TestJsonInside:
    def test_a_list_behind_a_heading_is_read_with_the_lines_around_it(self) -> None:
        text = 'Boats of the harbour\n[{"boat": "Skua", "berths": 2}, {"boat": "Tern", "berths": 5}]\nwarden: Ilse\n'
        assert rows(text, "berths") == [("Skua", "2"), ("Tern", "5")]
        assert rows(text, "warden") == [("", "Ilse")]

    def test_objects_of_one_form_on_lines_of_their_own_are_rows(self) -> None:
        assert rows('{"boat": "Skua", "berths": 2}\n{"boat": "Tern", "berths": 5}\n', "berths") == [
            ("Skua", "2"),
            ("Tern", "5"),
        ]

    def test_what_is_no_whole_json_is_text(self) -> None:
        assert ("", "berths", "12") in cells('berths: 12\nnote: [{"boat": "Skua"\n')

    def test_many_of_them_are_read_without_depth(self) -> None:
        lines = "".join(f'{{"boat": "B{n}", "berths": {n}}}\n' for n in range(1200))
        assert len(rows(lines, "berths")) == 1000 + 200


@pytest.mark.parametrize("line", ["key{n}: {n}", "Mill {n} t", "and {n}, then more", "2027-03-01 a={n} b={n}"])
def test_a_line_is_read_as_a_table_a_few_times_whatever_follows_it(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def reader(lines: Iterable[str], **options: Any) -> Iterator[list[str]]:
        for row in csv.reader(lines, **options):
            parsed.append(len(row))
            yield row

    monkeypatch.setattr(tables, "csv", SimpleNamespace(reader=reader))
    assert read_figures("\n".join(line.format(n=n) for n in range(300)))
    assert len(parsed) <= 300 * 10


def test_signs_of_thousands_are_told_by_the_whole_context() -> None:
    boats = "boat 1 | hauls 14 | kg 3,140\nboat 2 | hauls 11 | kg 2,655\nPuerto de Vallarta, cuenta al día de hoy\n"
    assert rows(boats, "kg") == [("boat 1", "3140 kg"), ("boat 2", "2655 kg")]


def test_a_time_of_day_is_no_amount() -> None:
    assert cells("Next haul: 4 March 2027, 16:45\nHauls: 3\n") == [
        ("", "next haul", "2027-03-04"),
        ("", "hauls", "3"),
    ]
