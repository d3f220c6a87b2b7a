"""The head that reads the act from a message's vector: multinomial logistic regression, kept as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from classifier.dialogue_act.acts import ActReading, DialogueAct
from classifier.head_files import check, read_arrays, write_arrays

_WHAT = "The head of the dialogue acts"
_MEND = "fit it anew with python -m scripts.fitting.dialogue_acts, or restore the file from the release"


@dataclass(frozen=True, slots=True)
class DialogueActHead:
    """Reads acts from vectors.

    Attributes:
        encoder: Id of the encoder whose vectors it reads.
        acts: The acts, in the order of the rows of `weights`.
        mean: What is taken off a vector first, shape (dimensions,).
        weights: Shape (acts, dimensions), float32.
        bias: Shape (acts,), float32.
    """

    encoder: str
    acts: tuple[DialogueAct, ...]
    mean: NDArray[np.float32]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def read(self, vector: NDArray[np.float32]) -> ActReading:
        """The act of a message, by its unit vector of shape (dimensions,)."""
        logits = self.weights @ (vector - self.mean) + self.bias
        odds = np.exp(logits - logits.max())
        odds /= odds.sum()
        second, best = np.argsort(odds)[-2:]
        return ActReading(self.acts[best], float(odds[best]), self.acts[second], float(odds[second]))

    def save(self, path: Path) -> None:
        """Writes the head to `path`, without pickle."""
        arrays = {"mean": self.mean, "weights": self.weights, "bias": self.bias}
        write_arrays(path, self.encoder, [str(act) for act in self.acts], arrays)

    @classmethod
    def load(cls, path: Path, encoder: str) -> Self:
        """The head of `path`, for the vectors of `encoder`.

        Raises:
            HeadError: There is none, it is damaged, or it is for another encoder.
        """
        stored = read_arrays(path, encoder, ("mean", "weights", "bias"), _WHAT, _MEND)
        mean, weights, bias = (stored.arrays[name] for name in ("mean", "weights", "bias"))
        count = len(stored.names)
        fits = mean.ndim == 1 and (weights.shape, bias.shape) == ((count, mean.size), (count,))
        check(fits and count > 1, path, _WHAT, _MEND)
        return cls(encoder, tuple(DialogueAct(name) for name in stored.names), mean, weights, bias)
