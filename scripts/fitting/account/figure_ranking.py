"""Fits the ranking of account figures with the bundled encoder, and says how it does on left-out kinds and contexts.

    python -m scripts.fitting.account.figure_ranking [--check] [--contexts 520] [--seed 7]

Writes `engine/generation/extractive/account_figures/ranking/ranking.npz`. To be run after a change of the features, of
the rules, of the heads of the account questions, of the rows in `scripts/fitting/account/figures`, or of the encoder.

Made questions (`figure_rows`) tell how much each sign says, since every kind of answer is among them; written ones
(`figures/choices.json`: contexts, each with questions, the operation that answers and what the answer says) keep them
near to what people ask; so do questions that were asked of contexts by others than who wrote the ranking
(`figures/asked.jsonl`: each with patterns of what a right answer says, and never says; without, what the context does
not hold). What the rules say to each is one of the features. Whole kinds and whole contexts are left out to judge.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.heads import FigureHeads
from engine.generation.extractive.account_figures.asking.questions import Operations, Question, bare_words
from engine.generation.extractive.account_figures.asking.wording import respelt
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.composing import Account, shown
from engine.generation.extractive.account_figures.figure import Amount, day_of
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.ranking.ranked import Ranked
from engine.generation.extractive.account_figures.ranking.ranker import SHIPPED, Ranker, save_weights
from engine.generation.extractive.account_figures.ranking.signs import Features
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.told import Rules, Told
from engine.generation.extractive.account_figures.saying import text_of
from engine.text.language import Language, language_of
from engine.text.numbers import in_language, shown_percent
from scripts.fitting import listwise
from scripts.fitting.account import figure_heads
from scripts.fitting.account.figure_kinds import HERE
from scripts.fitting.account.figure_rows import Maker
from scripts.fitting.encoder import bundled

TODAY = date(2026, 11, 23)
#: What a made question and a written one count; there are many more of the former.
_MADE, _WRITTEN = 0.3, 2.0
#: Parts of the asked questions, each read by heads that were fitted to the others.
_FOLDS = 5
#: Strength of the penalty on the squares of the weights.
_PENALTY = 1.0
#: What a figure is calculated from, which is no answer where another candidate tells it by itself.
_IN_BRACKETS = re.compile(r"\([^()]*\)")
#: Operations of candidates that answer what a row says is asked for.
_ANSWERS = {
    "value": "value left limit used text flag date sum count",
    "highest": "highest rows_full rows_over",
    "lowest": "lowest rows_under",
    "left": "left value",
    "date": "date value",
    "sum": "sum together value",
    "text": "text texts value list",
    "percent": "percent share value ratio",
    "count": "count value",
    "compare": "compare difference",
    "average": "average ratio value",
    "list": "list texts rows_over rows_under text count",
    "flag": "flag any compare over",
    "limit": "limit value",
    "enough": "enough left",
    "over": "over rows_over",
    "rest": "value difference left",
    "difference": "difference",
    "share": "share",
    "rate": "share",
    "per": "ratio",
    "cost": "cost",
}
_NAMES_ROWS = (
    "highest",
    "lowest",
    "list",
    "texts",
    "flag",
    "any",
    "over",
    "enough",
    "rows_over",
    "rows_under",
    "rows_full",
)


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the features of its candidates and which of these are right.

    Attributes:
        group: Its kind of account or its context: what is left out together.
        asked: Whether the context has the answer.
        features: For each candidate.
        right: The same, 0 or 1, shape (candidates,).
        none: The candidates that are no answer.
    """

    group: str
    asked: bool
    features: Sequence[Features]
    right: NDArray[np.float64]
    none: Sequence[bool]


