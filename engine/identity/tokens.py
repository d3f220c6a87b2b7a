"""Signed tokens (JWT) of one issuer, checked against its public keys.

Source: RFC 7519 (claims), RFC 7517 (JWK sets), RFC 8725 (which mistakes to rule out): the algorithm follows from the
key, never from the token alone; `none` and shared secrets are not among the algorithms.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from engine.identity.port import Identity, Rejected, granted
from engine.identity.watched import Watched

#: Seconds that the issuer's clock may be ahead of ours. A token ends when ours says so.
CLOCK_SKEW = 10.0
#: Characters of a subject, as OpenID Connect Core, section 2, has them.
_SUBJECT_CHARS = 255
_RSA_BITS = 2048
_MOST_KEYS = 64
_RSA_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A public key.

    Attributes:
        id: The JWK's `kid`; empty where there is none.
        algorithms: Those that a token may be signed with by this key.
    """

    id: str
    key: Any
    algorithms: tuple[str, ...]


class Tokens:
    """Identifies callers by tokens of one issuer. An `Authenticator`.

    Args:
        keys: A JWK set, or public keys or certificates in PEM; read again when it changes.
        issuer: What `iss` has to be.
        audience: What `aud` has to be, or to hold.
        clock: Unix time, seconds.
    """

    def __init__(self, keys: Path, *, issuer: str, audience: str, clock: Callable[[], float] = time.time) -> None:
        self._keys = Watched(keys, parsed_keys)
        self._issuer = issuer
        self._audience = audience
        self._clock = clock

    def load(self) -> None:
        """Reads the keys. Raises `ConfigurationError` naming the file when they are unusable."""
        self._keys.load()

    def identify(self, token: str) -> Identity:
        """The caller whom the token speaks of. See `Authenticator`."""
        keys = self._keys.value()
        try:
            claims = self._claims(token, keys)
        except Rejected:
            raise
        except jwt.PyJWTError as error:
            raise Rejected(type(error).__name__) from None
        except Exception:  # noqa: BLE001  # whatever a token does to its parser, it identifies nobody
            raise Rejected("malformed") from None
        subject = claims["sub"]
        if not 0 < len(subject) <= _SUBJECT_CHARS or not subject.isprintable():
            raise Rejected("subject")
        # A subject is unique within its issuer only (OpenID Connect Core, section 2).
        return Identity(f"{self._issuer} {subject}", granted(_scopes(claims)))

    def _claims(self, token: str, keys: Iterable[VerificationKey]) -> Mapping[str, Any]:
        header = jwt.get_unverified_header(token)
        if "crit" in header:  # RFC 7515, section 4.1.11: what is not understood must be refused
            raise Rejected("critical_header")
        algorithm, id_ = header.get("alg"), header.get("kid", "")
        fitting = [k for k in keys if algorithm in k.algorithms and (not k.id or not id_ or k.id == id_)]
        if not fitting:
            raise jwt.InvalidAlgorithmError
        for place, key in enumerate(fitting, start=1):
            try:
                claims = self._checked(token, key)
            except jwt.InvalidSignatureError:
                if place == len(fitting):
                    raise
            else:
                return claims
        raise jwt.InvalidSignatureError

    def _checked(self, token: str, key: VerificationKey) -> Mapping[str, Any]:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key.key,
            algorithms=list(key.algorithms),
            issuer=self._issuer,
            audience=self._audience,
            leeway=CLOCK_SKEW,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        if not float(claims["exp"]) > self._clock():  # the leeway is for clocks that are ahead, not for old tokens
            raise jwt.ExpiredSignatureError
        return claims


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """What was granted: `scope` with spaces between (RFC 8693, section 4.2), or `scp` as some issuers write it."""
    names: list[str] = []
    for name in ("scope", "scp"):
        value = claims.get(name)
        if isinstance(value, str):
            names += value.split()
        elif isinstance(value, list):
            names += [item for item in value if isinstance(item, str)]
    return names


def parsed_keys(content: bytes | None) -> tuple[VerificationKey, ...]:
    """The keys of a file.

    Raises:
        ValueError: It holds none that can be used, or a secret; the text says which.
    """
    if content is None:
        raise ValueError("there is no such file; ENGINE_JWT_KEYS names the issuer's public keys")
    keys = _of_set(content) if content.lstrip()[:1] == b"{" else _of_pem(content)
    if not keys:
        raise ValueError("holds no public key to check signatures with: RSA, EC P-256/384/521 or Ed25519")
    if len(keys) > _MOST_KEYS:
        raise ValueError(f"holds {len(keys)} keys; at most {_MOST_KEYS} are allowed")
    return tuple(keys)


def _of_set(content: bytes) -> list[VerificationKey]:
    try:
        items = json.loads(content)["keys"]
        mine = [item for item in items if item.get("use", "sig") == "sig"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError('is neither PEM nor a JWK set: {"keys": [...]}') from None
    keys = []
    for place, item in enumerate(mine):
        if item.get("kty") == "oct" or "d" in item:
            raise ValueError(f"keys[{place}] is secret: only public keys belong here")
        try:
            key = jwt.PyJWK(item).key
        except Exception:  # noqa: BLE001, S112  # RFC 7517, section 5: keys that are not understood are left out
            continue
        keys += _usable(key, str(item.get("kid", "")), item.get("alg"))
    return keys


def _of_pem(content: bytes) -> list[VerificationKey]:
    keys: list[VerificationKey] = []
    for block in _PEM.finditer(content):
        if b"PRIVATE" in block[1]:
            raise ValueError("holds a private key: only public keys belong here")
        try:
            key = _public(*block.group(1, 0))
        except Exception:  # noqa: BLE001  # the library's own kinds, and its panics on damage
            raise ValueError(f"block {len(keys) + 1} is a damaged {block[1].decode().lower()}") from None
        keys += _usable(key, "", None)
    return keys


def _public(kind: bytes, block: bytes) -> Any:
    if kind == b"CERTIFICATE":
        return x509.load_pem_x509_certificate(block).public_key()
    return load_pem_public_key(block)


def _usable(key: Any, id_: str, stated: object) -> list[VerificationKey]:
    """The key with its algorithms; nothing where there is none for it.

    Args:
        key: Public.
        id_: Its `kid`.
        stated: The one algorithm that it is for, where that is said.
    """
    algorithms: tuple[str, ...] = ()
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < _RSA_BITS:
            raise ValueError(f"holds an RSA key of {key.key_size} bits; at least {_RSA_BITS} are needed")
        algorithms = _RSA_ALGORITHMS
    elif isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in _CURVES:
        algorithms = (_CURVES[key.curve.name],)
    elif isinstance(key, ed25519.Ed25519PublicKey | ed448.Ed448PublicKey):
        algorithms = ("EdDSA",)
    if stated is not None:
        algorithms = tuple(name for name in algorithms if name == stated)
    return [VerificationKey(id_, key, algorithms)] if algorithms else []
