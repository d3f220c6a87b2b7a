from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.errors import ConfigurationError, DependencyUnavailable, InvalidInput, NotFound
from engine.identity.keys import KeyFile
from engine.identity.port import LOCAL, Identity, Rejected, Scope, granted


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "keys.json"


def reason(keys: KeyFile, text: str) -> str:
    with pytest.raises(Rejected) as caught:
        keys.identify(text)
    return caught.value.reason


def test_a_key_identifies_its_principal(path: Path) -> None:
    key, text = KeyFile(path).create("widget", [Scope.PLATFORM, Scope.ASK])
    assert text.startswith(f"ae_{key.id}_")
    assert KeyFile(path).identify(text) == Identity(f"key:{key.id}", frozenset({Scope.ASK, Scope.PLATFORM}))


def test_two_keys_are_two_principals_unless_one_replaces_the_other(path: Path) -> None:
    keys = KeyFile(path)
    first, one = keys.create("widget", [Scope.ASK])
    _, two = keys.create("widget", [Scope.ASK])
    _, replacing = keys.create("widget", [Scope.ASK], first.principal)
    assert keys.identify(one).principal != keys.identify(two).principal
    assert keys.identify(one).principal == keys.identify(replacing).principal


def test_the_file_is_its_owners_and_holds_no_key(path: Path) -> None:
    _, text = KeyFile(path).create("widget", [Scope.ASK])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert text.split("_", 2)[2] not in path.read_text("utf-8")
    assert not list(path.parent.glob("*.partial"))


@pytest.mark.parametrize("change", [str.upper, lambda t: t[:-1], lambda t: t + "x", lambda t: t[3:], lambda t: "x" + t])
def test_what_is_no_key_identifies_nobody(path: Path, change: object) -> None:
    keys = KeyFile(path)
    _, text = keys.create("widget", [Scope.ASK])
    assert callable(change)
    assert reason(keys, change(text)) == "unknown_key"


@pytest.mark.parametrize("text", ["", "ae", "ae__", "ae_0000000000000000_secret", "\ud800", "ae_\ud800_\ud800"])
def test_odd_texts_identify_nobody(path: Path, text: str) -> None:
    assert reason(KeyFile(path), text) == "unknown_key"


def test_the_digest_is_no_key(path: Path) -> None:
    keys = KeyFile(path)
    key, _ = keys.create("widget", [Scope.ASK])
    assert reason(keys, f"ae_{key.id}_{key.sha256}") == "unknown_key"


def test_a_revoked_key_stops_in_whoever_reads_the_file(path: Path) -> None:
    serving, command = KeyFile(path), KeyFile(path, clock=lambda: 7.0)
    key, text = command.create("widget", [Scope.ASK])
    assert serving.identify(text)
    assert command.revoke(key.id).revoked == 7.0
    assert reason(serving, text) == "revoked_key"
    assert command.revoke(key.id).revoked == 7.0  # twice is once


def test_a_key_that_nobody_has_cannot_be_revoked(path: Path) -> None:
    with pytest.raises(NotFound, match="0123: there is no key of this id"):
        KeyFile(path).revoke("0123")


def test_keys_are_listed_by_age_with_the_revoked_ones(path: Path) -> None:
    times = iter([3.0, 1.0, 9.0])
    keys = KeyFile(path, clock=lambda: next(times))
    late, _ = keys.create("late", [Scope.ASK])
    keys.create("early", [Scope.ASK])
    keys.revoke(late.id)
    assert [(key.name, key.revoked) for key in keys.all()] == [("early", 0.0), ("late", 9.0)]


def test_keys_made_at_the_same_time_are_all_kept(path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda place: KeyFile(path).create(f"{place}", [Scope.ASK])[1], range(24)))
    keys = KeyFile(path)
    assert len({keys.identify(text).principal for text in made}) == 24


@pytest.mark.parametrize(
    ("name", "principal"), [("", ""), (" ", ""), ("x" * 201, ""), ("a\nb", ""), ("a", "b\x1b[31m")]
)
def test_names_are_one_line(path: Path, name: str, principal: str) -> None:
    with pytest.raises(InvalidInput, match="must have from 1 to 200 characters on one line"):
        KeyFile(path).create(name, [Scope.ASK], principal)
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a list of keys of version 1"),
        ('{"version": 2, "keys": []}', "is not a list of keys of version 1"),
        ('{"version": 1, "keys": [7]}', r"keys\[0\] is not a key"),
        ('{"version": 1, "keys": [{"id": "a"}]}', r"keys\[0\] is not a key"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_damaged_file_lets_nobody_in_and_is_named(path: Path, content: str, told: str) -> None:
    keys = KeyFile(path)
    _, text = keys.create("widget", [Scope.ASK])
    good = path.read_text("utf-8")
    path.write_text(content, "utf-8")
    with pytest.raises(ConfigurationError, match=rf"keys\.json: {told}"):
        keys.all()
    with pytest.raises(DependencyUnavailable, match="identity: callers cannot be identified now"):
        keys.identify(text)
    with pytest.raises(ConfigurationError):
        keys.create("another", [Scope.ASK])  # what is damaged is not overwritten
    path.write_text(good, "utf-8")
    assert keys.identify(text)


def test_a_digest_that_is_damaged_is_found_when_the_file_is_read(path: Path) -> None:
    KeyFile(path).create("widget", [Scope.ASK])
    document = json.loads(path.read_text("utf-8"))
    document["keys"][0]["sha256"] = ""
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(ConfigurationError, match=r"keys\[0\] has an empty or damaged field"):
        KeyFile(path).all()


def test_a_folder_in_its_place_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"keys\.json: cannot be"):
        KeyFile(path).all()


def test_admin_is_every_scope_and_no_other_is() -> None:
    admin = Identity("a", frozenset({Scope.ADMIN}))
    assert all(admin.may(scope) for scope in Scope)
    for own in set(Scope) - {Scope.ADMIN}:
        assert {scope for scope in Scope if Identity("a", frozenset({own})).may(scope)} == {own}
    assert all(LOCAL.may(scope) for scope in Scope)
    assert granted(["ask", "openid", "Platform"]) == {Scope.ASK}
