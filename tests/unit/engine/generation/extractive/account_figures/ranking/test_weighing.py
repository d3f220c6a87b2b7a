from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.ranking.ranked import Ranked
from engine.generation.extractive.account_figures.ranking.weighing import AGREED, SURE, beside_missing
from engine.generation.extractive.account_figures.ranking.weighing import weighed as weigh
from engine.generation.extractive.account_figures.rules.told import Told
from engine.generation.extractive.account_figures.saying import alike, text_of
from tests.account_cases import doubts, encoder


def question() -> Question:
    return Operations(encoder()).read("how many lanterns", date(2027, 3, 10))


def value(name: str, number: int, chance: float, operation: str = "value", sign: str = "") -> Ranked:
    amount = Amount(Fraction(number))
    fact = Fact(name, name, "", (Figure((name,), amount),))
    rows = (Row("N-1", None, {"keeper": "Una"}, {}),) if operation == "highest" else ()
    one = Candidate(operation, (fact,), amount, name, rows=rows)
    return Ranked(one, {sign: 1.0}, chance, text_of(one, question()))


def weighed(asked: Question, told: str, ranked: Sequence[Ranked]) -> tuple[str, bool] | None:
    """The text of an answer, and whether it is sure."""
    found = weigh(asked, Told(told, sure=bool(told)), ranked)
    return None if found is None else (found.text, found.sure)


def nothing(chance: float) -> Ranked:
    return Ranked(None, {}, chance)


class TestBesideMissing:
    told = Told("nothing of lanterns", missing="lanterns", names=("jetties", "oil lamps", "moorings"))

    def said(self, *ranked: Ranked, told: Told = told) -> str:
        return beside_missing(question(), told, ranked)

    def test_the_likeliest_figure_is_told_as_the_nearest(self) -> None:
        said = self.said(value("oil lamps", 4, 0.4, sign="asked"), nothing(0.3))
        assert said == (
            "The data of this request has no figure for lanterns. The nearest that it has is this: Oil lamps: 4."
        )

    @pytest.mark.parametrize("chances", [(0.4, 0.5), (0.2, 0.1)])
    def test_one_that_is_unlikely_or_less_likely_than_none_is_only_named(self, chances: tuple[float, float]) -> None:
        said = self.said(value("oil lamps", 4, chances[0], sign="asked"), nothing(chances[1]))
        assert said.endswith("It has: oil lamps, jetties, moorings.")

    @pytest.mark.parametrize("sign", ["told", "states", "day_not", "period_not"])
    def test_the_whole_of_what_is_asked_for_and_another_state_or_time_are_only_named(self, sign: str) -> None:
        assert ": 4" not in self.said(value("oil lamps", 4, 0.9, sign=sign), nothing(0.05))

    def test_what_says_anything_else_stays(self) -> None:
        told = Told("no value of lanterns", empty=True)
        assert self.said(value("oil lamps", 4, 0.9), told=told) == "no value of lanterns"


class TestWithoutRules:
    def test_a_likely_candidate_is_the_answer(self) -> None:
        assert weighed(question(), "", [value("lanterns", 4, SURE), nothing(0.1)]) == ("Lanterns: 4.", True)

    def test_one_that_is_merely_likely_is_said_with_a_word_of_doubt(self) -> None:
        told = weighed(question(), "", [value("lanterns", 4, SURE - 0.05), nothing(0.1)])
        assert told == ("I am not sure that this is what you mean: Lanterns: 4.", False)
        assert doubts(told[0])

    def test_an_unlikely_one_is_not(self) -> None:
        assert weighed(question(), "", [value("lanterns", 4, 0.35), nothing(0.65)]) is None

    @pytest.mark.parametrize(("left_open", "told"), [(0.0, True), (0.3, True), (0.7, False)])
    def test_one_that_leaves_a_heavy_word_open_has_to_be_likelier(self, left_open: float, told: bool) -> None:
        one = value("lanterns", 4, 0.35, sign="open_rows")
        one.features["open_rows"] = left_open
        assert (weighed(question(), "", [one, nothing(0.3)]) is not None) is told

    @pytest.mark.parametrize(("chance", "told"), [(0.35, False), (0.45, True)])
    def test_so_has_one_where_figures_hardly_tell_what_is_asked(self, chance: float, told: bool) -> None:
        asked = replace(question(), chances={"other": 0.7, "value": 0.3})
        assert (weighed(asked, "", [value("lanterns", 4, chance), nothing(0.3)]) is not None) is told

    @pytest.mark.parametrize(("rival", "likely"), [(0.1, True), (0.35, False)])
    def test_two_that_are_nearly_as_likely_are_both_named(self, rival: float, likely: bool) -> None:
        both = [value("lanterns", 4, 0.5), value("wicks", 9, rival), nothing(0.5 - rival)]
        found = weigh(question(), Told(), both)
        assert found is not None
        assert found.likely is likely
        if not likely:
            assert found.text == "I am not sure which figure you mean: Lanterns: 4 or Wicks: 9?"

    @pytest.mark.parametrize(("first", "second", "none"), [(0.07, 0.04, 0.03), (0.22, 0.2, 0.5)])
    def test_neither_is_where_both_are_unlikely(self, first: float, second: float, none: float) -> None:
        assert (
            weigh(question(), Told(), [value("lanterns", 4, first), value("wicks", 9, second), nothing(none)]) is None
        )

    @pytest.mark.parametrize(("sign", "said"), [("states", False), ("period_not", False), ("near", True)])
    def test_neither_is_of_another_state_or_time(self, sign: str, said: bool) -> None:
        both = [value("lanterns", 4, 0.3, sign=sign), value("wicks", 9, 0.25), nothing(0.2)]
        assert (weigh(question(), Told(), both) is not None) is said

    def test_neither_is_where_a_word_of_all_weight_stays_open(self) -> None:
        one = value("lanterns", 4, 0.3, sign="open_rows")
        assert weigh(question(), Told(), [one, value("wicks", 9, 0.25), nothing(0.2)]) is None

    def test_candidates_that_say_the_same_count_together(self) -> None:
        half = SURE / 2 + 0.01
        both = [value("lanterns", 4, half), value("lanterns", 4, half, "limit")]
        assert weighed(question(), "", both) == ("Lanterns: 4.", True)

    @pytest.mark.parametrize("sign", ["period_not", "day_not"])
    def test_one_that_is_of_another_time_is_not(self, sign: str) -> None:
        assert weighed(question(), "", [value("lanterns", 4, 0.95, sign=sign)]) is None

    def test_one_of_no_day_is_not_where_today_is_asked_for(self) -> None:
        asked = Operations(encoder()).read("how many lanterns today", date(2027, 3, 10))
        assert weighed(asked, "", [value("lanterns", 4, 0.95, sign="period_open")]) is None
        assert weighed(question(), "", [value("lanterns", 4, 0.95, sign="period_open")]) is not None

    def test_one_that_is_no_answer_of_the_kind_asked_for_is_not(self) -> None:
        assert weighed(question(), "", [value("lanterns", 4, 0.95, sign="unmet")]) is None

    def test_a_day_that_is_very_likely_is_doubted_where_a_word_of_the_question_is_not_said(self) -> None:
        told = weighed(question(), "", [value("lanterns", 4, SURE + 0.05, "date", sign="unmet")])
        assert told == ("I am not sure that this is what you mean: Lanterns: 4.", False)
        assert weighed(question(), "", [value("lanterns", 4, SURE - 0.05, "date", sign="unmet"), nothing(0.1)]) is None

    def test_nothing_is_no_answer(self) -> None:
        assert weighed(question(), "", [nothing(0.9), value("lanterns", 4, 0.1)]) is None


