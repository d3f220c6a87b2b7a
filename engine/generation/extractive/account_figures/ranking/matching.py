"""How much of a question a name says: by its words, their other names, their letters, and their meaning.

Each word of a question weighs as much as it probably names a thing (`FigureHeads.names_things`), so that words that
only belong to the way of asking count for nothing in whatever context they stand.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.amounts import is_cardinal
from engine.generation.extractive.account_figures.asking.heads import FigureHeads
from engine.generation.extractive.account_figures.asking.synonyms import (
    names_called,
    opposite,
    opposite_stems,
    same,
    stem_of,
    subjects_in,
)
from engine.generation.extractive.account_figures.figure import without_amounts
from engine.generation.extractive.account_figures.measures import LIMIT, PERCENT, USED
from engine.generation.extractive.account_figures.ranking.forms import MONEY, SPEED
from engine.generation.extractive.account_figures.vocabulary import (
    is_period,
    light_words,
    roles,
    stems_of,
    vocabulary,
    without_periods,
)
from engine.text.dates import find_dates, fold, months, weekdays
from engine.text.language import Language, language_of
from engine.text.words import COMMON, blanked, stem

Vectors = NDArray[np.float32]
#: Similarities in the space of words from which on two words begin to mean the same, and surely do; what is merely of
#: one kind (two trades, two vehicles) is nearer within one language.
_ACROSS, _WITHIN = (0.18, 0.5), (0.42, 0.75)
#: What a synonym, a misspelling or an abbreviation counts, and what a meaning counts at most, beside the word itself.
_SYNONYM, _SPELT, _MEANT = 0.95, 0.85, 0.9
#: Share of letters from which a word is a misspelling of another, and the letters that it has to have.
_LETTERS_ALIKE, _LETTERS = 0.84, 5
#: What a name or a word for a state counts: "failed" tells one thing from another as a name does.
_STATE = 1.4
#: What a word for a role counts at most: "quota" asks for the limit of whatever else is named.
_ROLE = 0.25
#: A word that less probably names a thing belongs to the way of asking.
_THING = 0.3
#: Names of a context that are compared by meaning; those beyond are found by their letters alone.
_MOST = 400
#: Names whose places are remembered.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question.

    Attributes:
        weight: The probability that it names a thing; 0 for what every sentence is made of, and for dates.
        name: It is a proper name or a code, which has no other names: only its letters count.
    """

    text: str
    folded: str
    stem: str
    weight: float
    name: bool = False


@lru_cache(16384)
def _denies(word: str, name: str) -> bool:
    """Whether a word of one is the opposite of the other: by the words for states, or by a prefix."""
    against = opposite_stems(word)[1]
    parts = [fold(part) for part in name.split()]
    prefixed = any(
        one == f"{prefix}{other}"
        for part in parts
        for one, other in ((part, fold(word)), (fold(word), part))
        for prefix in ("in", "un", "im", "des", "non")
    )
    return prefixed or any(same(stem_of(part), known) for part in parts for known in against)


def _abbreviates(short: str, long: str) -> bool:
    """Whether a name is written by some letters of a word, the first one and no vowel among the others: `clk`."""
    if not 2 < len(short) < min(len(long) - 1, 6) or short[0] != long[0] or not short.isalpha():
        return False
    rest = iter(long)
    return (long.startswith(short) or not re.search("[aeiou]", short[1:])) and all(c in rest for c in short)


class Places:
    """Names in the space of words; each is read once, as long as it is among the last that were.

    Args:
        heads: Have the space.
        embedder: Reads names.
    """

    def __init__(self, heads: FigureHeads, embedder: Embedder) -> None:
        self._heads, self._embedder = heads, embedder
        self._known: dict[str, Vectors] = {}

    def __call__(self, names: Sequence[str]) -> Vectors:
        """The places of `names`, shape (n, width)."""
        new = [name for name in dict.fromkeys(names) if name not in self._known]
        if len(self._known) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(names))
        if new:
            self._known |= dict(zip(new, self._heads.words(self._embedder.embed(new)), strict=True))
        return np.stack([self._known[name] for name in names])


