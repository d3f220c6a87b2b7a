"""The head that reads the act from a message's vector: multinomial logistic regression, kept as arrays."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from classifier.dialogue_act.acts import ActReading, DialogueAct

#: Version of the file; another one is refused.
FORMAT = 1


class HeadError(ValueError):
    """A file that is no head, or one for another encoder. The message names the file and what rebuilds it."""


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
        best = int(odds.argmax())
        return ActReading(self.acts[best], float(odds[best] / odds.sum()))

    def save(self, path: Path) -> None:
        """Writes the head to `path`, without pickle."""
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                format=np.array(FORMAT),
                encoder=np.array(self.encoder),
                acts=np.array([str(act) for act in self.acts]),
                mean=self.mean,
                weights=self.weights,
                bias=self.bias,
            )

    @classmethod
    def load(cls, path: Path, encoder: str) -> Self:
        """The head of `path`, for the vectors of `encoder`.

        Raises:
            HeadError: There is none, it is damaged, or it is for another encoder.
        """
        mend = "fit it anew with scripts/fit_dialogue_acts.py, or restore the file from the release"
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                stored = {name: file[name] for name in ("format", "encoder", "acts", "mean", "weights", "bias")}
            acts = tuple(DialogueAct(str(act)) for act in stored["acts"])
            head = cls(
                str(stored["encoder"]),
                acts,
                *(np.asarray(stored[name], dtype=np.float32) for name in ("mean", "weights", "bias")),
            )
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise HeadError(f"The head of the dialogue acts, {path}, cannot be read: {mend}.") from error
        sizes = (head.mean.shape, head.weights.shape, head.bias.shape)
        whole = head.mean.ndim == 1 and sizes[1:] == ((len(acts), head.mean.size), (len(acts),))
        finite = all(np.isfinite(array).all() for array in (head.mean, head.weights, head.bias))
        if int(stored["format"]) != FORMAT or not whole or not finite or not acts:
            raise HeadError(f"The head of the dialogue acts, {path}, is not of the expected form: {mend}.")
        if head.encoder != encoder:
            raise HeadError(
                f"The head of the dialogue acts, {path}, reads vectors of {head.encoder}, not of {encoder}: {mend}."
            )
        return head
