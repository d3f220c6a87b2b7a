from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.ranking.matching import Matcher, Places, names_in
from engine.text.language import Language
from tests.account_cases import encoder


def matcher(text: str, *names: str, language: Language = Language.ENGLISH) -> Matcher:
    found = Matcher(text, language, Operations(encoder()).heads, encoder())
    found.learn(names)
    return found


def letters(text: str, *names: str) -> dict[str, float]:
    found = matcher(text)
    return {word.folded: float(c) for word, c in zip(found.words, found.letters(*names), strict=True)}


class TestWords:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("how many lanterns do we have", ["lanterns"]),
            ("¿cuántas linternas tenemos?", ["linternas", "tenemos"]),
            ("lanterns sold last month", ["lanterns", "sold"]),
            ("lanterns on 3 March", ["lanterns"]),
        ],
    )
    def test_what_every_question_is_made_of_is_left_out(self, text: str, words: list[str]) -> None:
        assert [word.text for word in matcher(text).words] == words

    def test_what_names_a_thing_weighs_more_than_how_it_is_asked(self) -> None:
        found = {word.text: word.weight for word in matcher("how many invoices have been generated").words}
        assert found["invoices"] > 0.5 > found["generated"]

    def test_a_word_for_a_state_weighs_most(self) -> None:
        found = {word.text: word.weight for word in matcher("how many failed lamps").words}
        assert found["failed"] > 1.0

    def test_a_question_may_name_nothing(self) -> None:
        assert not matcher("how many are there").names_something
        assert matcher("how many parcels are there").names_something


class TestNames:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("how many jobs did Ada finish", {"Ada"}),
            ("what does N-4 hold", {"N", "4"}),
            ("who has «Blue Note»", {"Blue", "Note"}),
            ("How many jobs are open", set()),
            ("what happened on Monday in March", set()),
            ("is it the 4th", set()),
        ],
    )
    def test_names_codes_and_quotes_are_told(self, text: str, names: set[str]) -> None:
        assert {name for name in names_in(text) if len(name) > 1} == {name for name in names if len(name) > 1}

    def test_a_name_that_nothing_has_is_absent(self) -> None:
        found = matcher("how many jobs did Ada finish")
        assert found.absent("jobs", "Ben") == ["Ada"]
        assert found.absent("jobs", "Ada") == []


class TestLetters:
    @pytest.mark.parametrize(
        ("text", "name", "word", "least"),
        [
            ("how many parcels", "parcel", "parcels", 1.0),
            ("how many emails", "correos enviados", "emails", 0.9),
            ("how many deliverys", "delivery", "deliverys", 0.8),
            ("number of conversions", "conv", "conversions", 0.8),
        ],
    )
    def test_forms_other_names_slips_and_abbreviations(self, text: str, name: str, word: str, least: float) -> None:
        assert letters(text, name)[word] >= least

    @pytest.mark.parametrize(
        ("text", "name", "word"),
        [
            ("how many parcels", "letters", "parcels"),
            ("inactive members", "active members", "inactive"),
            ("what does N4 hold", "N5", "n4"),
        ],
    )
    def test_other_words_are_not(self, text: str, name: str, word: str) -> None:
        assert letters(text, name).get(word, 0.0) == 0.0

    def test_the_opposite_of_a_state_is_denied(self) -> None:
        assert matcher("how many open tickets").denied("closed tickets").any()
        assert not matcher("how many open tickets").denied("open tickets").any()


class TestMeaning:
    def test_a_name_of_the_other_language_is_known_by_its_meaning(self) -> None:
        found = matcher("how many windows", "ventanas", "puertas")
        assert found.meaning("ventanas").max() > found.meaning("puertas").max()

    def test_a_name_that_was_not_learnt_counts_by_its_letters_only(self) -> None:
        assert matcher("how many windows").meaning("ventanas").max() == 0.0

    def test_the_opposite_does_not_count(self) -> None:
        found = matcher("active users", "inactive users", "usuarios inactivos")
        place = [word.folded for word in found.words].index("active")
        assert found.meaning("inactive users")[place] == 0.0

    def test_it_is_never_below_the_letters(self) -> None:
        found = matcher("how many parcels were late", "parcels", "late parcels")
        for name in ("parcels", "late parcels", "other"):
            assert (found.meaning(name) >= found.letters(name)).all()


class TestShares:
    def test_all_that_is_said_is_one(self) -> None:
        found = matcher("late parcels")
        assert found.share(found.letters("late parcels")) == pytest.approx(1.0)
        assert found.unsaid(found.letters("late parcels")) == 0.0

    def test_nothing_that_is_said_is_none(self) -> None:
        found = matcher("late parcels")
        assert found.share(found.letters("lamps")) == 0.0
        assert found.unsaid(found.letters("lamps")) > 0.5

    def test_a_question_without_words_has_no_share(self) -> None:
        found = matcher("how many are there")
        assert found.share(found.letters("lamps")) == 0.0

    def test_the_share_of_a_name_that_is_said(self) -> None:
        found = matcher("how many parcels were late")
        assert found.told("late parcels") == 1.0
        assert found.told("late parcels north") == pytest.approx(2 / 3)
        assert found.told("") == 0.0

    def test_the_heaviest_word_may_be_what_rows_without_a_name_are(self) -> None:
        found = matcher("which ferry has the most cabins")
        covered = found.letters("cabins")
        assert found.share(found.forgiven(covered)) > found.share(covered)

    def test_a_name_is_not_forgiven(self) -> None:
        found = matcher("how many cabins has Ada")
        covered = found.letters("cabins")
        assert found.share(found.forgiven(covered)) == found.share(covered)

    def test_a_state_that_is_not_said_is_told(self) -> None:
        found = matcher("how many failed jobs")
        assert found.states(found.letters("jobs"))
        assert not found.states(found.letters("failed jobs"))

    def test_words_ask_for_operations(self) -> None:
        found = matcher("cheapest lamp remaining")
        asking = dict(zip((word.folded for word in found.words), found.asking(["left"]), strict=True))
        assert asking["remaining"] == 1.0
        assert asking["lamp"] < 0.5


class TestPlaces:
    def test_a_name_is_read_once(self) -> None:
        read: list[str] = []

        class Counting(Embedder):
            id = encoder().id
            dimensions = encoder().dimensions

            def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
                read.extend(texts)
                return encoder().embed(texts)

        places = Places(Operations(encoder()).heads, Counting())
        first = places(["lamps", "oil"])
        again = places(["oil", "lamps"])
        assert read == ["lamps", "oil"]
        assert np.array_equal(first[::-1], again)

    def test_places_have_unit_length(self) -> None:
        places = Places(Operations(encoder()).heads, encoder())
        assert np.linalg.norm(places(["lamps"]), axis=1) == pytest.approx(1.0, abs=1e-3)
