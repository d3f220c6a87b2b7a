"""What is made at the start of a service and the garbage collector; what is said of an empty index."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli.common import empty_index, uncollected
from engine.retrieval.local.lock import writer_lock
from engine.settings import load_settings


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def seen_by_the_collector(thing: object) -> bool:
    return any(one is thing for one in gc.get_objects())


def test_the_collector_does_not_look_at_what_was_made_within() -> None:
    with uncollected():
        assert not gc.isenabled()
        within: list[list[str]] = [[]]
    after: list[list[str]] = [[]]
    assert gc.isenabled()
    assert not seen_by_the_collector(within)
    assert seen_by_the_collector(after)


def test_a_start_that_fails_leaves_the_collector_on() -> None:
    with pytest.raises(OSError, match="no"), uncollected():
        raise OSError("no")
    assert gc.isenabled()


def test_an_index_that_is_being_filled_is_not_called_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_DATA_DIR", str(tmp_path))
    settings = load_settings()
    assert "the index is empty; fill it with" in empty_index(settings)
    with writer_lock(settings.index_dir):
        assert "another command is filling it" in empty_index(settings)
