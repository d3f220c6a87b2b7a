"""The hybrid search over a source that gives what a test says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.retrieval.fusion import FusionWeights
from engine.retrieval.hybrid import CANDIDATES, Aim, Candidates, Choose, HybridSearch, Wanted
from engine.retrieval.port import Half

#: By key; c and d are two copies of one passage.
IDS = {"a": "a", "b": "b", "c": "same", "d": "same"}


class Floored(Embedder):
    """An embedder whose cosines of unrelated texts are .5."""

    id, dimensions, unrelated = "floored", 2, 0.5

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if "broken" in texts:
            raise RuntimeError("no memory")
        return np.eye(2, dtype=np.float32)[[0] * len(texts)]


class Scripted:
    """A source with fixed candidates, which remembers what was asked of it."""

    def __init__(self, text: Sequence[tuple[str, float]] = (), dense: Sequence[tuple[str, float]] = ()) -> None:
        self.text, self.dense = text, dense
        self.asked: list[Wanted] = []
        self.read: list[str] = []

    def passage(self, key: str, score: float) -> Passage:
        self.read.append(key)
        return Passage(IDS[key], "d.md", "D", "", f"text of {key}", score)

    async def __call__(self, wanted: Wanted, choose: Choose, /) -> list[Passage]:
        self.asked.append(wanted)
        if wanted.dense:
            wanted.vector()
        text, dense = self.text if wanted.text else (), self.dense if wanted.dense else ()
        return choose(Candidates(text, dense, self.passage))


def search(source: Scripted, **options: Any) -> HybridSearch:
    return HybridSearch(Floored(), source, **options)


def keys(found: list[Passage]) -> list[str]:
    return [passage.text[-1] for passage in found]


@pytest.mark.parametrize(("query", "k"), [("", 8), (" \n", 8), ("words", 0), ("words", -1)])
async def test_what_asks_for_nothing_asks_no_source(query: str, k: int) -> None:
    source = Scripted([("a", 1.0)])
    assert await search(source).search(query, k=k) == []
    assert source.asked == []


@pytest.mark.parametrize(
    ("half", "found"),
    [
        (Half.TEXT, [("a", 7.0, None), ("b", 3.0, None)]),
        (Half.DENSE, [("b", 0.9, 0.9), ("c", 0.7, 0.7)]),
        (
            Half.BOTH,
            [("b", 0.75 + 0.25 * 3 / 7, 0.9), ("a", 0.25 + 0.75 * 0.5, None), ("c", 0.375 + 0.25 * 3 / 7, 0.7)],
        ),
    ],
)
async def test_each_half_and_both(half: Half, found: list[tuple[str, float, float | None]]) -> None:
    source = Scripted([("a", 7.0), ("b", 3.0)], [("b", 0.9), ("c", 0.7)])
    best = await search(source).search("words", half=half)
    assert [(passage.text[-1], passage.similarity) for passage in best] == [(key, near) for key, _, near in found]
    assert [passage.score for passage in best] == pytest.approx([score for _, score, _ in found])


async def test_a_half_that_is_not_wanted_is_not_asked_for() -> None:
    source = Scripted([("a", 1.0)], [("b", 0.9)])
    assert keys(await search(source).search("broken", half=Half.TEXT)) == ["a"]  # nothing was encoded
    assert [(one.text, one.dense) for one in source.asked] == [(True, False)]


@pytest.mark.parametrize(
    ("k", "most", "depth"), [(8, None, CANDIDATES), (250, None, 250), (250, 200, 200), (8, 50, 50)]
)
async def test_the_depth_of_the_halves(k: int, most: int | None, depth: int) -> None:
    source = Scripted()
    await search(source, most=most).search("words", k=k)
    assert source.asked[0].depth == depth


def test_the_number_of_candidates_is_the_one_that_was_measured() -> None:
    assert CANDIDATES == 100


async def test_of_passages_with_one_id_only_the_best_is_there_and_others_move_up() -> None:
    source = Scripted((), [("c", 0.9), ("d", 0.8), ("b", 0.7), ("a", 0.6)])
    assert keys(await search(source).search("words", k=2)) == ["c", "b"]


@pytest.mark.parametrize(("half", "read"), [(Half.DENSE, ["a"]), (Half.BOTH, ["a", "b", "c"])])
async def test_no_more_passages_are_read_than_are_returned_or_put_in_order(half: Half, read: list[str]) -> None:
    source = Scripted((), [("a", 0.9), ("b", 0.8), ("c", 0.7)])
    assert keys(await search(source).search("words", k=1, half=half)) == ["a"]
    assert source.read == read


class Worded(Floored):
    """Knows that a frost is like ice and like hielo, and that nothing else is like anything."""

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        cold = [word in ("frost", "ice", "hielo", "helada") for word in words]
        return np.array([[1.0, 0.0] if one else [0.0, 1.0] for one in cold], dtype=np.float32)


class Written(Scripted):
    """A source of passages that say what a test says."""

    def __init__(self, *texts: str) -> None:
        super().__init__((), [(str(at), 0.9 - 0.01 * at) for at in range(len(texts))])
        self.texts = texts

    def passage(self, key: str, score: float) -> Passage:
        return Passage(key, "d.md", "", "", self.texts[int(key)], score)


async def worded(query: str, *texts: str, half: Half = Half.BOTH, k: int = 8) -> list[Passage]:
    return await HybridSearch(Worded(), Written(*texts)).search(query, k=k, half=half)


ASKED, TOLD = "What becomes of the tenants when there is frost?", "Los inquilinos avisan cuando hay {} en la casa."
ICE, DUST = TOLD.format("hielo"), TOLD.format("polvo")


async def test_passages_in_another_language_that_have_the_words_go_before_those_that_are_as_near() -> None:
    found = await worded(ASKED, DUST, ICE)
    assert [one.text for one in found] == [ICE, DUST]
    assert 0.0 < found[0].score - 0.75 * 0.39 / 0.4 <= 0.6
    assert [one.text for one in await worded(ASKED, DUST, ICE, half=Half.DENSE)] == [DUST, ICE]


async def test_in_one_language_the_halves_decide() -> None:
    asked = "¿Qué pasa con los inquilinos cuando hay helada en la casa?"
    found = await worded(asked, DUST, ICE)
    assert [one.text for one in found] == [DUST, ICE]
    assert [one.score for one in found] == pytest.approx([0.75, 0.75 * 0.39 / 0.4])


async def test_what_is_far_down_is_left_where_it_is() -> None:
    found = await worded(ASKED, *[f"{DUST} {at}" for at in range(12)], ICE, k=13)
    assert found[-1].text == ICE
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    found = await worded(ASKED, *[f"{DUST} {at}" for at in range(11)], ICE, k=3)
    assert ICE in [one.text for one in found]


async def test_an_embedder_that_knows_no_words_leaves_the_order() -> None:
    found = await HybridSearch(Floored(), Written(DUST, ICE)).search(ASKED)
    assert [one.text for one in found] == [DUST, ICE]


async def test_the_weights_decide_which_half_leads() -> None:
    source = Scripted([("a", 9.0), ("b", 0.1)], [("b", 0.9), ("a", 0.51)])
    assert keys(await search(source).search("words", k=1)) == ["b"]
    assert keys(await search(source, weights=FusionWeights(0.9, 0.1)).search("words", k=1)) == ["a"]


async def test_an_embedder_that_fails_is_named() -> None:
    with pytest.raises(DependencyUnavailable, match="could not be turned into a vector") as failure:
        await search(Scripted()).search("broken")
    assert failure.value.dependency == "embedder"


class Headed(Scripted):
    """A source whose passages are headed as they are keyed."""

    def passage(self, key: str, score: float) -> Passage:
        self.read.append(key)
        return Passage(key, "d.md", "D", f"Commands > {key}", f"text of {key}", score)


FOUND = [(key, 9.0 - place) for place, key in enumerate(["LOAD_NONE", "LOAD_ALL", "Loading", "LOAD(x)", "PUSH", "POP"])]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("difference between LOAD and PUSH", ["LOAD_NONE", "LOAD(x)", "PUSH"]),
        ("what does LOAD do", ["LOAD_NONE", "LOAD_ALL", "LOAD(x)"]),
        ("what does LOAD_ALL do", ["LOAD_NONE", "LOAD_ALL", "Loading"]),  # it is there already
        ("what does push do", ["LOAD_NONE", "LOAD_ALL", "Loading"]),  # not written like a name
        ("what does STORE do", ["LOAD_NONE", "LOAD_ALL", "Loading"]),  # no section of that name
    ],
)
async def test_sections_of_names_in_the_query_are_among_the_best(query: str, found: list[str]) -> None:
    assert [passage.id for passage in await search(Headed(FOUND)).search(query, k=3)] == found
    by_words = await search(Headed(FOUND)).search(query, k=3, half=Half.TEXT)
    assert [passage.id for passage in by_words] == ["LOAD_NONE", "LOAD_ALL", "Loading"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what is new in 2.4.0?", ["2.4.0 (May)", "2.5.0", "2.3.0"]),
        ("what is new in version 2.3?", ["2.3.0", "2.5.0", "2.2.0"]),
        ("what is new in 2.6.0?", ["2.5.0", "2.3.0", "2.2.0"]),
    ],
)
async def test_sections_that_are_named_by_their_numbers_come_first(query: str, found: list[str]) -> None:
    releases = ["2.5.0", "2.3.0", "2.2.0", "2.1.0", "2.0.0", "1.9.0", "1.8.0", "1.7.0", "1.6.0", "2.4.0 (May)"]
    source = Headed([(key, 10.0 - place) for place, key in enumerate(releases)])
    assert [passage.id for passage in await search(source).search(query, k=3)] == found
    by_words = await search(Headed(FOUND)).search(query, k=3, half=Half.TEXT)
    assert [passage.id for passage in by_words] == ["LOAD_NONE", "LOAD_ALL", "Loading"]


class Bilingual(Floored):
    """An embedder to which queries and passages of one language are alike."""

    language_offset = np.array([0.0, 1.0], dtype=np.float32)


class TestTwoLanguages:
    TEXTS: ClassVar = {
        "a": "The boats leave the harbour at nine every morning of the week.",
        "b": "Los barcos salen del puerto a las nueve de la mañana todos los días.",
        "c": "El puerto cierra en noviembre y vuelve a abrir a finales de marzo.",
        "d": "Dogs may come on board if they are kept on a lead all the time.",
    }

    def source(self, *found: str) -> Scripted:
        texts = self.TEXTS

        class Of(Scripted):
            def passage(self, key: str, score: float) -> Passage:
                return Passage(key, f"{key}.md", "", "", texts[key], score)

        return Of(dense=[(key, 0.9) for key in found])

    @pytest.mark.parametrize(
        ("query", "found", "moved"),
        [
            ("When do the boats leave the harbour?", "abc", 0.3),
            ("When do the boats leave the harbour?", "ab", 0.0),  # one may be a quotation
            ("x 42", "abc", 0.0),
        ],
    )
    async def test_a_query_is_moved_towards_the_other_where_there_are_passages_in_it(
        self, query: str, found: str, moved: float
    ) -> None:
        source = self.source(*found)
        await HybridSearch(Bilingual(), source).search(query)
        expected = np.array([1.0, moved]) / np.hypot(1.0, moved)
        np.testing.assert_allclose(source.asked[-1].vector(), expected, atol=1e-6)

    async def test_from_spanish_it_is_moved_back(self) -> None:
        source = self.source("a", "d")
        await HybridSearch(Bilingual(), source).search("¿Cuándo salen los barcos del puerto?")
        assert source.asked[-1].vector()[1] < 0

    async def test_passages_in_the_other_are_looked_for_once_in_a_while(self) -> None:
        source, now = self.source("a", "b", "c"), [0.0]
        search = HybridSearch(Bilingual(), source, clock=lambda: now[0])
        for _ in range(3):
            await search.search("When do the boats leave the harbour?")
        assert len(source.asked) == 5
        now[0] = 61.0
        await search.search("When do the boats leave the harbour?")
        assert len(source.asked) == 8

    async def test_without_knowing_the_way_nothing_more_is_asked(self) -> None:
        source = self.source("a", "b")
        await search(source).search("When do the boats leave?")
        assert len(source.asked) == 1


class TestWithoutWhatAnyQueryHas:
    """The mean of queries is taken off where no passage is in the query's language."""

    class Centred(Bilingual):
        query_mean = np.array([0.6, 0.8], dtype=np.float32) * np.float32(0.9)

    def source(self, *found: str) -> Scripted:
        return TestTwoLanguages().source(*found)

    async def test_of_a_collection_in_the_other_language_alone(self) -> None:
        source = self.source("a", "d")
        await HybridSearch(self.Centred(), source).search("¿Cuándo salen los barcos del puerto?")
        moved = np.array([1.0, -0.3]) / np.hypot(1.0, 0.3)
        expected = moved - 0.5 * self.Centred.query_mean
        np.testing.assert_allclose(source.asked[-1].vector(), expected / np.linalg.norm(expected), atol=1e-6)

    @pytest.mark.parametrize("found", ["abcd", "bc"])
    async def test_not_where_passages_are_in_the_querys_own(self, found: str) -> None:
        source = self.source(*found)
        await HybridSearch(self.Centred(), source).search("¿Cuándo salen los barcos del puerto?")
        bare = self.source(*found)
        await HybridSearch(Bilingual(), bare).search("¿Cuándo salen los barcos del puerto?")
        np.testing.assert_allclose(source.asked[-1].vector(), bare.asked[-1].vector(), atol=1e-6)

    async def test_cosines_stay_on_their_scale(self) -> None:
        """A passage that has of the mean what queries have on average keeps its cosine."""
        mean = self.Centred.query_mean
        aim = Aim(mean=mean)
        query = np.array([0.8, 0.6], dtype=np.float32)
        aimed = aim.of(query)
        passage = mean / np.float32(0.9)
        passage = passage * np.float32(float(mean @ mean) / float(passage @ mean))
        ((_, told),) = aim.cosines([("a", float(passage @ aimed))])
        assert told == pytest.approx(float(passage @ query), abs=1e-5)

    async def test_a_query_of_a_word_does_not_say_what_there_is(self) -> None:
        source = self.source("a", "b", "c")
        search = HybridSearch(Bilingual(), source)
        await search.search("comparators")
        assert len(source.asked) == 1
        await search.search("When do the boats leave the harbour?")
        assert len(source.asked) == 4

    def test_without_a_mean_nothing_changes(self) -> None:
        aim, query = Aim(), np.array([0.8, 0.6], dtype=np.float32)
        assert aim.of(query) is query
        assert aim.cosines([("a", 0.7)]) == [("a", 0.7)]
