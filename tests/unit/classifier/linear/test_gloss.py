from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import classifier
from classifier.linear.gloss import MOST_WORDS, Gloss, words

SHIPPED = Gloss.from_json((Path(classifier.__file__).parent / "data" / "gloss.json").read_bytes())
SMALL = Gloss(
    {"how much": "cuanto cuanta", "invoice": "factur*", "explain": "explic+", "table": "tabla", "say": "dec+ dij+"}
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Cuántas LLAMADAS?", ["¿", "cuantas", "llamadas", "?"]),
        ("", []),
        ("   ", []),
        ("año 2024", ["ano", "0000"]),
        ("x = f(y)", ["x", "=", "f", "(", "y", ")"]),
        ("snake_case", ["snake", "case"]),
        ("ＡＢＣ", ["abc"]),
        ("e\u0301l", ["el"]),
    ],
)
def test_words_are_folded(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_long_text_is_cut() -> None:
    assert len(words("word " * 10_000)) == MOST_WORDS


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("cuanto", "how much"),
        ("factura", "invoice"),
        ("facturacion", "invoice"),
        ("explica", "explain"),
        ("explicar", "explain"),
        ("explicame", "explain to me"),
        ("explicamelo", "explain it to me"),
        ("explicalo", "explain it"),
        ("explicaste", "you explain"),
        ("explicotronico", "explicotronico"),  # no ending of a verb
        ("tabla", "table"),
        ("tablas", "tablas"),  # an exact word is exact
        ("dijiste", "you say"),
        ("hola", "hola"),
        ("", ""),
    ],
)
def test_words_stems_and_verbs(word: str, english: str) -> None:
    assert SMALL.word(word) == english


def test_a_word_may_become_several() -> None:
    assert SMALL.translate(["cuanto", "?"]) == ["how", "much", "?"]


def test_it_reads_back_what_it_writes() -> None:
    again = Gloss.from_json(SMALL.to_json())
    assert again.entries == SMALL.entries
    assert again.to_json() == SMALL.to_json()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b'{"version": 2, "words": {"a": "b"}}',
        b'{"version": 1, "words": []}',
        b'{"version": 1, "words": {}}',
    ],
)
def test_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Gloss.from_json(content)


@pytest.mark.parametrize("entries", [{}, {"a": "b*"}, {"a": "word b+"}])
def test_stems_that_would_match_everything_are_refused(entries: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="two letters"):
        Gloss(entries)


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("cuántas llamadas llevo este mes", "how many calls i have this month"),
        ("explícame la factura", "explain to me the bill"),
        ("¿qué dijiste antes?", "¿ that you said before ?"),
        ("escribe una función", "write a function"),
    ],
)
def test_the_shipped_gloss_is_crude_but_readable(spanish: str, english: str) -> None:
    assert " ".join(SHIPPED.translate(words(spanish))) == english


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert isinstance(SHIPPED.translate(words(text)), list)