class Ways:
    """The ways to answer questions, as the ranking sees them: with what the rules say.

    Args:
        embedder: Reads questions and names.
        heads: Tell what a question asks for; None: those that ship.
    """

    def __init__(self, embedder: Embedder, heads: FigureHeads | None = None) -> None:
        self._operations = Operations(embedder, heads)
        self._rules = Rules(self._operations, embedder)
        self._ranker = Ranker(self._operations, embedder, {})
        self._read: tuple[str, Reading, Account] = ("", Reading([]), Account.of([]))

    def __call__(self, text: str, context: str) -> tuple[Question, list[Ranked]]:
        """The question of `text`, and the candidates that `context` has for it."""
        if context != self._read[0]:
            figures = read_figures(context)
            self._read = (context, Reading(figures), Account.of(measures_of(figures)))
        _, reading, account = self._read
        question = replace(self._operations.read(respelt(text, reading.names), TODAY), language=language_of(text))
        told = self._rules.told(question, account) if account.measures else Told()
        return question, self._ranker.featured(question, reading, told)[0]


def made_examples(ways: Ways, count: int, seed: int) -> Iterator[Example]:
    """Examples of made questions, about 13 for each of `count` contexts."""
    for made in Maker(seed).made(count):
        for text, operation, says, key in made.questions:
            yield _example(made.kind, *ways(text, made.context), operation, says, key)


def written_examples(ways: Ways) -> Iterator[Example]:
    """Examples of `choices.json`."""
    for row in json.loads((HERE / "choices.json").read_text("utf-8")):
        for text, *answer in row["questions"]:
            operation, says = answer or ("", "")
            yield _example(row["context"], *ways(text, row["context"]), operation, says)


def asked_examples(embedder: Embedder) -> Iterator[Example]:
    """Examples of `asked.jsonl`; each question is read by heads that were fitted without it."""
    lines = [json.loads(line) for line in (HERE / "asked.jsonl").read_text("utf-8").splitlines()]
    for part in range(_FOLDS):
        rows = lines[part::_FOLDS]
        without = {bare_words(one["question"]) for row in rows for one in row["questions"]}
        ways = Ways(embedder, figure_heads.fitted(embedder, without))
        for row in rows:
            for one in row["questions"]:
                _, found = ways(one["question"], row["context"])
                yield _asked_example(row["context"], found, one)


def _asked_example(context: str, found: Sequence[Ranked], row: Mapping[str, Sequence[str]]) -> Example:
    says, never = row.get("says", ()), row.get("never", ())
    right = [told(_IN_BRACKETS.sub("", one.text), says, never) for one in found]
    if not any(right):
        right = [told(one.text, says, never) for one in found]
    features = [one.features for one in found]
    return Example(context, "says" in row, features, np.array(right, np.float64), [not one.text for one in found])


def told(text: str, says: Sequence[str], never: Sequence[str]) -> bool:
    """Whether a text has all patterns of `says` and none of `never`; without any, whether it is no answer at all."""
    if not says:
        return not text
    wanted = all(re.search(pattern, text, re.IGNORECASE) for pattern in says)
    return bool(text) and wanted and not any(re.search(pattern, text, re.IGNORECASE) for pattern in never)


def _example(
    group: str, question: Question, found: Sequence[Ranked], operation: str, says: str, key: str = ""
) -> Example:
    right = [
        not one.text
        if not operation
        else one.candidate is not None and bool(one.text) and answers(one.candidate, question, operation, says, key)
        for one in found
    ]
    features, none = [one.features for one in found], [not one.text for one in found]
    return Example(group, bool(operation), features, np.array(right, np.float64), none)


def answers(one: Candidate, question: Question, operation: str, says: str, key: str = "") -> bool:
    """Whether a candidate is the answer of a row: of that operation, on the measure `key`, and it says `says`."""
    if one.operation not in _ANSWERS[operation].split() or (key and not _is_of(one, key)):
        return False
    if operation == "share":
        return len(one.rows) == 1 and one.rows[0].name.casefold() == says.casefold()
    if operation == "list" and not (one.choice or one.bound):
        return False
    said = text_of(one, question) if one.operation in _NAMES_ROWS else _value(one, question.language)
    return (operation == "percent" and says == "%") or any(_says(said, way) for way in written(says))


