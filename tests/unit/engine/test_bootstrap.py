"""Which part is chosen for which settings: by presence, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Layer, Query, QueryType
from engine import bootstrap
from engine.errors import ConfigurationError
from engine.settings import Settings
from engine.testing import HashedWordsEmbedder

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
    models = bootstrap.build_models(settings(tmp_path), EMBEDDER)
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
    models = bootstrap.build_models(chosen, EMBEDDER)
    assert (models.main.name, models.light.name) == names
    assert (models.main is models.light) == (names[0] == names[1])
    await models.close()


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


async def test_layer_3_is_there_when_a_model_is(tmp_path: Path) -> None:
    routing = bootstrap.build_routing(settings(tmp_path, ollama_model_name="big"), EMBEDDER)
    assert [layer.layer for layer in routing.cascade.layers] == [Layer.PREFIX, Layer.LLM]
    await routing.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("¿Cómo registro un endpoint?", "register"),
        ("cuántas llamadas llevo este mes", "month"),
        ("How do I register an endpoint?", ""),
        ("addVar", ""),
    ],
)
def test_spanish_is_told_in_english_and_english_is_left_alone(text: str, told: str) -> None:
    gloss = bootstrap.build_gloss()(text)
    assert told in gloss.split() if told else gloss == ""


async def test_a_whole_engine_has_a_check_for_each_part(tmp_path: Path) -> None:
    async with bootstrap.engine(settings(tmp_path)) as engine:
        assert set(engine.checks) == {"index", "database", "classifier"}
        for check in engine.checks.values():
            await check()
        assert await engine.retriever.count() == 0


async def test_a_model_server_is_one_more_part(tmp_path: Path) -> None:
    async with bootstrap.engine(settings(tmp_path, ollama_model_name="big")) as engine:
        assert "ollama" in engine.checks


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", "utf-8")
    with pytest.raises(ConfigurationError, match="data"):
        async with bootstrap.engine(settings(tmp_path)):
            pass
