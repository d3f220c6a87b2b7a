"""Text to a sparse vector of hashed n-grams: the half of layer 2's features that needs no model."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.text import normalise

#: How n-grams are made and hashed. Another number is another space, in which older weights mean nothing.
RECIPE_VERSION = 1
#: Characters of the shortest and the longest n-gram.
SHORTEST, LONGEST = 2, 5
#: Columns of characters, and as many of words: 2 to this power. Twice as many gain less than .002 macro-F1.
BLOCK_BITS = 16
#: Length of a vector: characters first, then words.
COLUMNS = 2 << BLOCK_BITS

# An odd 64-bit multiplier (2^64 / golden ratio) and the finaliser of MurmurHash3: fixed for ever, as the weights of an
# artifact are found by them. Source: Knuth, TAOCP 6.4; Appleby, MurmurHash3 (public domain).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(33)
_SIGN = np.uint64(63)
_MASK = np.uint64((1 << BLOCK_BITS) - 1)


@dataclass(frozen=True, slots=True)
class Sparse:
    """One text as a sparse vector.

    Attributes:
        columns: Shape (n,), int64: where its values stand; a column may stand twice, then its values add up.
        values: Shape (n,), float32; each block is of length 1.
    """

    columns: NDArray[np.int64]
    values: NDArray[np.float32]


def characters(text: str) -> Sparse:
    """The character n-grams of `text`, over word borders too, in the first block of columns.

    Hashed with a sign, weighted by 1 + log(count) and scaled to length 1.
    Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009).
    """
    encoded = normalise(text).encode("utf-32-le", errors="surrogatepass")
    return _sparse(_rolling(np.frombuffer(encoded, dtype=np.uint32).astype(np.uint64)), 0)


def word_grams(tokens: Sequence[str]) -> Sparse:
    """The words of a message, their pairs and its first word, in the second block of columns."""
    pairs = [f"{left} {right}" for left, right in itertools.pairwise(tokens)]
    found = [*tokens, *pairs, f"^{tokens[0] if tokens else ''}"]
    codes = [zlib.crc32(gram.encode("utf-8", errors="surrogatepass")) for gram in found]
    return _sparse(np.asarray(codes, dtype=np.uint64) * _STEP, 1 << BLOCK_BITS)


def join(left: Sparse, right: Sparse) -> Sparse:
    """Two blocks of one text as one vector."""
    return Sparse(np.concatenate([left.columns, right.columns]), np.concatenate([left.values, right.values]))


def project(texts: Sequence[Sparse], weights: NDArray[np.float32], bias: NDArray[np.float32]) -> NDArray[np.float64]:
    """The logits of sparse `texts` under a linear head.

    Args:
        texts: n sparse vectors.
        weights: Shape (columns, outputs).
        bias: Shape (outputs,).

    Returns:
        Shape (n, outputs).
    """
    rows = [sparse.values @ weights[sparse.columns] for sparse in texts]
    return np.asarray(rows, dtype=np.float64).reshape(len(rows), weights.shape[1]) + bias


def _sparse(hashes: NDArray[np.uint64], offset: int) -> Sparse:
    """Counted hashes as a vector of length 1 whose columns begin at `offset`."""
    mixed, counts = np.unique(_mixed(hashes), return_counts=True)
    values = (1.0 + np.log(counts)) * np.where(mixed >> _SIGN, -1.0, 1.0)
    length = float(np.sqrt(values @ values)) or 1.0
    return Sparse((mixed & _MASK).astype(np.int64) + offset, (values / length).astype(np.float32))


def _rolling(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The polynomial hash of every n-gram of every length, modulo 2^64, the shorter ones first."""
    found = [np.zeros(0, dtype=np.uint64)]
    hashes = codes + np.uint64(1)
    for length in range(2, min(LONGEST, len(codes)) + 1):
        hashes = hashes[:-1] * _STEP + codes[length - 1 :] + np.uint64(length)
        if length >= SHORTEST:
            found.append(hashes)
    return np.concatenate(found)


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hashes whose low and high bits depend on every bit."""
    hashes = (hashes ^ (hashes >> _SHIFT)) * _MIX
    return hashes ^ (hashes >> _SHIFT)
