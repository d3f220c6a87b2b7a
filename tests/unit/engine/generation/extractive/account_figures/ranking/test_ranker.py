from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from classifier.head_files import HeadError
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.ranking.ranked import Ranked
from engine.generation.extractive.account_figures.ranking.ranker import (
    SHIPPED,
    Ranker,
    load_weights,
    save_weights,
)
from engine.generation.extractive.account_figures.ranking.signs import Features
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.told import Told
from engine.text.language import Language
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
NOTHING = Told("The data of this request has no figure for that.")
FERRIES = [
    {
        "ferry": "Tern",
        "cabins": 40,
        "crew": 12,
        "fare_eur": 31.5,
        "sails": "2027-03-14",
        "captain": "Ulla",
        "docked": True,
    },
    {
        "ferry": "Heron",
        "cabins": 64,
        "crew": 19,
        "fare_eur": 44.0,
        "sails": "2027-03-12",
        "captain": "Pim",
        "docked": False,
    },
    {
        "ferry": "Knot",
        "cabins": 18,
        "crew": 7,
        "fare_eur": 12.0,
        "sails": "2027-03-29",
        "captain": "Rafa",
        "docked": False,
    },
]
FLEET = {"ferries": FERRIES}
CARD = {
    "scans_used": 70,
    "scans_limit": 90,
    "scans_last_month": 55,
    "fee_eur": 12.5,
    "renews": "2027-05-02",
    "tier": "Silver",
    "alerts": True,
}


@pytest.fixture(scope="module")
def operations() -> Operations:
    return Operations(encoder())


def rank(
    operations: Operations, query: str, context: object, language: Language | None = None, told: Told = NOTHING
) -> list[tuple[str, Ranked]]:
    question = operations.read(query, TODAY)
    question = replace(question, language=language or question.language)
    ranked, _ = Ranker(operations, encoder()).rank(question, Reading(read_figures(json.dumps(context))), told)
    return [(one.text, one) for one in ranked]


class TestRank:
    @pytest.mark.parametrize(
        ("query", "context", "said"),
        [
            ("which ferry has the most cabins", FLEET, "Cabins: the most is 64, Heron."),
            ("ferry with the fewest cabins", FLEET, "Cabins: the least is 18, Knot."),
            ("how many cabins in total", FLEET, "Cabins: 122 in total (40 + 64 + 18)."),
            ("average crew per ferry", FLEET, "Crew: 12.67 on average (38 over 3)."),
            ("cabins of Tern", FLEET, "Cabins, Tern: 40."),
            ("who is the captain of Heron", FLEET, "Captain, Heron: Pim."),
            ("how many ferries have more than 30 cabins", FLEET, "Cabins: 2 (Tern, Heron)."),
            ("how many more cabins does Heron have than Tern", FLEET, "Cabins, Heron / Tern: 24 more (64 against 40)."),
            ("how many scans are left", CARD, "Scans: 20 left (90 − 70)."),
            ("what is the limit of scans", CARD, "Scans limit: 90."),
            ("when does it renew", CARD, "Renews: May 2, 2027."),
            ("what percentage of the scans is used", CARD, "Scans: 77.78% used (70 of 90)."),
        ],
    )
    def test_the_answer_is_the_likeliest(self, operations: Operations, query: str, context: object, said: str) -> None:
        assert rank(operations, query, context)[0][0] == said

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("¿qué ferry tiene más cabins?", "Cabins: el máximo es 64, Heron."),
            ("total de cabins", "Cabins: 122 en total (40 + 64 + 18)."),
        ],
    )
    def test_in_spanish(self, operations: Operations, query: str, said: str) -> None:
        assert rank(operations, query, FLEET, Language.SPANISH)[0][0] == said

    def test_chances_are_a_distribution_with_the_likeliest_first(self, operations: Operations) -> None:
        chances = [one.chance for _, one in rank(operations, "cabins of Tern", FLEET)]
        assert sum(chances) == pytest.approx(1.0)
        assert chances == sorted(chances, reverse=True)

    def test_nothing_is_a_candidate_too(self, operations: Operations) -> None:
        assert sum(one.candidate is None for _, one in rank(operations, "cabins of Tern", FLEET)) == 1

    def test_what_is_not_there_is_less_likely_than_what_is(self, operations: Operations) -> None:
        there, not_there = (
            next(one.chance for _, one in rank(operations, query, FLEET) if one.candidate is None)
            for query in ("how many cabins has Tern", "how many lifeboats has Tern")
        )
        assert there < not_there

    def test_a_context_without_facts_has_nothing(self, operations: Operations) -> None:
        question = operations.read("how many cabins", TODAY)
        ((only,), _) = Ranker(operations, encoder()).rank(question, Reading([]), NOTHING)
        assert only.candidate is None
        assert only.chance == pytest.approx(1.0)