class Matcher:
    """The words of one question, held against names. Blocks while it encodes.

    Args:
        text: The question.
        language: The same.
        heads: Tells what names a thing, and has the space of words.
        embedder: Reads words and names.
    """

    def __init__(
        self, text: str, language: Language, heads: FigureHeads, embedder: Embedder, places: Places | None = None
    ) -> None:
        self._heads, self._embedder, self._language = heads, embedder, language
        self._placed_of = places or Places(heads, embedder)
        names, done = names_in(text), verbs_of_doing(text)
        tokens = [t for t in dict.fromkeys(_without_periods(text)) if _is_said(t, names)]
        vectors = embedder.embed([token.casefold() for token in tokens]) if tokens else None
        chances = heads.names_things(vectors) if vectors is not None else np.zeros(0, np.float32)
        self.words = [
            Word(token, fold(token), stem_of(token), _weight(token, float(chance), names, done), token in names)
            for token, chance in zip(tokens, chances, strict=True)
        ]
        read = [heads.read(vector) for vector in vectors] if vectors is not None else []
        self._asking = {name: np.array([one[name] for one in read], np.float32) for name in heads.operations}
        self._placed = heads.words(vectors) if vectors is not None else None
        self._subjects = subjects_in(text)
        self._near: dict[str, Vectors] = {}
        self._covered: dict[str, Vectors] = {}
        self._meant: dict[tuple[str, ...], Vectors] = {}
        self._told: dict[str, float] = {}
        self._denied: dict[str, Vectors] = {}
        self.weights = np.array([word.weight for word in self.words], np.float32)

    def absent(self, *names: str) -> list[str]:
        """The proper names and codes in the question that none of the names has."""
        covered = self.letters(*names)
        return [word.text for word, c in zip(self.words, covered, strict=True) if word.name and c < _SPELT]

    @property
    def names_something(self) -> bool:
        """Whether a word of the question probably names a thing."""
        return bool(self.weights.max(initial=0.0) >= _THING)

    def learn(self, names: Iterable[str]) -> None:
        """Encodes names, so that they are compared by meaning too; of phrases, each word of them."""
        wanted: dict[str, None] = {}
        for name in names:
            bare = " ".join(re.findall(r"[^\W\d_]+", name)).casefold()
            words = [word for word in bare.split() if word not in COMMON and len(word) > 1]
            wanted |= dict.fromkeys([word for word in (" ".join(words[:4]), *words) if word])
        new = [name for name in list(wanted)[:_MOST] if name not in self._near]
        if self._placed is None or not new:
            return
        mapped = self._placed_of(new)
        low, high = _WITHIN if language_of(" ".join(new)) is self._language else _ACROSS
        scaled = np.clip((self._placed @ mapped.T - low) / (high - low), 0.0, 1.0) * _MEANT
        scaled[[word.name for word in self.words]] = 0.0
        self._near |= {name: scaled[:, place] for place, name in enumerate(new)}

    def letters(self, *names: str) -> Vectors:
        """For each word, from 0 to 1, how surely one of the names has it by its letters or as a synonym."""
        text = " ".join(names)
        if text not in self._covered:
            stems = {fold(word): stem_of(word) for word in re.findall(r"[^\W_]+", text)}
            shared = self._subjects & subjects_in(text)
            alike = {one for place in shared for called in names_called()[place] for one in called}
            states = {one for word in stems for one in opposite_stems(word)[0]}
            found = [max(self._as(word, stems), _SYNONYM * (word.stem in alike | states)) for word in self.words]
            self._covered[text] = np.array(found, np.float32)
        return self._covered[text]

    @staticmethod
    def _as(word: Word, stems: dict[str, str]) -> float:
        if word.name and re.search(r"\d", word.text):
            return float(word.folded in stems)
        if any(same(word.stem, one) for one in stems.values()):
            return 1.0
        alike = [one for one in stems if one[:1] == word.folded[:1]]  # "spending" is no slip of "pending"
        long = len(word.folded) >= _LETTERS
        if (long and difflib.get_close_matches(word.folded, alike, 1, _LETTERS_ALIKE)) or any(
            _abbreviates(one, word.folded) for one in stems
        ):
            return 0.0 if any(_denies(word.text, one) for one in stems) else _SPELT
        return 0.0

    def meaning(self, *names: str) -> Vectors:
        """The same, by letters or by meaning."""
        if names in self._meant:
            return self._meant[names]
        found = self.letters(*names)
        for name in names:
            words = [w for w in " ".join(re.findall(r"[^\W\d_]+", name)).casefold().split() if w not in COMMON]
            for one in dict.fromkeys([" ".join(words[:4]), *words]):
                if one in self._near:
                    near = self._near[one]
                    against = [near[at] > 0 and _denies(w.text, one) for at, w in enumerate(self.words)]
                    found = np.maximum(found, np.where(against, 0.0, near))
        self._meant[names] = found
        return found

    def meant_by(self, asked: Iterable[str], name: str) -> float:
        """How surely one of some folded words of the question means a name."""
        meant, wanted = self.meaning(name), set(asked)
        return max(
            (float(one) for one, word in zip(meant, self.words, strict=True) if word.folded in wanted), default=0.0
        )

    def named(self, names: Sequence[str]) -> Vectors:
        """For each word, how surely it is a proper name that one of the names has by its letters."""
        found: Vectors = self.letters(*names) * np.array([word.name for word in self.words], np.float32)
        return found

    def forgiven(self, covered: Vectors) -> Vectors:
        """The same with the heaviest word that is not covered, which may be what rows without a name are."""
        open_ = self.weights * (1.0 - covered) * np.array([not w.name and not opposite(w.text)[0] for w in self.words])
        found = covered.copy()
        if len(open_):
            found[int(open_.argmax())] = max(_SPELT, found[int(open_.argmax())])
        return found

    def asking(self, operations: Iterable[str]) -> Vectors:
        """For each word, how probably it asks for one of these operations: "expensive" asks for the highest."""
        wanted = [name for name in operations if name in self._asking]
        found = [
            0.0
            if word.name
            else max(float(roles().get(word.folded) in wanted), min(sum(self._asking[n][at] for n in wanted) * 2, 1.0))
            for at, word in enumerate(self.words)
        ]
        return np.array(found, np.float32)

    def denied(self, name: str) -> Vectors:
        """For each word, 1 where it is the opposite of a word of a name: "active" of "inactive users"."""
        if name not in self._denied:
            self._denied[name] = np.array([float(_denies(word.text, name)) for word in self.words], np.float32)
        return self._denied[name]

    def states(self, covered: Vectors) -> bool:
        """Whether a proper name, or a word for the state of a thing, is not covered."""
        return any(w.weight >= _STATE and c < 0.5 for w, c in zip(self.words, covered, strict=True))

    def told(self, name: str) -> float:
        """The share of the words of a name that the question says by their letters or as a synonym."""
        if name not in self._told:
            self._told[name] = self._share_told(name)
        return self._told[name]

    def _share_told(self, name: str) -> float:
        stems = stems_of(name)
        if not stems:
            return 0.0
        shared = self._subjects & subjects_in(name)
        alike = {one for place in shared for called in names_called()[place] if called <= stems for one in called}
        said = sum(
            one in alike or any(same(one, w.stem) or self._as(w, {one: one}) > 0 for w in self.words) for one in stems
        )
        return said / len(stems)

    def unsaid(self, covered: Vectors) -> float:
        """The weight of the heaviest word that is not covered."""
        return float((self.weights * (1.0 - covered)).max(initial=0.0))

    def share(self, covered: Vectors) -> float:
        """The share of the weight of all words that is covered."""
        total = float(self.weights.sum())
        return float((self.weights * covered).sum()) / total if total > 0 else 0.0


