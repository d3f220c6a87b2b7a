from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion.sections import Section, fence_of, first_title, sections, split_long_fences

GUIDE = """\
Before everything.

# Guide

Intro.

## Install

Run this:

```bash
# not a heading
pip install it
```

### On *Linux*

Easy.

## `use(it)` and [more](http://x.y)

- # no heading in a list
> # nor in a quote

Setext
------

Under it.
"""


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in sections(text)]


def test_every_section_knows_its_path() -> None:
    assert paths(GUIDE) == [
        (),
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "On Linux"),
        ("Guide", "use(it) and more"),
        ("Guide", "Setext"),
    ]


def test_the_text_is_what_stands_between_headings() -> None:
    texts = {section.path[-1:]: section.text.strip() for section in sections(GUIDE)}
    assert texts[()] == "Before everything."
    assert texts[("Guide",)] == "Intro."
    assert texts[("Install",)].startswith("Run this:")
    assert "# not a heading" in texts[("Install",)]
    assert texts[("Setext",)] == "Under it."


def test_levels_are_told() -> None:
    assert [section.level for section in sections(GUIDE)] == [0, 1, 2, 3, 2, 2]


def test_a_skipped_level_is_no_harm() -> None:
    assert paths("# A\n\n### C\n\nx\n\n## B\n\ny\n") == [("A", "C"), ("A", "B")]


def test_a_second_h1_starts_anew() -> None:
    assert paths("# A\n\nx\n\n## B\n\ny\n\n# C\n\nz\n") == [("A",), ("A", "B"), ("C",)]


def test_headings_without_text_join_the_next_beside_them() -> None:
    text = "# R\n\n#### `a(x)`\n#### `b(y)`\n#### `c(z)`\n\ncode for all\n"
    assert sections(text) == [Section(("R", "a(x) / b(y) / c(z)"), 4, "\ncode for all\n")]


def test_a_heading_with_headings_below_it_needs_no_text() -> None:
    assert paths("# A\n## B\n### C\n\ntext\n") == [("A", "B", "C")]


def test_a_last_heading_without_text_is_its_own_text() -> None:
    assert sections("# A\n\nx\n\n## Empty\n")[-1] == Section(("A", "Empty"), 2, "Empty")


def test_an_outline_of_headings_alone_loses_none() -> None:
    names = [f"Heading number {n}" for n in range(100)]
    found = sections("\n".join(f"## {name}" for name in names))
    joined = " ".join(" ".join(section.path) for section in found)
    assert all(name in joined for name in names)
    assert all(len(section.path[-1]) < 300 for section in found)


def test_a_heading_before_one_of_another_branch_is_kept() -> None:
    assert paths("# A\n\n### deep\n\n## B\n\nx\n") == [("A", "deep"), ("A", "B")]


@pytest.mark.parametrize("text", ["", "   \n\n", "\n"])
def test_nothing_has_no_sections(text: str) -> None:
    assert sections(text) == []


def test_thematic_breaks_are_not_text() -> None:
    assert [section.text.strip() for section in sections("# A\n\nx\n\n---\n\n# B\n\n***\n\ny\n")] == ["x", "y"]


def test_front_matter_is_text_and_no_heading() -> None:
    found = sections("---\ntitle: My page\nkind: x\n---\n\n# A\n\ny\n")
    assert found[0].path == ()
    assert "title: My page" in found[0].text
    assert found[1].path == ("A",)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_newline_ends_a_line(newline: str) -> None:
    assert paths(GUIDE.replace("\n", newline)) == paths(GUIDE)


def test_unusual_line_ends_do_not_shift_lines() -> None:
    found = sections("# A\n\none\x0btwo\u2028three\x85four\n\n# B\n\nfive\n")
    assert found[0].text.strip() == "one\x0btwo\u2028three\x85four"
    assert found[1].text.strip() == "five"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (GUIDE, "Guide"),
        ("## only two\n\nx", ""),
        ("", ""),
        ("# `code` *and* more #\n", "code and more"),
        ("Setext title\n===\n", "Setext title"),
        ("```\n# in a fence\n```\n# Real\n", "Real"),
        ("#\n\n# Second\n", "Second"),
    ],
)
def test_the_title_is_the_first_h1(text: str, title: str) -> None:
    assert first_title(text) == title


def test_fences_that_fit_are_left_alone() -> None:
    assert list(split_long_fences("a\n```\nshort\n```\nb", 100)) == [("", "a\n```\nshort\n```\nb")]


def test_long_fences_are_taken_out() -> None:
    code = "line of code\n" * 20
    parts = list(split_long_fences(f"before\n\n```python\n{code}```\n\nafter", 100))
    assert parts == [("", "before\n"), ("```python", code.rstrip("\n")), ("", "\nafter")]


def test_a_fence_that_is_never_closed_ends_with_the_text() -> None:
    code = "line of code\n" * 20
    parts = list(split_long_fences(f"```\n{code}", 100))
    assert parts[1][0] == "```"
    assert parts[1][1].split() == code.split()


@pytest.mark.parametrize(
    ("opening", "mark"), [("```", "```"), ("````md", "````"), ("~~~ x", "~~~"), ("  ```py", "```"), ("none", "```")]
)
def test_a_fence_is_closed_as_it_was_opened(opening: str, mark: str) -> None:
    assert fence_of(opening) == mark


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["# A", "## B", "### C", "```", "~~~", "- item", "  - nested", "> quote", "| a | b |", "", "x\ty"]
        ),
        st.text(st.characters(codec="utf-8", exclude_characters="#`~*_[]()<>!&\\-=+.|:>"), max_size=30),
    ),
    max_size=25,
)


@settings(deadline=None)
@given(LINES)
def test_no_word_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    kept = "\n".join(f"{' '.join(section.path)}\n{section.text}" for section in sections(text))
    words = set(re.findall(r"\w+", text))
    assert words <= set(re.findall(r"\w+", kept))
