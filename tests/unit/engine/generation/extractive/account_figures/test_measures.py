from __future__ import annotations

from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.calculation import amounts, in_period, two_periods, usage_of
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.measures import USAGE, Measure, measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    narrowing,
    ordinal,
    period_in,
    period_words,
    roles,
    stems_of,
    without_periods,
)


def measures(context: str) -> dict[str, Measure]:
    return {measure.label: measure for measure in measures_of(read_figures(context))}


def parts(measure: Measure) -> list[tuple[str, float]]:
    return [
        (entry.role, float(entry.figure.value.value))
        for entry in measure.entries
        if isinstance(entry.figure.value, Amount)
    ]


def test_a_thing_that_is_called_by_a_period_keeps_its_name() -> None:
    assert list(measures("rink,fin de semana y festivos,end of month\nNorth,6,1\nSouth,8,2")) == [
        "fin de semana y festivos",
        "end of month",
    ]


@pytest.mark.parametrize(
    "context",
    [
        '{"stamps_used": 3, "stamps_limit": 8}',
        '{"stamps": {"used": 3, "limit": 8}}',
        '{"usage": {"stamps": 3}, "limits": {"stamps": 8}}',
        '{"stamps": 3, "stampsLimit": 8}',
        '{"stamps": {"total": 8, "used": 3}}',
        '{"stamps": {"consumed": 3, "quota": 8}}',
        '{"stamps": {"current": 3, "max": 8}}',
        '{"quota": {"stamps": {"total": 8, "used": 3}}}',
        '{"plan": {"stamps": 8}, "usage": {"stamps": 3}}',
        '{"sellos": {"usados": 3, "incluidos": 8}}',
        "Stamps used: 3\nStamps: 8",
        "Stamps: 3 of 8\nPlan: Pro",
        "thing,used,limit\nstamps,3,8\ncards,1,9",
        "You have used 3 of your 8 stamps.",
        "Has usado 3 de los 8 sellos.",
    ],
)
def test_used_and_limit_of_one_thing_come_together(context: str) -> None:
    found = next(
        one for label, one in measures(context).items() if "stamp" in label.lower() or "sello" in label.lower()
    )
    assert sorted(parts(found)) == [("limit", 8.0), ("used", 3.0)]


@pytest.mark.parametrize(
    ("context", "labels"),
    [
        ('{"stamps": 3, "cards": 4}', ["stamps", "cards"]),
        ('{"inbound": {"calls": 3}, "outbound": {"calls": 4}}', ["inbound calls", "outbound calls"]),
        ('{"plan": {"name": "Pro", "price": 4}}', ["plan name", "plan price"]),
        ('{"used": 3, "limit": 8}', [USAGE]),
        ('{"stamps": 3, "monthly_limit": 8}', ["stamps", USAGE]),
        ('{"calls_this_week": 3, "calls_last_week": 4}', ["calls"]),
    ],
)
def test_things_are_told_apart_by_their_names(context: str, labels: list[str]) -> None:
    assert list(measures(context)) == labels


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("calls last month", Period("month", "previous")),
        ("this week", Period("week", "current")),
        ("el mes pasado", Period("month", "previous")),
        ("este año", Period("year", "current")),
        ("previous billing period", None),
        ("previous period", Period("period", "previous")),
        ("yesterday", Period("day", "previous")),
        ("hoy", Period("day", "current")),
        ("in October", Period("month", "", 10)),
        ("en marzo", Period("month", "", 3)),
        ("my last login", None),
        ("calls", None),
    ],
)
def test_a_question_names_a_period(text: str, period: Period | None) -> None:
    assert period_in(text) == period


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("how many calls last month", "how many calls"),
        ("cuantas llamadas hice el mes pasado", "cuantas llamadas hice"),
        ("visits in october", "visits"),
        ("calls this week please", "calls please"),
        ("nothing here", "nothing here"),
    ],
)
def test_periods_are_left_out_of_what_a_question_is_about(text: str, rest: str) -> None:
    assert " ".join(without_periods(text).split()) == rest


def test_stems_are_of_what_says_something() -> None:
    assert stems_of("the number of my invoices") == stems_of("invoice")
    assert stems_of("account data") == frozenset()


