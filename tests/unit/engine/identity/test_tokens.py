from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519

from engine.errors import ConfigurationError, DependencyUnavailable
from engine.identity.port import Identity, Rejected, Scope
from engine.identity.tokens import CLOCK_SKEW, Tokens, parsed_keys
from tests.tokens import (
    AUDIENCE,
    EC_KEY,
    ED_KEY,
    ISSUER,
    RSA_KEY,
    STRANGER,
    by_hand,
    claims,
    confused,
    jwk,
    key_set,
    pem,
    private_pem,
    token,
)


def tokens(path: Path, **changed: Any) -> Tokens:
    return Tokens(path, **({"issuer": ISSUER, "audience": AUDIENCE} | changed))


def reason(checker: Tokens, text: str) -> str:
    with pytest.raises(Rejected) as caught:
        checker.identify(text)
    return caught.value.reason


def test_a_token_says_who_and_what(tmp_path: Path) -> None:
    assert tokens(key_set(tmp_path)).identify(token()) == Identity(f"{ISSUER} ana", frozenset({Scope.ASK}))


@pytest.mark.parametrize(
    ("granted", "scopes"),
    [
        ({"scope": "platform ask"}, {Scope.ASK, Scope.PLATFORM}),
        ({"scope": None, "scp": ["ask", "evaluate", 7]}, {Scope.ASK, Scope.EVALUATE}),
        ({"scope": None, "scp": "ask admin"}, {Scope.ASK, Scope.ADMIN}),
        ({"scope": None}, set()),
        ({"scope": "ASK asking"}, set()),
        ({"scope": 7}, set()),
    ],
)
def test_scopes_are_read_from_scope_and_scp(tmp_path: Path, granted: dict[str, Any], scopes: set[Scope]) -> None:
    assert tokens(key_set(tmp_path)).identify(token(**granted)).scopes == scopes


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [(RSA_KEY, "RS256"), (RSA_KEY, "RS512"), (RSA_KEY, "PS384"), (EC_KEY, "ES256"), (ED_KEY, "EdDSA")],
)
def test_keys_of_every_kind_from_a_set_and_from_pem(tmp_path: Path, key: Any, algorithm: str) -> None:
    published = key_set(tmp_path, jwk(STRANGER, kid="other"), jwk(key, kid="mine"))
    listed = tmp_path / "keys.pem"
    listed.write_bytes(pem(STRANGER) + b"\n" + pem(key))
    for path, kid in ((published, "mine"), (published, None), (listed, "mine"), (listed, None)):
        assert tokens(path).identify(token(key, algorithm, kid)).principal.endswith(" ana")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (lambda: token(exp=int(time.time()) - 1), "ExpiredSignatureError"),
        (lambda: token(nbf=int(time.time()) + CLOCK_SKEW + 60), "ImmatureSignatureError"),
        (lambda: token(iat=int(time.time()) + CLOCK_SKEW + 60), "ImmatureSignatureError"),
        (lambda: token(aud="another"), "InvalidAudienceError"),
        (lambda: token(aud=["another", "third"]), "InvalidAudienceError"),
        (lambda: token(iss=f"{ISSUER}/"), "InvalidIssuerError"),
        (lambda: token(exp=None), "MissingRequiredClaimError"),
        (lambda: token(aud=None), "MissingRequiredClaimError"),
        (lambda: token(iss=None), "MissingRequiredClaimError"),
        (lambda: token(sub=None), "MissingRequiredClaimError"),
        (lambda: token(sub=""), "subject"),
        (lambda: token(sub="a\nb"), "subject"),
        (lambda: token(sub="a" * 256), "subject"),
        (lambda: token(STRANGER), "InvalidSignatureError"),
        (lambda: token(STRANGER, kid=None), "InvalidSignatureError"),
        (lambda: token(kid="unknown"), "InvalidAlgorithmError"),
        (lambda: token(kid="two"), "InvalidAlgorithmError"),  # the key of that name is for another algorithm
        (lambda: by_hand({"alg": "none"}, claims()), "InvalidAlgorithmError"),
        (lambda: by_hand({"alg": "None"}, claims()), "InvalidAlgorithmError"),
        (lambda: by_hand({}, claims()), "InvalidAlgorithmError"),
        (lambda: by_hand({"alg": ["RS256"]}, claims()), "InvalidAlgorithmError"),
        (confused, "InvalidAlgorithmError"),
        (lambda: by_hand({"alg": "RS256", "crit": ["exp"]}, claims()), "InvalidTokenError"),
        (lambda: by_hand({"alg": "RS256", "crit": ["b64"], "b64": True}, claims()), "critical_header"),
        (lambda: token().rpartition(".")[0] + ".", "InvalidSignatureError"),
        (lambda: token() + ".x", "DecodeError"),
        (lambda: "no token", "DecodeError"),
        (lambda: by_hand(b"[" * 100_000, claims()), "DecodeError"),
        (lambda: "\ud800.x.x", "malformed"),
        (lambda: by_hand({"alg": "RS256"}, b"\xff\xfe", b"x" * 256), "InvalidSignatureError"),
        (lambda: token(exp=float("inf")), "DecodeError"),
        (lambda: token(exp="soon"), "DecodeError"),
    ],
)
def test_what_identifies_nobody(tmp_path: Path, text: Any, told: str) -> None:
    assert reason(tokens(key_set(tmp_path)), text()) == told


