"""Identity as an operator turns it on: keys made by commands, a service that asks for them, commands that send them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.client import AssistanceClient
from engine.errors import PermissionDenied, Unauthenticated
from engine.v1 import engine_pb2 as pb
from tests.certificates import LOOPBACK, Authority
from tests.tokens import AUDIENCE, ISSUER, key_set, token

PREFIXED = "You have a project usage percentage of 4 percent."


def made(run_command: Any, data: Path, *words: str) -> dict[str, Any]:
    done = run_command(data, "keys", *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


async def test_keys_from_making_to_revoking(tmp_path: Path, start: Any, run_command: Any) -> None:
    ana = made(run_command, tmp_path, "create", "--name", "Ana")
    running = start(tmp_path, ENGINE_AUTH="keys")
    board = made(run_command, tmp_path, "create", "--name", "dashboard", "--scope", "ask", "--scope", "platform")

    async with AssistanceClient(running.address) as stranger:
        assert await stranger.serving()
        assert await stranger.serving("identity")
        with pytest.raises(Unauthenticated, match="authorization: send `Bearer KEY`"):
            await stranger.classify("hello")
        with pytest.raises(Unauthenticated):
            await stranger.ask("hello")

    address = {"ENGINE_GRPC_ADDRESS": running.address}
    refused = run_command(tmp_path, "ask", "hello", **address)
    assert refused.returncode == 2
    assert "ENGINE_TOKEN" in refused.stderr
    assert run_command(tmp_path, "health", **address).returncode == 0
    answered = run_command(tmp_path, "ask", "hello", "--session", "s-1", **address, ENGINE_TOKEN=ana["key"])
    assert answered.returncode == 0, answered.stderr

    async with (
        AssistanceClient(running.address, token=ana["key"]) as user,
        AssistanceClient(running.address, token=board["key"]) as platform,
    ):
        assert [one.session_id for one in (await user.sessions()).sessions] == ["s-1"]
        assert not (await platform.sessions()).sessions
        assert (await platform.classify(PREFIXED)).layer == pb.PREFIX
        assert (await user.classify(PREFIXED)).layer != pb.PREFIX
        with pytest.raises(PermissionDenied, match="query_type: to declare PLATFORM needs the scope `platform`"):
            await user.ask("hello", query_type=pb.PLATFORM)
        with pytest.raises(PermissionDenied, match="authorization: this needs the scope `evaluate`"):
            await anext(user.evaluate())

        kept = run_command(tmp_path, "sessions", "list", "--principal", ana["principal"], "--json")
        assert [one["session_id"] for one in json.loads(kept.stdout)["sessions"]] == ["s-1"]
        assert json.loads(run_command(tmp_path, "sessions", "list", "--json").stdout)["sessions"] == []

        revoked = made(run_command, tmp_path, "revoke", ana["id"])
        assert revoked["revoked"]
        with pytest.raises(Unauthenticated):
            await user.sessions()

    listed = made(run_command, tmp_path, "list")["keys"]
    assert [(key["name"], key["scopes"], bool(key["revoked"])) for key in listed] == [
        ("Ana", ["ask"], True),
        ("dashboard", ["ask", "platform"], False),
    ]
    assert ana["key"].split("_", 2)[2] not in running.read_log() + json.dumps(listed)


def test_keys_for_people(tmp_path: Path, run_command: Any) -> None:
    done = run_command(tmp_path, "keys", "create", "--name", "Ana")
    key = done.stdout.strip()
    assert key.startswith("ae_")
    assert "shown this once" in done.stderr
    listed = run_command(tmp_path, "keys", "list").stdout
    assert "Ana" in listed
    assert "good" in listed
    assert key.split("_", 2)[2] not in listed
    unknown = run_command(tmp_path, "keys", "revoke", "0123")
    assert (unknown.returncode, "0123: there is no key of this id" in unknown.stderr) == (2, True)
    assert run_command(tmp_path, "keys", "create", "--name", " ").returncode == 2


async def test_tokens_of_an_issuer(tmp_path: Path, start: Any) -> None:
    running = start(
        tmp_path,
        ENGINE_AUTH="jwt",
        ENGINE_JWT_ISSUER=ISSUER,
        ENGINE_JWT_AUDIENCE=AUDIENCE,
        ENGINE_JWT_KEYS=str(key_set(tmp_path)),
    )
    path = f"http://{running.web}/engine.v1.AssistanceService/ListSessions"
    async with AssistanceClient(running.address, token=token()) as user, httpx.AsyncClient(trust_env=False) as web:
        assert (await user.ask("hello", session_id="s-1")).session_id == "s-1"
        for credentials, told in ((token(), 200), (token(sub="bob"), 200), (token(aud="x"), 401), ("x", 401)):
            response = await web.post(path, json={}, headers={"authorization": f"Bearer {credentials}"})
            assert response.status_code == told
            if credentials == token():
                assert [one["sessionId"] for one in response.json()["sessions"]] == ["s-1"]


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"ENGINE_AUTH": "yes"}, "ENGINE_AUTH: "),
        ({"ENGINE_AUTH": "jwt"}, "ENGINE_JWT_ISSUER, ENGINE_JWT_AUDIENCE, ENGINE_JWT_KEYS must be set"),
        ({"ENGINE_JWT_ISSUER": "x"}, "ENGINE_AUTH must be jwt where"),
        (
            {
                "ENGINE_AUTH": "jwt",
                "ENGINE_JWT_ISSUER": "x",
                "ENGINE_JWT_AUDIENCE": "y",
                "ENGINE_JWT_KEYS": "none.json",
            },
            "none.json: there is no such file; ENGINE_JWT_KEYS",
        ),
        ({"ENGINE_TLS_CERT": "none.pem"}, "ENGINE_TLS_KEY is missing: ENGINE_TLS_CERT is set, which needs it"),
        ({"ENGINE_TLS_CLIENT_CA": "none.pem"}, "ENGINE_TLS_CERT is missing: ENGINE_TLS_CLIENT_CA is set"),
        ({"ENGINE_TLS_CERT": "none.pem", "ENGINE_TLS_KEY": "x"}, "ENGINE_TLS_CERT: there is no file none.pem"),
    ],
)
def test_what_is_half_configured_does_not_start(
    tmp_path: Path, run_command: Any, variables: dict[str, str], told: str
) -> None:
    done = run_command(tmp_path, "serve", **variables)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


async def test_tls_from_the_variables_to_the_commands(tmp_path: Path, start: Any, run_command: Any) -> None:
    root = Authority(tmp_path / "certificates", "root")
    certificate, key = root.issue("server", "assist.example.com", LOOPBACK)
    client, client_key = root.issue("client")
    variables = {
        "ENGINE_TLS_CERT": str(certificate),
        "ENGINE_TLS_KEY": str(key),
        "ENGINE_TLS_CLIENT_CA": str(root.path),
    }
    running = start(tmp_path, ENGINE_AUTH="keys", **variables)
    token = made(run_command, tmp_path, "create", "--name", "Ana")["key"]
    there = {"ENGINE_GRPC_ADDRESS": running.address, "ENGINE_TOKEN": token}
    shown = {"ENGINE_CLIENT_CERT": str(client), "ENGINE_CLIENT_KEY": str(client_key)}

    # On the machine of the service, by its own variables; elsewhere, by its authority.
    for known in (variables, {"ENGINE_CLIENT_CA": str(root.path)}):
        assert run_command(tmp_path, "health", **there, **known, **shown).stdout == "SERVING\n"
        assert run_command(tmp_path, "health", **there, **known).returncode == 3
    before = running.read_log().count("[turn] stored")
    answered = run_command(tmp_path, "ask", "thanks", **there, **variables, **shown)
    assert answered.returncode == 0, answered.stderr
    assert running.read_log().count("[turn] stored") == before + 1
    assert f"https://{running.web}" in running.read_log()


def test_open_beyond_loopback_is_said_loudly(tmp_path: Path, start: Any) -> None:
    alone = start(tmp_path / "one")
    assert "OPEN TO EVERYBODY" not in alone.read_log()
    running = start(tmp_path / "two", ENGINE_GRPC_ADDRESS="0.0.0.0:0")
    assert "OPEN TO EVERYBODY: 0.0.0.0:0 can be reached from other machines" in running.read_log()
    guarded = start(tmp_path / "three", ENGINE_GRPC_ADDRESS="0.0.0.0:0", ENGINE_AUTH="keys")
    assert "OPEN TO EVERYBODY" not in guarded.read_log()
    assert "0.0.0.0:0 can be reached from other machines without TLS" in guarded.read_log()
    assert "no key is good yet" in guarded.read_log()
