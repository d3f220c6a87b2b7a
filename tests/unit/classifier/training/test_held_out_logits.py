"""Logits of texts by layers that did not see their domain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from classifier.training.held_out_logits import HeldOut

TEXTS = ["what is a loop", "¿cuánto llevo gastado?", "\ud800 half a pair"]
LOGITS = np.asarray([[1, 0, 0, 0, -2], [0, 0, 0, 3.5, 0], [0.25, 0, 0, 0, 1]], np.float32)


def test_a_text_is_found_by_its_words_alone_also_after_a_round_trip(tmp_path: Path) -> None:
    HeldOut.of(TEXTS, LOGITS).write(tmp_path / "held_out.npz")
    found = HeldOut.read(tmp_path / "held_out.npz")
    known, logits = found.find([TEXTS[2], "never seen", TEXTS[0]])
    assert known.tolist() == [True, False, True]
    assert np.array_equal(logits, LOGITS[[2, 0]])


def test_none_of_the_texts_may_be_known() -> None:
    known, logits = HeldOut.of(TEXTS, LOGITS).find(["zzz"])
    assert (known.tolist(), logits.shape) == ([False], (0, 5))
    known, logits = HeldOut.of(TEXTS, LOGITS).find([])
    assert (known.shape, logits.shape) == ((0,), (0, 5))


def test_junk_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "held_out.npz"
    path.write_bytes(b"junk")
    with pytest.raises(ValueError, match="pickled"):
        HeldOut.read(path)
