"""An embedding model of the reader's choice, run by sentence-transformers: `BAAI/bge-m3` and its like.

torch comes with it, so it is an extra and is imported when the model is loaded, not before.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.errors import ConfigurationError

_INSTALL = "pip install 'assistance-engine[transformers]'"
#: Texts in one run of the model; those of several callers share it.
_BATCH = 32
#: Tokens that are read of a text when the model names no limit of its own.
_LONGEST = 8192
#: Files whose content says which revision a local folder is.
_DESCRIBING = ("*.json", "*/config.json", "*.txt")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Texts of one caller, and the promise of their vectors."""

    texts: list[str]
    query: bool
    vectors: Future[NDArray[np.float32]] = field(default_factory=Future)


class TransformersEmbedder(Embedder):
    """Turns texts into unit vectors with a model in sentence-transformers' file format.

    One thread runs the model: callers put their texts into a queue, and those that came together go through it in one
    batch. Models that want it told get a prefix for queries and one for passages, as their own
    `config_sentence_transformers.json` has them. Thread-safe; nothing is loaded before it is used.

    Args:
        model: A name on the model hub, or a folder.
        device: Where it runs, such as `cpu` or `cuda:1`; `auto` takes an accelerator where there is one.
        load: Makes the model; a test gives its own.

    Source:
        Reimers and Gurevych 2019, Sentence-BERT (arXiv:1908.10084); the library's documentation of prompts.
    """

    def __init__(self, model: str, device: str = "auto", load: Callable[[str, str | None], Any] | None = None) -> None:
        self._name = model
        self._device = None if device == "auto" else device
        self._load = load or _load
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._id = ""
        self._queue: queue.SimpleQueue[_Wanted | None] = queue.SimpleQueue()
        self._worker: threading.Thread | None = None

    @property
    def id(self) -> str:
        """The model and its revision: vectors under different ids do not compare.

        Raises:
            ConfigurationError: The model cannot be loaded.
        """
        self.warm_up()
        return self._id

    @property
    def dimensions(self) -> int:
        """Length of a vector.

        Raises:
            ConfigurationError: The model cannot be loaded.
        """
        self.warm_up()
        measure = (
            getattr(self._loaded, "get_embedding_dimension", None) or self._loaded.get_sentence_embedding_dimension
        )
        return int(measure())

    def warm_up(self) -> None:
        """Loads the model and starts its thread. Idempotent.

        Raises:
            ConfigurationError: The extra is not installed, or there is no such model; the message has the mend.
        """
        with self._lock:
            if self._loaded is not None:
                return
            try:
                loaded = self._load(self._name, self._device)
            except ImportError as error:
                raise ConfigurationError(
                    f"EMBEDDING_MODEL: {self._name} needs sentence-transformers; run {_INSTALL}"
                ) from error
            except Exception as error:
                raise ConfigurationError(
                    f"EMBEDDING_MODEL: {self._name} cannot be loaded ({type(error).__name__}); name a folder or a "
                    "model of the hub in sentence-transformers' format, reachable from here, and a device that exists"
                ) from error
            _limit(loaded)
            self._id = f"{self._name}@{_revision(self._name, loaded)}"
            self._loaded = loaded
            self._worker = threading.Thread(target=self._work, name="embed", daemon=True)
            self._worker.start()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of passages, in their order.

        Args:
            texts: Any Unicode text; what lies beyond the model's limit of tokens is not read.

        Returns:
            Array of shape `[len(texts), dimensions]`, rows of Euclidean length 1.

        Raises:
            ConfigurationError: The model cannot be loaded.
        """
        return self._ask(texts, query=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of queries; see `embed`. Another prefix goes before them where the model wants one."""
        return self._ask(texts, query=True)

    def close(self) -> None:
        """Ends the thread. Idempotent."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            self._queue.put(None)
            worker.join()

    def _ask(self, texts: Sequence[str], *, query: bool) -> NDArray[np.float32]:
        self.warm_up()
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        # Lone surrogates, which tokenizers refuse, become question marks.
        wanted = _Wanted([text.encode("utf-8", "replace").decode("utf-8") for text in texts], query)
        self._queue.put(wanted)
        return wanted.vectors.result()

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, ended = self._gather(first)
            for query in (False, True):
                self._encode([wanted for wanted in batch if wanted.query is query], query=query)
            if ended:
                return

    def _gather(self, first: _Wanted) -> tuple[list[_Wanted], bool]:
        """What waits already, up to a batch; and whether the end was among it."""
        batch = [first]
        while sum(len(wanted.texts) for wanted in batch) < _BATCH:
            try:
                more = self._queue.get_nowait()
            except queue.Empty:
                break
            if more is None:
                return batch, True
            batch.append(more)
        return batch, False

    def _encode(self, batch: list[_Wanted], *, query: bool) -> None:
        if not batch:
            return
        encode = self._loaded.encode_query if query else self._loaded.encode_document
        try:
            vectors = encode(
                [text for wanted in batch for text in wanted.texts],
                batch_size=_BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
            found = np.ascontiguousarray(vectors, dtype=np.float32)
        except Exception as error:  # noqa: BLE001  # whatever the model raises, those who wait are told
            for wanted in batch:
                wanted.vectors.set_exception(error)
            return
        at = 0
        for wanted in batch:
            wanted.vectors.set_result(found[at : at + len(wanted.texts)].copy())
            at += len(wanted.texts)


def _load(name: str, device: str | None) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(name, device=device, trust_remote_code=False)


def _limit(model: Any) -> None:
    """Makes sure that there is a limit of tokens: without one a long text would take all memory there is."""
    most = model.max_seq_length
    if most is None or most > _LONGEST:
        model.max_seq_length = _LONGEST


def _revision(name: str, model: Any) -> str:
    """Which state of the model this is: the hub's commit, or a digest of a folder's descriptions and weights."""
    folder = Path(name)
    if not folder.is_dir():
        config = getattr(getattr(model[0], "auto_model", None), "config", None)
        return str(getattr(config, "_commit_hash", None) or "unknown")[:12]
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _DESCRIBING for path in folder.glob(pattern)}):
        digest.update(path.read_bytes())
    for path in sorted(folder.rglob("*.safetensors")):
        with path.open("rb") as weights:
            digest.update(hashlib.file_digest(weights, "sha256").digest())
    return digest.hexdigest()[:12]
