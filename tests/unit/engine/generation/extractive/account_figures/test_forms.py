"""Forms in which contexts come: records by key, measures by name, query strings, values of several pieces, prose."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.calculation import two_periods, usage_of
from engine.generation.extractive.account_figures.figure import Amount, Day, amounts_in, value_of
from engine.generation.extractive.account_figures.measures import Measure, measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.vocabulary import Period, period_in, role_of
from engine.text.language import Language


def measures(context: str) -> dict[str, Measure]:
    return {measure.label: measure for measure in measures_of(read_figures(context))}


def told(measure: Measure) -> list[tuple[str, str]]:
    """The values of a measure with their rows or roles."""
    found = []
    for entry in measure.entries:
        value = entry.figure.value
        shown = value.shown(Language.ENGLISH) if isinstance(value, Amount) else value
        shown = value.day.isoformat() if isinstance(value, Day) else shown
        found.append((entry.figure.row or entry.role, str(shown)))
    return found


class TestRecords:
    def test_objects_of_one_form_are_rows_that_their_keys_name(self) -> None:
        pens = measures('{"pens": {"north": {"sheep": 4, "feedPct": 20}, "south": {"sheep": 9, "feedPct": 35}}}')
        assert told(pens["pens sheep"]) == [("north", "4"), ("south", "9")]
        assert told(pens["pens feed"]) == [("north", "20%"), ("south", "35%")]

    def test_a_value_that_one_of_them_lacks_is_of_the_same_measure(self) -> None:
        pens = measures('{"pens": {"north": {"sheep": 4, "feedPct": 20}, "south": {"sheep": 9, "feedPct": null}}}')
        assert told(pens["pens feed"]) == [("north", "20%"), ("south", "None")]

    @pytest.mark.parametrize(
        ("context", "label", "roles"),
        [
            (
                '{"sheep": {"used": 3, "limit": 9, "late": 1}, "goats": {"used": 1, "limit": 4, "late": 0}}',
                "sheep",
                ["used", "limit"],
            ),
            ('{"shed": {"june": {"hay": 3, "oats": 1}, "july": {"hay": 5, "oats": 2}}}', "shed hay", ["", ""]),
        ],
    )
    def test_what_each_has_a_limit_of_and_months_are_no_rows(self, context: str, label: str, roles: list[str]) -> None:
        entries = measures(context)[label].entries
        assert [entry.role for entry in entries] == roles
        assert not any(entry.figure.row for entry in entries)

    def test_days_under_each_key_are_rows_of_their_key(self) -> None:
        farm = measures('{"eggs": {"2027-03-01": 7, "2027-03-02": 9}, "broken": {"2027-03-01": 1, "2027-03-02": 0}}')
        assert told(farm["eggs"]) == [("2027-03-01", "7"), ("2027-03-02", "9")]
        assert told(farm["broken"]) == [("2027-03-01", "1"), ("2027-03-02", "0")]

    def test_years_are_rows(self) -> None:
        farm = measures('{"wool_kg": {"2025": 310, "2026": 290}}')
        assert told(farm["wool"]) == [("2025", "310 kg"), ("2026", "290 kg")]

    def test_a_list_that_names_its_measures_has_them_by_name(self) -> None:
        farm = measures(
            '[{"metric": "Eggs sold", "value": 70, "period": "current"},'
            ' {"metric": "Eggs sold", "value": 90, "period": "previous"},'
            ' {"metric": "Hatch rate", "value": 81.5, "unit": "%"}, {"metric": "Price", "value": 3, "unit": "EUR"}]'
        )
        both = two_periods(farm["eggs sold"])
        assert both is not None
        assert [entry.figure.value for entry in both] == [Amount(70), Amount(90)]  # type: ignore[arg-type]
        assert told(farm["hatch rate"]) == [("percent", "81.5%")]
        assert told(farm["price"]) == [("", "3 EUR")]

    def test_a_list_of_dated_amounts_keeps_its_rows(self) -> None:
        farm = measures('{"bills": [{"month": "2027-01", "amount": 9}, {"month": "2027-02", "amount": 8}]}')
        assert told(next(iter(farm.values()))) == [("2027-01", "9"), ("2027-02", "8")]

    def test_a_column_that_is_only_used_is_used_of_the_column_before(self) -> None:
        farm = measures("stable;stalls;occupied;mules\nEast;8;5;2\nWest;6;6;1\n")
        assert told(farm["stalls"]) == [("East", "8"), ("East", "5"), ("West", "6"), ("West", "6")]
        east = farm["stalls"].of_row(farm["stalls"].rows[0], "East")
        usage = usage_of(east)
        assert usage is not None
        assert usage.left == Amount(3)  # type: ignore[arg-type]
        assert told(farm["mules"]) == [("East", "2"), ("West", "1")]

    def test_digits_that_count_nothing_are_text(self) -> None:
        farm = measures('{"barns": [{"alias": "Old", "lock_code": "0042", "bales": 7}, {"alias": "New", "bales": 9}]}')
        assert told(farm["barns lock code"]) == [("Old", "0042")]


class TestLines:
    @pytest.mark.parametrize(
        "line",
        [
            "hens=7&eggs=40&eggs_sold=31&since=2027-01-04",
            "hens=7 | eggs=40 | eggs_sold=31 | since=2027-01-04",
            "hens=7; eggs=40; eggs_sold=31; since=2027-01-04",
            "hens=7, eggs=40, eggs_sold=31, since=2027-01-04",
        ],
    )
    def test_pairs_in_one_line_are_a_pair_a_line(self, line: str) -> None:
        farm = measures(line)
        assert told(farm["hens"]) == [("", "7")]
        assert told(farm["since"]) == [("", "2027-01-04")]

    def test_pairs_in_braces_are_of_their_key(self) -> None:
        farm = measures("coop: north\nfeed: {used: 6.5 kg, cap: 20 kg}\nhens: 4")
        assert told(farm["feed"]) == [("used", "6.5 kg"), ("limit", "20 kg")]

    def test_the_one_heading_of_a_text_is_no_part_of_its_names(self) -> None:
        assert set(measures("## Farm report, week 47\nHens: 7\nEggs: 40")) == {"hens", "eggs"}

    @pytest.mark.parametrize(
        ("line", "values"),
        [
            ("Eggs sold: 64 (October: 71)", {"eggs sold": [("", "64"), ("", "71")]}),
            ("Licence: valid until 14 Feb 2027", {"licence valid until": [("", "2027-02-14")]}),
            ("Fines: 2 (37,00 €)", {"fines": [("", "2"), ("", "€37")]}),
            ("Stalls: 12, of which 9 are assigned", {"stalls": [("limit", "12"), ("used", "9")]}),
            ("Rent: 165,00 €/mes", {"rent": [("", "165 €")]}),
            ("Plate: HKRT-52", {"plate": [("", "HKRT-52")]}),
            ("Plan: Ranger 32GB", {"plan": [("", "Ranger 32GB")]}),
            ("Change: +12%", {"change": [("percent", "12%")]}),
        ],
    )
    def test_a_value_may_have_several_pieces(self, line: str, values: dict[str, list[tuple[str, str]]]) -> None:
        found = measures(f"Hens: 7\n{line}\nGeese: 4")
        for label, expected in values.items():
            assert [row for row, _ in told(found[label])] == [row for row, _ in expected]
            for (_, shown), (_, wanted) in zip(told(found[label]), expected, strict=True):
                assert shown.strip("€ ") == wanted.strip("€ ")

    def test_a_length_of_time_and_its_day_are_two_figures(self) -> None:
        found = measures_of(read_figures("Hens: 7\nLongest flight: 3 h 12 min on 10 November\nGeese: 4"))
        values = [e.figure.value for m in found if m.label == "longest flight" for e in m.entries]
        assert Amount(Fraction(11_520), "h min") in values
        assert any(isinstance(value, Day) and value.day.month == 11 for value in values)

    @pytest.mark.parametrize(
        ("line", "values"),
        [
            (
                "Club: Hill Runners. Lockers: 4 of 9. Runs: long 31, short 58. Next race: 12,50 € on 1 July.",
                {
                    "club": [("", "Hill Runners")],
                    "lockers": [("used", "4"), ("limit", "9")],
                    "runs long": [("", "31")],
                    "next race": [("", "2000-07-01"), ("", "12.50 €")],
                },
            ),
            ("Club: Hill. Mean lap: 2 min 5 s. Runs: 4.", {"mean lap": [("", "2 min 5 s")], "runs": [("", "4")]}),
        ],
    )
    def test_a_line_of_several_statements_is_one_of_pairs(
        self, line: str, values: dict[str, list[tuple[str, str]]]
    ) -> None:
        found = measures_of(read_figures(line))
        for label, expected in values.items():
            assert [one for m in found if m.label == label for one in told(m)] == expected

    def test_what_is_said_to_be_used_is_not_called_so_twice(self) -> None:
        used, limit = read_figures("Hens: 7\nStraw used: 3 kg of 10 kg\nGeese: 4")[1:3]
        assert (used.name, limit.name) == ("straw used", "straw limit")
        assert told(measures("Hens: 7\nStraw used: 3 kg of 10 kg")["straw"]) == [("used", "3 kg"), ("limit", "10 kg")]

    def test_a_day_without_a_year_is_said_without_the_stop_behind_it(self) -> None:
        (day,) = (f.value for f in read_figures("The race is on 1 July.") if isinstance(f.value, Day))
        assert day.written == "1 july"


class TestLengthsOfTime:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("2 h 10 min", Amount(Fraction(7800), "h min")),
            ("1h 5m 3s", Amount(Fraction(3903), "h min s")),
            ("3 días y 4 horas", Amount(Fraction(273_600), "d h")),
            ("2 h", Amount(Fraction(2), "h")),
        ],
    )
    def test_one_in_several_units_is_one_amount(self, text: str, value: Amount) -> None:
        assert value_of(text, Language.SPANISH) == value
        assert [one for _, _, one in amounts_in(f"Tardó {text} en total", Language.SPANISH)] == [value]

    @pytest.mark.parametrize(
        ("seconds", "units", "said"),
        [(7800, "h min", "2 h 10 min"), (3903, "h min s", "1 h 5 min 3 s"), (7199, "h min", "2 h 0 min")],
    )
    def test_it_is_said_in_its_units(self, seconds: int, units: str, said: str) -> None:
        assert Amount(Fraction(seconds), units).shown(Language.ENGLISH) == said

    def test_things_that_are_counted_are_none(self) -> None:
        assert [one.unit for _, _, one in amounts_in("4 hens 3 minks", Language.ENGLISH)] == ["", ""]


class TestProse:
    def test_quoted_names_with_dates_are_rows_of_what_is_said_of_them(self) -> None:
        found = measures("“Emma” expires on 26/11/2027, “Ivanhoe” on 30/11/2027.")
        (due,) = (measure for measure in found.values() if measure.rows)
        assert told(due) == [("Emma", "2027-11-26"), ("Ivanhoe", "2027-11-30")]

    def test_a_bracket_is_of_the_month_before_it(self) -> None:
        found = measures("You paid £61.35, compared with £48.90 in October (4 rides).")
        assert [entry.period.month for m in found.values() if "rides" in m.label for entry in m.entries] == [10]

    def test_what_is_measured_in_a_unit_takes_the_limit_of_the_plan(self) -> None:
        found = measures("So far: 6 rides, 143 km. Your Saver plan includes 150 km a month.")
        usage = usage_of(found["km"])
        assert usage is not None
        assert usage.left == Amount(7, "km")  # type: ignore[arg-type]

    @pytest.mark.parametrize("text", ["34 books in 2026", "34 libros en 2026"])
    def test_years_are_no_amounts(self, text: str) -> None:
        assert [amount.value for _, _, amount in amounts_in(text, Language.ENGLISH)] == [34]

    def test_parts_of_codes_are_no_amounts(self) -> None:
        assert [amount.value for _, _, amount in amounts_in("server eu-west-3 has 4 disks", Language.ENGLISH)] == [4]


class TestNames:
    @pytest.mark.parametrize(
        ("text", "period"),
        [
            ("downloads last 7 days", Period("week", "previous")),
            ("downloads last 30 days", Period("month", "previous")),
            ("descargas últimos 7 días", Period("week", "previous")),
            ("downloads last 45 days", Period("period", "previous")),
        ],
    )
    def test_the_last_days_are_a_period(self, text: str, period: Period) -> None:
        assert period_in(text) == period

    @pytest.mark.parametrize(
        ("word", "role"),
        [("goals", "limit"), ("use", "used"), ("limits", "limit"), ("top", ""), ("hens", ""), ("remaining", "left")],
    )
    def test_a_role_is_told_by_any_form_of_its_word(self, word: str, role: str) -> None:
        assert role_of(word) == role

    def test_a_balance_of_things_is_what_is_left_and_one_of_money_is_itself(self) -> None:
        found = measures('{"saldoCreditos": 30, "creditosComprados": 90}')["creditos"]
        assert told(found) == [("left", "30"), ("limit", "90")]
        assert told(measures('{"balance": {"amount": 30, "currency": "EUR"}}')["balance"]) == [("", "30 EUR")]

    def test_what_is_used_to_date_is_held_against_the_limit_of_its_period(self) -> None:
        found = measures('{"water": {"litersToday": 5, "monthlyCapLiters": 90, "monthToDateLiters": 70}}')
        usage = usage_of(found["water liters"])
        assert usage is not None
        assert usage.left == Amount(20)  # type: ignore[arg-type]

    def test_the_one_number_beside_a_limit_is_what_is_used_of_it(self) -> None:
        assert told(measures('{"books": {"borrowed": 4, "maximum": 10}}')["books borrowed"]) == [
            ("used", "4"),
            ("limit", "10"),
        ]

    def test_a_month_that_is_named_is_compared_with_the_latest_other(self) -> None:
        found = measures("Visits in August: 8\nVisits in October: 9")
        both = two_periods(next(iter(found.values())), Period("month", "", 8))
        assert both is not None
        assert [entry.period.month for entry in both] == [10, 8]
