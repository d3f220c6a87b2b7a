from __future__ import annotations

from pathlib import Path

import pytest

from engine.retrieval.ingestion.formats import office
from engine.retrieval.ingestion.formats.by_suffix import Content, content_of
from engine.retrieval.ingestion.limits import UnusableError

DOCUMENTS = Path(__file__).parents[5] / "documents"


def read(name: str) -> Content:
    return content_of(Path(name).suffix, (DOCUMENTS / name).read_bytes())


def test_a_word_file_has_headings_lists_and_tables() -> None:
    content = read("report.docx")
    assert (content.title, content.kind) == ("Leave policy", "markdown")
    for part in (
        "# Parental leave\n",
        "Señora Muñoz approves",
        "1. Fill in the form\n2. Send it to your lead\n3. Wait two days",
        "- apples\n- pears",
        "## Rates\n",
        "| Country | Weeks | Pay |\n| --- | --- | --- |\n| Spain | 16 | 100 % |\n| Portugal | 21 | 80 % \\| more |",
    ):
        assert part in content.text


def test_slides_have_titles_points_notes_and_tables() -> None:
    content = read("slides.pptx")
    assert content.title == "Quarter results"
    for part in ("## Revenue", "- Grew by 12 %\n  - mostly in Spain", "Say thanks to the team.", "| Madrid | 10 |"):
        assert part in content.text


def test_sheets_are_rows_with_the_names_of_columns() -> None:
    content = read("sheet.xlsx")
    assert content.kind == "rows"
    assert "Product: Basic\nPrice: 9.5\nSince: 2026-01-01\nActive: TRUE" in content.text
    assert "A remark alone" in content.text


def test_cells_are_read_as_they_are_shown() -> None:
    values = [line for line in read("formats.xlsx").text.splitlines() if line.startswith("Value: ")]
    assert values == ["Value: 50%", "Value: 1,234.50 €", "Value: $12.50", "Value: 3.00"]


@pytest.mark.parametrize("name", ["report.docx", "slides.pptx", "sheet.xlsx"])
def test_a_damaged_file_is_refused(name: str) -> None:
    content = (DOCUMENTS / name).read_bytes()
    for damaged in (b"", b"junk", content[: len(content) // 2], content[:100] + b"\xff" * 3_000):
        with pytest.raises(UnusableError, match="damaged or locked Office file") as refusal:
            content_of(Path(name).suffix, damaged)
        assert refusal.value.keeps


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# Head\n\ntext", "Head"),
        ("A short line\n\ntext", "A short line"),
        (f"{'long ' * 60}\n", ""),
        ("- point", ""),
        ("| a | b |", ""),
        ("", ""),
    ],
)
def test_the_title_is_a_short_first_line(monkeypatch: pytest.MonkeyPatch, markdown: str, title: str) -> None:
    monkeypatch.setattr(office, "_markdown", lambda *_: markdown)
    assert office.text_to_markdown("docx", b"")[0] == title