class TestBesideRules:
    def test_the_rules_hold_where_both_say_the_same(self) -> None:
        told = weighed(question(), "Lanterns (used): 4.", [value("lanterns", 4, 0.9)])
        assert told == ("Lanterns (used): 4.", True)

    @pytest.mark.parametrize(("chance", "sure"), [(AGREED, True), (AGREED - 0.01, False)])
    def test_that_is_sure_from_a_lower_probability_on(self, chance: float, sure: bool) -> None:
        told = weighed(question(), "Lanterns (used): 4.", [value("lanterns", 4, chance), nothing(0.1)])
        assert told is not None
        assert told[1] is sure
        assert doubts(told[0]) is not sure

    @pytest.mark.parametrize("operation", ["highest", "enough"])
    def test_what_says_more_is_said(self, operation: str) -> None:
        other = value("lanterns", 4, 0.9, "highest")
        assert other.candidate is not None
        one = replace(other, candidate=replace(other.candidate, operation=operation))
        told = weighed(question(), "Lanterns: the most is 4, N-1.", [one])
        assert told == ("Lanterns: the most is 4, N-1 (Una).", True)

    def test_a_far_likelier_candidate_is_the_answer(self) -> None:
        assert weighed(question(), "Wicks: 9.", [value("lanterns", 4, SURE)]) == ("Lanterns: 4.", True)

    def test_one_that_is_likelier_is_named_beside_the_rules(self) -> None:
        told = weighed(question(), "Wicks: 9.", [value("lanterns", 4, 0.55), value("wicks", 9, 0.45)])
        assert told is not None
        text, sure = told
        assert not sure
        assert doubts(text)
        assert "Wicks: 9" in text
        assert "Lanterns: 4" in text

    @pytest.mark.parametrize("sign", ["states", "period_not", "day_not", "unmet"])
    def test_one_that_does_not_fit_is_not(self, sign: str) -> None:
        told = weighed(question(), "Wicks: 9.", [value("lanterns", 4, 0.95, sign=sign)])
        assert told == ("I am not sure that this is what you mean: Wicks: 9.", False)

    def test_the_rules_are_doubted_where_nothing_is_likelier(self) -> None:
        told = weighed(question(), "Wicks: 9.", [nothing(0.7), value("wicks", 9, 0.3)])
        assert told == ("I am not sure that this is what you mean: Wicks: 9.", False)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Oil: 4 L.", "Oil used: 4 L (of 9 L).", True),
        ("Oil: 4 L.", "Oil: 9 L left (13 L − 4 L).", False),
        ("Yes (alarm).", "No (alarm).", False),
        ("No (alarm).", "No (alarm, hall).", True),
        ("Keeper: Una.", "Keeper: Una Ray.", True),
        ("Keeper: Una.", "Keeper: Tom.", False),
        ("Keeper: Una.", "Oil: 4 L.", False),
    ],
)
def test_answers_are_alike_by_their_first_number_or_their_words(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same
