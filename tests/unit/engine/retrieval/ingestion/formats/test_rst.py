from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.retrieval.ingestion.formats.rst import rst_to_markdown
from engine.retrieval.port import Document

RST = """\
=======
 Title
=======

Intro.

Part
====

Text ``code``.

Piece
-----

.. code-block:: sh

   # a comment
   ls

Another Part
============

====  ====
a     b
====  ====

The end
"""


def test_rst_titles_become_headings() -> None:
    parts = chunk(Document("a.rst", "Title", rst_to_markdown(RST), "markdown", "/a", ""))
    assert [part.passage.heading for part in parts] == ["", "Part", "Part > Piece", "Another Part"]
    assert "### Piece" in rst_to_markdown(RST).split("\n")


def shown(text: str) -> str:
    """The Markdown without the empty lines, whose number says nothing."""
    return "\n".join(line for line in rst_to_markdown(text).split("\n") if line)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            "Words *as they* are, ``code`` too.\n\n* an item\n* another",
            "Words *as they* are, ``code`` too.\n* an item\n* another",
        ),
        (".. code-block:: sh\n   :linenos:\n\n   # a comment\n\n   ls", "```sh\n# a comment\nls\n```"),
        (".. code::\n\n   ```\n   x", "````\n```\nx\n````"),
        ("Example::\n\n  # a comment\n    x = 1\n\nText", "Example:\n```\n# a comment\n  x = 1\n```\nText"),
        ("Text ::\n\n  x\n", "Text\n```\nx\n```"),
        ("::\n\n  x\n", "```\nx\n```"),
        ("* Item::\n\n    x\n\n* Next", "* Item:\n  ```\n  x\n  ```\n* Next"),
        ("C++ has std::\n\nText", "C++ has std::\nText"),
        (".. note:: Take care.\n   Twice.", "Note: Take care.\nTwice."),
        (".. warning::\n\n   Take care.\n\n   * item", "Warning:\nTake care.\n* item"),
        (".. admonition:: By hand\n\n   Turn it.", "By hand\nTurn it."),
        (".. versionadded:: 3.2", "Added in 3.2"),
        (".. only:: html\n\n   Words", "Words"),
        (".. figure:: a.png\n   :alt: A\n\n   The gauge", "The gauge"),
        (".. py:function:: decide(message)\n\n   Tells the type.", "`decide(message)`\nTells the type."),
        (".. function:: decide(message)\n\n   .. note:: Slow.", "`decide(message)`\nNote: Slow."),
        (".. a comment\n   of two lines\n\nText", "Text"),
        ("..\n   a comment\n\nText", "Text"),
        (".. _label:\n\nText", "Text"),
        (".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\nText", "Text"),
        (".. [1] See there.", "[1] See there."),
        (".. |x| replace:: the gauge\n\nTake |x| or |y|.", "Take the gauge or |y|."),
        ("See :py:func:`~a.decide`, :ref:`the part <part>`, :doc:`intro`.", "See `a.decide`, the part, intro."),
        ("See `the page <https://example.org>`_ and `that`_.", "See the page (https://example.org) and that."),
        (
            "See `That page`_.\n\n.. _that page: https://example.org/a",
            "See That page (https://example.org/a).",
        ),
        ("#. one\n#. two", "1. one\n1. two"),
        (
            "====  =====\na     b\n====  =====\n1     2 | 3\n      more\n====  =====",
            "| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 more |",
        ),
        ("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n|   | 3 |\n+---+---+", "| a | b |\n| --- | --- |\n| 1 | 2 3 |"),
        ("+---+---+\n| a     |\n+---+---+\n| b | c |\n+---+---+", "| a |  |\n| --- | --- |\n| b | c |"),
        ("+---+---+\n| a | b |\n|   +---+\n|   | c |\n+---+---+", "| a | b c |\n| --- | --- |"),
        ("+---+---+", "+---+---+"),
        ("====  ====\nnever closed", "====  ====\nnever closed"),
        (
            ".. list-table:: Stations\n   :header-rows: 1\n\n   * - Name\n     - Depth\n   * - The\n       harbour\n     -",
            "Stations\n| Name | Depth |\n| --- | --- |\n| The harbour |  |",
        ),
        ('.. csv-table::\n   :header: a\n\n   "a, b", c\n   1, 2', "| a, b | c |\n| --- | --- |\n| 1 | 2 |"),
    ],
)
def test_what_is_for_the_processor_is_read_as_it_is_shown(text: str, markdown: str) -> None:
    assert shown(text) == markdown


def test_a_comment_in_code_is_no_heading() -> None:
    code = "Example::\n\n    # a comment\n    x = 1\n"
    (only,) = chunk(Document("a.rst", "a", rst_to_markdown(code), "markdown", "/a", ""))
    assert only.passage.heading == ""


def test_directives_within_directives_end_somewhere() -> None:
    text = "".join(f"{'   ' * depth}.. note::\n\n" for depth in range(300)) + "   " * 300 + "the end"
    assert "the end" in rst_to_markdown(text)


@settings(deadline=None, max_examples=150)
@given(st.text("ab =-+|:`.*_#<>[]\n", max_size=300))
def test_any_text_is_read(text: str) -> None:
    rst_to_markdown(text)


def test_long_texts_are_read_in_proportion() -> None:
    for line in (
        ".. note:: a\n",
        "a::\n\n  b\n",
        "+---+\n",
        "=== ===\n",
        "`a`_ |b| ",
        "* - a\n",
        ".. |a| replace:: b\n",
    ):
        assert rst_to_markdown(line * 10_000) is not None


@pytest.mark.parametrize("text", ["A longer title\n===\n", "====\n\ntext\n", "===\nOver\n======\n", "", "----\n----\n"])
def test_what_is_no_rst_title_stays(text: str) -> None:
    assert not any(line.startswith("# ") for line in rst_to_markdown(text).split("\n"))


def test_rst_brings_its_title() -> None:
    content = content_of(".rst", RST.encode())
    assert content is not None
    assert content.title == "Title"