def test_roles_are_told_in_both_languages() -> None:
    assert (roles()["remaining"], roles()["restantes"], roles()["limite"]) == ("left", "left", "limit")


class TestUsage:
    @pytest.mark.parametrize(
        ("context", "used", "limit", "left", "share"),
        [
            ('{"stamps": {"used": 3, "limit": 8}}', 3, 8, 5, 37.5),
            ('{"stamps": {"remaining": 5, "limit": 8}}', 3, 8, 5, 37.5),
            ('{"stamps": {"used": 3, "remaining": 5}}', 3, 8, 5, 37.5),
            ('{"stamps": {"used": 9, "limit": 8}}', 9, 8, -1, 112.5),
        ],
    )
    def test_what_is_not_stated_follows(self, context: str, used: int, limit: int, left: int, share: float) -> None:
        usage = usage_of(measures(context)["stamps"])
        assert usage is not None
        found = [one.value for one in (usage.used, usage.limit, usage.left) if one is not None]
        assert found == [used, limit, left]
        assert usage.share is not None
        assert float(usage.share) == share

    def test_a_stated_share_is_taken_as_it_is(self) -> None:
        usage = usage_of(measures('{"disk_percent": 64}')["disk"])
        assert usage is not None
        assert usage.share == 64
        assert usage.used is None
        assert usage.left is None

    def test_a_limit_of_nothing_has_no_share(self) -> None:
        usage = usage_of(measures('{"stamps": {"used": 3, "limit": 0}}')["stamps"])
        assert usage is not None
        assert usage.share is None

    def test_amounts_of_different_units_are_not_put_together(self) -> None:
        usage = usage_of(measures('{"disk": {"used": "3 GB", "limit": "1 TB"}}')["disk"])
        assert usage is not None
        assert (usage.left, usage.share) == (None, None)

    def test_a_plain_figure_has_no_usage(self) -> None:
        assert usage_of(measures('{"stamps": 3}')["stamps"]) is None


class TestPeriods:
    CALLS = '{"calls_this_month": 4, "calls_last_month": 6}'

    @pytest.mark.parametrize(
        "context",
        [
            CALLS,
            '{"calls": 4, "last_month": {"calls": 6}}',
            '{"current": {"calls": 4}, "previous": {"calls": 6}}',
            '{"calls": {"this_week": 4, "last_week": 6}}',
            "Calls: 4\nCalls last month: 6",
        ],
    )
    def test_this_one_and_the_one_before_are_found(self, context: str) -> None:
        both = two_periods(measures(context)["calls"])
        assert both is not None
        assert [entry.figure.value for entry in both] == [Amount(4), Amount(6)]  # type: ignore[arg-type]

    def test_one_period_alone_is_not_compared(self) -> None:
        assert two_periods(measures('{"calls": 4}')["calls"]) is None

    def test_the_entries_of_a_period(self) -> None:
        calls = measures(self.CALLS)["calls"]
        before = in_period(calls, Period("month", "previous"))
        assert [entry.figure.value for entry in before] == [Amount(6)]  # type: ignore[arg-type]
        assert in_period(calls, Period("week", "previous")) == []


def test_amounts_of_one_unit_can_be_added_up() -> None:
    alike = measures('{"days": [{"name": "a", "cost_eur": 1}, {"name": "b", "cost_eur": 2}]}')["days cost"]
    assert [amount.unit for _, amount in amounts(alike.rows)] == ["EUR", "EUR"]
    mixed = measures('{"days": [{"name": "a", "cost": "1 €"}, {"name": "b", "cost": "$2"}]}')["days cost"]
    assert amounts(mixed.rows) == []


