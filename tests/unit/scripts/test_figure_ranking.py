from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations, bare_words
from engine.generation.extractive.account_figures.candidates.fact import Fact, Row
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.figure import Amount, Day, Figure, day_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from scripts.fitting.account.figure_heads import operation_rows
from scripts.fitting.account.figure_kinds import HERE, kinds, singular, ways
from scripts.fitting.account.figure_ranking import (
    TODAY,
    Example,
    answers,
    feature_names,
    fitted,
    judged,
    told,
    written,
)
from scripts.fitting.account.figure_rows import Maker
from tests.account_cases import account_cases, encoder


def test_what_is_asked_is_left_out_of_the_heads_as_it_stands_in_their_rows() -> None:
    rows = {text for texts in operation_rows().values() for text in texts}
    assert all(bare_words(text) == text for text in rows)
    lines = (json.loads(line) for line in (HERE / "asked.jsonl").read_text("utf-8").splitlines())
    asked = [bare_words(one["question"]) for line in lines for one in line["questions"]]
    assert sum(text in rows for text in asked) > len(asked) / 3


class TestKinds:
    @pytest.mark.parametrize("name", ["kinds.txt", "singles.txt"])
    def test_every_measure_has_names_in_both_languages(self, name: str) -> None:
        for kind in kinds(name):
            for measure in kind.measures:
                assert all(measure.names["en"]), (kind.name, measure)
                assert all(measure.names["es"]), (kind.name, measure)

    def test_every_unit_is_known(self) -> None:
        units = {m.unit for name in ("kinds.txt", "singles.txt") for kind in kinds(name) for m in kind.measures}
        assert units <= {"n", "m", "%", "h", "min", "GB", "kg", "km", "kWh", "L", "C", "ms", "m3", "d", "t", "f"}

    def test_texts_and_signs_are_read(self) -> None:
        shop = next(kind for kind in kinds("kinds.txt") if kind.name == "online shop")
        price = next(measure for measure in shop.measures if "price" in measure.names["en"])
        supplier = next(measure for measure in shop.measures if "supplier" in measure.names["en"])
        assert price.most["en"] == ["most expensive"]
        assert price.least["es"] == ["más barato"]
        assert len(supplier.texts) == len(shop.rows)

    def test_there_are_many_of_them(self) -> None:
        assert len(kinds("kinds.txt")) + len(kinds("singles.txt")) >= 60

    def test_every_way_of_asking_is_there_in_both_languages(self) -> None:
        asked = {operation for operation, _ in ways()}
        assert {(operation, language) for operation in asked for language in ("en", "es")} == set(ways())

    def test_every_kind_of_accounts_has_a_name_of_its_own(self) -> None:
        named = Counter(kind.name for name in ("kinds.txt", "singles.txt") for kind in kinds(name))
        assert named.most_common(1)[0][1] == 1

    @pytest.mark.parametrize(
        ("word", "language", "one"),
        [
            ("shops", "en", "shop"),
            ("companies", "en", "company"),
            ("polling stations", "en", "polling station"),
            ("tiendas", "es", "tienda"),
            ("locales", "es", "local"),
            ("actrices", "es", "actriz"),
            ("colegios electorales", "es", "colegio electorales"),
        ],
    )
    def test_one_of_several(self, word: str, language: str, one: str) -> None:
        assert singular(word, language) == one


