"""The bundled embedding model, run with ONNX Runtime on the CPU."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigurationError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

#: Threads when none are asked for: the machine's cores, at most this many, so that indexing leaves room for serving.
DEFAULT_THREADS = 4

_MODEL, _INTENT, _TOKENIZER, _CARD = "model.onnx", "intent.onnx", "tokenizer.json", "card.json"
_MEND = "restore the folder from the release, or write it anew with scripts/export_embedder.py"


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
        folder: Holds `model.onnx`, `tokenizer.json` and `card.json` as `scripts/export_embedder.py` writes them, and
            `intent.onnx` as `scripts/tune_intent.py` does.
        threads: Texts embedded at the same time. 0: as many as the machine has cores, at most `DEFAULT_THREADS`.

    Source:
        Reimers and Gurevych 2019, Sentence-BERT (arXiv:1908.10084) for mean pooling over the attention mask; the
        model card of sentence-transformers/all-MiniLM-L6-v2 for the 256 tokens and the unit length.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads or min(os.cpu_count() or 1, DEFAULT_THREADS)
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self._intent: InferenceSession | None = None

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
        """Number of logits behind a vector of `embed_with_intent`. Raises as `id` does."""
        return self._card.intents

    def warm_up(self) -> None:
        """Loads the tokenizer and the graph and embeds a word, so that the first query does not wait. Idempotent.

        Raises:
            ConfigurationError: A file is missing, has another size than the card says, or cannot be loaded.
        """
        self.embed_with_intent(["warm"])

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
        return self._each(texts, self.dimensions, _run)

    def embed_with_intent(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`, with what the layers fitted to the types make of each text behind its vector.

        Takes a third longer than `embed`: two of six layers are run twice, as they are and as they were fitted.

        Returns:
            Array of shape `[len(texts), dimensions + intents]`; what stands behind the vector are logits.
        """
        intent = self._load_intent()
        return self._each(texts, self.dimensions + self.intents, partial(_run_both, intent))

    def _each(
        self, texts: Sequence[str], width: int, run: Callable[[InferenceSession, Encoding], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """What `run` makes of each text with the encoder, on as many cores as there are threads; shape `[n, width]`."""
        vectors = np.empty((len(texts), width), dtype=np.float32)
        if not texts:
            return vectors
        tokenizer, session = self._load()
        # Lone surrogates, which the tokenizer refuses, become question marks.
        encodings = tokenizer.encode_batch([text.encode("utf-8", "replace").decode("utf-8") for text in texts])

        def fill(row: int) -> None:
            vectors[row] = run(session, encodings[row])

        if len(texts) == 1 or self._threads == 1:
            for row in range(len(texts)):
                fill(row)
            return vectors
        longest_first = sorted(range(len(texts)), key=lambda row: -sum(encodings[row].attention_mask))
        with ThreadPoolExecutor(min(self._threads, len(texts)), thread_name_prefix="embed") as pool:
            for _ in pool.map(fill, longest_first):
                pass
        return vectors

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
        except (ValueError, KeyError, TypeError, AttributeError) as error:
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

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        """The tokenizer and the session, loaded by whoever comes first."""
        with self._lock:
            if self._loaded is None:
                model, tokenizer = self._sized(_MODEL), self._sized(_TOKENIZER)
                self._loaded = _tokenizer(tokenizer, self._card.max_tokens), _session(model)
            return self._loaded

    def _load_intent(self) -> InferenceSession:
        with self._lock:
            if self._intent is None:
                self._intent = _session(self._sized(_INTENT))
            return self._intent


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


def _run(session: InferenceSession, encoding: Encoding) -> NDArray[np.float32]:
    """One text through the graph, which pools and normalises: shape `[dimensions]`, length 1."""
    vector: NDArray[np.float32] = session.run(["embedding"], _inputs(encoding))[0][0]
    return vector


def _run_both(intent: InferenceSession, encoder: InferenceSession, encoding: Encoding) -> NDArray[np.float32]:
    """One text through the encoder, and from its middle through the fitted layers: shape `[dimensions + intents]`."""
    vectors, states = encoder.run(["embedding", "states"], _inputs(encoding))
    logits = intent.run(["intent"], {"states": states})[0]
    return np.concatenate([vectors[0], logits[0]])


def _inputs(encoding: Encoding) -> dict[str, NDArray[np.int64]]:
    return {
        "input_ids": np.array([encoding.ids], dtype=np.int64),
        "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
    }