class TestSigns:
    def of(self, operations: Operations, query: str, said: str, context: object = FLEET) -> Features:
        """The features of the candidate that says that."""
        return next(one.features for text, one in rank(operations, query, context) if text == said)

    @pytest.mark.parametrize(
        ("query", "context", "said"),
        [
            ("how many scans are left", CARD, "Scans used: 70."),
            ("how many scans today", CARD, "Scans used: 70."),
            ("how many scans did the children make", CARD, "Scans used: 70."),
            ("how much does a scan cost", CARD, "Scans used: 70."),
            ("more scans than last month?", CARD, "Scans used: 70."),
            ("what percentage of the scans is used", CARD, "Scans used: 70."),
            ("how many ferries", FLEET, "Ferries: Tern, Heron, Knot."),
            ("how many tours do we have", {"cancelled_tours": 3, "guides": 5}, "Cancelled tours: 3."),
        ],
    )
    def test_what_is_asked_for_and_not_said_is_unmet(
        self, operations: Operations, query: str, context: object, said: str
    ) -> None:
        assert self.of(operations, query, said, context)["unmet"] == 1.0

    @pytest.mark.parametrize(
        ("query", "context", "said"),
        [
            ("how many scans were used", CARD, "Scans used: 70."),
            ("how many scans are left", CARD, "Scans: 20 left (90 − 70)."),
            ("how many cancelled tours", {"cancelled_tours": 3, "guides": 5}, "Cancelled tours: 3."),
            ("list the ferries", FLEET, "Ferries: Tern, Heron, Knot."),
        ],
    )
    def test_what_is_said_is_met(self, operations: Operations, query: str, context: object, said: str) -> None:
        assert self.of(operations, query, said, context)["unmet"] == 0.0

    @pytest.mark.parametrize(
        ("query", "said", "sign"),
        [
            ("when does Heron sail", "Sails, Heron: March 12, 2027.", "when"),
            ("when does Heron sail", "Crew, Heron: 19.", "not_when"),
            ("who steers Heron", "Captain, Heron: Pim.", "who"),
            ("who steers Heron", "Crew, Heron: 19.", "who_not"),
            ("is Tern docked", "Yes (docked, Tern).", "plain"),
            ("is Tern docked", "Crew, Tern: 12.", "plain_not"),
            ("how much does Heron cost", "Fare, Heron: 44 EUR.", "money"),
            ("how much does Heron cost", "Crew, Heron: 19.", "not_money"),
            ("how many cabins has Heron", "Fare, Heron: 44 EUR.", "many_priced"),
            ("how many cabins has Heron", "Captain, Heron: Pim.", "much_no_number"),
            ("ferries with more than 30 cabins", "Cabins: 2 (Tern, Heron).", "bound"),
            ("ferries with more than 30 cabins", "Cabins: 122 in total (40 + 64 + 18).", "bound_not"),
            ("how many cabins has Heron", "Cabins, Heron: 64.", "named"),
            ("how many cabins has Heron", "Cabins: 122 in total (40 + 64 + 18).", "ignores"),
        ],
    )
    def test_the_kind_of_answer_is_held_against_the_question(
        self, operations: Operations, query: str, said: str, sign: str
    ) -> None:
        assert self.of(operations, query, said)[sign] == 1.0

    @pytest.mark.parametrize(
        ("query", "said", "sign"),
        [
            ("scans last month", "Scans last month: 55.", "period"),
            ("scans last month", "Scans used: 70.", "period_not"),
            ("scans used", "Scans last month: 55.", "period_unasked"),
            ("scans on 3 March", "Scans used: 70.", "day_not"),
            ("how many scans are included", "Scans limit: 90.", "role"),
        ],
    )
    def test_periods_days_and_roles(self, operations: Operations, query: str, said: str, sign: str) -> None:
        assert self.of(operations, query, said, CARD)[sign] == 1.0


