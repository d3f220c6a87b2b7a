"""The hybrid search: what of a query is asked of an index, and the one ranking that comes of its two halves."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.retrieval.fusion import DEFAULT_WEIGHTS, FusionWeights, Key, fuse
from engine.retrieval.port import Half
from engine.retrieval.wording import shares_had
from engine.text.language import GUESS, Language, read_language
from engine.text.questions.numbered_headings import Number, heading_named, numbers_named
from engine.text.quotation import in_two_languages, own_name
from engine.text.words import words

#: Results of each half that are fused. Measured on eight sets, nDCG@10 against 100: with 50 lower by .004 on average
#: and by .009 at most, with 200 the same on average (within .003).
CANDIDATES = 100
#: Passages in another language than the question that are put in order by its words too.
_REREAD = 12
#: What all words of a question count there against the best of both halves.
_WORDS = 0.6
#: How far a query is moved towards passages in the other language, which the encoder finds less near to it: as a share
#: of what lies between those that say the same. For passages in both languages, and for those in the other one alone.
#: `docs/retrieval.md` has the figures.
_TOWARDS, _ACROSS = 0.3, 1.0
#: Share of what a passage has of any query that is taken off its cosine where none is in the query's language.
_ANY = 0.5
#: Passages that are looked at for the languages of a source, those in a language from which it is one of these, and
#: seconds until they are looked at again.
_NEAR, _SEEN, _LOOKED = 6, 2, 60.0
#: Words of the shortest query that they are looked at for.
_TELLING = 3
#: What is written like a name in code or a mnemonic: a capital or low line inside a word, or capitals only.
_NAME = re.compile(r"(?<!\w)(?:[A-Za-z]\w*[a-z\d][A-Z_]\w*|[A-Z][A-Z\d_]+)(?!\w)")
#: Times as many passages as are wanted, among which the sections of names in the query are looked for.
_DEEPER = 3
#: The same where sections are named by a number: words and vectors tell 2.4.0 from 2.5.0 still less.
_DEEPEST = 10
#: Characters of a query in which names are looked for; more was pasted.
_NAMES_CHARS = 400


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a source.

    Attributes:
        query: As it was asked.
        half: Which halves; the other one's candidates are not looked at.
        depth: Candidates of each half.
        embed: Turns the query into its vector.
    """

    query: str
    half: Half
    depth: int
    embed: Callable[[str], NDArray[np.float32]]

    @property
    def text(self) -> bool:
        """Whether BM25 is asked for."""
        return self.half is not Half.DENSE

    @property
    def dense(self) -> bool:
        """Whether nearest vectors are asked for."""
        return self.half is not Half.TEXT

    def vector(self) -> NDArray[np.float32]:
        """The query's unit vector, shape (dimensions,). Blocks.

        Raises:
            DependencyUnavailable: The embedder fails.
        """
        return self.embed(self.query)


@dataclass(frozen=True, slots=True)
class Candidates(Generic[Key]):
    """What a source found, all of one state of the index.

    Attributes:
        text: (key, BM25) of the text half, best first; empty where it was not asked for.
        dense: (key, cosine) of the dense half, best first; likewise.
        passage: A candidate's passage with that score.
    """

    text: Sequence[tuple[Key, float]]
    dense: Sequence[tuple[Key, float]]
    passage: Callable[[Key, float], Passage]


#: The passages to return of a source's candidates.
Choose = Callable[[Candidates[Any]], list[Passage]]


