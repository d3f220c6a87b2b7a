"""The encoder's table of pieces, and the vectors that words have by it: what they mean for themselves.

The vector of a word is the mean of its pieces' rows. All rows have a direction in common, which says nothing and is
taken out; then words of one stem or of like meaning are near, and so are many translations.

Source: for taking the mean out, Mu and Viswanath, "All-but-the-Top: Simple and Effective Postprocessing for Word
Representations", ICLR 2018.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: Words whose vectors are kept: of 384 numbers each, 12 MB at most.
MOST_WORDS = 8_192
#: Runs of rows that are read for the mean of all, and rows of a run: the file is not read whole for it.
_RUNS, _RUN = 16, 256


class WordTable:
    """The embeddings of the pieces, as Q4_0 blocks. Thread-safe.

    Args:
        tokenizer: Cuts words into pieces.
        blocks: Shape (pieces, width // 32, 18), uint8; may be mapped.
    """

    def __init__(self, tokenizer: Tokenizer, blocks: NDArray[np.uint8]) -> None:
        self._tokenizer = tokenizer
        self._blocks = blocks
        self._lock = threading.Lock()
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def rows(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The embeddings of pieces, shape (len(ids), width)."""
        return dequantised(self._blocks[ids])

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of words, shape (len(words), width); zeros for one that has no pieces."""
        with self._lock:
            missing = [word for word in dict.fromkeys(words) if word not in self._known]
            if missing:
                self._known.update(zip(missing, self._made(missing), strict=True))
            found = np.empty((len(words), len(self._middle)), dtype=np.float32)
            for row, word in enumerate(words):
                found[row] = self._known[word]
                self._known.move_to_end(word)
            while len(self._known) > MOST_WORDS:
                self._known.popitem(last=False)
        return found

    def _made(self, words: Sequence[str]) -> NDArray[np.float32]:
        # One by one: of words, sharing a batch out among threads takes longer than cutting it.
        pieces = [self._tokenizer.encode(word, add_special_tokens=False).ids for word in words]
        counts = np.array([len(ids) for ids in pieces])
        made = np.zeros((len(words), len(self._middle)), dtype=np.float32)
        if counts.any():
            rows = self.rows([piece for ids in pieces for piece in ids]) - self._middle
            starts = np.cumsum(counts) - counts
            made[counts > 0] = np.add.reduceat(rows, starts[counts > 0])
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        made /= np.maximum(lengths, np.float32(1e-6))
        return made

    @cached_property
    def _middle(self) -> NDArray[np.float32]:
        """What all pieces have in common, shape (width,)."""
        starts = np.linspace(0, max(len(self._blocks) - _RUN, 0), _RUNS, dtype=int)
        rows = np.concatenate([self._blocks[start : start + _RUN] for start in starts])
        middle: NDArray[np.float32] = dequantised(rows).mean(axis=0)
        return middle


def dequantised(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Weights of Q4_0 blocks: from shape (..., n, 18) to (..., n * 32).

    A block is a float16 scale and 16 bytes; byte j holds weight j in its low and weight j + 16 in its high nibble, and
    the value is (nibble - 8) * scale. Source: GGML's block_q4_0.
    """
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    nibbles = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1).astype(np.float32) - 8
    values: NDArray[np.float32] = (nibbles * scales).reshape(*blocks.shape[:-2], -1)
    return values
