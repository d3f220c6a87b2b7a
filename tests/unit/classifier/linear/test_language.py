"""The language head: sure where a text has words enough, and by the script where that decides."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np
import pytest

from classifier import DATA
from classifier.linear import language
from classifier.linear.artifact import LANGUAGE_COLUMNS
from classifier.linear.language import LanguageHead, LanguageReading, is_chinese, is_foreign, shipped_head


def dialogues(language: str) -> Iterator[str]:
    """Messages that the head was not fitted on."""
    for line in (DATA / "dialogues" / f"{language}.jsonl").read_text("utf-8").splitlines():
        yield from (turn["text"] for turn in json.loads(line)["turns"])


@pytest.mark.parametrize(("language", "least"), [("en", 0.985), ("es", 0.985), ("zh", 0.995)])
def test_messages_of_dialogues_are_told(language: str, least: float) -> None:
    read = [shipped_head().read(text).code for text in dialogues(language)]
    assert read.count(language) / len(read) >= least


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_is_sure_is_right(language: str) -> None:
    sure = [one.code for text in dialogues(language) if (one := shipped_head().read(text)).margin >= 3]
    assert len(sure) > 2000
    assert sure.count(language) / len(sure) >= 0.995


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("hello", False),
        ("¿Cuántas llamadas?", False),
        ("straße, façade, naïve", False),
        ("", False),
        ("123 + 456", False),
        ("寫一句鼓勵正在準備考試的學生的話。", True),
        ("打开客厅的灯", True),
        ("電気を消して", True),
        ("불 좀 꺼 줘", True),
        ("Включи свет", True),
        ("أطفئ الضوء", True),
        ("what does 你好 mean in English", False),
        ("let α and β be angles in the triangle", False),
        ("？？？？", False),
    ],
)
def test_other_scripts_are_foreign(text: str, foreign: bool) -> None:
    assert is_foreign(text) is foreign


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("打开客厅的灯", True),
        ("用 Python 写一个排序函数", True),
        ("turn the 灯 on in the kitchen", False),
        ("写一个 parseInvoiceNumber(value) 函数", True),  # its names are long, its words are Chinese
        ("今日は暑いですね", False),  # Japanese
        ("", False),
        ("12 + 30", False),
    ],
)
def test_chinese_is_told_by_its_characters(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


@pytest.mark.parametrize("text", ["What is addVar?", "¿Qué añade la función «única»?", "łąka ʯ", ""])
def test_what_has_latin_letters_alone_is_not_taken_apart(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for pattern in ("_LETTER", "_WORD_OR_HAN"):
        monkeypatch.setattr(language, pattern, None)
    assert not is_foreign(text)
    assert not is_chinese(text)


@pytest.mark.parametrize(
    "text", ["", ".", "？？？？", "1024", "🙂", "\x00\ud800", "addVar(x, 1)", "`el perro`", "get_el_perro"]
)
def test_a_text_without_words_has_no_language(text: str) -> None:
    assert shipped_head().read(text) == LanguageReading("", 0.0)


@pytest.mark.parametrize("text", ["¿addVar?", "¡get_all!"])
def test_a_sign_that_only_spanish_has_tells_it(text: str) -> None:
    assert shipped_head().read(text) == LanguageReading("es", math.inf)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "¿Qué hace esto?\n```python\nfor each in the_list:\n    print(each.name, 'is not the one you want')\n```",
            "es",
        ),
        ("What does this do?\n```\nsi el precio es mayor que la media entonces devuelve el precio\n```", "en"),
        ("explain getUserNameById() and its `nombre del usuario` argument", "en"),
        ("Why does it say: no se puede abrir el archivo", "en"),
        ("mira https://example.com/the/way/that/this/works.html y dime algo", "es"),
    ],
)
def test_the_language_is_that_of_the_words_around_code(text: str, code: str) -> None:
    assert shipped_head().read(text).code == code


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert shipped_head().read("what the user has said " * 40 + "lo que dijo el usuario " * 5000).code == "en"


def test_a_draw_has_no_margin() -> None:
    blank = LanguageHead(np.zeros((LANGUAGE_COLUMNS, 3), np.float32), np.zeros(3, np.float32))
    assert blank.read("whatever it is") == LanguageReading("en", 0.0)
