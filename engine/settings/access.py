"""The variables of identity, of TLS and of limits: the part of `engine.settings` on callers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings


def empty_is_unset(value: Any) -> Any:
    """None for a variable that is set to nothing."""
    return None if value == "" else value


class AccessSettings(BaseSettings):
    """Who is let in, and over what connections."""

    engine_auth: Literal["", "keys", "jwt"] = Field(
        "",
        description="How callers are identified: `keys` (made by `assistance-engine keys`) or `jwt` (signed tokens of "
        "ENGINE_JWT_ISSUER). Unset: not at all, everybody is one principal that may do everything",
    )
    engine_jwt_issuer: str = Field("", description="Whose tokens are good: what `iss` has to be")
    engine_jwt_audience: str = Field("", description="For whom they have to be: what `aud` has to be, or to hold")
    engine_jwt_keys: Path | None = Field(
        None, description="File of the issuer's public keys: a JWK set (JSON), or public keys or certificates in PEM"
    )
    engine_tls_cert: Path | None = Field(
        None, description="Certificate of both servers in PEM, with those between it and its root. Unset: no TLS"
    )
    engine_tls_key: Path | None = Field(None, description="Its private key in PEM, without a passphrase")
    engine_tls_client_ca: Path | None = Field(
        None, description="Certificates in PEM that a client's own has to be signed by (mTLS). Unset: clients need none"
    )
    engine_token: SecretStr = Field(
        SecretStr(""), description="Key or token that the commands send to the running service (`ask`, `chat`)"
    )
    engine_client_ca: Path | None = Field(
        None,
        description="Certificates in PEM that the commands know the service by: they speak TLS where it is set. Unset: "
        "ENGINE_TLS_CERT where that is set",
    )
    engine_client_cert: Path | None = Field(
        None, description="Certificate in PEM that the commands show to a service with ENGINE_TLS_CLIENT_CA"
    )
    engine_client_key: Path | None = Field(None, description="Its private key in PEM")

    _no_file = field_validator(
        "engine_jwt_keys",
        *("engine_tls_cert", "engine_tls_key", "engine_tls_client_ca"),
        *("engine_client_ca", "engine_client_cert", "engine_client_key"),
        mode="before",
    )(empty_is_unset)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Refuses what is half said: who sets it believes a door to be shut that is not."""
        for first, second in (
            ("engine_tls_cert", "engine_tls_key"),
            ("engine_tls_key", "engine_tls_cert"),
            ("engine_tls_client_ca", "engine_tls_cert"),
            ("engine_client_cert", "engine_client_key"),
            ("engine_client_key", "engine_client_cert"),
        ):
            if getattr(self, first) is not None and getattr(self, second) is None:
                raise ValueError(f"{second.upper()} is missing: {first.upper()} is set, which needs it")
        tokens = ("engine_jwt_issuer", "engine_jwt_audience", "engine_jwt_keys")
        missing = [name.upper() for name in tokens if not getattr(self, name)]
        if self.engine_auth == "jwt" and missing:
            raise ValueError(f"{', '.join(missing)} must be set where ENGINE_AUTH is jwt")
        if self.engine_auth != "jwt" and len(missing) < len(tokens):
            raise ValueError("ENGINE_AUTH must be jwt where ENGINE_JWT_ISSUER, _AUDIENCE or _KEYS is set")
        return self


class LimitSettings(BaseSettings):
    """How much one caller and one connection may take. Who a caller is, `docs/identity.md` says."""

    engine_caller_rate: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="Calls a minute of one caller, a minute's worth of which may come at once; the next is refused "
        "with RESOURCE_EXHAUSTED and a retry hint. 0: no limit",
    )
    engine_caller_turns: int = Field(
        0,
        ge=0,
        le=10_000,
        description="Turns of one caller that run or wait at a time; the next is refused with RESOURCE_EXHAUSTED. 0: "
        "as many as there are places",
    )
    engine_connections: int = Field(
        0,
        ge=0,
        le=100_000,
        description="Connections that each address holds at a time; the next is closed at once. 0: half of what the "
        "limit of open files leaves, at most 4096",
    )
    engine_stall_seconds: float = Field(
        30, gt=0, le=3600, description="How long a caller may leave its stream unread before it is ended, in seconds"
    )
