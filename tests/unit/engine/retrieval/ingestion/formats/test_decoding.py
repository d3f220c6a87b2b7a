from __future__ import annotations

import random

import pytest

from engine.retrieval.ingestion.formats.decoding import decode

SPANISH = "La señora Muñoz vive en Logroño y llegó ayer."


@pytest.mark.parametrize("repeated", [1, 40])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SPANISH, "latin-1"),
        (SPANISH, "cp1252"),
        ("niño", "latin-1"),
        ("Où est le café ? Ça va très bien, merci.", "latin-1"),
        ("Die Größe der Straße überraschte Jürgen.", "cp1252"),
        ("A ação da língua não é só emoção", "latin-1"),
        ("Zażółć gęślą jaźń, proszę pana, dziękuję", "cp1250"),
        ("Привет, как дела? Сегодня хорошая погода в городе, и мы идём гулять.", "cp1251"),
        ("Привет, как дела? Сегодня хорошая погода в городе, и мы идём гулять.", "koi8-r"),
        ("Καλημέρα κόσμε, τι κάνεις σήμερα;", "cp1253"),
        ("こんにちは、世界。今日はいい天気です。散歩に行きましょう。", "shift_jis"),
        ("今天天气很好，我们去公园散步吧。这是一个测试。", "gb18030"),
        (SPANISH, "utf-16-le"),
        (SPANISH, "utf-16-be"),
        (SPANISH, "utf-16"),
        (SPANISH, "utf-8-sig"),
        (SPANISH, "utf-8"),
    ],
)
def test_text_is_read_whatever_it_is_encoded_in(text: str, encoding: str, repeated: int) -> None:
    content = "\n".join([text] * repeated)
    assert decode(content.encode(encoding)) == content


def test_the_encoding_is_found_far_into_a_text() -> None:
    text = "plain words only. " * 20_000 + SPANISH
    assert decode(text.encode("latin-1")) == text


def test_one_damaged_character_does_not_make_utf_8_something_else() -> None:
    text = "Größe und Straße, Übung und Äpfel. " * 20
    content = text.encode() + b"\xff" + text.encode()
    assert decode(content) == f"{text}\ufffd{text}"


@pytest.mark.parametrize("content", [b"\0" * 100, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", random.Random(5).randbytes(50_000)])
def test_what_is_no_text_is_none(content: bytes) -> None:
    assert decode(content) is None


def test_a_surrogate_alone_is_replaced() -> None:
    text = decode("ab".encode("utf-16-le") + b"\x00\xd8" + "cd".encode("utf-16-le") * 5)
    assert text is not None
    text.encode()


def test_endless_blanks_are_cut() -> None:
    assert decode(b"a" + b" " * 1_000_000 + b"b") == "a b"
    assert decode(b"a" + b"\n" * 1_000_000 + b"b") == "a\n\n\nb"
    kept = "a" + " " * 100 + "b" + "\n" * 40
    assert decode(kept.encode()) == kept
