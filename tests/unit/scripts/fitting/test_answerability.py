from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.training.held_out_logits import HeldOut
from engine.domain import Passage
from engine.retrieval.answerability import Signals, probability
from engine.retrieval.answerability_weights import ACROSS, ALIKE, FOLLOWED
from engine.testing import HashedWordsEmbedder
from scripts.fitting.answerability import Known, fit, judge, known_of, left_out
from scripts.fitting.answerability_examples import Asked, Example

SIGNALS = Signals(sentence=0.85, covered=0.5, missing=0.0, across=False, answer=0.0)


def rows(kind: str = "first-en-in-en", count: int = 60, **beside: bool) -> list[Known]:
    """Questions that the head of the answers tells apart, and the other figures hardly do."""
    rng, made = np.random.default_rng(5), []
    for number in range(count):
        answered = number % 2 == 0
        known = replace(
            SIGNALS,
            sentence=0.85 + rng.normal() / 100,
            covered=0.5 + rng.normal() / 10,
            missing=float(number % 3 == 0),
            answer=rng.normal() + (1.5 if answered else -1.5),
            own=0.5 + rng.normal() / 10,
            **beside,
        )
        text = f"question {number}"
        made.append(Known(Asked(kind, f"g{number % 12}", text, text, answered), known))
    return made


def every_kind() -> list[Known]:
    return [
        *rows(),
        *rows("first-en-in-es", across=True),
        *rows("follow-up-en-in-en", followed=True),
    ]


def test_the_weights_follow_what_tells_answers_apart() -> None:
    fitted = fit(every_kind())
    assert list(fitted) == [ALIKE, ACROSS, FOLLOWED]
    for weights in fitted.values():
        assert weights.answer > 0.5
        better = replace(SIGNALS, answer=3.0)
        assert probability(better, weights) > 0.8
        assert probability(replace(SIGNALS, answer=-3.0), weights) < 0.2
    assert fitted[ALIKE].own == fitted[ACROSS].own == 0


def test_kinds_count_alike_however_many_questions_they_have() -> None:
    one_sided = [replace(one, signals=replace(one.signals, answer=-one.signals.answer)) for one in rows("b", 20)]
    crowd = fit([*rows("a", 400), *one_sided, *rows("c", across=True), *rows("d", followed=True)])[ALIKE]
    alone = fit([*rows("a", 40), *one_sided, *rows("c", across=True), *rows("d", followed=True)])[ALIKE]
    assert crowd.answer == pytest.approx(alone.answer, abs=0.5)


def test_what_is_left_out_is_read_by_what_was_fitted_without_its_group() -> None:
    made = every_kind()
    read = left_out(made)
    right = [(figure > 0.5) == one.asked.answered for one, figure in zip(made, read, strict=True)]
    assert np.mean(right) > 0.85
    turned = [
        replace(one, signals=replace(one.signals, answer=-one.signals.answer)) if one.asked.group == "g0" else one
        for one in made
    ]
    own = [figure for one, figure in zip(made, left_out(turned), strict=True) if one.asked.group == "g0"]
    told = [one.asked.answered for one in made if one.asked.group == "g0"]
    assert np.mean([(figure > 0.5) == answered for figure, answered in zip(own, told, strict=True)]) < 0.3


def test_the_report_says_what_is_refused_of_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    made = rows(count=4)
    judge(made, [0.9, 0.1, 0.1, 0.3])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["0.500", "0.500"]
    assert "unanswered" in lines[0]


def test_an_example_has_what_a_head_that_was_not_fitted_to_it_says() -> None:
    class Answering(HashedWordsEmbedder):
        def answers_in(
            self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
        ) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
            return np.full(len(sentences), 9, np.float32)

    passage = Passage("p", "d", "", "", "A kiln fires pots.", similarity=0.9)
    seen, unseen = (
        Example(Asked("k", "g", text, text, answered=True), [passage], ("A kiln fires pots.",))
        for text in ("What fires pots?", "What is a kiln?")
    )
    held_out = HeldOut.of([unseen.key], np.array([[-2.0]], np.float32))
    known = known_of([seen, unseen], Answering(), held_out)
    assert [one.signals.answer for one in known] == [9, -2]
    assert [one.asked for one in known] == [seen.asked, unseen.asked]
