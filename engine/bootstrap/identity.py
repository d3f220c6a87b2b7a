"""Who identifies callers, as configured, and what is said at start about doors that stand open."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from engine import telemetry
from engine.identity.keys import KeyFile
from engine.identity.port import Authenticator
from engine.identity.watched import DEPENDENCY
from engine.service.access import Access
from engine.service.dependencies import Check
from engine.settings import Settings


def build_access(settings: Settings) -> tuple[Access, dict[str, Check]]:
    """Who says who calls, and its check for the health service, by name; none where identity is off.

    Raises:
        ConfigurationError: What tokens are checked against is unusable; the message names the file.
    """
    authenticator: Authenticator
    read: Callable[[], object]
    match settings.engine_auth:
        case "":
            return Access(), {}
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

    return Access(authenticator), {DEPENDENCY: readable}


def warn_of_open_doors(settings: Settings) -> None:
    """Says loudly what can be reached from other machines without identity."""
    for address in (settings.engine_grpc_address, settings.engine_web_address):
        if address and not _is_loopback(address) and not settings.engine_auth:
            telemetry.logger().warning(telemetry.OPEN.format(address=address))


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