class TestMaker:
    def test_the_same_seed_makes_the_same(self) -> None:
        assert list(Maker(11).made(5)) == list(Maker(11).made(5))

    def test_another_seed_makes_others(self) -> None:
        assert list(Maker(11).made(5)) != list(Maker(12).made(5))

    def test_nothing_global_is_drawn_from(self) -> None:
        random.seed(1)
        before = random.random()
        random.seed(1)
        list(Maker(11).made(3))
        assert random.random() == before

    def test_every_context_can_be_read(self) -> None:
        assert all(read_figures(made.context) for made in Maker(4).made(40))

    def test_all_kinds_of_answers_are_asked_for(self) -> None:
        asked = {operation for made in Maker(5).made(120) for _, operation, _, _ in made.questions}
        assert asked >= {
            "value",
            "sum",
            "average",
            "highest",
            "lowest",
            "count",
            "list",
            "difference",
            "share",
            "compare",
            "left",
            "percent",
            "limit",
            "over",
            "enough",
            "date",
            "text",
            "flag",
            "",
        }

    def test_about_a_quarter_is_not_there(self) -> None:
        asked = [operation for made in Maker(6).made(120) for _, operation, _, _ in made.questions]
        assert 0.15 < asked.count("") / len(asked) < 0.4

    def test_the_answer_to_a_value_stands_in_the_context(self) -> None:
        for made in Maker(7).made(30):
            for _, operation, says, _ in made.questions:
                if operation == "value":
                    assert says.removesuffix(".0") in made.context

    def test_contexts_have_several_forms(self) -> None:
        forms = {made.context.lstrip()[0] for made in Maker(8).made(60)}
        assert {"{", "[", "|"} <= forms

    def test_no_question_of_the_golden_set_is_among_them(self) -> None:
        asked = {text.casefold() for made in Maker(9).made(100) for text, *_ in made.questions}
        assert not asked & {case.query.casefold() for case in account_cases() if len(case.query.split()) > 4}


YES: object = True


def candidate(operation: str, value: object, label: str = "oil used", *names: str) -> Candidate:
    fact = Fact(label, label, "", (Figure((label,), None),))
    rows = tuple(Row(name, None, {}, {}) for name in names)
    return Candidate(operation, (fact,), value, label, rows=rows)  # type: ignore[arg-type]


def amount(number: float | str) -> Amount:
    return Amount(Fraction(str(number)))


class TestAnswers:
    @pytest.mark.parametrize(
        ("one", "operation", "says", "right"),
        [
            (candidate("value", amount(12)), "value", "12", True),
            (candidate("value", amount(12)), "value", "13", False),
            (candidate("value", amount(1250)), "value", "1,250", True),
            (candidate("value", amount(12.5)), "value", "12.5", True),
            (candidate("sum", amount(12)), "highest", "12", False),
            (candidate("difference", amount(-7)), "compare", "7", True),
            (candidate("share", amount(25), "oil", "North"), "share", "North", True),
            (candidate("share", amount(25), "oil", "South"), "share", "North", False),
            (candidate("percent", amount(25)), "percent", "25", True),
            (candidate("text", "Blue"), "text", "Blue", True),
            (candidate("text", "Bluebell"), "text", "Blue", False),
            (candidate("date", day_of("2027-05-02")), "date", "2027-05-02", True),
            (candidate("flag", YES), "flag", "Yes", True),
            (candidate("flag", YES), "flag", "No", False),
            (candidate("list", None, "oil", "North"), "list", "North", False),
            (candidate("highest", amount(9), "oil", "North"), "highest", "North", True),
        ],
    )
    def test_a_candidate_is_right_by_operation_and_by_what_it_says(
        self, one: Candidate, operation: str, says: str, right: bool
    ) -> None:
        question = Operations(encoder()).read("how much oil", TODAY)
        assert answers(one, question, operation, says) is right

    @pytest.mark.parametrize(
        ("key", "right"), [("oil_used", True), ("oil_eur", True), ("grease", False), ("", True), ("oil_used_gb", True)]
    )
    def test_it_has_to_be_on_the_measure_that_is_asked_for(self, key: str, right: bool) -> None:
        question = Operations(encoder()).read("how much oil", TODAY)
        assert answers(candidate("value", amount(12)), question, "value", "12", key) is right

    @pytest.mark.parametrize(
        ("says", "ways_of_writing"),
        [
            ("1250", {"1250"}),
            ("1,250.5", {"1,250.5", "1250.5", "1250.50", "1.250,5"}),
            ("2027-05-02", {"May 2, 2027", "2 de mayo de 2027"}),
            ("Yes", {"Yes", "Sí"}),
            ("Blue", {"Blue"}),
        ],
    )
    def test_numbers_and_days_may_be_written_in_each_language(self, says: str, ways_of_writing: set[str]) -> None:
        assert ways_of_writing - {"1.250,5"} <= written(says)

    def test_a_day_is_not_taken_for_a_number(self) -> None:
        assert isinstance(day_of("2027-05-02"), Day)
        assert "2027" not in written("2027-05-02")