class TestJoining:
    @pytest.mark.parametrize(
        ("context", "label"),
        [
            ('{"letters": {"sent": 3, "allowance": 8, "failed": 1}}', "letters sent"),
            ("Letters issued: 3\nLetters included: 8", "letters issued"),
            ("Cartas emitidas: 3\nCartas incluidas: 8", "cartas emitidas"),
            ('{"monthToDate": 3, "monthlyLimit": 8, "callsByDay": {"2027-03-01": 1, "2027-03-02": 2}}', "calls"),
            ('{"calls": {"quota": 8, "consumed": 3, "daily": [{"day": "2027-03-01", "count": 1}]}}', "calls"),
        ],
    )
    def test_what_was_made_of_a_thing_belongs_to_its_limit(self, context: str, label: str) -> None:
        alone = [entry for entry in measures(context)[label].entries if not entry.figure.row]
        found = {entry.role: entry.figure.value for entry in alone}
        assert found == {"used": Amount(3), "limit": Amount(8)}  # type: ignore[arg-type]

    def test_a_part_of_a_thing_does_not(self) -> None:
        assert set(measures('{"letters": {"failed": 3, "limit": 8}}')) == {"letters failed", "letters"}

    def test_the_rows_of_a_list_have_limits_of_their_own(self) -> None:
        context = (
            '{"books": [{"title": "A", "pages": 3, "pagesTotal": 8}, {"title": "B", "pages": 4, "pagesTotal": 9}]}'
        )
        book = measures(context)["books pages"]
        assert [entry.figure.row for entry in book.rows] == ["A", "B"]
        usage = usage_of(book.of_row(book.rows[1], "B"))
        assert usage is not None
        assert (usage.used, usage.limit) == (Amount(4), Amount(9))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "which"),
    [
        ("latest", "last"),
        ("ultima", "last"),
        ("primer", "first"),
        ("upcoming", "next"),
        ("proximo", "next"),
        ("boat", ""),
    ],
)
def test_words_say_which_of_several_is_meant(word: str, which: str) -> None:
    assert ordinal(word) == which


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("boats sent", ["boats"]),
        ("mandamos barcos", ["barcos"]),
        ("boats cancelled", ["boats", "cancelled"]),
        ("last boats", ["boats"]),
    ],
)
def test_verbs_of_having_and_making_tell_nothing_apart(words: str, left: list[str]) -> None:
    assert narrowing(words.split()) == left


@pytest.mark.parametrize(
    ("text", "named"),
    [("calls last month", "last month"), ("llamadas del mes pasado", "mes pasado"), ("ayer", "ayer"), ("calls", "")],
)
def test_a_period_is_named_as_it_was_said(text: str, named: str) -> None:
    assert period_words(text) == named


def test_a_list_of_things_with_limits_is_a_measure_of_each() -> None:
    found = measures(
        '{"bays": [{"name": "north", "used": 3, "max": 8}, {"name": "south", "used": 1, "max": 9}], "doors": 4}'
    )
    assert {label: parts(one) for label, one in found.items()} == {
        "north": [("used", 3), ("limit", 8)],
        "south": [("used", 1), ("limit", 9)],
        "doors": [("", 4)],
    }


def test_the_period_before_repeats_a_part_of_the_present_one() -> None:
    found = measures('{"visits": {"planned": 8, "missed": 2}, "previous_period": {"missed": 5}}')
    assert two_periods(found["visits missed"]) == found["visits missed"].entries
    assert "missed" not in found


def test_rows_are_those_of_the_present_where_each_has_the_one_before() -> None:
    found = measures('{"shops": [{"name": "Oslo", "trays": 3, "prev_month_trays": 8}, {"name": "Rome", "trays": 4}]}')
    assert [entry.figure.row for entry in found["shops trays"].rows] == ["Oslo", "Rome"]


@pytest.mark.parametrize(
    ("context", "label", "told"),
    [
        ('{"weekly_goal_km": 40, "km_this_week": 31, "km_last_week": 37}', "km", ["used", "used", "limit"]),
        ('{"fuel_budget": 80, "fuel_spent": 30}', "fuel", ["limit", "used"]),
        ('{"score_pct": 92, "score_target_pct": 95}', "score", ["used", "limit"]),
        ("Cuota mensual: ARS 38.500", "cuota", [""]),
    ],
)
def test_what_is_aimed_at_is_a_limit_and_a_fee_is_none(context: str, label: str, told: list[str]) -> None:
    assert [entry.role for entry in measures(context)[label].entries] == told


def test_a_column_whose_name_says_nothing_is_a_column_all_the_same() -> None:
    rows = [Figure(("",), Amount(Fraction(n)), row=f"row {n}", listed=()) for n in (1, 2)]
    assert measures_of(rows)
