"""An issuer of signed tokens, for tests: its keys, the files they are published in, and tokens of every kind."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

ISSUER = "https://login.example.org/realms/one"
AUDIENCE = "assistance"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
ED_KEY = ed25519.Ed25519PrivateKey.generate()
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: Any) -> bytes:
    """The public half in PEM."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    content: bytes = key.public_key().public_bytes(serialization.Encoding.PEM, form)
    return content


def private_pem(key: Any) -> bytes:
    content: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return content


def jwk(key: Any, **fields: Any) -> dict[str, Any]:
    """The public half as a JWK."""
    algorithms: list[tuple[type, Any]] = [
        (rsa.RSAPrivateKey, jwt.algorithms.RSAAlgorithm),
        (ec.EllipticCurvePrivateKey, jwt.algorithms.ECAlgorithm),
        (ed25519.Ed25519PrivateKey, jwt.algorithms.OKPAlgorithm),
    ]
    form = next(algorithm for type_, algorithm in algorithms if isinstance(key, type_))
    made: dict[str, Any] = form.to_jwk(key.public_key(), as_dict=True)
    return made | fields


def key_set(folder: Path, *keys: dict[str, Any]) -> Path:
    """A file with a JWK set; by default the RSA key as `one`, the EC key as `two`."""
    chosen = list(keys) or [jwk(RSA_KEY, kid="one", use="sig"), jwk(EC_KEY, kid="two")]
    path = folder / "jwks.json"
    path.write_text(json.dumps({"keys": chosen}), "utf-8")
    return path


def claims(**changed: Any) -> dict[str, Any]:
    """Claims in order; one that is changed to None is left out."""
    now = int(time.time())
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ana", "iat": now, "exp": now + 600, "scope": "ask openid"}
    return {name: value for name, value in (good | changed).items() if value is not None}


def token(key: Any = RSA_KEY, algorithm: str = "RS256", kid: str | None = "one", **changed: Any) -> str:
    """A signed token."""
    return jwt.encode(claims(**changed), key, algorithm, headers={"kid": kid} if kid else None)


def by_hand(header: dict[str, Any] | bytes, payload: dict[str, Any] | bytes, signature: bytes = b"") -> str:
    """A token of parts that no library would put together."""
    parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload)]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (*parts, signature))


def confused() -> str:
    """Signed with HMAC, whose secret is the text of the public key (the key confusion of RFC 8725, section 2.1)."""
    import hashlib
    import hmac

    unsigned = by_hand({"alg": "HS256", "typ": "JWT"}, claims()).rpartition(".")[0]
    signature = hmac.new(pem(RSA_KEY), unsigned.encode(), hashlib.sha256).digest()
    return f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
