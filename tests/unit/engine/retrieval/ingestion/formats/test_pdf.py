from __future__ import annotations

from pathlib import Path

import pytest

from engine.retrieval.ingestion.formats.pdf import pdf_to_markdown
from engine.retrieval.ingestion.limits import UnusableError

DOCUMENTS = Path(__file__).parents[5] / "documents"


def pdf(*drawn: tuple[float, float, float, str]) -> bytes:
    """A page with text at (x, y) in a size."""
    body = "\n".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in drawn).encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(body), body),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(content))
    return content + head + table + tail


BODY = [(50.0, 500.0 - 12 * n, 10.0, f"Line {n} of the text that most of the page is made of.") for n in range(4)]


def test_a_report_has_title_headings_and_its_table_where_it_stands() -> None:
    title, text = pdf_to_markdown((DOCUMENTS / "paper.pdf").read_bytes())
    assert title == "Water report"
    parts = [
        "# Water report",
        "# Sources",
        "The river gives most",
        "## Use by month",
        "| Month | Use (m3) |\n| --- | --- |\n| January | 1,200 |\n| February | 1,050 |",
        "# Costs",
        "Señora Muñoz pays.",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_larger_letters_are_headings_by_their_rank() -> None:
    _, text = pdf_to_markdown(pdf((50, 700, 20, "Top"), (50, 600, 14, "Middle"), *BODY))
    assert text.startswith("# Top\n\n## Middle\n\nLine 0")


def test_a_heading_over_two_lines_is_one_and_two_headings_are_two() -> None:
    _, text = pdf_to_markdown(
        pdf((50, 700, 20, "A title that"), (50, 678, 20, "goes on"), (50, 600, 20, "Next"), *BODY)
    )
    assert text.startswith("# A title that goes on\n\n# Next\n\n")


def test_a_larger_number_is_no_heading() -> None:
    _, text = pdf_to_markdown(pdf((50, 700, 20, "17"), *BODY))
    assert "#" not in text


def test_columns_that_end_at_the_same_place_are_a_table_too() -> None:
    rows = [(50, 300, 10, "Tea"), (200, 300, 10, "1,200.50"), (50, 288, 10, "Rice"), (223, 288, 10, "9.50")]
    _, text = pdf_to_markdown(pdf(*BODY, *rows))
    assert text.endswith("| Tea | 1,200.50 |\n| --- | --- |\n| Rice | 9.50 |\n")


def test_points_of_a_list_are_no_table() -> None:
    points = [(50, 300, 10, "1."), (80, 300, 10, "Open it"), (50, 288, 10, "2."), (80, 288, 10, "Close it")]
    _, text = pdf_to_markdown(pdf(*BODY, *points))
    assert text.endswith("1. Open it\n2. Close it\n")


def test_a_gap_in_one_line_alone_is_no_table() -> None:
    _, text = pdf_to_markdown(pdf(*BODY, (50, 300, 10, "left"), (300, 300, 10, "right")))
    assert text.endswith("left right\n")


def test_a_wide_gap_between_lines_ends_a_paragraph() -> None:
    _, text = pdf_to_markdown(pdf(*BODY, (50, 400, 10, "Another one.")))
    assert text.count("\n\n") == 1


def test_what_looks_like_markup_is_text() -> None:
    _, text = pdf_to_markdown(pdf(*BODY, (50, 300, 10, "# not a heading")))
    assert text.endswith("\\# not a heading\n")


@pytest.mark.parametrize("content", [b"", b"not one", b"%PDF-1.4 cut", (DOCUMENTS / "paper.pdf").read_bytes()[:900]])
def test_a_damaged_one_is_refused(content: bytes) -> None:
    with pytest.raises(UnusableError, match="damaged or locked PDF"):
        pdf_to_markdown(content)


def test_a_locked_one_is_refused() -> None:
    with pytest.raises(UnusableError, match="damaged or locked PDF"):
        pdf_to_markdown((DOCUMENTS / "locked.pdf").read_bytes())


def test_one_without_text_holds_none() -> None:
    assert pdf_to_markdown(pdf())[1].strip() == ""
