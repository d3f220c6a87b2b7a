"""The bundled embedding model, run with ONNX Runtime on the CPU."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigurationError
from engine.retrieval.embedding.cache import text_digest

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

#: Threads when none are asked for: the machine's cores, at most this many, so that indexing leaves room for serving.
DEFAULT_THREADS = 4

#: Texts whose lower half is kept for the vector: of up to 256 tokens and 384 numbers each, 12 MB at most.
MOST_BEGUN = 32

_LOWER, _UPPER, _INTENT, _TOKENIZER, _CARD = "lower.onnx", "upper.onnx", "intent.onnx", "tokenizer.json", "card.json"
_MEND = "restore the folder from the release, or write it anew with scripts/export_embedder.py"


#: What the lower layers make of a text, shape `[1, tokens, width]`.
States = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Card:
    """What `card.json` says about the files beside it.

    Attributes:
        id: Name of the model and of its number format; vectors under different ids do not compare.
        dimensions: Length of a vector.
        max_tokens: Tokens of a text that are read, the two special ones included; the rest is cut off.
        sizes: Bytes of each file.
        sha256: Digest in hex of each file.
        intents: Number of logits that the layers fitted to the types give.
    """

    id: str
    dimensions: int
    max_tokens: int
    sizes: dict[str, int]
    sha256: dict[str, str]
    intents: int


class OnnxEmbedder:
    """Turns texts into unit vectors with all-MiniLM-L6-v2 in int8, offline, on the CPU.

    Every text is its own run of the graph, and `threads` texts run at the same time on one core each. Dynamic int8
    takes one scale per activation tensor, so in a padded batch a text's vector depends on its batch mates: in batches
    of up to 32 sorted by length the cosine to the vector of the same text alone fell to 0.930 (the text "OK."; largest
    difference of a component 0.074), over 192 passages of 120 words to 0.984 (0.035). Batches were not faster either:
    those passages took 1.25 times as long. Alone, a text has the same vector to the last bit, whatever is embedded
    with it and however many threads there are. Another kind of processor gives slightly other vectors: on 45 short
    texts the mean cosine to fp32 was 0.9925 with VNNI instructions and 0.9909 without (emulated Haswell).

    Thread-safe. Nothing is read before `id`, `dimensions`, `verify`, `warm_up` or `embed` is used; `embed` warms up
    by itself when nobody did.

    Args:
        folder: Holds `lower.onnx`, `upper.onnx`, `tokenizer.json` and `card.json` as `scripts/export_embedder.py`
            writes them, and `intent.onnx` as `scripts/tune_intent.py` does.
        threads: Texts embedded at the same time. 0: as many as the machine has cores, at most `DEFAULT_THREADS`.

    Source:
        Reimers and Gurevych 2019, Sentence-BERT (arXiv:1908.10084) for mean pooling over the attention mask; the
        model card of sentence-transformers/all-MiniLM-L6-v2 for the 256 tokens and the unit length.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads or min(os.cpu_count() or 1, DEFAULT_THREADS)
        self._lock = threading.Lock()
        self._parts: _Parts | None = None
        self._begun: OrderedDict[bytes, States] = OrderedDict()

    @property
    def id(self) -> str:
        """Name of the model and its number format, from the card.

        Raises:
            ConfigurationError: The card is missing or unreadable.
        """
        return self._card.id

    @property
    def dimensions(self) -> int:
        """Length of a vector, from the card.

        Raises:
            ConfigurationError: The card is missing or unreadable.
        """
        return self._card.dimensions

    @property
    def intent_id(self) -> str:
        """`id`, and which layers are fitted to the types. Raises as `id` does."""
        return f"{self._card.id}+intent-{self._card.sha256[_INTENT][:8]}"

    @property
    def intents(self) -> int:
        """Number of logits that `intents_of` gives. Raises as `id` does."""
        return self._card.intents

    def warm_up(self) -> None:
        """Loads the tokenizer and the graph and embeds a word, so that the first query does not wait. Idempotent.

        Raises:
            ConfigurationError: A file is missing, has another size than the card says, or cannot be loaded.
        """
        self.intents_of(["warm"])
        self.embed(["warm"])

    def verify(self) -> None:
        """Compares the files with the checksums of the card; reads them whole, about 30 ms.

        Raises:
            ConfigurationError: A file is missing, or its size or SHA-256 is not the card's.
        """
        for name, expected in self._card.sha256.items():
            path = self._sized(name)
            if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
                raise ConfigurationError(f"{path}: its sha256 is not the one in {_CARD}; {_MEND}")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of `texts`, in their order.

        Args:
            texts: Any Unicode text. What lies beyond the model's 256 tokens is not read; the empty string has a
                vector as well (that of the two special tokens).

        Returns:
            Array of shape `[len(texts), dimensions]`, rows of Euclidean length 1: their dot product is the cosine.

        Raises:
            ConfigurationError: The model was not loaded yet and cannot be, as in `warm_up`.
        """
        return self._each(texts, self.dimensions, _Parts.vector)

    def intents_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """What the layers fitted to the types make of `texts`, in their order.

        As fast as `embed`: the lower half of the layers is run, and the fitted ones in place of the upper half. Of a
        text that comes alone the lower half is kept, for an `embed` that follows.

        Returns:
            Logits, array of shape `[len(texts), intents]`.

        Raises:
            ConfigurationError: As in `embed`.
        """
        return self._each(texts, self.intents, _Parts.logits, keep=len(texts) == 1)

    def _each(
        self,
        texts: Sequence[str],
        width: int,
        finish: Callable[[_Parts, States], NDArray[np.float32]],
        *,
        keep: bool = False,
    ) -> NDArray[np.float32]:
        """What `finish` makes of each text's states, on as many cores as there are threads; shape `[n, width]`."""
        found = np.empty((len(texts), width), dtype=np.float32)
        if not texts:
            return found
        parts = self._load()
        encodings = parts.tokenizer.encode_batch([_encodable(text) for text in texts])

        def fill(row: int) -> None:
            states = self._take(texts[row])
            if states is None:
                states = parts.states(encodings[row])
            if keep:
                self._keep(texts[row], states)
            found[row] = finish(parts, states)

        if len(texts) == 1 or self._threads == 1:
            for row in range(len(texts)):
                fill(row)
            return found
        longest_first = sorted(range(len(texts)), key=lambda row: -sum(encodings[row].attention_mask))
        with ThreadPoolExecutor(min(self._threads, len(texts)), thread_name_prefix="embed") as pool:
            for _ in pool.map(fill, longest_first):
                pass
        return found

    def _take(self, text: str) -> States | None:
        """What the lower half made of `text`, if it is still kept; it is kept no longer."""
        if not self._begun:
            return None
        with self._lock:
            return self._begun.pop(text_digest(text), None)

    def _keep(self, text: str, states: States) -> None:
        with self._lock:
            self._begun[text_digest(text)] = states
            while len(self._begun) > MOST_BEGUN:
                self._begun.popitem(last=False)

    @cached_property
    def _card(self) -> _Card:
        path = self._folder / _CARD
        try:
            card = json.loads(path.read_text(encoding="utf-8"))
            return _Card(
                id=str(card["id"]),
                dimensions=int(card["dimensions"]),
                max_tokens=int(card["max_tokens"]),
                sizes={str(name): int(size) for name, size in card["bytes"].items()},
                sha256={str(name): str(digest) for name, digest in card["sha256"].items()},
                intents=len(card["intent"]["outputs"]),
            )
        except OSError as error:
            raise ConfigurationError(f"{path}: the embedding model's card cannot be read; {_MEND}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigurationError(f"{path}: not a card of an embedding model; {_MEND}") from error

    def _sized(self, name: str) -> Path:
        """The path of a file that is there and as long as the card says."""
        path = self._folder / name
        if not path.is_file():
            raise ConfigurationError(f"{path}: this file of the embedding model is missing; {_MEND}")
        found, expected = path.stat().st_size, self._card.sizes.get(name)
        if found != expected:
            raise ConfigurationError(f"{path}: {found} bytes where {_CARD} says {expected}; {_MEND}")
        return path

    def _load(self) -> _Parts:
        """The tokenizer and the graphs, loaded by whoever comes first."""
        if self._parts is None:
            with self._lock:
                if self._parts is None:
                    lower, upper, intent, tokenizer = (self._sized(n) for n in (_LOWER, _UPPER, _INTENT, _TOKENIZER))
                    tokens = _tokenizer(tokenizer, self._card.max_tokens)
                    self._parts = _Parts(tokens, _session(lower), _session(upper), _session(intent))
        return self._parts


@dataclass(frozen=True, slots=True)
class _Parts:
    """The model as it is run: the lower half of its layers, then one of two upper halves.

    Attributes:
        tokenizer: Cuts at the card's tokens.
        lower: From tokens to states.
        upper: The layers as they were published: from states to the vector.
        intent: The layers fitted to the types: from states to logits.
    """

    tokenizer: Tokenizer
    lower: InferenceSession
    upper: InferenceSession
    intent: InferenceSession

    def states(self, encoding: Encoding) -> States:
        """One text up to the middle: shape `[1, tokens, width]`."""
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
        }
        states: States = self.lower.run(["states"], inputs)[0]
        return states

    def vector(self, states: States) -> NDArray[np.float32]:
        """From the middle on, pooled and normalised in the graph: shape `[dimensions]`, length 1."""
        inputs = {"states": states, "attention_mask": np.ones(states.shape[:2], dtype=np.int64)}
        vector: NDArray[np.float32] = self.upper.run(["embedding"], inputs)[0][0]
        return vector

    def logits(self, states: States) -> NDArray[np.float32]:
        """From the middle on through the fitted layers: shape `[intents]`."""
        logits: NDArray[np.float32] = self.intent.run(["intent"], {"states": states})[0][0]
        return logits


def _tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ConfigurationError(f"{path}: the tokenizer cannot be loaded; {_MEND}") from error
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()  # the file asks for padding to 128
    return tokenizer


def _session(path: Path) -> InferenceSession:
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
        raise ConfigurationError(f"{path}: ONNX Runtime cannot load the model; {_MEND}") from error


def _encodable(text: str) -> str:
    """Lone surrogates, which the tokenizer refuses, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
