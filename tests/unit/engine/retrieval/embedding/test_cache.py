from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.retrieval.embedding.cache import DEFAULT_CAPACITY, KeptStates, MemoEmbedder
from engine.testing import HashedWordsEmbedder


@pytest.fixture
def inner() -> HashedWordsEmbedder:
    return HashedWordsEmbedder(16)


def test_it_is_the_same_embedder_to_everyone(inner: HashedWordsEmbedder) -> None:
    memo: Embedder = MemoEmbedder(inner)
    assert (memo.id, memo.dimensions) == (inner.id, inner.dimensions)


def test_a_text_is_encoded_once(inner: HashedWordsEmbedder) -> None:
    memo = MemoEmbedder(inner)
    first, second = memo.embed(["hello world"]), memo.embed(["hello world"])
    assert inner.embedded == ["hello world"]
    np.testing.assert_array_equal(first, second)
    assert first.shape == (1, 16)
    assert first.dtype == np.float32


def test_the_vectors_are_those_of_the_inner_embedder(inner: HashedWordsEmbedder) -> None:
    texts = ["a b", "c", "a b", "d e f"]
    np.testing.assert_array_equal(MemoEmbedder(inner).embed(texts), HashedWordsEmbedder(16).embed(texts))


def test_a_caller_may_change_what_it_got(inner: HashedWordsEmbedder) -> None:
    memo = MemoEmbedder(inner)
    memo.embed(["x"])[:] = 0
    again = memo.embed(["x"])
    again[:] = 0
    assert np.linalg.norm(memo.embed(["x"])) == pytest.approx(1.0)


def test_the_least_recently_used_is_forgotten(inner: HashedWordsEmbedder) -> None:
    memo = MemoEmbedder(inner, capacity=2)
    for text in ("a", "b", "a", "c"):
        memo.embed([text])
    inner.embedded.clear()
    memo.embed(["a"])
    memo.embed(["c"])
    assert inner.embedded == []
    memo.embed(["b"])
    assert inner.embedded == ["b"]


def test_a_batch_takes_what_is_known_and_is_not_remembered(inner: HashedWordsEmbedder) -> None:
    memo = MemoEmbedder(inner)
    memo.embed(["known"])
    inner.embedded.clear()
    memo.embed(["new", "known", "newer"])
    assert inner.embedded == ["new", "newer"]
    memo.embed(["new"])
    assert inner.embedded == ["new", "newer", "new"]


def test_a_repeated_text_in_a_batch_is_encoded_once(inner: HashedWordsEmbedder) -> None:
    vectors = MemoEmbedder(inner).embed(["a", "a", "b", "a"])
    assert inner.embedded == ["a", "b"]
    np.testing.assert_array_equal(vectors[0], vectors[3])


def test_a_batch_does_not_push_queries_out(inner: HashedWordsEmbedder) -> None:
    memo = MemoEmbedder(inner, capacity=1)
    memo.embed(["query"])
    memo.embed([f"passage {n}" for n in range(50)])
    inner.embedded.clear()
    memo.embed(["query"])
    assert inner.embedded == []


def test_no_texts_are_no_rows(inner: HashedWordsEmbedder) -> None:
    assert MemoEmbedder(inner).embed([]).shape == (0, 16)
    assert inner.embedded == []


@pytest.mark.parametrize("text", ["", "\ud800", "emoji 😀", "x" * 100_000])
def test_any_text_can_be_remembered(inner: HashedWordsEmbedder, text: str) -> None:
    memo = MemoEmbedder(inner)
    memo.embed([text])
    memo.embed([text])
    assert inner.embedded == [text]


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_memo_for_nothing_is_refused(inner: HashedWordsEmbedder, capacity: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        MemoEmbedder(inner, capacity)


def test_the_default_capacity() -> None:
    assert DEFAULT_CAPACITY == 512


class _FailsOnce(Embedder):
    id = "fails"
    dimensions = 2

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls == 1:
            raise RuntimeError("once")
        return np.ones((len(texts), 2), dtype=np.float32)


def test_a_failure_is_passed_on_and_not_remembered() -> None:
    memo = MemoEmbedder(_FailsOnce())
    with pytest.raises(RuntimeError, match="once"):
        memo.embed(["a"])
    assert memo.embed(["a"]).tolist() == [[1.0, 1.0]]


def test_many_threads_get_their_own_vectors() -> None:
    memo = MemoEmbedder(HashedWordsEmbedder(16), capacity=8)
    expected = {str(n): HashedWordsEmbedder(16).embed([str(n)]) for n in range(20)}
    start = threading.Barrier(4)

    def work(offset: int) -> bool:
        start.wait(10)
        return all(
            np.array_equal(memo.embed([str((n + offset) % 20)]), expected[str((n + offset) % 20)]) for n in range(400)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_query_that_is_searched_for_as_it_was_routed_is_encoded_once_and_a_rewritten_one_anew() -> None:
    inner = HashedWordsEmbedder()
    memo = MemoEmbedder(inner)
    memo.embed(["What about CrossLab?"])  # the router
    memo.embed(["What about CrossLab?"])  # the retriever
    assert inner.embedded == ["What about CrossLab?"]
    memo.embed(["Who may use it?"])
    memo.embed(["Who may use it? CrossLab"])
    assert inner.embedded[1:] == ["Who may use it?", "Who may use it? CrossLab"]


def test_batches_are_remembered_where_that_is_asked_for() -> None:
    inner = _Counting()
    memo = MemoEmbedder(inner, batches=True)
    first = memo.embed(["a", "b", "a"])
    assert np.array_equal(memo.embed(["b", "a"]), first[[1, 0]])
    assert inner.seen == ["a", "b"]


def test_the_scale_is_the_inner_embedders() -> None:
    assert MemoEmbedder(_Counting()).unrelated == 0.0
    assert MemoEmbedder(MemoEmbedder(_Scaled())).unrelated == 0.6


class _Counting(HashedWordsEmbedder):
    def __init__(self) -> None:
        super().__init__(16)
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        return super().embed(texts)


class _Scaled(HashedWordsEmbedder):
    unrelated = 0.6


def test_states_are_kept_up_to_so_many_tokens_the_last_ones_asked_for() -> None:
    kept = KeptStates(10)
    for key, tokens in ((b"a", 4), (b"b", 4), (b"a", 5), (b"c", 4)):
        kept.keep(key, np.zeros((1, tokens, 2), np.float32))
    assert kept.get(b"b") is None  # 5 + 4 + 4 are too many
    assert [kept.get(key) is not None for key in (b"a", b"c")] == [True, True]
    kept.keep(b"d", np.zeros((1, 11, 2), np.float32))
    assert [kept.get(key) for key in (b"a", b"c", b"d")] == [None, None, None]