class CandidateSource(Protocol):
    """An index as the hybrid search sees it."""

    async def __call__(self, wanted: Wanted, choose: Choose, /) -> list[Passage]:
        """What `choose` makes of the candidates for `wanted`; nothing where there is no index yet.

        `choose` reads passages and weighs their words, which blocks: it is called in a thread that may.

        Raises:
            DependencyUnavailable: The index cannot be asked, or the embedder fails.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Spoken:
    """Whether a source has passages in the language of a query, and in the other one."""

    own: bool = True
    other: bool = False


class Aim:
    """What the vector of one query is turned into before it is searched with.

    Args:
        offset: Is added to it: part of the way to another language. None: nothing.
        mean: Of queries; `_ANY` of it is taken off then, so that what is near to any query is found later.
    """

    def __init__(self, offset: NDArray[np.float32] | None = None, mean: NDArray[np.float32] | None = None) -> None:
        self._offset, self._mean = offset, mean
        self._length = 1.0

    def of(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The unit vector for that of the query."""
        if self._offset is not None:
            vector = vector + self._offset
            vector = vector / np.linalg.norm(vector)
        if self._mean is not None:
            vector = vector - _ANY * self._mean
            self._length = float(np.linalg.norm(vector))
            vector = vector / self._length
        return vector

    def cosines(self, found: Sequence[tuple[Key, float]]) -> Sequence[tuple[Key, float]]:
        """What was found by that vector with what counts: the cosines with the query, less what any query has.

        That share is taken from what passages have on average, so that the scale stays that of cosines.
        """
        if self._mean is None:
            return found
        level = _ANY * float(self._mean @ self._mean)
        return [(key, score * self._length + level) for key, score in found]


