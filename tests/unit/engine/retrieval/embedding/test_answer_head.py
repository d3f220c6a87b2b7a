from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.answer_head import (
    QUESTION_TOKENS,
    SENTENCE_TOKENS,
    AnswerHead,
    Read,
    products,
    scores,
)

WIDTH = 384
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def head() -> AnswerHead:
    return AnswerHead.load(MODEL_DIR / "answers.npz")


def states(tokens: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return RNG.normal(size=(tokens, WIDTH)).astype(np.float32)


def test_a_sentence_is_read_for_itself_whatever_stands_beside_it(head: AnswerHead) -> None:
    question, short, long = states(7), states(5), states(40)
    together = head.logits(Read.of(question, [short, long]))
    assert together.shape == (2,)
    assert head.logits(Read.of(question, [short]))[0] == pytest.approx(together[0], abs=1e-4)
    assert head.logits(Read.of(question, [long]))[0] == pytest.approx(together[1], abs=1e-4)


def test_what_stands_behind_the_end_of_a_question_is_not_read(head: AnswerHead) -> None:
    read = Read.of(states(6), [states(9)])
    padded = Read(
        np.concatenate([read.question, states(4)]), read.sentences, np.array([1.0] * 6 + [0.0] * 4), read.said
    )
    assert scores(head.weights, padded)[0] == pytest.approx(head.logits(read)[0], abs=1e-4)


def test_only_the_first_tokens_are_read(head: AnswerHead) -> None:
    question, sentence = states(QUESTION_TOKENS + 5), states(SENTENCE_TOKENS + 5)
    cut = head.logits(Read.of(question[:QUESTION_TOKENS], [sentence[:SENTENCE_TOKENS]]))
    assert head.logits(Read.of(question, [sentence])) == pytest.approx(cut)


def test_question_and_sentence_each_count(head: AnswerHead) -> None:
    question, sentence = states(6), states(9)
    found = head.logits(Read.of(question, [sentence]))
    assert head.logits(Read.of(states(6), [sentence])) != pytest.approx(found)
    assert head.logits(Read.of(question, [states(9)])) != pytest.approx(found)


def test_it_is_kept_in_a_file(head: AnswerHead, tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "kept.npz", **dict(head.weights))  # type: ignore[arg-type]
    again = AnswerHead.load(tmp_path / "kept.npz")
    read = Read.of(states(6), [states(9)])
    assert again.logits(read) == pytest.approx(head.logits(read))
    assert {array.dtype for array in again.weights.values()} == {np.dtype(np.float32)}


def test_each_token_of_a_question_is_multiplied_with_each_of_each_sentence() -> None:
    numbers = np.random.default_rng(5)
    question, sentences = numbers.random((3, 8), np.float32), numbers.random((2, 4, 8), np.float32)
    assert products(question, sentences) == pytest.approx(np.einsum("qw,spw->sqp", question, sentences))
