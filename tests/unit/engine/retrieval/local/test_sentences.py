"""Files of sentences: written, found by text, refused when they are not what was written."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.retrieval.local.integrity import DamagedError
from engine.retrieval.local.sentences import (
    SENTENCE_SUFFIX,
    STATE_SUFFIX,
    known_states,
    known_vectors,
    open_sentences,
    sentence_paths,
    write_sentences,
)
from engine.retrieval.sentences import SentenceRows, digests_of, rows_of, state_rows_of
from engine.testing import HashedWordsEmbedder

TEXTS = [f"sentence number{n}" for n in range(100)]


def rows(texts: list[str], owner: int = 1) -> SentenceRows:
    made = rows_of(texts, HashedWordsEmbedder(64).embed(texts))
    made["owner"] = owner
    return made


def written(folder: Path, texts: list[str], name: str = "1") -> Path:
    path = folder / f"{name}{SENTENCE_SUFFIX}"
    write_sentences(path, rows(texts))
    return path


def test_a_sentence_is_found_by_its_text_in_whichever_file(tmp_path: Path) -> None:
    written(tmp_path, TEXTS[:60], "1")
    written(tmp_path, TEXTS[40:], "2")
    segments = [open_sentences(path) for path in sentence_paths(tmp_path)]
    asked = ["never written", TEXTS[99], TEXTS[50], TEXTS[0]]
    known, vectors = known_vectors(segments, asked, 64)
    assert known.tolist() == [False, True, True, True]
    likeness = np.einsum("ij,ij->i", vectors, HashedWordsEmbedder(64).embed(asked[1:]))
    assert likeness.min() > 0.999


def test_the_states_of_a_sentence_are_those_of_its_tokens_in_their_order(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    states = {text: random.normal(0, 0.3, (n % 7 + 1, 8)).astype(np.float32) for n, text in enumerate(TEXTS)}
    for number, texts in enumerate((TEXTS[:60], TEXTS[40:])):
        twice = [state_rows_of(texts, [states[text] for text in texts]) for _ in range(2)]
        for owner, made in enumerate(twice):  # two passages that have the same sentences
            made["owner"] = owner
        write_sentences(tmp_path / f"{number}{STATE_SUFFIX}", np.concatenate(twice))
    segments = [open_sentences(path) for path in sentence_paths(tmp_path, STATE_SUFFIX)]
    found = known_states(segments, ["never written", *TEXTS])
    assert [*found] == TEXTS
    for text, read in found.items():
        peaks = np.abs(states[text]).max(axis=1, keepdims=True)
        assert (np.abs(read - states[text]) <= peaks / 127 * 0.51).all()
    assert known_states([], TEXTS) == {}


def test_the_digests_of_a_file_rise(tmp_path: Path) -> None:
    segment = open_sentences(written(tmp_path, TEXTS))
    assert (np.diff(segment.digests.astype(object)) > 0).all()
    assert set(segment.digests.tolist()) == set(digests_of(TEXTS).tolist())
    np.testing.assert_array_equal(segment.digests, segment.rows["digest"])
    assert segment.size == segment.path.stat().st_size


def test_where_there_is_no_file_nothing_is_known() -> None:
    known, vectors = known_vectors([], ["a", "b"], 64)
    assert known.tolist() == [False, False]
    assert vectors.shape == (0, 64)


def test_no_rows_make_no_file(tmp_path: Path) -> None:
    write_sentences(tmp_path / f"1{SENTENCE_SUFFIX}", rows([]))
    assert list(tmp_path.iterdir()) == []


def test_a_mapped_file_outlives_its_name(tmp_path: Path) -> None:
    segment = open_sentences(written(tmp_path, TEXTS))
    segment.path.unlink()
    assert known_vectors([segment], TEXTS[:1], 64)[0].all()


def cut(content: bytes) -> bytes:
    return content[:-1]


def changed(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def longer(content: bytes) -> bytes:
    return content + b"\0"


def another_kind(content: bytes) -> bytes:
    return b"AEVECTOR" + content[8:]


def of_many_rows(content: bytes) -> bytes:
    return content[:16] + struct.pack("<Q", 2**60) + content[24:]


def of_no_width(content: bytes) -> bytes:
    return content[:12] + struct.pack("<I", 0) + content[16:]


def empty(content: bytes) -> bytes:
    return content[:0]


@pytest.mark.parametrize("damage", [cut, changed, longer, another_kind, of_many_rows, of_no_width, empty])
def test_what_is_not_as_it_was_written_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = written(tmp_path, TEXTS)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DamagedError, match=path.name):
        open_sentences(path)