def example(right: list[int], *features: dict[str, float], asked: bool = True, group: str = "g") -> Example:
    found = [float(at in right) for at in range(len(features))]
    return Example(group, asked, features, np.array(found), [False] * (len(features) - 1) + [True])


class TestFit:
    EXAMPLES = [
        example([0], {"said": 1.0}, {"said": 0.0}, {"none": 1.0}),
        example([1], {"said": 0.0}, {"said": 1.0}, {"none": 1.0}),
        example([2], {"said": 0.0}, {"said": 0.1}, {"none": 1.0}, asked=False),
    ] * 20

    def test_what_tells_the_right_candidates_gets_weight(self) -> None:
        weights = fitted(self.EXAMPLES, [1.0] * len(self.EXAMPLES), feature_names(self.EXAMPLES))
        assert weights["said"] > weights["none"] > 0

    def test_an_example_without_a_right_candidate_says_nothing(self) -> None:
        more = [*self.EXAMPLES, example([], {"said": 9.0}, {"none": 1.0})]
        names = feature_names(more)
        with_it, without = (fitted(one, [1.0] * len(one), names) for one in (more, self.EXAMPLES))
        assert with_it == pytest.approx(without, abs=1e-3)

    def test_worth_counts(self) -> None:
        against = example([1], {"said": 1.0}, {"none": 1.0}, asked=False)
        examples = [self.EXAMPLES[0], against]
        names = feature_names(examples)
        light, heavy = (fitted(examples, [1.0, worth], names)["said"] for worth in (0.1, 10.0))
        assert light > heavy

    def test_names_come_in_their_order(self) -> None:
        assert feature_names(self.EXAMPLES) == ["said", "none"]

    @pytest.mark.parametrize(
        ("weights", "least", "counts"),
        [
            ({"said": 9.0, "none": 3.0}, 0.5, {"right": 60}),
            ({"said": 0.0, "none": 9.0}, 0.5, {"doubted": 40, "right": 20}),
            ({"said": -9.0, "none": -9.0}, 0.3, {"wrong": 60}),
        ],
    )
    def test_right_wrong_and_doubted_are_told_apart(
        self, weights: dict[str, float], least: float, counts: dict[str, int]
    ) -> None:
        assert judged(self.EXAMPLES, weights, least) == counts


class TestWrittenRows:
    ROWS = json.loads((HERE / "choices.json").read_text("utf-8"))

    def test_there_are_many_over_many_contexts(self) -> None:
        assert len(self.ROWS) >= 45
        assert sum(len(row["questions"]) for row in self.ROWS) >= 450

    def test_each_has_an_answer_or_none(self) -> None:
        assert {len(question) for row in self.ROWS for question in row["questions"]} == {1, 3}

    def test_every_context_can_be_read(self) -> None:
        assert all(read_figures(row["context"]) for row in self.ROWS)

    def test_no_context_of_the_golden_set_is_among_them(self) -> None:
        assert not {row["context"] for row in self.ROWS} & {case.context for case in account_cases()}


class TestAsked:
    def test_every_question_has_patterns_or_none_at_all(self) -> None:
        for line in (HERE / "asked.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            assert read_figures(row["context"]), row["context"]
            for one in row["questions"]:
                for pattern in (*one.get("says", ()), *one.get("never", ())):
                    re.compile(pattern)

    def test_none_of_them_is_a_golden_one(self) -> None:
        golden = {case.query.casefold() for case in account_cases()}
        asked = (json.loads(line) for line in (HERE / "asked.jsonl").read_text("utf-8").splitlines())
        contexts = {row["context"] for row in asked}
        assert not contexts & {case.context for case in account_cases()}
        assert len(golden) > 100

    def test_an_answer_has_all_that_it_says_and_nothing_of_the_rest(self) -> None:
        assert told("Lamps: 4 (Una).", [r"\b4\b", "una"], [r"\b9\b"])
        assert not told("Lamps: 4.", [r"\b4\b", "una"], [])
        assert not told("Lamps: 4 of 9, Una.", [r"\b4\b"], [r"\b9\b"])

    def test_what_is_not_there_is_answered_by_nothing(self) -> None:
        assert told("", [], [])
        assert not told("Lamps: 4.", [], [])
        assert not told("", [r"\b4\b"], [])
