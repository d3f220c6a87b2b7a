"""Certificates of the servers and of the commands: read and checked before anything listens.

Each error names the variable, since what TLS libraries say of a bad file names neither file nor reason.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from engine import telemetry
from engine.errors import ConfigurationError

_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class ServerTls:
    """What a server shows, and what it asks of clients. PEM throughout.

    Attributes:
        certificate: Its own, first, then those between it and its root.
        files: Those of the certificate and of the key, for libraries that read files only.
        client_ca: What a client's certificate has to be signed by; empty: clients need none.
    """

    certificate: bytes
    key: bytes
    files: tuple[Path, Path]
    client_ca: bytes = b""

    def context(self) -> ssl.SSLContext:
        """The same for Python's own TLS."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.minimum_version = ssl.TLSVersion.TLSv1_2  # RFC 8996: nothing older
        made.set_alpn_protocols(["http/1.1"])
        made.load_cert_chain(*self.files)
        if self.client_ca:
            made.load_verify_locations(cadata=self.client_ca.decode("ascii"))
            made.verify_mode = ssl.CERT_REQUIRED
        return made


@dataclass(frozen=True, slots=True)
class ClientTls:
    """What a client knows a server by, and shows to it. PEM throughout.

    Attributes:
        ca: What the server's certificate has to be signed by, or itself.
        name: What the server's certificate is for, where that is not the host of the address; empty: it is.
        certificate: The client's own; empty: none.
    """

    ca: bytes
    name: str = ""
    certificate: bytes = b""
    key: bytes = b""


def read_server_tls(certificate: Path, key: Path, client_ca: Path | None = None) -> ServerTls:
    """The files of ENGINE_TLS_CERT, ENGINE_TLS_KEY and ENGINE_TLS_CLIENT_CA.

    Raises:
        ConfigurationError: One is unusable; the message names its variable and its path.
    """
    chain, secret = _pair("ENGINE_TLS_CERT", certificate, "ENGINE_TLS_KEY", key)
    trusted = _certificates("ENGINE_TLS_CLIENT_CA", client_ca)[0] if client_ca is not None else b""
    return ServerTls(chain, secret, (certificate, key), trusted)


def read_client_tls(ca: Path, *, pair: tuple[Path, Path] | None = None, own: bool = False) -> ClientTls:
    """What the commands speak TLS with.

    Args:
        ca: ENGINE_CLIENT_CA, or the server's own certificate.
        pair: ENGINE_CLIENT_CERT and ENGINE_CLIENT_KEY.
        own: Whether `ca` is the server's own certificate. Then no other is trusted, and its name need not be that of
            the address: on the server's machine that is a loopback address, which no certificate is made for.

    Raises:
        ConfigurationError: A file is unusable; the message names its variable and its path.
    """
    trusted, found = _certificates("ENGINE_TLS_CERT" if own else "ENGINE_CLIENT_CA", ca)
    certificate, key = _pair("ENGINE_CLIENT_CERT", pair[0], "ENGINE_CLIENT_KEY", pair[1]) if pair else (b"", b"")
    return ClientTls(trusted, _name(found[0]) if own else "", certificate, key)


def _pair(certificate_variable: str, certificate: Path, key_variable: str, key: Path) -> tuple[bytes, bytes]:
    """A certificate, checked to be in date, and its private key, checked to belong to it."""
    chain, found = _certificates(certificate_variable, certificate)
    secret = _read(key_variable, key)
    try:
        private = load_pem_private_key(secret, None)
    except TypeError:
        raise ConfigurationError(
            f"{key_variable}: {key} is locked with a passphrase, which cannot be asked for here; unlock it with "
            "`openssl pkey -in KEY -out KEY`"
        ) from None
    except Exception:  # noqa: BLE001  # the library's own kinds; their text may quote the file
        raise ConfigurationError(f"{key_variable}: {key} is not a private key in PEM") from None
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    if private.public_key().public_bytes(*form) != found[0].public_key().public_bytes(*form):
        raise ConfigurationError(f"{key_variable}: {key} is not the key of the certificate in {certificate}")
    now = datetime.now(UTC)
    if not found[0].not_valid_before_utc <= now <= found[0].not_valid_after_utc:
        telemetry.logger().warning(
            telemetry.OUT_OF_DATE.format(variable=certificate_variable, until=found[0].not_valid_after_utc.date())
        )
    return chain, secret


def _certificates(variable: str, path: Path) -> tuple[bytes, list[x509.Certificate]]:
    content = _read(variable, path)
    try:
        return content, x509.load_pem_x509_certificates(content)
    except Exception:  # noqa: BLE001  # as above
        raise ConfigurationError(f"{variable}: {path} holds no certificate in PEM") from None


def _read(variable: str, path: Path) -> bytes:
    try:
        if not path.is_file():
            raise ConfigurationError(f"{variable}: there is no file {path}")
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{variable}: {path} cannot be read ({error.strerror})") from None
    if len(content) > _LARGEST:
        raise ConfigurationError(f"{variable}: {path} has more than {_LARGEST} bytes")
    return content


def _name(certificate: x509.Certificate) -> str:
    """A name that a certificate is for; empty where it has none."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ""
    found: Iterable[object] = (*names.get_values_for_type(x509.DNSName), *names.get_values_for_type(x509.IPAddress))
    return next((str(name).replace("*", "any", 1) for name in found), "")
