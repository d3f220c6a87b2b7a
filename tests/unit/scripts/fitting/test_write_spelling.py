from __future__ import annotations

from collections.abc import Sequence

from classifier.decision import QueryType
from classifier.linear.spelling import Spelling
from classifier.training.dataset import Row
from scripts.fitting.passages import Block
from scripts.fitting.write_spelling import spelling

PIECES = ("\u2581harbour", "\u2581the", "ment", "\u2581niño")


def made(*texts: str, passages: Sequence[str] = (), pieces: Sequence[str] = PIECES) -> Spelling:
    rows = [Row(text, QueryType.RETRIEVAL, "en", "test", "test") for text in texts]
    spanish = Row("quiero una factura", QueryType.PLATFORM, "es", "test", "test")
    blocks = [Block("en", "Boats", text, ()) for text in passages]
    return spelling([*rows, *[spanish] * 4], blocks, pieces)


def test_a_word_of_four_texts_is_common_whether_rows_or_passages() -> None:
    words = made("sail away", "sail home", passages=["We sail.", "They sail to a harbour."])
    assert words.common["en"] == ("sail",)
    assert set(words.common["es"]) == {"quiero", "factura"}
    assert {"away", "harbour", "boats"} <= words.known
    assert "ment" not in words.known


def test_what_is_one_slip_from_what_far_more_rows_have_is_a_slip() -> None:
    words = made(*["my account"] * 8, "my acount", "acount please")
    assert "acount" not in words.known
    assert words.mend("my acount", "en") == "my account"


def test_what_is_nearly_as_frequent_is_a_word() -> None:
    assert "acount" in made(*["my account"] * 7, "my acount", "acount please").known


def test_what_a_passage_or_a_piece_has_or_somebody_marked_is_no_slip() -> None:
    often = ["what a brand, and cuando"] * 8
    assert "brnad" not in made(*often, "my brnad").known
    assert "brnad" in made(*often, "my brnad", passages=["A brnad."]).known
    assert "brnad" in made(*often, "my brnad", pieces=["\u2581brnad"]).known
    assert "cunado" in made(*often, "my cuñado").known


def test_the_key_beside_makes_another_word_and_a_letter_that_sounds_alike_does_not() -> None:
    words = made(*["the word and a base"] * 8, "it is a worf", "a bace")
    assert "worf" in words.known
    assert words.mend("worf bace", "en") == "worf base"
