"""Which part is chosen for which settings: by presence, and nothing else."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Layer, Query, QueryType
from engine import bootstrap
from engine.answering.ports import fold
from engine.bootstrap import assembly, embedders
from engine.domain import Completed, Turn
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.settings import Settings
from engine.testing import HashedWordsEmbedder
from tests.ollama_server import FakeOllama

EMBEDDER = HashedWordsEmbedder()


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable and no .env of the machine that runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def settings(tmp_path: Path, **values: Any) -> Settings:
    return Settings(engine_data_dir=tmp_path / "data", **values)


async def test_without_a_model_both_slots_quote(tmp_path: Path) -> None:
    models = bootstrap.build_models(settings(tmp_path), ExtractiveAnswerer(EMBEDDER))
    assert (models.main.name, models.light.name) == ("extractive", "extractive")


@pytest.mark.parametrize(
    ("main", "light", "names"),
    [
        ("big", "", ("big", "big")),
        ("big", "small", ("big", "small")),
        ("", "small", ("extractive", "small")),
        ("same", "same", ("same", "same")),
    ],
)
async def test_a_slot_falls_back(tmp_path: Path, main: str, light: str, names: tuple[str, str]) -> None:
    chosen = settings(tmp_path, ollama_model_name=main, ollama_model_name_conversational=light)
    models = bootstrap.build_models(chosen, ExtractiveAnswerer(EMBEDDER))
    assert (models.main.name, models.light.name) == names
    assert (models.main is models.light) == (names[0] == names[1])
    await models.close()


async def test_figures_are_told_by_the_bundled_encoder_whatever_the_search_is_encoded_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "build_embedder", lambda _settings: MemoEmbedder(EMBEDDER))
    context = '{"seats": {"used": 7, "limit": 10}, "plan": "Team"}'
    async with bootstrap.engine(settings(tmp_path, embedding_model="another")) as engine:
        asked = Turn("How many seats are left?", "s", declared=QueryType.PLATFORM, extra_context=context)
        async with aclosing(engine.answers.answer(asked)) as events:
            said = [event async for event in events][-1]
    assert isinstance(said, Completed)
    assert "3" in said.answer.text


def test_the_artifact_is_the_one_named_else_the_trained_one_else_the_shipped_one(tmp_path: Path) -> None:
    shipped = bootstrap.artifact_path(settings(tmp_path))
    assert shipped == bootstrap.CLASSIFIER_DATA / "classifier_model.npz"
    trained = tmp_path / "data" / "classifier_model.npz"
    trained.parent.mkdir()
    trained.write_bytes(b"")
    assert bootstrap.artifact_path(settings(tmp_path)) == trained
    named = tmp_path / "named.npz"
    assert bootstrap.artifact_path(settings(tmp_path, classifier_model_path=named)) == named


async def test_an_artifact_of_another_embedder_leaves_layer_2_off(tmp_path: Path) -> None:
    routing = bootstrap.build_routing(settings(tmp_path), EMBEDDER)
    assert routing.layer2 is None
    with pytest.raises(ConfigurationError, match="layer 2 of the router is off"):
        await routing.check()
    decision = await routing.cascade.decide(Query("What is addVar?"))
    assert (decision.type, decision.layer) == (QueryType.RETRIEVAL, Layer.DEFAULT)
    await routing.close()


class OtherModel:
    """Takes the place of a model of sentence-transformers."""

    max_seq_length = 512

    def __getitem__(self, place: int) -> None:
        return None

    def get_embedding_dimension(self) -> int:
        return 8

    def encode_document(self, texts: list[str], **options: Any) -> Any:
        return HashedWordsEmbedder(8).embed(texts)

    encode_query = encode_document


async def test_layer_2_keeps_to_the_bundled_embedder_until_it_is_trained_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.retrieval.embedding.sentence_transformers._load", lambda _name, _device: OtherModel())
    chosen = settings(tmp_path, embedding_model="other/model")
    embedder = bootstrap.build_embedder(chosen)
    assert (embedder.id, embedder.dimensions) == ("other/model@unknown", 8)
    routing = bootstrap.build_routing(chosen, embedder)
    assert routing.layer2 is not None
    await routing.check()
    await routing.close()


@pytest.mark.parametrize(("model", "loads"), [("", 1), ("other/model", 1)])
async def test_the_bundled_encoder_is_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, loads: int
) -> None:
    loaded: list[OnnxEmbedder] = []
    real = OnnxEmbedder.warm_up

    def warm_up(self: OnnxEmbedder) -> None:
        loaded.append(self)
        real(self)

    embedders._second.cache_clear()
    monkeypatch.setattr(OnnxEmbedder, "warm_up", warm_up)
    monkeypatch.setattr("engine.retrieval.embedding.sentence_transformers._load", lambda _name, _device: OtherModel())
    chosen = settings(tmp_path, embedding_model=model)
    routing = bootstrap.build_routing(chosen, bootstrap.build_embedder(chosen))
    decision = await routing.cascade.decide(Query("Can you put that in fewer words?"))
    assert decision.layer is Layer.EMBEDDING
    assert len(loaded) == loads
    await routing.close()


def test_what_may_embed_nothing_loads_the_encoder_with_the_first_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "card.json").write_bytes((embedders.MODEL_DIR / "card.json").read_bytes())
    monkeypatch.setattr(embedders, "MODEL_DIR", tmp_path)  # a card, and no file that it names
    chosen = settings(tmp_path)
    later = bootstrap.build_embedder(chosen, load=False)
    assert later.dimensions == 384
    for use in (lambda: later.embed(["a text"]), lambda: bootstrap.build_embedder(chosen)):
        with pytest.raises(ConfigurationError, match=r"is missing; restore"):
            use()


async def test_an_artifact_that_cannot_be_read_leaves_the_chosen_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.retrieval.embedding.sentence_transformers._load", lambda _name, _device: OtherModel())
    chosen = settings(tmp_path, embedding_model="other/model", classifier_model_path=tmp_path / "none.npz")
    routing = bootstrap.build_routing(chosen, bootstrap.build_embedder(chosen))
    assert routing.source.embedder.id == "other/model@unknown"
    assert routing.layer2 is None
    await routing.close()


async def test_an_artifact_of_an_embedder_that_is_not_at_hand_names_the_command(tmp_path: Path) -> None:
    routing = bootstrap.build_routing(settings(tmp_path), EMBEDDER)
    with pytest.raises(ConfigurationError, match=r"at hand is hashed-words-64; train one .* `assistance-engine train`"):
        await routing.check()
    await routing.close()


async def test_layer_3_is_there_when_a_model_is(tmp_path: Path) -> None:
    routing = bootstrap.build_routing(settings(tmp_path, ollama_model_name="big"), EMBEDDER)
    assert [layer.layer for layer in routing.cascade.layers] == [Layer.PREFIX, Layer.LLM]
    await routing.close()


async def test_a_whole_engine_has_a_check_for_each_part(tmp_path: Path) -> None:
    async with bootstrap.engine(settings(tmp_path)) as engine:
        assert set(engine.checks) == {"index", "database", "classifier"}
        for check in engine.checks.values():
            await check()
        assert await engine.retriever.count() == 0


async def test_a_model_server_is_one_more_part(tmp_path: Path) -> None:
    async with bootstrap.engine(settings(tmp_path, ollama_model_name="big")) as engine:
        assert "ollama" in engine.checks


async def test_models_are_loaded_once_each_after_the_start_without_delaying_it(tmp_path: Path) -> None:
    async with FakeOllama().running() as server:
        server.models, server.loaded = ["big", "small"], []
        server.loading.clear()
        chosen = settings(
            tmp_path, ollama_model_name="big", ollama_model_name_conversational="small", ollama_host=server.host
        )
        async with bootstrap.engine(chosen) as engine:
            assert server.probes == []
            background = asyncio.create_task(engine.background())
            async with asyncio.timeout(5):
                while "/api/generate" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
                    await asyncio.sleep(0.001)
                # Serving goes on while a model is being loaded.
                assert not background.done()
                await engine.checks["ollama"]()
                server.loading.set()
                while server.probes.count("/api/ps") < 2:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
            background.cancel()
            with pytest.raises(asyncio.CancelledError):
                await background


async def test_sessions_are_kept_where_the_address_says(tmp_path: Path) -> None:
    here = bootstrap.open_store(settings(tmp_path))
    await here.ping()
    assert (tmp_path / "data" / "sessions.sqlite3").exists()
    await here.close()
    # Nothing listens on the port; the store says so when it is asked, and not before.
    there = bootstrap.open_store(settings(tmp_path, database_url="postgresql+psycopg://engine:canary@127.0.0.1:1/none"))
    with pytest.raises(DependencyUnavailable, match=r"database: it cannot be reached .* DATABASE_URL") as raised:
        await there.ping()
    assert "canary" not in str(raised.value)
    await there.close()


async def test_an_engine_whose_database_is_away_starts_and_says_so(tmp_path: Path) -> None:
    chosen = settings(tmp_path, database_url="postgresql+psycopg://engine@127.0.0.1:1/none")
    async with bootstrap.engine(chosen) as engine:
        with pytest.raises(DependencyUnavailable, match="database"):
            await engine.checks["database"]()
        with pytest.raises(DependencyUnavailable, match="database"):
            await fold(engine.answers.answer(Turn("hello", "s", principal="ana")))


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", "utf-8")
    with pytest.raises(ConfigurationError, match="data"):
        async with bootstrap.engine(settings(tmp_path)):
            pass


async def test_the_index_is_embedded_unless_an_elasticsearch_is_named(tmp_path: Path) -> None:
    local = bootstrap.open_index(settings(tmp_path), EMBEDDER)
    assert (type(local).__name__, bootstrap.index_name(settings(tmp_path))) == ("LocalIndex", "index")
    # Nothing listens there: that is no reason not to start.
    named = settings(tmp_path, elasticsearch_url="http://127.0.0.1:9", elasticsearch_index="x")
    elastic = bootstrap.open_index(named, EMBEDDER)
    assert (type(elastic).__name__, bootstrap.index_name(named)) == ("ElasticIndex", "elasticsearch")
    with pytest.raises(DependencyUnavailable, match="nothing answers at ELASTICSEARCH_URL"):
        await elastic.ping()
    await elastic.close()
    await local.close()


async def test_what_was_made_is_closed_where_a_later_part_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    class Closing:
        locks, ping = None, None

        def __init__(self, name: str) -> None:
            self.name = name

        async def close(self) -> None:
            closed.append(self.name)

    def fail(*_: Any) -> None:
        raise ConfigurationError("TOOLS_FILE: is not there")

    for part in ("open_index", "open_store", "build_models"):
        monkeypatch.setattr(f"engine.bootstrap.assembly.{part}", lambda *_, name=part: Closing(name))
    monkeypatch.setattr("engine.bootstrap.assembly.build_workflow", fail)
    with pytest.raises(ConfigurationError, match="TOOLS_FILE"):
        async with bootstrap.engine(settings(tmp_path), MemoEmbedder(EMBEDDER)):
            raise AssertionError("it was built")
    assert closed == ["build_models", "open_store", "open_index"]
