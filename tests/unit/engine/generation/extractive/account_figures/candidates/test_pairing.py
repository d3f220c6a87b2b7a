"""What two or three numbers of one account come to."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.candidates.fact import Fact
from engine.generation.extractive.account_figures.candidates.facts import facts_of
from engine.generation.extractive.account_figures.candidates.pairing import (
    Pairing,
    beyond,
    is_priced,
    of_limit,
    pairings,
)
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.contexts import read_figures


def facts(context: object) -> list[Fact]:
    return facts_of(read_figures(context if isinstance(context, str) else json.dumps(context)))[0]


def pairs(context: object, wanted: int | None = None, *, rates: bool = False) -> dict[str, tuple[str, object]]:
    """What the first two facts of a context come to, by operation: the label, and the value as it is written."""
    one, other = facts(context)[:2]
    found = pairings(one, other, None if wanted is None else Fraction(wanted), rates=rates)
    return {pair.operation: (pair.label, written(pair)) for pair in found}


def written(pair: Pairing) -> object:
    value = pair.value
    return f"{float(value.value):g} {value.unit}".strip() if isinstance(value, Amount) else value


HATCHERY = {"eggs": {"hatched": 30, "laid": 120}}


class TestBeside:
    @pytest.mark.parametrize(
        ("operation", "label", "value"),
        [
            ("share", "eggs hatched", "25"),
            ("part", "eggs hatched", "20"),
            ("rest", "eggs hatched", "90"),
            ("difference", "eggs hatched", "-90"),
            ("together", "eggs hatched", "150"),
            ("ratio", "eggs hatched / eggs laid", "0.25"),
        ],
    )
    def test_two_counts_of_one_thing(self, operation: str, label: str, value: str) -> None:
        assert pairs(HATCHERY)[operation] == (label, value)

    def test_of_the_larger_there_is_no_share_of_the_smaller(self) -> None:
        found = pairs({"eggs": {"laid": 120, "hatched": 30}})
        assert not {"share", "rest"} & set(found)
        assert found["part"] == ("eggs laid", "80")

    def test_the_whole_of_a_part_is_named_by_both(self) -> None:
        one, other = facts(HATCHERY)
        (part,) = [pair for pair in pairings(one, other, None) if pair.operation == "part"]
        assert [name for name, _ in part.parts] == ["eggs hatched", "eggs hatched + eggs laid"]

    def test_shares_of_a_hundred_have_none(self) -> None:
        assert not {"share", "part", "rest", "ratio"} & set(pairs("moist: 40%\nmoist before noon: 60%"))

    def test_the_later_month_is_held_against_the_earlier(self) -> None:
        found = pairs({"wool": {"march_kg": 40, "february_kg": 50}})
        assert found["compare"] == ("wool march", "-10 kg")
        assert "part" not in found

    def test_the_earlier_month_is_not_held_against_the_later(self) -> None:
        found = pairs({"wool": {"february_kg": 50, "march_kg": 40}})
        assert found["difference"] == ("wool february", "10 kg")
        assert not {"compare", "share", "rest"} & set(found)

    def test_december_is_before_january(self) -> None:
        assert "compare" in pairs({"wool": {"january_kg": 50, "december_kg": 40}})

    def test_the_period_before_is_held_against_nothing_later(self) -> None:
        assert "compare" not in pairs({"wool_last_month": 40, "wool": 50})

    def test_what_shares_no_word_is_divided_only_where_a_rate_is_asked_for(self) -> None:
        strangers = {"sheep": 40, "meadows": 8}
        assert not pairs(strangers)
        assert pairs(strangers, rates=True) == {"ratio": ("sheep / meadows", "5")}

    @pytest.mark.parametrize("name", ["eggs_per_nest", "huevos_por_nido", "eggs_in_each_nest"])
    def test_what_is_a_rate_already_is_not_divided(self, name: str) -> None:
        assert "ratio" not in pairs({name: 4, "eggs_laid": 120, "huevos": 9}, rates=True)

    def test_nothing_is_divided_by_nothing(self) -> None:
        assert "ratio" not in pairs({"eggs": {"hatched": 3, "laid": 0}})

    def test_texts_come_to_nothing(self) -> None:
        assert pairs({"eggs": {"kind": "goose", "laid": 4}}) == {}


class TestOfLimit:
    def test_what_is_used(self) -> None:
        found = pairs({"trays": {"used": 30, "limit": 80}}, wanted=40)
        assert found == {
            "left": ("trays used", "50"),
            "over": ("trays used", False),
            "enough": ("trays used", True),
            "percent": ("trays used", "37.5"),
        }

    def test_what_is_left(self) -> None:
        found = pairs({"trays": {"left": 30, "limit": 80}}, wanted=40)
        assert found["used"] == ("trays left", "50")
        assert found["enough"] == ("trays left", False)
        assert "left" not in found

    def test_of_a_limit_of_nothing_there_is_no_percentage(self) -> None:
        nothing = Amount(Fraction(0))
        assert {pair.operation for pair in of_limit(("a", nothing), ("b", nothing), None)} == {"left", "over"}


class TestCost:
    @pytest.mark.parametrize(
        ("context", "value"),
        [
            ({"fee_per_jar_eur": 2.5, "jars": 40}, "100 EUR"),
            ({"jars": {"price_usd": 3, "sold": 12}}, "36 USD"),
            ({"fee_per_100_jars_eur": 2.5, "jars": 400}, "10 EUR"),
        ],
    )
    def test_a_price_is_multiplied_by_what_is_counted(self, context: object, value: str) -> None:
        assert pairs(context)["cost"][1] == value

    @pytest.mark.parametrize(
        "context",
        [
            {"fee_per_jar_eur": 2.5, "jar_deposit_eur": 4},
            {"fee_per_jar_eur": 2.5, "jars_broken_pct": 4},
            {"fee_per_jar_eur": 2.5, "lids": 40},
            {"jars": 40, "jars_washed": 12},
        ],
    )
    def test_money_and_shares_and_strangers_are_not(self, context: object) -> None:
        assert "cost" not in pairs(context)

    def test_money_is_told_by_its_unit_or_its_name(self) -> None:
        assert [is_priced(fact, 0) for fact in facts({"toll_eur": 4, "price": 4, "toll_km": 4, "plan": "A"})] == [
            True,
            True,
            False,
            False,
        ]


class TestBeyond:
    def cost(self, context: object) -> Pairing | None:
        used, limit, rate = facts(context)
        return beyond(used, limit, rate)

    @pytest.mark.parametrize(
        ("context", "value"),
        [
            ({"rides_used": 130, "rides_limit": 100, "extra_rides_eur": 0.5}, "15 EUR"),
            ({"water_used_m3": 60, "water_included_m3": 40, "price_per_m3_eur": 2}, "40 EUR"),
        ],
    )
    def test_what_is_above_a_limit_is_paid_for(self, context: object, value: str) -> None:
        found = self.cost(context)
        assert found is not None
        assert found.operation == "cost"
        assert written(found) == value

    @pytest.mark.parametrize(
        "context",
        [
            {"rides_used": 90, "rides_limit": 100, "extra_rides_eur": 0.5},
            {"rides_used": 130, "rides_limit": 100, "locker_eur": 0.5},
            {"rides_used": 130, "rides_limit": 100, "rides_km": 0.5},
            {"rides_used": 130, "boats_limit": 100, "extra_rides_eur": 0.5},
            {"toll_used_eur": 130, "toll_limit_eur": 100, "toll_fee_eur": 0.5},
            {"rides_used": 130, "rides_limit": "many", "extra_rides_eur": 0.5},
        ],
    )
    def test_below_it_and_of_another_thing_nothing_is(self, context: object) -> None:
        assert self.cost(context) is None