def test_a_payload_that_was_changed_is_refused(tmp_path: Path) -> None:
    header, _, signature = token().split(".")
    other = token(sub="eve").split(".")[1]
    assert reason(tokens(key_set(tmp_path)), f"{header}.{other}.{signature}") == "InvalidSignatureError"


def test_an_issuers_clock_may_be_a_little_ahead_but_a_token_ends_on_time(tmp_path: Path) -> None:
    ahead = int(time.time()) + CLOCK_SKEW - 5
    checker = tokens(key_set(tmp_path))
    assert checker.identify(token(nbf=ahead, iat=ahead))
    later = tokens(key_set(tmp_path), clock=lambda: time.time() + 601)
    assert reason(later, token()) == "ExpiredSignatureError"


def test_a_stated_algorithm_is_the_only_one(tmp_path: Path) -> None:
    checker = tokens(key_set(tmp_path, jwk(RSA_KEY, kid="one", alg="RS256")))
    assert checker.identify(token())
    assert reason(checker, token(algorithm="PS256")) == "InvalidAlgorithmError"


def test_subjects_of_two_issuers_are_two_principals(tmp_path: Path) -> None:
    other = "https://login.example.org/realms/two"
    one, two = tokens(key_set(tmp_path)), tokens(key_set(tmp_path), issuer=other)
    assert one.identify(token()).principal != two.identify(token(iss=other)).principal


def test_a_key_that_is_taken_out_stops_without_a_restart(tmp_path: Path) -> None:
    checker = tokens(key_set(tmp_path))
    assert checker.identify(token())
    key_set(tmp_path, jwk(STRANGER, kid="new"))
    assert reason(checker, token()) == "InvalidAlgorithmError"
    assert checker.identify(token(STRANGER, kid="new"))


def test_a_file_that_is_damaged_lets_nobody_in_and_is_read_again(tmp_path: Path) -> None:
    path = key_set(tmp_path)
    checker = tokens(path)
    path.write_text('{"keys": ', "utf-8")
    with pytest.raises(DependencyUnavailable, match=r"^identity: callers cannot be identified now"):
        checker.identify(token())
    key_set(tmp_path)
    assert checker.identify(token())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "there is no such file"),
        (b"", "holds no public key"),
        (b"junk", "holds no public key"),
        (b'{"keys": 7}', "is neither PEM nor a JWK set"),
        (b'{"keys": [7]}', "is neither PEM nor a JWK set"),
        (b'{"keys": []}', "holds no public key"),
        (b'{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}', r"keys\[0\] is secret"),
        (b"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", "block 1 is a damaged public key"),
        (private_pem(EC_KEY), "holds a private key"),
        (pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)), "1024 bits; at least 2048"),  # noqa: S505
        (pem(ec.generate_private_key(ec.SECP256K1())), "holds no public key"),
        (pem(x25519.X25519PrivateKey.generate()), "holds no public key"),
        (pem(EC_KEY) * 65, "holds 65 keys"),
    ],
)
def test_a_file_that_is_unusable_says_why(content: bytes | None, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parsed_keys(content)


def test_keys_for_something_else_are_left_out() -> None:
    assert [key.algorithms for key in parsed_keys(pem(ed448.Ed448PrivateKey.generate()))] == [("EdDSA",)]
    kept = parsed_keys(
        b'{"keys": [{"kty": "new"}, {"kty": "RSA", "use": "enc"}, '
        + json.dumps(jwk(RSA_KEY, kid="one")).encode()
        + b"]}"
    )
    assert [key.id for key in kept] == ["one"]


def test_a_start_with_an_unusable_file_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing\.json: there is no such file; ENGINE_JWT_KEYS"):
        tokens(tmp_path / "missing.json").load()
