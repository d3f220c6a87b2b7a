"""The file of the published encoder, in small, and the pieces that are kept of it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from scripts.tuning.e5_weights import E5Weights, read_e5
from scripts.tuning.vocabulary import compact, kept, tokenizer

WIDTH = 32
PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "\u2581",
    "\u2581sort",
    "\u2581a",
    "l",
    "is",
    "t",
    "ñ",
    "ü",
    "ой",
    "排序",
    "の",
    "!",
]


def q4(scale: float, nibbles: list[int]) -> bytes:
    """One block: weight j in the low half of byte j, weight j + 16 in its high half."""
    packed = bytes(low | high << 4 for low, high in zip(nibbles[:16], nibbles[16:], strict=True))
    return struct.pack("<e", scale) + packed


def written(path: Path, magic: bytes = b"E5S1", version: int = 1) -> Path:
    """A file of one layer with the sizes that its header states."""
    blob = [piece.encode() for piece in PIECES]
    borders = np.cumsum([0, *map(len, blob)]).astype("<u4")
    scores = -np.arange(len(PIECES), dtype="<f4")
    tokens = struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(borders[-1]))
    tokens += borders.tobytes() + scores.tobytes() + b"".join(blob)
    tokens += struct.pack("<2i", 1, 9) + struct.pack("<IBI", 9, 1, 32)  # a map of one character: tab to space
    head = magic + struct.pack("<I7ifi", version, WIDTH, 1, 1, 64, len(PIECES), 8, 2, 1e-12, 32)
    tensors = {
        "emb.word": (1, b"".join(q4(0.5, [8 + place % 8] * 32) for place in range(len(PIECES)))),
        "l0.q.w": (1, b"".join(q4(1.0, list(range(16)) * 2) for _ in range(WIDTH))),
        "l0.q.b": (0, np.arange(WIDTH, dtype="<f4").tobytes()),
    }
    for name in ("k", "v", "ao", "aln", "fo", "oln", "fi"):
        shape = (WIDTH,) if name.endswith("ln") else (WIDTH, WIDTH)
        tensors[f"l0.{name}.w"] = (0, np.zeros(shape, "<f4").tobytes())
        tensors[f"l0.{name}.b"] = (0, np.zeros(WIDTH, "<f4").tobytes())
    table = sum(2 + len(name) + 21 for name in tensors)
    offset, listed, content = len(head) + len(tokens) + 4 + table, b"", b""
    for name, (kind, values) in tensors.items():
        elements = len(values) // 18 * 32 if kind else len(values) // 4
        listed += struct.pack("<H", len(name)) + name.encode()
        listed += struct.pack("<BIQQ", kind, elements, offset + len(content), len(values))
        content += values
    path.write_bytes(head + tokens + struct.pack("<i", len(tensors)) + listed + content)
    return path


@pytest.fixture
def weights(tmp_path: Path) -> E5Weights:
    return read_e5(written(tmp_path / "small.bin"))


def test_pieces_are_read_with_their_scores(weights: E5Weights) -> None:
    assert weights.pieces.texts == PIECES
    assert weights.pieces.scores.tolist() == [-place for place in range(len(PIECES))]
    assert (weights.pieces.bos, weights.pieces.eos, weights.pieces.pad, weights.pieces.unk) == (0, 2, 1, 3)


def test_matrices_are_read_from_blocks_of_four_bits(weights: E5Weights) -> None:
    assert weights.width == WIDTH
    assert weights.words.shape == (len(PIECES), 1, 18)
    layer = weights.layer(0)
    query = layer["attention.self.query.weight"]
    assert query.shape == (WIDTH, WIDTH)
    assert query[3].tolist() == [place - 8 for place in (*range(16), *range(16))]
    assert layer["attention.self.query.bias"].tolist() == list(range(WIDTH))
    assert layer["output.LayerNorm.weight"].shape == (WIDTH,)


@pytest.mark.parametrize(("magic", "version", "told"), [(b"GGUF", 1, "begins with b'GGUF'"), (b"E5S1", 2, "version 2")])
def test_another_format_is_refused(tmp_path: Path, magic: bytes, version: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_e5(written(tmp_path / "other.bin", magic, version))


def test_pieces_of_other_scripts_leave_and_letters_stay(weights: E5Weights) -> None:
    left = {text for place, text in enumerate(PIECES) if place not in kept(weights.pieces)}
    assert left == {"ой", "の"}


def test_the_tokenizer_reads_what_is_kept(weights: E5Weights) -> None:
    chosen = kept(weights.pieces)
    made = Tokenizer.from_str(compact(tokenizer(weights.pieces, chosen)))
    tokens = made.encode("  sort\u00a0a\tlist\u0007! ").tokens
    assert tokens == ["<s>", "\u2581sort", "\u2581a", "\u2581", "l", "is", "t", "!", "</s>"]
    assert [chosen[place] for place in made.encode("sort").ids] == [0, PIECES.index("\u2581sort"), 2]
    assert made.encode("ой").ids.count(3) == 1
    assert made.encode("排序").tokens == ["<s>", "\u2581", "排序", "</s>"]