class HybridSearch:
    """Searches in a source by words, by meaning or by both.

    Args:
        embedder: Of queries, and of the source's passages.
        source: Where candidates come from.
        weights: Of the halves.
        most: The most candidates that the source gives of a half.
        clock: Seconds, from any beginning.
    """

    def __init__(
        self,
        embedder: Embedder,
        source: CandidateSource,
        *,
        weights: FusionWeights = DEFAULT_WEIGHTS,
        most: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder = embedder
        self._source = source
        self._weights = weights
        self._most = most
        self._clock = clock
        self._known: dict[Language, tuple[float, _Spoken]] = {}

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        """The best `k` passages for `query`; a blank query finds nothing.

        Scores: of `TEXT` BM25 summed over fields, of `DENSE` the cosine, of `BOTH` the weighted shares of both
        halves' best (`fusion`), and in another language than the query how well the first ones have its words. Of
        `BOTH`, sections that are headed with a name in the query are among the best where they are found at all: LOAD
        is not LOAD_NONE, though words and vectors hardly tell the two apart. Those below a heading whose number the
        query names ("version 2.4.0", "article 12") come first.

        Raises:
            DependencyUnavailable: The index cannot be asked, or the embedder fails.
        """
        if k <= 0 or not query.strip():
            return []
        language = self._language(query)
        depth = self._at_most(max(k, CANDIDATES))
        names = frozenset(_NAME.findall(query[:_NAMES_CHARS])) if half is Half.BOTH else frozenset()
        numbers = numbers_named(query[:_NAMES_CHARS]) if half is Half.BOTH else ()
        aim = Aim()
        if language is not None and half is not Half.TEXT:
            spoken = await self._spoken(query, language)
            mean = None if spoken.own else self._embedder.query_mean
            aim = Aim(self._way(language, _TOWARDS), mean) if spoken.other else aim
        wanted = Wanted(query, half, depth, partial(self._embed, aim=aim))
        deeper = _DEEPEST if numbers else _DEEPER if names else 1
        looked_at = max(deeper * k, _REREAD if half is Half.BOTH else 0)

        def choose(found: Candidates[Any]) -> list[Passage]:
            best = self._best(replace(found, dense=aim.cosines(found.dense)), looked_at, half)
            ordered = _numbered_first(self._reread(query, best), numbers) if half is Half.BOTH else best
            return _with_named(ordered, names, k)

        return await self._source(wanted, choose)

    def _at_most(self, depth: int) -> int:
        return depth if self._most is None else min(depth, self._most)

    def _language(self, query: str) -> Language | None:
        """The language of a query where it is told, and the embedder knows the way to the other."""
        read = read_language(query)
        told = read.margin >= GUESS and read.code in (Language.ENGLISH, Language.SPANISH)
        return Language(read.code) if told and self._embedder.language_offset is not None else None

    async def _spoken(self, query: str, language: Language) -> _Spoken:
        """Whether the source has passages in the language of `query`, and in the other; looked for once in a while.

        In a collection in one language a query that is moved finds a little less. A query of a word or two is near to
        too little for that, and its language may be misread: what was seen last holds.
        """
        at, known = self._known.get(language, (-math.inf, _Spoken()))
        if self._clock() - at >= _LOOKED and len(words(query)) >= _TELLING:
            others = await self._near(query, self._way(language, _ACROSS))
            alike = await self._near(query, self._way(language, -_ACROSS))
            own = sum(_is_in(language, passage.text) for passage in alike)
            other = sum(in_two_languages(query, passage.text) for passage in others)
            known = _Spoken(own >= _SEEN, other >= _SEEN)
            self._known[language] = self._clock(), known
        return known

    async def _near(self, query: str, offset: NDArray[np.float32] | None) -> list[Passage]:
        """The nearest passages of a query that is moved to the side of one language first."""
        wanted = Wanted(query, Half.DENSE, self._at_most(_NEAR), partial(self._embed, aim=Aim(offset)))
        return await self._source(wanted, lambda found: self._best(found, wanted.depth, Half.DENSE))

    def _way(self, language: Language, share: float) -> NDArray[np.float32] | None:
        """A share of what lies from passages in a language to those in the other one."""
        offset = self._embedder.language_offset
        return None if offset is None else (-share if language is Language.SPANISH else share) * offset

    def _embed(self, query: str, aim: Aim) -> NDArray[np.float32]:
        """The unit vector of a query, aimed."""
        try:
            vector: NDArray[np.float32] = self._embedder.embed_queries([query])[0]
        except Exception as error:
            raise DependencyUnavailable("embedder", "the query could not be turned into a vector") from error
        return aim.of(vector)

    def _best(self, found: Candidates[Key], k: int, half: Half) -> list[Passage]:
        """The first `k` of the ranking that was asked for; of passages with the same id only the first."""
        cosines = dict(found.dense)
        best: dict[str, Passage] = {}
        for key, score in self._ranking(found, half):
            if len(best) == k:
                break
            passage = found.passage(key, score)
            if passage.id not in best:
                best[passage.id] = replace(passage, similarity=cosines.get(key))
        return list(best.values())

    def _reread(self, query: str, found: Sequence[Passage]) -> list[Passage]:
        """`found`, where the best is in another language, with the first in the order of scores and words together."""
        first = found[:_REREAD]
        across = bool(first) and in_two_languages(query, first[0].text)
        shares = shares_had(query, first, self._embedder) if across else None
        if shares is None:
            return list(found)
        scored = [
            replace(one, score=one.score + _WORDS * float(share)) for one, share in zip(first, shares, strict=True)
        ]
        return [*sorted(scored, key=lambda one: one.score, reverse=True), *found[_REREAD:]]

    def _ranking(self, found: Candidates[Key], half: Half) -> Sequence[tuple[Key, float]]:
        match half:
            case Half.TEXT:
                return found.text
            case Half.DENSE:
                return found.dense
            case Half.BOTH:
                return fuse(found.text, found.dense, weights=self._weights, floor=self._embedder.unrelated)


def _is_in(language: Language, text: str) -> bool:
    read = read_language(text)
    return read.margin >= GUESS and read.code == language


def _with_named(found: Sequence[Passage], names: frozenset[str], k: int) -> list[Passage]:
    """The first `k` of `found`, the last of them replaced by sections of `names` that would be left out."""
    shown = {own_name(passage.heading) for passage in found[:k]}
    further = {own_name(passage.heading): passage for passage in reversed(found[k:])}
    missing = [further[name] for name in sorted(names & set(further) - shown)][:k]
    return [*found[: k - len(missing)], *missing]


def _numbered_first(found: Sequence[Passage], numbers: Sequence[Number]) -> list[Passage]:
    """`found` with the sections first that are named by their numbers."""
    return sorted(found, key=lambda one: not heading_named(numbers, one)) if numbers else list(found)
