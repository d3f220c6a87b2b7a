"""Who identifies callers, as configured, and what is said at start about doors that stand open."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine import telemetry
from engine.identity.keys import KeyFile
from engine.identity.port import Authenticator
from engine.identity.watched import DEPENDENCY
from engine.service.access import Access
from engine.service.dependencies import Check
from engine.service.limits import Rates
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.identity.tls import ServerTls


def build_access(settings: Settings) -> tuple[Access, dict[str, Check]]:
    """Who says who calls, and its check for the health service, by name; none where identity is off.

    Raises:
        ConfigurationError: What tokens are checked against is unusable; the message names the file.
    """
    authenticator: Authenticator
    read: Callable[[], object]
    rates = Rates(settings.engine_caller_rate) if settings.engine_caller_rate else None
    match settings.engine_auth:
        case "":
            return Access(rates=rates), {}
        case "keys":
            keys = KeyFile(settings.keys_path)
            if all(key.revoked for key in keys.all()):
                telemetry.logger().warning(telemetry.NO_KEYS)
            authenticator, read = keys, keys.all
        case "jwt":
            from engine.identity.tokens import Tokens

            assert settings.engine_jwt_keys is not None  # noqa: S101  # the settings see to that
            tokens = Tokens(
                settings.engine_jwt_keys, issuer=settings.engine_jwt_issuer, audience=settings.engine_jwt_audience
            )
            tokens.load()
            authenticator, read = tokens, tokens.load

    async def readable() -> None:
        read()

    return Access(authenticator, rates=rates), {DEPENDENCY: readable}


def build_tls(settings: Settings) -> ServerTls | None:
    """The servers' certificates; None where they speak clear text.

    Raises:
        ConfigurationError: A file is unusable; the message names its variable.
    """
    if settings.engine_tls_cert is None or settings.engine_tls_key is None:
        return None
    from engine.identity.tls import read_server_tls

    return read_server_tls(settings.engine_tls_cert, settings.engine_tls_key, settings.engine_tls_client_ca)


def warn_of_open_doors(settings: Settings) -> None:
    """Says loudly what can be reached from other machines without identity."""
    for address in (settings.engine_grpc_address, settings.engine_web_address):
        if not address or _is_loopback(address):
            continue
        if not settings.engine_auth:
            telemetry.logger().warning(telemetry.OPEN.format(address=address))
        elif settings.engine_tls_cert is None:
            telemetry.logger().warning(telemetry.CLEAR_TEXT.format(address=address))


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
