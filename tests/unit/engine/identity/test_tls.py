from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from structlog.testing import capture_logs

from engine.errors import ConfigurationError
from engine.identity.tls import read_client_tls, read_server_tls
from tests.certificates import LOOPBACK, Authority
from tests.tokens import EC_KEY

Files = tuple[Path, Path]


def locked(files: Files) -> Files:
    files[1].write_bytes(
        EC_KEY.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"passphrase"),
        )
    )
    return files


def rewritten(place: int, content: bytes) -> Callable[[Files], Files]:
    def change(files: Files) -> Files:
        files[place].write_bytes(content)
        return files

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda files: (files[0].with_name("none.pem"), files[1]), "ENGINE_TLS_CERT: there is no file .*none.pem"),
        (lambda files: (files[0], files[1].parent), "ENGINE_TLS_KEY: there is no file"),
        (rewritten(0, b""), "ENGINE_TLS_CERT: .*server.pem holds no certificate in PEM"),
        (rewritten(0, b"\xff" * 9), "ENGINE_TLS_CERT: .*server.pem holds no certificate in PEM"),
        (rewritten(0, b"x" * ((1 << 20) + 1)), "ENGINE_TLS_CERT: .*server.pem has more than"),
        (rewritten(1, b"secret words"), "ENGINE_TLS_KEY: .*server.key is not a private key in PEM"),
        (lambda files: (files[0], files[0]), "ENGINE_TLS_KEY: .*server.pem is not a private key in PEM"),
        (locked, "ENGINE_TLS_KEY: .*server.key is locked with a passphrase"),
    ],
)
def test_a_file_that_is_unusable_is_named_with_its_variable(
    tmp_path: Path, change: Callable[[Files], Files], told: str
) -> None:
    files = change(Authority(tmp_path, "root").issue("server", LOOPBACK))
    with pytest.raises(ConfigurationError, match=told) as caught:
        read_server_tls(*files)
    assert "secret words" not in str(caught.value)


def test_a_key_of_another_certificate_is_told(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    certificate, _ = root.issue("server", LOOPBACK)
    _, other = root.issue("another", LOOPBACK)
    with pytest.raises(ConfigurationError, match=r"ENGINE_TLS_KEY: .*another.key is not the key of the certificate in"):
        read_server_tls(certificate, other)


def test_what_clients_are_checked_by_is_named(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    pair = root.issue("server", LOOPBACK)
    with pytest.raises(ConfigurationError, match=r"ENGINE_TLS_CLIENT_CA: .*server.key holds no certificate"):
        read_server_tls(*pair, pair[1])
    with pytest.raises(ConfigurationError, match=r"ENGINE_CLIENT_CA: .*server.key holds no certificate"):
        read_client_tls(pair[1])
    with pytest.raises(ConfigurationError, match=r"ENGINE_CLIENT_KEY: .*root.pem is not a private key"):
        read_client_tls(root.path, pair=(pair[0], root.path))


def test_a_certificate_that_is_out_of_date_is_said(tmp_path: Path) -> None:
    root = Authority(tmp_path, "root")
    with capture_logs() as said:
        read_server_tls(*root.issue("good", LOOPBACK))
    assert said == []
    with capture_logs() as said:
        read_server_tls(*root.issue("old", LOOPBACK, days=1))
    (line,) = said
    assert line["event"].startswith("[tls] ENGINE_TLS_CERT: the certificate is good until")


def test_a_certificate_without_names_is_known_by_the_address(tmp_path: Path) -> None:
    certificate, _ = Authority(tmp_path, "root").issue("server")
    assert read_client_tls(certificate, own=True).name == ""