@cache
def _no_names() -> frozenset[str]:
    """What is written with a capital letter and names nothing: months and days of the week."""
    return frozenset((*months(), *weekdays(), "ok"))


def _without_days(text: str) -> str:
    folded = fold(text)
    if len(folded) != len(text):
        return text
    return blanked(text, ((told.start, told.end) for told in find_dates(folded, date(2000, 1, 1))))


def names_in(text: str) -> frozenset[str]:
    """The words of a text that are written as proper names, as codes, or in quotes."""
    text = _without_days(text)
    inside = re.findall(r"(?<=[^\W_] )[A-ZÁÉÍÓÚÑ][^\W\d_]*[a-záéíóúñ]+\b", text)
    codes = [
        w for w in re.findall(r"[^\W_]+(?:[-.][^\W_]+)*", text) if re.search(r"\d", w) and re.search(r"[^\W\d]", w)
    ]
    codes = [word for word in codes if not re.fullmatch(r"\d+(?:st|nd|rd|th|k|mil|[KMGT]B)", word, re.IGNORECASE)]
    quoted = re.findall(r"[«“\"]([^»”\"]+)[»”\"]", text)
    found = (word for part in (*inside, *codes, *quoted) for word in re.findall(r"[^\W_]+", part))
    return frozenset(word for word in found if len(word) > 1 and not word.isdigit() and fold(word) not in _no_names())


