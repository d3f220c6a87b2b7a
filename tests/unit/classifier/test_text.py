import pytest

from classifier.text import END_CHARS, FRONT_CHARS, casefolded, head_and_tail, normalise, words


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", "  "),
        ("Hello  World", " hello world "),
        ("¿Cuántas?", " ¿cuantas? "),
        ("20% of 1234", " 00% of 0000 "),
        ("ＡＢＣ\n\tｄ", " abc d "),
        ("STRASSE Straße", " strasse strasse "),
        ("año", " ano "),
    ],
)
def test_texts_are_normalised(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("one", "other"),
    [("ÉCRAN", "e\u0301cran"), ("Straße", "STRASSE"), ("ﬁle ①", "FILE 1"), ("ＤＩＧＩＴ", "digit"), ("İ", "i")],
)
def test_what_is_written_alike_is_folded_to_the_same_text(one: str, other: str) -> None:
    assert casefolded(one) == casefolded(other)


def test_words_and_signs_come_apart_and_digits_are_one() -> None:
    assert words("¿Cuánto es 12,5 + add_var?") == ["¿", "cuanto", "es", "00", ",", "0", "+", "add", "var", "?"]


def test_a_long_text_is_its_front_and_its_end() -> None:
    text = "a" * FRONT_CHARS + "b" * 5000 + "c" * END_CHARS
    assert head_and_tail(text) == "a" * FRONT_CHARS + " " + "c" * END_CHARS
    assert head_and_tail("short") == "short"
