"""How the commands reach the service that runs: with the token and the certificates that are configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.settings import Settings

if TYPE_CHECKING:
    from engine.client import AssistanceClient
    from engine.identity.tls import ClientTls


def client_of(settings: Settings, address: str) -> AssistanceClient:
    """A client of the service at `address`. Build it on the event loop that uses it.

    Raises:
        ConfigurationError: A certificate is unusable; the message names its variable.
    """
    from engine.client import AssistanceClient

    return AssistanceClient(address, token=settings.engine_token.get_secret_value(), tls=_tls(settings))


def _tls(settings: Settings) -> ClientTls | None:
    ca = settings.engine_client_ca or settings.engine_tls_cert
    if ca is None:
        return None
    from engine.identity.tls import read_client_tls

    certificate, key = settings.engine_client_cert, settings.engine_client_key
    pair = (certificate, key) if certificate is not None and key is not None else None
    return read_client_tls(ca, pair=pair, own=settings.engine_client_ca is None)
