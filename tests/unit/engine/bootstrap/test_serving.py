"""Both servers as one: which of them run, and what happens when a port is another process's."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.bootstrap.serving import Servers
from engine.client import AssistanceClient
from engine.conversation.store.sql import SqlSessionStore
from engine.errors import ConfigurationError
from engine.rpc.server import GrpcServer
from engine.service.methods import AssistanceService
from engine.settings import Settings
from engine.testing import ScriptedRouter
from tests.serving import ScriptedAnswers, endless


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable and no .env of the machine that runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def taken() -> Iterator[str]:
    """An address that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def servers(folder: Path, **values: Any) -> Servers:
    settings = Settings(engine_data_dir=folder, **values)
    store = SqlSessionStore(folder / "sessions.sqlite3")
    service = AssistanceService(ScriptedAnswers(endless), ScriptedRouter(), store, folder / "none")
    grpc = GrpcServer(service, address="127.0.0.1:0", checks={}, reflection_on=False)
    return Servers(settings, service, grpc)


async def web_answers(address: str) -> bool:
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            return (await client.get(f"http://{address}/readyz")).is_success
        except httpx.TransportError:
            return False


async def test_both_run_and_stop_as_one(tmp_path: Path) -> None:
    both = servers(tmp_path, engine_web_address="127.0.0.1:0")
    await both.start()
    assert both.web is not None
    assert await web_answers(both.web.address)
    await both.stop(0)
    assert not await web_answers(both.web.address)
    async with AssistanceClient(both.grpc.address) as client:
        assert not await client.serving()


async def test_nothing_for_an_address_is_grpc_alone(tmp_path: Path) -> None:
    alone = servers(tmp_path, engine_web_address="")
    assert alone.web is None
    await alone.start()
    async with AssistanceClient(alone.grpc.address) as client:
        assert await client.serving()
    await alone.stop(0)


async def test_an_address_that_was_asked_for_has_to_be_free(tmp_path: Path, taken: str) -> None:
    both = servers(tmp_path, engine_web_address=taken)
    with pytest.raises(ConfigurationError, match=f"ENGINE_WEB_ADDRESS: cannot listen on {taken}"):
        await both.start()
    async with AssistanceClient(both.grpc.address) as client:
        assert not await client.serving()


async def test_a_default_address_that_is_taken_leaves_grpc_alone_and_says_so(
    tmp_path: Path, taken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Settings.model_fields["engine_web_address"], "default", taken)
    Settings.model_rebuild(force=True)
    try:
        both = servers(tmp_path)
    finally:
        monkeypatch.undo()
        Settings.model_rebuild(force=True)
    await both.start()
    assert both.web is None
    async with AssistanceClient(both.grpc.address) as client:
        assert await client.serving()
    await both.stop(0)
    printed = capsys.readouterr()
    assert f"[serve] no web: ENGINE_WEB_ADDRESS: cannot listen on {taken}" in printed.out + printed.err
