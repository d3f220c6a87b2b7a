import asyncio
import time
from collections.abc import Sequence

from classifier.cascade import Cascade
from classifier.decision import Layer, Opinion, Query, QueryType
from classifier.evaluation.timing import CROWD, milliseconds


class Watching:
    """Decides at once, and remembers how many asked at the same time."""

    layer = Layer.EMBEDDING

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.texts: list[str] = []

    async def decide(self, query: Query) -> Opinion:
        self.texts.append(query.text)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return Opinion(self.layer, QueryType.RETRIEVAL, 1.0, "confident")

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        raise AssertionError(f"{len(queries)} are asked one by one")


async def test_each_text_is_asked_once_alone_or_in_the_crowd() -> None:
    layer = Watching()
    texts = [f"text {number}" for number in range(100)]
    found = await milliseconds(Cascade(layer), texts)
    assert layer.texts[:50] == texts[:50]
    assert sorted(layer.texts) == sorted(texts)
    assert list(found) == ["1 caller", f"{CROWD} callers"]
    assert layer.most == CROWD


async def test_figures_are_in_order() -> None:
    start = time.perf_counter()
    found = await milliseconds(Cascade(Watching()), [str(number) for number in range(64)])
    spent = (time.perf_counter() - start) * 1000
    for figures in found.values():
        assert 0 <= figures["median"] <= figures["p95"] <= spent
        assert figures["per_second"] > 0


async def test_no_texts() -> None:
    found = await milliseconds(Cascade(Watching()), [])
    assert found["1 caller"] == {"median": 0.0, "p95": 0.0, "per_second": 0.0}
