import pytest

from classifier.text import END_CHARS, FRONT_CHARS, head_and_tail, normalise


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


def test_a_long_text_is_its_front_and_its_end() -> None:
    text = "a" * FRONT_CHARS + "b" * 5000 + "c" * END_CHARS
    assert head_and_tail(text) == "a" * FRONT_CHARS + " " + "c" * END_CHARS
    assert head_and_tail("short") == "short"