def _is_of(one: Candidate, key: str) -> bool:
    """Whether the first fact of a candidate has the words of a key, units aside."""
    words = {word for word in re.split(r"[\W_]+", key.casefold()) if len(word) > 3}
    label = set(re.split(r"[\W_]+", f"{one.facts[0].label} {one.facts[0].parent}".casefold())) if one.facts else words
    return words <= label


def _value(one: Candidate, language: Language) -> str:
    if not isinstance(one.value, Amount):
        return shown(one.value, language)
    if one.operation in ("share", "percent", "part"):
        return shown_percent(one.value.value, language)
    return one.value.like(abs(one.value.value)).shown(language)


def written(says: str) -> set[str]:
    """The ways in which a number, a day or yes and no may be written in an answer."""
    if says in ("Yes", "No"):
        return {says, {"Yes": "Sí", "No": "No"}[says]}
    if day := day_of(says):
        return {says, *(shown(day, language) for language in Language)}
    bare = says.replace(",", "")
    if re.fullmatch(r"-?\d+(?:\.\d+)?", bare) is None:
        return {says}
    digits = [bare, *([f"{float(bare):.2f}"] if "." in bare else [])]
    return {says, bare, *(in_language(one, language) for one in digits for language in Language)}


def _says(text: str, what: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(what)}(?![.,]?\d)(?!\w)", text, re.IGNORECASE) is not None


def feature_names(examples: Iterable[Example]) -> list[str]:
    """The names of all features, in the order in which they come."""
    return list(dict.fromkeys(name for one in examples for features in one.features for name in features))


def fitted(examples: Sequence[Example], worths: Sequence[float], names: Sequence[str]) -> dict[str, float]:
    """The weights that make the right candidates likeliest.

    Args:
        worths: What each example counts.
        names: Of the features.
    """
    features, right = [one.features for one in examples], [one.right for one in examples]
    return listwise.fitted(features, right, worths, names, _PENALTY)


def judged(examples: Sequence[Example], weights: dict[str, float], least: float) -> Counter[str]:
    """How many are right, wrong or doubted where a candidate has to have a probability of at least `least`."""
    found: Counter[str] = Counter()
    for one in examples:
        scores = np.array([sum(weights.get(n, 0.0) * v for n, v in features.items()) for features in one.features])
        odds = np.exp(scores - scores.max())
        best = int(odds.argmax())
        doubted = one.none[best] or odds[best] / odds.sum() < least
        right = (doubted and not one.asked) or (one.asked and not doubted and bool(one.right[best]))
        found["right" if right else "doubted" if doubted else "wrong"] += 1
    return found


def fit(
    embedder: Embedder, made: int, seed: int, left_out: float = 0.2
) -> tuple[dict[str, float], dict[str, Counter[str]]]:
    """The weights, and how those that were fitted without some kinds and contexts do on these."""
    ways = Ways(embedder)
    parts = {
        "made": (list(made_examples(ways, made, seed)), _MADE),
        "written": (list(written_examples(ways)), _WRITTEN),
        "asked": (list(asked_examples(embedder)), _WRITTEN),
    }
    every = [(one, worth) for examples, worth in parts.values() for one in examples]
    names = feature_names(one for one, _ in every)
    groups = sorted({one.group for one, _ in every})
    picked = np.random.default_rng(seed).permutation(len(groups))[: int(len(groups) * left_out)]
    out = {groups[at] for at in picked}
    kept = [(one, worth) for one, worth in every if one.group not in out]
    trial = fitted([one for one, _ in kept], [worth for _, worth in kept], names)
    figures = {
        name: judged([one for one in examples if one.group in out], trial, 0.7) for name, (examples, _) in parts.items()
    }
    return fitted([one for one, _ in every], [worth for _, worth in every], names), figures


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument(
        "--contexts", type=int, default=520, help="contexts that are made, with about 13 questions each"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    weights, figures = fit(bundled(), options.contexts, options.seed)
    for name, counts in figures.items():
        total = sum(counts.values())
        print(
            f"{name}, left out: " + ", ".join(f"{kind} {n / total:.3f}" for kind, n in counts.items()) + f" of {total}"
        )
    if not options.check:
        save_weights(weights, options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
