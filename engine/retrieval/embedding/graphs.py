"""The graphs of the bundled embedding model and its tokenizer, as ONNX Runtime and `tokenizers` run them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigurationError
from engine.retrieval.embedding.answer_head import AnswerHead
from engine.retrieval.embedding.words import WordTable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

#: What to do about files of the model that are missing or damaged.
MEND = "restore the folder from the release, or write it anew with the scripts of scripts/tuning"

#: Bytes of a block of the word table, and weights in it (GGML's Q4_0).
_BLOCK_BYTES, _BLOCK = 18, 32

#: What the lower layers make of a text, shape `[1, tokens, width]`.
States = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Input:
    """A text with its prefix.

    Attributes:
        text: What is encoded.
        most: Tokens of it that are read.
    """

    text: str
    most: int


@dataclass(frozen=True, slots=True)
class Together:
    """Texts that are read together.

    Attributes:
        states: One behind the other: shape `[1, tokens, width]`.
        segments: Which of them a token belongs to, from 0: shape `[1, tokens]`.
    """

    states: States
    segments: NDArray[np.int64]

    @classmethod
    def of(cls, states: Sequence[States]) -> Together:
        """Of the states of each, in order."""
        segments = np.concatenate([np.full(one.shape[1], place) for place, one in enumerate(states)])
        return cls(np.concatenate(states, axis=1), segments[None])


@dataclass(frozen=True, slots=True)
class Parts:
    """The model as it is run: the lower half of its layers, then what goes on from it.

    Attributes:
        tokenizer: Cuts at the card's `max_tokens`.
        words: Embeddings of the pieces.
        lower: From the pieces' embeddings to states.
        upper: The layers as they were published: from states to the vector.
        types: The layers fitted to the types: from states to logits; None where there are none.
        relations: Those fitted to the relations of messages: from states of several texts to logits; None likewise.
        names: Those adapted to names of figures: from states to the vector; None likewise.
        answers: Tells by states whether a sentence answers a question; None likewise.
    """

    tokenizer: Tokenizer
    words: WordTable
    lower: InferenceSession
    upper: InferenceSession
    types: InferenceSession | None
    relations: InferenceSession | None
    names: InferenceSession | None
    answers: AnswerHead | None

    def states(self, given: Input) -> States:
        """One text up to the middle: shape `[1, tokens, width]`."""
        ids = self.tokenizer.encode(given.text).ids
        if len(ids) > given.most:
            ids = [*ids[: given.most - 1], ids[-1]]
        states: States = self.lower.run(None, {"words": self.words.rows(ids)[None]})[0]
        return states

    def pooled(self, states: States) -> NDArray[np.float32]:
        """The mean, the greatest and the least of the states over the tokens: shape `[3 * width]`."""
        tokens = states[0]
        return np.concatenate([tokens.mean(axis=0), tokens.max(axis=0), tokens.min(axis=0)])

    def vector(self, states: States) -> NDArray[np.float32]:
        """From the middle on, pooled and normalised in the graph: shape `[dimensions]`, length 1."""
        vector: NDArray[np.float32] = self.upper.run(None, {"states": states})[0][0]
        return vector

    def name_vector(self, states: States) -> NDArray[np.float32]:
        """The same by the layers that were adapted to names of figures; by those of `vector` where there are none."""
        vector: NDArray[np.float32] = (self.names or self.upper).run(None, {"states": states})[0][0]
        return vector

    def logits(self, states: States) -> NDArray[np.float32]:
        """From the middle on through the fitted layers: shape `[intents]`."""
        return _fitted(self.types, "types", {"states": states})

    def relation_logits(self, together: Together) -> NDArray[np.float32]:
        """From the middle on of texts that are read together: shape `[relations]`."""
        return _fitted(self.relations, "relations", {"states": together.states, "segments": together.segments})


def _fitted(layers: InferenceSession | None, to: str, given: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    """The logits of layers that were fitted to something."""
    if layers is None:
        raise ConfigurationError(f"the encoder has no layers fitted to the {to}; {MEND}")
    logits: NDArray[np.float32] = layers.run(None, given)[0][0]
    return logits


def read_words(path: Path, tokenizer: Tokenizer, dimensions: int) -> WordTable:
    """The embeddings of the pieces, mapped.

    Args:
        path: Their file, of the length that the card says.
        tokenizer: Its pieces are what they are of.
        dimensions: Length of a vector.
    """
    return WordTable(tokenizer, np.memmap(path, np.uint8, mode="r").reshape(-1, dimensions // _BLOCK, _BLOCK_BYTES))


def read_answer_head(path: Path) -> AnswerHead:
    """The head that tells whether a sentence answers a question.

    Raises:
        ConfigurationError: It cannot be loaded.
    """
    try:
        return AnswerHead.load(path)
    except Exception as error:  # a damaged archive raises what its decoder meets first
        raise ConfigurationError(f"{path}: the head of the answers cannot be loaded; {MEND}") from error


@lru_cache(maxsize=1)
def read_tokenizer(path: Path, modified: int) -> Tokenizer:
    """The tokenizer of a file, read once a process: half of what loading the encoder takes.

    Args:
        path: Its file.
        modified: When that was changed, in nanoseconds: another file is read anew.

    Raises:
        ConfigurationError: It cannot be loaded.
    """
    del modified
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ConfigurationError(f"{path}: the tokenizer cannot be loaded; {MEND}") from error


def session(path: Path) -> InferenceSession:
    """A graph that is run on one core, one text after the other.

    Raises:
        ConfigurationError: It cannot be loaded.
    """
    # The library sends usage figures to its maker unless it is told not to before it is imported.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts run side by side instead: faster, and the sums keep their order
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # a waiting engine uses no core
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors share no public base
        raise ConfigurationError(f"{path}: ONNX Runtime cannot load the model; {MEND}") from error
