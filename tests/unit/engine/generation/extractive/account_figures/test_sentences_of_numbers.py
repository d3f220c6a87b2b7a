"""Sentences that say sums, means, ends and differences, whether rules or candidates come to them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.calculation import Usage
from engine.generation.extractive.account_figures.composing import (
    of_difference,
    of_extreme,
    of_mean,
    of_sum,
    of_usage,
)
from engine.generation.extractive.account_figures.figure import Amount
from engine.text.language import Language

EN, ES = Language.ENGLISH, Language.SPANISH
ROPE = [Amount(Fraction(number), "m") for number in (4, 9)]


def test_a_sum_and_a_mean_name_what_they_come_from() -> None:
    assert of_sum("rope", ROPE, EN) == "Rope: 13 m in total (4 m + 9 m)."
    assert of_mean("cuerda", ROPE, ES) == "Cuerda: 6,5 m de media (13 m entre 2)."


def test_a_sum_names_twelve_parts_at_most() -> None:
    assert of_sum("rope", ROPE[:1] * 13, EN).endswith("+ …).")


@pytest.mark.parametrize(
    ("most", "rank", "says"), [(True, 1, "the most is 9 m"), (False, 1, "the least is 9 m"), (True, 2, "number 2")]
)
def test_an_end_names_its_row(most: bool, rank: int, says: str) -> None:
    said = of_extreme("rope", ROPE[1], "loft", EN, most=most, rank=rank)
    assert says in said
    assert said.endswith("loft.")


@pytest.mark.parametrize(
    ("earlier", "says"),
    [(True, "5 m more than before (9 m against 4 m, +125%)"), (False, "5 m more (9 m against 4 m)")],
)
def test_a_difference_has_a_share_in_time_alone(earlier: bool, says: str) -> None:
    assert of_difference("Rope", ROPE[1], ROPE[0], EN, earlier=earlier) == f"Rope: {says}."


def test_what_is_stated_is_said_without_its_parts() -> None:
    usage = Usage(ROPE[0], ROPE[1], Amount(Fraction(5), "m"), None, frozenset({"left"}))
    assert of_usage("left", usage, "Rope", EN) == "Rope: 5 m."
    assert of_usage("used", usage, "Rope", EN) == "Rope: 4 m used (9 m − 5 m)."
