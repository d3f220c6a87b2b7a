"""What a search takes at two sizes of the index, embedding apart, and what filling the index takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.retrieval.hybrid import CANDIDATES
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document, Half
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Row, Section, median, percentile

SMALL, LARGE = 5_000, 100_000
_DIMENSIONS = 384
_VOCABULARY = 50_000
_PASSAGE_WORDS, QUERY_WORDS = 60, 6
_BATCH = 1_000
#: Seconds after the first search in which what later ones are faster by is made.
_SETTLING = 3.0
_NOTE = (
    f"synthetic passages of {_PASSAGE_WORDS} words (Zipf over {_VOCABULARY:,}), random unit vectors of {_DIMENSIONS}, "
    f"questions of {QUERY_WORDS} words; the embedder returns stored vectors; the peer is the exact nearest "
    f"{CANDIDATES} by numpy over one array of as many vectors, on as many cores. Random "
    "vectors are the hardest for the search of many rows: those of texts leave it a fifth as many to look at."
)


class StoredVectors(Embedder):
    """An `Embedder` that looks its vectors up: what is measured is the index alone."""

    id = "bench-stored"
    dimensions = _DIMENSIONS

    def __init__(self, rows: int = 8_192) -> None:
        self.vectors = _unit(np.random.default_rng(3), rows)
        self._at = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The next vectors in turn, whatever the texts are."""
        places = np.arange(self._at, self._at + len(texts)) % len(self.vectors)
        self._at += len(texts)
        return self.vectors[places]


def measure(material: Resolution) -> Section:
    """Milliseconds of a search, and passages per second of indexing."""
    rows = [row for size in ((SMALL,) if material.quick else (SMALL, LARGE)) for row in _size(material, size)]
    return Section("retrieval", rows, _NOTE)


def _size(material: Resolution, size: int) -> list[Row]:
    rounds = 100 if material.quick else 200
    folder = material.fresh("index") / "index"
    index = LocalIndex(folder, StoredVectors())
    started = time.perf_counter()
    index.index(documents(size))
    filled = size / (time.perf_counter() - started)
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    row = asyncio.run(_searches(index, size, rounds))
    return [row, Row(f"Indexing {size:,} passages", "passages/s", filled, more={"MB on disk": megabytes})]


async def _searches(index: LocalIndex, size: int, rounds: int) -> Row:
    vectors = _unit(np.random.default_rng(5), size)
    queries = [" ".join(line) for line in words(11, rounds + 5, QUERY_WORDS)]
    times: dict[Half, list[float]] = {half: [] for half in Half}
    peers: list[float] = []
    await index.search(queries[0])
    await asyncio.sleep(_SETTLING)
    for query in queries:
        for half in Half:
            started = time.perf_counter()
            await index.search(query, half=half)
            times[half].append((time.perf_counter() - started) * 1000)
        peers.append(_exact(vectors, vectors[len(peers)]))
    await index.close()
    warm = {half: taken[5:] for half, taken in times.items()}
    both = warm[Half.BOTH]
    more = {"p95 ms": percentile(both, 0.95), "text ms": median(warm[Half.TEXT]), "dense ms": median(warm[Half.DENSE])}
    name = f"Search of {size:,} passages, p50"
    return Row(name, "ms", median(both), median(peers[5:]), "exact numpy", rounds, more)


def documents(size: int) -> Iterator[Document]:
    """Passages of words whose frequencies fall as they do in a language."""
    for place, line in enumerate(words(2, size, _PASSAGE_WORDS)):
        name = f"doc-{place}"
        yield Document(name, name, " ".join(line), "passage", f"/bench#{name}", f"{place:064x}")


def words(seed: int, rows: int, length: int) -> Iterator[list[str]]:
    """`rows` lines of `length` words, the same for the same seed."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, _VOCABULARY + 1)
    sums = np.cumsum(weights / weights.sum())
    for start in range(0, rows, _BATCH):
        drawn = np.searchsorted(sums, random.random((min(_BATCH, rows - start), length)))
        yield from ([f"w{word}x" for word in row] for row in drawn.tolist())


def _unit(random: np.random.Generator, rows: int) -> NDArray[np.float32]:
    vectors = random.standard_normal((rows, _DIMENSIONS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _exact(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> float:
    """Milliseconds of the nearest by one multiplication."""
    started = time.perf_counter()
    scores = vectors @ query
    best = np.argpartition(-scores, CANDIDATES)[:CANDIDATES]
    best[np.argsort(-scores[best])].tolist()
    return (time.perf_counter() - started) * 1000
