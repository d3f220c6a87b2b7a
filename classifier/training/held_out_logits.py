"""What layers fitted on other rows make of a training's own: what is known by heart tells nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Logits by text.

    Attributes:
        digests: Of the texts, ascending; shape (n,).
        logits: Shape (n, outputs).
    """

    digests: NDArray[np.uint64]
    logits: NDArray[np.float16]

    @classmethod
    def of(cls, texts: Sequence[str], logits: NDArray[np.float32]) -> HeldOut:
        """Of `texts`, shape (n, outputs), in the order given."""
        digests = _digests(texts)
        order = np.argsort(digests, kind="stable")
        return cls(digests[order], logits[order].astype(np.float16))

    @classmethod
    def read(cls, path: Path) -> HeldOut:
        """Reads a file that `write` has written.

        Raises:
            OSError, ValueError, KeyError: It cannot be read.
        """
        with np.load(path, allow_pickle=False) as found:
            return cls(found["digests"], found["logits"])

    def write(self, path: Path) -> None:
        """Writes the file."""
        np.savez_compressed(path, digests=self.digests, logits=self.logits)

    def find(self, texts: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which of `texts` are known, shape (n,), and the logits of those, shape (known, outputs)."""
        wanted = _digests(texts)
        places = np.minimum(np.searchsorted(self.digests, wanted), len(self.digests) - 1)
        known = self.digests[places] == wanted
        return known, self.logits[places[known]].astype(np.float32)


def _digests(texts: Sequence[str]) -> NDArray[np.uint64]:
    found = [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest() for text in texts
    ]
    return np.frombuffer(b"".join(found), dtype="<u8").astype(np.uint64)