class TestRules:
    """What the rules say speaks for the candidate that says the same."""

    def test_it_makes_that_one_likelier(self, operations: Operations) -> None:
        told = Told("Cabins, Knot: 18.", sure=True)
        before, after = (
            {text: one.chance for text, one in rank(operations, "how many cabins", FLEET, told=said)}
            for said in (NOTHING, told)
        )
        assert after["Cabins: the least is 18, Knot."] > before["Cabins: the least is 18, Knot."]

    def test_that_something_is_missing_speaks_for_nothing(self, operations: Operations) -> None:
        question = "how many cabins"
        (missing,), (untimed,), (found,) = (
            [one.features for text, one in rank(operations, question, FLEET, told=said) if not text]
            for said in (NOTHING, Told("No figure for May.", untimed=True), Told("Cabins: 122.", sure=True))
        )
        assert (missing["rules_silent"], missing["rules_untimed"]) == (1.0, 0.0)
        assert untimed["rules_untimed"] == 1.0
        assert "rules_silent" not in found

    def test_the_weights_trust_it(self) -> None:
        weights = load_weights()
        assert weights["rules"] > 0.5
        assert weights["rules_silent"] > 0
        assert weights["rules_untimed"] > 0


ORCHARD = {
    "orchards": [
        {"orchard": "Hill", "trees": 40, "crates": 120, "takings_eur": 900},
        {"orchard": "Dell", "trees": 25, "crates": 50, "takings_eur": 400},
    ],
    "pickers": {"spring": 4, "summer": 12, "winter": 2},
}


class TestSignsOfPairs:
    def of(self, operations: Operations, query: str, label: str, context: object = ORCHARD) -> Features:
        """The features of the ratio of that label."""
        found = (one for _, one in rank(operations, query, context) if one.candidate is not None)
        return next(one.features for one in found if one.candidate and one.candidate.label == label)

    def test_what_each_is_asked_for_is_below(self, operations: Operations) -> None:
        right, wrong = (
            self.of(operations, "crates per tree on Hill", label)["per_each"]
            for label in ("crates / trees", "trees / crates")
        )
        assert right > 0 > wrong

    def test_money_is_divided_and_divides_nothing(self, operations: Operations) -> None:
        above, below = (
            self.of(operations, "takings for each crate on Hill", label)
            for label in ("takings / crates", "crates / takings")
        )
        assert (above["priced_each"], above["money_below"]) == (1.0, 0.0)
        assert (below["priced_each"], below["money_below"]) == (0.0, 1.0)

    def test_a_share_of_two_that_are_named_together_is_told_apart(self, operations: Operations) -> None:
        ranked = rank(operations, "what percentage of the summer pickers are winter pickers", ORCHARD)
        shares = {text: one.features["share_many"] for text, one in ranked if "share_many" in one.features}
        assert shares["Pickers, summer, winter: 77.78% (14 of 18)."] == 1.0
        assert 0.0 in shares.values()

    @pytest.mark.parametrize(
        ("query", "sign"),
        [("how many euros for each crate on Hill", "money"), ("how many trees did we pay for on Hill", "many_priced")],
    )
    def test_money_is_asked_for_by_its_name_and_not_where_things_are_counted(
        self, operations: Operations, query: str, sign: str
    ) -> None:
        (found,) = (one.features for text, one in rank(operations, query, ORCHARD) if text == "Takings, Hill: 900 EUR.")
        assert found[sign] == 1.0

    def test_a_weekday_that_a_name_has_is_met(self, operations: Operations) -> None:
        stalls = [
            {"stall": "A", "sold_friday": 4, "sold_monday": 9},
            {"stall": "B", "sold_friday": 7, "sold_monday": 2},
        ]
        ranked = {text: one.features for text, one in rank(operations, "which stall sold most on Friday", stalls)}
        assert ranked["Sold friday: the most is 7, B."].get("day") == 1.0
        assert ranked["Sold monday: the most is 9, A."].get("day_not") == 1.0


class TestWeights:
    def test_the_shipped_ones_are_those_of_the_features(self, operations: Operations) -> None:
        weights = load_weights()
        used = {name for _, one in rank(operations, "cabins of Tern", FLEET) for name in one.features}
        assert len(used & set(weights)) > 40
        assert weights["asked"] > 0 > weights["much_no_number"]

    def test_they_are_stored_as_they_are(self, tmp_path: Path) -> None:
        save_weights({"said": 1.5, "none": -2.0}, tmp_path / "w.npz")
        assert load_weights(tmp_path / "w.npz") == {"said": 1.5, "none": -2.0}

    @pytest.mark.parametrize("content", [None, b"", b"no archive"])
    def test_a_missing_or_damaged_file_says_what_mends_it(self, tmp_path: Path, content: bytes | None) -> None:
        if content is not None:
            (tmp_path / "w.npz").write_bytes(content)
        with pytest.raises(HeadError, match="figure_ranking"):
            load_weights(tmp_path / "w.npz")

    def test_a_cut_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "w.npz").write_bytes(SHIPPED.read_bytes()[:200])
        with pytest.raises(HeadError):
            load_weights(tmp_path / "w.npz")
