"""An embedder that remembers the last texts, so that router and retriever encode a query once."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, PassingOn

#: Vectors kept by default: at 384 dimensions, 512 of them are 0.8 MB.
DEFAULT_CAPACITY = 512


class MemoEmbedder(PassingOn):
    """A least-recently-used memo before another embedder; the same Protocol, the same id.

    Only texts that come alone are remembered, unless `batches` is set: a batch is somebody indexing, and would push
    every query out. A batch still takes what is already known. Texts are kept as digests, so the memo holds no query.
    Thread-safe; the inner embedder runs outside the lock, so two threads that ask for one new text at once may both
    encode it.

    Args:
        inner: What encodes.
        capacity: Vectors to keep, at least 1.
        batches: Texts that come together are remembered too.

    Raises:
        ValueError: `capacity` is less than 1.
    """

    def __init__(self, inner: Embedder, capacity: int = DEFAULT_CAPACITY, *, batches: bool = False) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        super().__init__(inner)
        self._capacity = capacity
        self._batches = batches
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of `texts`, shape (len(texts), dimensions), in the order given; the caller's own copy."""
        return self._remembered(texts, self.inner.embed, "")

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same for queries: the same vectors, unless the inner embedder reads them otherwise than passages."""
        return self._remembered(texts, self.inner.embed_queries, "query ")

    def embed_names(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`: names are remembered as queries are."""
        return self._remembered(texts, self.inner.embed_names, "name ")

    def _remembered(
        self, texts: Sequence[str], encode: Callable[[Sequence[str]], NDArray[np.float32]], role: str
    ) -> NDArray[np.float32]:
        keys = [text_digest(role + text) for text in texts]
        known = self._recall(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            known.update(zip(missing, encode(list(missing.values())), strict=True))
            if self._batches or len(keys) == 1:
                for key in dict.fromkeys(keys):
                    self._keep(key, known[key])
        if not keys:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def _recall(self, keys: list[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _keep(self, key: bytes, vector: NDArray[np.float32]) -> None:
        with self._lock:
            self._vectors[key] = vector.copy()
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


class KeptStates:
    """States of the last texts, by their digest, up to so many tokens of all together. Thread-safe.

    Args:
        most: Tokens.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tokens = 0
        self._kept: OrderedDict[bytes, NDArray[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> NDArray[Any] | None:
        """What is kept, shape `[1, tokens, width]`."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: bytes, states: NDArray[Any]) -> None:
        """Keeps states as the last ones asked for."""
        with self._lock:
            before = self._kept.pop(key, None)
            self._tokens += states.shape[1] - (0 if before is None else before.shape[1])
            self._kept[key] = states
            while self._tokens > self._most:
                self._tokens -= self._kept.popitem(last=False)[1].shape[1]


def text_digest(text: str) -> bytes:
    """Stands for a text where texts are remembered, so that none is kept."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
