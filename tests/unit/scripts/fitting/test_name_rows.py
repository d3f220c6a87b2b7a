"""The rows that the encoder's layers are adapted to names by."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.fitting.account.name_rows import blocks, plain

WRITTEN = """# boat hire
boatsOut | barcas fuera
  en: how many are on the water?
  es: ¿cuántas hay en el agua?

# kiosk
till_total | total de caja
  en: what did we take?
"""


def test_a_block_has_figures_with_their_questions(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text(WRITTEN, encoding="utf-8")
    boats, kiosk = blocks(tmp_path)
    assert (boats.kind, kiosk.kind) == ("boat hire", "kiosk")
    assert boats.figures[0].names == {"en": "boats out", "es": "barcas fuera"}
    assert boats.figures[0].questions == ["how many are on the water?", "¿cuántas hay en el agua?"]
    assert [figure.names["en"] for figure in kiosk.figures] == ["till total"]


def test_a_line_of_no_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("# boat hire\nboats out without a Spanish name\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"1\.txt, line 2: no kind, no names, no question"):
        blocks(tmp_path)


@pytest.mark.parametrize(
    ("key", "name"), [("noShows", "no shows"), ("refund_rate", "refund rate"), ("Beds  Free", "beds free")]
)
def test_names_are_read_as_words(key: str, name: str) -> None:
    assert plain(key) == name


def test_each_figure_of_the_rows_is_asked_for_in_both_languages() -> None:
    kinds = blocks()
    assert len({kind.kind for kind in kinds}) == len(kinds)
    for kind in kinds:
        assert len(kind.figures) >= 10, kind.kind
        for figure in kind.figures:
            assert len(figure.questions) == 4, (kind.kind, figure.names)
