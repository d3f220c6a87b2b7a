"""Stored sessions routed again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Layer, Opinion, Query, QueryType
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from engine.routing.replay import replay_sessions


class Scripted:
    """A layer that says what it is told of each text, and keeps what it was asked."""

    def __init__(self, layer: Layer, types: dict[str, QueryType]) -> None:
        self.layer = layer
        self.types = types
        self.asked: list[Query] = []

    async def decide(self, query: Query) -> Opinion:
        return self.decide_many([query])[0]

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        self.asked += queries
        return [Opinion(self.layer, self.types.get(query.text), 0.9, "scripted") for query in queries]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


async def put(store: SqlSessionStore, name: str, layer: Layer = Layer.EMBEDDING, **more: Any) -> None:
    values: dict[str, Any] = {"type": QueryType.RETRIEVAL, "session_id": "s"} | more
    await store.append(
        TurnRecord(
            name,
            "ana",
            query=f"text {name}",
            answer="",
            layer=layer,
            outcome=Outcome.COMPLETE,
            created_at=1.0,
            **values,
        )
    )


def layers(**types: QueryType) -> tuple[Scripted, Scripted]:
    return Scripted(Layer.PREFIX, {}), Scripted(Layer.EMBEDDING, {f"text {name}": kind for name, kind in types.items()})


async def test_flips_are_counted_and_held_against_what_is_known(store: SqlSessionStore) -> None:
    await put(store, "same")
    await put(store, "mended", corrected_type=QueryType.PLATFORM)
    await put(store, "broken", Layer.LLM)
    await put(store, "unknown", Layer.DEFAULT)
    await put(store, "declared", Layer.DECLARED)
    await put(store, "left", Layer.LLM, type=QueryType.PLATFORM)
    kinds = {"same": QueryType.RETRIEVAL, "declared": QueryType.PLATFORM}
    kinds |= dict.fromkeys(("mended", "broken", "unknown"), QueryType.PLATFORM)
    found = await replay_sessions(store, *layers(**kinds))
    assert (found.turns, found.undecided, found.mended, found.broken) == (6, 1, 1, 1)
    assert [(flip.turn_id, flip.label, flip.source) for flip in found.flips] == [
        ("mended", "PLATFORM", "corrected"), ("broken", "RETRIEVAL", "layer_3"), ("unknown", "", ""),
    ]  # fmt: skip
    assert found.counts == {"RETRIEVAL -> PLATFORM": 3}


async def test_a_turn_is_routed_with_the_turns_before_it(store: SqlSessionStore) -> None:
    for number in range(15):
        await put(store, f"t{number}", editor=number == 3)
    await put(store, "other", session_id="z")
    prefixes, layer2 = layers()
    await replay_sessions(store, prefixes, layer2)
    assert [len(query.history) for query in layer2.asked] == [*range(13), 12, 12, 0]
    assert layer2.asked[14].history[-1].query == "text t13"
    assert [query.has_selection for query in layer2.asked].index(True) == 3


async def test_texts_are_shown_only_where_they_are_asked_for(store: SqlSessionStore) -> None:
    await put(store, "a", Layer.LLM)
    found = await replay_sessions(store, *layers(a=QueryType.PLATFORM))
    assert "text a" not in str(found.to_json()) + found.table()
    assert found.to_json(texts=True)["flips"][0]["text"] == "text a"
    assert "text a" in found.table(texts=True)
    assert found.table().splitlines()[0] == "1 turns, 1 flips, 0 no longer decided by layer 2"
    assert "a  RETRIEVAL -> PLATFORM  label RETRIEVAL (layer_3)" in found.table()


async def test_an_empty_store_has_no_flips(store: SqlSessionStore) -> None:
    found = await replay_sessions(store, *layers())
    assert found.to_json() == {"turns": 0, "undecided": 0, "mended": 0, "broken": 0, "counts": {}, "flips": []}