def without_names(text: str) -> str:
    """A question without the days and the proper names that it says: what is asked for, whatever it is asked of."""
    text = _without_days(text)
    names = names_in(text)
    return " ".join(word for word in text.split() if not names.intersection(re.findall(r"[^\W_]+", word)))


#: A verb behind its subject, and behind what was done: "how many parcels did we ship".
_VERB = re.compile(
    r"\b(?:how (?:many|much)|which|what)\s+[a-z]+\s.*?\b(?:do|does|did|have|has|had|will)\s+"
    r"(?:i|we|you|he|she|it|they)\s+(?:[a-z]+ly\s+)?(?P<verb>[a-z]+)"
)


def verbs_of_doing(text: str) -> frozenset[str]:
    """The verbs of a question, folded, that say of a thing no more than that it is had, used or made."""
    verbs = (match["verb"] for match in _VERB.finditer(fold(text)))
    return frozenset(verb for verb in verbs if verb in light_words() and not MONEY.search(verb))


def stems_of_doing(text: str) -> set[str]:
    """The stems of these verbs."""
    return {stem(verb) for verb in verbs_of_doing(text)}


def _weight(token: str, chance: float, names: frozenset[str], done: frozenset[str]) -> float:
    """How much a word counts: names and words for the state of a thing tell most, "slowest" asks for an end."""
    if SPEED.fullmatch(fold(token)):
        return 0.0
    if fold(token) in done:
        return 0.0
    if token in names or opposite(token)[0] or fold(token) in vocabulary()["late"]:
        return _STATE
    return min(chance, _ROLE) if roles().get(fold(token)) in (USED, LIMIT, PERCENT) else chance


def _is_said(token: str, names: frozenset[str]) -> bool:
    """Whether a word says what a question is about: a name, or no number and no word that all sentences are made of."""
    return token in names or (
        len(token) > 1
        and fold(token) not in COMMON
        and not re.search(r"\d", token)
        and not is_period(token)
        and not is_cardinal(token)
    )


def _without_periods(text: str) -> list[str]:
    """The words of a text without those by which it names periods and units of amounts."""
    bare = without_amounts(text)
    left = re.findall(r"[^\W_]+", without_periods(fold(bare)))
    found: list[str] = []
    for word in re.findall(r"[^\W_]+", bare):
        if fold(word) in left:
            left.remove(fold(word))
            found.append(word)
    return found
