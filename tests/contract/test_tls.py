"""TLS and mTLS on both servers, over real connections."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from engine.client import AssistanceClient
from engine.domain import Event, Turn
from engine.errors import DependencyUnavailable, Unauthenticated
from engine.identity.keys import KeyFile
from engine.identity.port import Scope
from engine.identity.tls import ClientTls, read_client_tls, read_server_tls
from engine.service.access import Access
from tests.certificates import LOOPBACK, Authority
from tests.serving import serving


async def silent(_turn: Turn) -> AsyncGenerator[Event]:
    return
    yield


async def reached_by_grpc(address: str, tls: ClientTls | None, token: str = "") -> bool:
    async with AssistanceClient(address, timeout=20, tls=tls, token=token) as client:
        try:
            await client.sessions()
        except DependencyUnavailable:
            return False
        return True


async def reached_by_http(address: str, ca: Path, pair: tuple[Path, Path] | None = None) -> bool:
    context = ssl.create_default_context(cafile=str(ca))
    if pair is not None:
        context.load_cert_chain(*pair)
    async with httpx.AsyncClient(verify=context, trust_env=False) as client:
        try:
            return (await client.get(f"https://{address}/healthz")).status_code == 200
        except httpx.TransportError:
            return False


async def test_both_servers_speak_tls_and_nothing_else(tmp_path: Path) -> None:
    ours, others = Authority(tmp_path / "ours", "root"), Authority(tmp_path / "others", "root")
    tls = read_server_tls(*ours.issue("server", LOOPBACK))
    async with serving(tmp_path, silent, tls=tls) as served:
        assert await reached_by_grpc(served.grpc.address, read_client_tls(ours.path))
        assert await reached_by_http(served.web.address, ours.path)
        assert not await reached_by_grpc(served.grpc.address, read_client_tls(others.path))
        assert not await reached_by_http(served.web.address, others.path)
        assert not await reached_by_grpc(served.grpc.address, None)
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(httpx.TransportError):
                await client.get(f"http://{served.web.address}/healthz")


async def test_old_versions_of_tls_are_refused(tmp_path: Path) -> None:
    ours = Authority(tmp_path / "ours", "root")
    context = read_server_tls(*ours.issue("server", LOOPBACK)).context()
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


async def test_clients_show_a_certificate_of_the_right_authority(tmp_path: Path) -> None:
    ours, others = Authority(tmp_path / "ours", "root"), Authority(tmp_path / "others", "root")
    tls = read_server_tls(*ours.issue("server", LOOPBACK), ours.path)
    good, wrong = ours.issue("client"), others.issue("client")
    async with serving(tmp_path, silent, tls=tls) as served:
        for pair, let_in in ((good, True), (wrong, False), (None, False)):
            shown = read_client_tls(ours.path, pair=pair)
            assert await reached_by_grpc(served.grpc.address, shown) is let_in, pair
            assert await reached_by_http(served.web.address, ours.path, pair) is let_in, pair


async def test_a_certificate_is_no_identity(tmp_path: Path) -> None:
    ours = Authority(tmp_path / "ours", "root")
    keys = KeyFile(tmp_path / "keys.json")
    _, text = keys.create("Ana", [Scope.ASK])
    tls = read_server_tls(*ours.issue("server", LOOPBACK), ours.path)
    shown = read_client_tls(ours.path, pair=ours.issue("client"))
    async with serving(tmp_path, silent, access=Access(keys), tls=tls) as served:
        with pytest.raises(Unauthenticated):
            await reached_by_grpc(served.grpc.address, shown)
        assert await reached_by_grpc(served.grpc.address, shown, text)


@pytest.mark.parametrize("names", [("assist.example.com",), ("*.example.com",), ("10.0.0.7",), (LOOPBACK,)])
async def test_on_its_own_machine_a_service_is_known_by_its_own_certificate(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    ours, others = Authority(tmp_path / "ours", "root"), Authority(tmp_path / "others", "root")
    pair = ours.issue("server", *names)
    async with serving(tmp_path, silent, tls=read_server_tls(*pair)) as served:
        assert await reached_by_grpc(served.grpc.address, read_client_tls(pair[0], own=True))
        # Another certificate of the same names is not taken for it.
        impostor = read_client_tls(others.issue("server", *names)[0], own=True)
        assert not await reached_by_grpc(served.grpc.address, impostor)
