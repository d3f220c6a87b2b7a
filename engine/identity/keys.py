"""API keys: made and revoked by the command line, looked up for every call. The file holds digests, never a key.

A key is `ae_ID_SECRET`; the secret has 256 random bits. One round of SHA-256 is enough for a secret that cannot be
guessed: slow password hashes are for secrets that people choose (OWASP Password Storage Cheat Sheet; NIST SP 800-63B,
5.1.1.2 asks for them for memorised secrets alone).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from classifier.files import locked, replacing
from engine.errors import ConfigurationError, InvalidInput, NotFound
from engine.identity.port import Identity, Rejected, Scope
from engine.identity.watched import Watched

#: What a key begins with: scanners for leaked secrets can know it by that.
KEY_MARK = "ae"
_VERSION = 1
_ID_BYTES, _SECRET_BYTES = 8, 32
_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept.

    Attributes:
        id: Public: names the key in lists and in its own text.
        principal: Whose sessions it opens.
        created: Unix time, seconds.
        revoked: Unix time, seconds; 0 while it is good.
        sha256: Of the secret, in hexadecimal.
    """

    id: str
    name: str
    principal: str
    scopes: tuple[Scope, ...]
    created: float
    revoked: float
    sha256: str


class KeyFile:
    """The keys of one file, which one command at a time writes and any number of engines read.

    Args:
        path: Made by the first key, readable by its owner alone.
        clock: Unix time, seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._keys = Watched(path, _parsed)

    def identify(self, token: str) -> Identity:
        """The caller who holds a key. See `Authenticator`."""
        mark, _, rest = token.partition("_")
        id_, _, secret = rest.partition("_")
        key = self._keys.value().get(id_) if mark == KEY_MARK else None
        # Compared for an unknown id too, so that the time does not tell which ids there are.
        good = hmac.compare_digest(_digest(secret), key.sha256 if key is not None else "0" * 64)
        if key is None or not good:
            raise Rejected("unknown_key")
        if key.revoked:
            raise Rejected("revoked_key")
        return Identity(key.principal, frozenset(key.scopes))

    def all(self) -> list[ApiKey]:
        """All keys, the oldest first, revoked ones included.

        Raises:
            ConfigurationError: The file is unusable.
        """
        return sorted(self._keys.load().values(), key=lambda key: key.created)

    def create(self, name: str, scopes: Iterable[Scope], principal: str = "") -> tuple[ApiKey, str]:
        """A new key, and its text, which is kept nowhere.

        Args:
            name: For people.
            scopes: At least one.
            principal: Whose sessions it opens; empty: its own, which no other key opens.

        Raises:
            InvalidInput: A name that is empty or too long.
            ConfigurationError: The file is unusable or cannot be written.
        """
        for field, text in (("name", name), ("principal", principal or "-")):
            if not text.strip() or len(text) > _NAME_CHARS or not text.isprintable():
                raise InvalidInput(field, f"must have from 1 to {_NAME_CHARS} characters on one line")
        with self._writing() as keys:
            id_ = secrets.token_hex(_ID_BYTES)
            secret = secrets.token_urlsafe(_SECRET_BYTES)
            allowed = tuple(scope for scope in Scope if scope in set(scopes))
            made = ApiKey(id_, name, principal or f"key:{id_}", allowed, self._clock(), 0.0, _digest(secret))
            keys[id_] = made
        return made, f"{KEY_MARK}_{id_}_{secret}"

    def revoke(self, id_: str) -> ApiKey:
        """Ends a key; engines that run know it with the next call.

        Raises:
            NotFound: There is no such key.
            ConfigurationError: The file is unusable or cannot be written.
        """
        with self._writing() as keys:
            if id_ not in keys:
                raise NotFound(f"{id_}: there is no key of this id; `assistance-engine keys list` names them")
            if not keys[id_].revoked:
                keys[id_] = replace(keys[id_], revoked=self._clock())
            return keys[id_]

    @contextmanager
    def _writing(self) -> Iterator[dict[str, ApiKey]]:
        """The keys, to be changed: by one process at a time, and on the disk before this ends."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with locked(self._path.with_suffix(".lock")):
                keys = dict(self._keys.load())
                yield keys
                with replacing(self._path, 0o600) as file:
                    file.write(_written(keys.values()))
        except OSError as error:
            raise ConfigurationError(f"{self._path}: cannot be written ({error.strerror})") from None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _written(keys: Iterable[ApiKey]) -> bytes:
    return json.dumps({"version": _VERSION, "keys": [asdict(key) for key in keys]}, indent=1).encode()


def _parsed(content: bytes | None) -> dict[str, ApiKey]:
    """The keys of a file by id; none where there is no file."""
    if content is None:
        return {}
    try:
        document = json.loads(content)
    except ValueError:
        raise ValueError("is not JSON; restore it, or remove it and make new keys") from None
    items = document.get("keys") if isinstance(document, dict) and document.get("version") == _VERSION else None
    if not isinstance(items, list):
        raise ValueError(f"is not a list of keys of version {_VERSION}")  # noqa: TRY004  # a file, not an argument
    keys = [_key(place, item) for place, item in enumerate(items)]
    return {key.id: key for key in keys}


def _key(place: int, item: Any) -> ApiKey:
    try:
        scopes = tuple(Scope(scope) for scope in item["scopes"])
        texts = [item[name] for name in ("id", "name", "principal", "sha256")]
        times = float(item["created"]), float(item["revoked"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"keys[{place}] is not a key as `assistance-engine keys create` writes it") from None
    if not all(isinstance(text, str) and text for text in texts) or len(texts[3]) != 64 or not texts[3].isascii():
        raise ValueError(f"keys[{place}] has an empty or damaged field")
    return ApiKey(texts[0], texts[1], texts[2], scopes, *times, texts[3])
