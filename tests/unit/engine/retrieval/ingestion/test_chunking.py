from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.retrieval.ingestion import chunking
from engine.retrieval.ingestion.chunking import PASSAGE_CHARS, chunk, passage_id
from engine.retrieval.ingestion.sections import segments
from engine.retrieval.port import Chunk, Document


def document(text: str, kind: str = "markdown", title: str = "Title", name: str = "docs/a.md") -> Document:
    return Document(name=name, title=title, text=text, kind=kind, source=f"/{name}", digest="")


def texts(chunks: list[Chunk]) -> list[str]:
    return [part.passage.text for part in chunks]


def paragraphs(count: int, words: int = 30) -> str:
    return "\n\n".join(" ".join(f"w{p}x{n}" for n in range(words)) + "." for p in range(count))


def test_a_section_that_fits_is_one_passage() -> None:
    (only,) = chunk(document("# Title\n\n## Part\n\none\n\ntwo\n"))
    assert only.passage.text == "one\n\ntwo"
    assert only.passage.heading == "Part"
    assert only.passage.title == "Title"
    assert only.passage.document == "docs/a.md"


def test_the_heading_path_is_carried() -> None:
    (only,) = chunk(document("# Other\n## Part\n### Piece\nx"))
    assert only.passage.heading == "Other > Part > Piece"


def test_what_is_searched_has_title_and_headings() -> None:
    (only,) = chunk(document("## Part\n### Piece\nthe text"))
    assert only.searchable == "Title\nPart > Piece\nthe text"


def test_a_title_that_the_text_repeats_stands_there_once() -> None:
    (only,) = chunk(document("Title\nand more", "passage"))
    assert only.searchable == "Title\nand more"


def test_small_neighbours_stay_apart() -> None:
    assert texts(chunk(document("## A\n\na\n\n## B\n\nb\n"))) == ["a", "b"]


def test_a_long_section_is_split_between_paragraphs() -> None:
    text = paragraphs(20)
    chunks = chunk(document(f"## Long\n\n{text}"))
    assert len(chunks) > 1
    assert {part.passage.heading for part in chunks} == {"Long"}
    assert all(len(part) <= PASSAGE_CHARS for part in texts(chunks))
    assert "\n\n".join(texts(chunks)) == text


def test_a_fence_is_not_cut() -> None:
    fence = "```python\n" + "\n\n".join(f"call({n})" for n in range(40)) + "\n```"
    chunks = chunk(document(f"{paragraphs(4)}\n\n{fence}\n\n{paragraphs(4)}"))
    assert len(chunks) > 1
    assert sum(fence in part for part in texts(chunks)) == 1


def test_a_fence_that_is_too_long_alone_is_cut_into_fences() -> None:
    code = "\n\n".join(f"def function_{n}():\n    return {n}" for n in range(100))
    chunks = chunk(document(f"Before.\n\n~~~python\n{code}\n~~~\n\nAfter."))
    fenced = [part for part in texts(chunks) if part.startswith("~~~python\n")]
    assert len(fenced) > 1
    assert all(part.endswith("\n~~~") for part in fenced)
    assert "\n\n".join(part.removeprefix("~~~python\n").removesuffix("\n~~~") for part in fenced) == code
    assert texts(chunks)[0] == "Before."
    assert texts(chunks)[-1] == "After."


def test_list_items_are_kept_whole() -> None:
    items = [f"- item {n} " + "word " * 20 + f"end{n}" for n in range(30)]
    chunks = chunk(document("\n".join(items)))
    assert len(chunks) > 1
    assert all(sum(item in part for part in texts(chunks)) == 1 for item in items)


def test_table_rows_are_kept_whole() -> None:
    rows = [f"| name{n} | {'cell ' * 10}| end{n} |" for n in range(40)]
    chunks = chunk(document("\n".join(["| a | b | c |", "|---|---|---|", *rows])))
    assert len(chunks) > 1
    assert all(sum(row in part for part in texts(chunks)) == 1 for row in rows)


def test_headings_in_fences_are_code() -> None:
    (only,) = chunk(document("```sh\n# comment\nls\n```"))
    assert only.passage.heading == ""


def test_joined_headings_are_found_under_each_name() -> None:
    (only,) = chunk(document("#### `one(a)`\n#### `two(b)`\n\ncode\n"))
    assert only.passage.heading == "one(a) / two(b)"


def test_plain_text_is_split_at_paragraphs() -> None:
    text = paragraphs(12)
    chunks = chunk(document(text, "text"))
    assert len(chunks) > 1
    assert "\n\n".join(texts(chunks)) == text
    assert {part.passage.heading for part in chunks} == {""}


def test_code_is_split_between_definitions() -> None:
    functions = [f"def f{n}(a, b):\n    total = a + b\n\n    return total * {n}" for n in range(60)]
    chunks = chunk(document("\n\n\n".join(functions), "code"))
    assert len(chunks) > 1
    assert all(sum(function in part for part in texts(chunks)) == 1 for function in functions)


def test_a_long_definition_names_its_parts() -> None:
    body = "\n".join(f"    step_{n} = compute({n})" for n in range(120))
    chunks = chunk(document(f"class Engine:\n{body}\n", "code"))
    assert len(chunks) > 1
    assert chunks[0].passage.heading == ""
    assert {part.passage.heading for part in chunks[1:]} == {"class Engine:"}


def test_indentation_of_code_is_kept() -> None:
    body = "\n".join(f"    step_{n} = compute({n})" for n in range(120))
    lines = "\n".join(texts(chunk(document(f"class Engine:\n{body}\n", "code")))).split("\n")
    assert all(line.startswith("    step_") for line in lines[1:] if line)


def test_closing_brackets_stay_with_their_block() -> None:
    blocks = [f"call{n}(\n  {n},\n\n)" for n in range(200)]
    chunks = chunk(document("\n".join(blocks), "code"), limit=200)
    assert not any(part.lstrip().startswith(")") for part in texts(chunks)[:1])


def test_a_passage_is_kept_whole_under_its_name() -> None:
    text = paragraphs(50)
    (only,) = chunk(document(text, "passage", name="line-17"))
    assert only.passage.id == "line-17"
    assert only.passage.document == "line-17"
    assert only.passage.text == text


@pytest.mark.parametrize("kind", ["markdown", "text", "code", "passage"])
@pytest.mark.parametrize("text", ["", "  \n\t\n "])
def test_no_text_is_no_passage(kind: str, text: str) -> None:
    assert chunk(document(text, kind)) == []


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind of document: poem"):
        chunk(document("x", "poem"))


def test_ids_are_made_from_the_content() -> None:
    (one,), (two,) = chunk(document("same")), chunk(document("same"))
    assert one.passage.id == two.passage.id
    assert re.fullmatch(r"[0-9a-f]{20}", one.passage.id)


def test_ids_differ_by_document_heading_and_text() -> None:
    variants = [
        chunk(document("same"))[0],
        chunk(document("same", name="docs/b.md"))[0],
        chunk(document("## H\n\nsame"))[0],
        chunk(document("other"))[0],
    ]
    assert len({part.passage.id for part in variants}) == 4


def test_an_id_does_not_depend_on_what_stands_elsewhere() -> None:
    former = chunk(document("## A\n\nfirst\n\n## B\n\nsecond"))
    later = chunk(document("## New\n\nzero\n\n## A\n\nfirst\n\n## B\n\nsecond"))
    assert [part.passage.id for part in later[1:]] == [part.passage.id for part in former]


def test_the_same_text_twice_has_two_ids() -> None:
    chunks = chunk(document("## A\n\nsame\n\n## A\n\nsame\n\n## A\n\nsame"))
    assert len({part.passage.id for part in chunks}) == 3


def test_the_parts_of_an_id_do_not_run_together() -> None:
    assert passage_id("ab", "c", "d") != passage_id("a", "bc", "d")
    assert passage_id("a", "b", "c", 2) != passage_id("a", "b", "c")


BLOCKS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=300),
    st.sampled_from(
        ["# A\n", "## B\n", "```\ncode\n\n# c\n```", "- a\n- b\n  - c", "> q", "| a |\n|---|\n| b |", "    indented"]
    ),
    st.integers(1, 60).map(lambda n: "```py\n" + "call()\n\n" * n + "```"),
    st.integers(1, 20).map(lambda n: paragraphs(n, 12)),
)
DOCUMENTS = st.lists(BLOCKS, max_size=6).map("\n\n".join)


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


@settings(deadline=None, max_examples=150)
@given(DOCUMENTS, st.sampled_from(["markdown", "text", "code"]), st.integers(20, 400))
def test_ids_are_stable_and_distinct(text: str, kind: str, limit: int) -> None:
    one, two = chunk(document(text, kind), limit), chunk(document(text, kind), limit)
    assert one == two
    assert len({part.passage.id for part in one}) == len(one)


@settings(deadline=None, max_examples=150)
@given(DOCUMENTS, st.integers(20, 400))
def test_no_visible_character_of_code_is_lost(text: str, limit: int) -> None:
    kept = "".join(texts(chunk(document(text, "code"), limit)))
    assert "".join(kept.split()) == "".join(text.split())


@settings(deadline=None, max_examples=150)
@given(DOCUMENTS, st.integers(20, 400))
@example("# 0\n\n##", 20)  # a heading with nothing below it but one without words
@example("# 0\n\n#\n\n##", 20)
@example("# a\n\n# b\n\n## c\n\nd", 20)  # a heading beside one that leads to others
def test_no_word_of_markdown_is_lost(text: str, limit: int) -> None:
    chunks = chunk(document(text, title=""), limit)
    kept = letters("".join(f"{part.passage.heading}{part.passage.text}" for part in chunks))
    # Joined headings and cut fences repeat a little; nothing may be missing, so count rather than compare.
    assert not [character for character in set(letters(text)) if kept.count(character) < letters(text).count(character)]


TITLES = st.sampled_from(
    ["OPENING HOURS", "1. Fees", "1.1 Berths", "Title\n=====", "## Part", "Chapter 2: The sea", "2. Go on"]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(BLOCKS, TITLES), max_size=8).map("\n\n".join), st.integers(20, 400))
def test_no_word_of_text_is_lost(text: str, limit: int) -> None:
    chunks = chunk(document(text, "text", title=""), limit)
    kept = letters("".join(f"{part.passage.heading}{part.passage.text}" for part in chunks))
    numbers = Counter(letters(text)) - Counter(kept)
    assert not numbers


@settings(deadline=None, max_examples=100)
@given(DOCUMENTS, st.sampled_from(["markdown", "text", "code"]), st.integers(20, 400))
def test_no_passage_is_blank_or_much_too_long(text: str, kind: str, limit: int) -> None:
    for part in texts(chunk(document(text, kind), limit)):
        assert part.strip()
        # A cut fence has its marks around it; a heading without text is its own text.
        assert len(part) <= limit + 320


def markdown(text: str, limit: int = 200) -> list[str]:
    return [part.passage.text for part in chunk(Document("a.md", "A", text, "markdown", "/a.md", "1"), limit)]


def test_a_table_that_is_cut_keeps_its_head_in_every_piece() -> None:
    head = "| City | Sales |\n| --- | ---: |"
    rows = "\n".join(f"| city {n} | {n} |" for n in range(60))
    pieces = markdown(f"Before.\n\n{head}\n{rows}\n\nAfter.")
    assert (pieces[0], pieces[-1]) == ("Before.", "After.")
    assert all(piece.startswith(f"{head}\n| city ") for piece in pieces[1:-1])
    assert all(len(piece) <= 200 for piece in pieces)
    assert [line for piece in pieces[1:-1] for line in piece.splitlines()[2:]] == rows.splitlines()


def test_a_short_table_stays_as_it_is() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert markdown(f"{'word ' * 60}\n\n{table}")[-1].endswith(table)


@pytest.mark.parametrize("line", ["---", "| - -- |", "a | b", "|||", "|:|"])
def test_what_is_no_line_of_dashes_begins_no_table(line: str) -> None:
    text = f"| a | b |\n{line}\n" + "\n".join(f"| {n} | {n} |" for n in range(60))
    assert sum(piece.startswith("| a | b |\n") for piece in markdown(text)) <= 1


def test_a_fence_with_what_looks_like_a_table_stays_a_fence() -> None:
    table = "| a | b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 60
    assert all(piece.startswith("```text\n") for piece in markdown(f"```text\n{table}```"))


HOSTILE = {
    "one word": "x" * 300_000,
    "one line": "word " * 60_000,
    "a list": "- a\n" * 40_000,
    "rows": "|a|b|\n|-|-|\n" + "|1|2|\n" * 40_000,
    "quotes": ">" * 300_000,
    "fences": "```\n" * 50_000,
    "marks": "*[`" * 100_000,
}


@pytest.mark.parametrize("kind", ["markdown", "text", "code"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_splitter_is_given_more_than_it_can_take(monkeypatch: pytest.MonkeyPatch, kind: str, text: str) -> None:
    """They take time by the square of the length: what they are given is bounded, whatever the text is."""
    given: list[int] = []

    class _Counting:
        def __init__(self, *_: object, **__: object) -> None: ...

        def chunks(self, part: str) -> list[str]:
            given.append(len(part))
            return [part[at : at + 1_000] for at in range(0, len(part), 1_000)]

    for name in ("_markdown_splitter", "_text_splitter", "_code_splitter"):
        monkeypatch.setattr(chunking, name, lambda _limit: _Counting())
    pieces = chunk(Document("a", "A", text, kind, "/a", "1"))
    assert max(given, default=0) <= 20_000
    assert sum(given) <= len(text) + 2
    assert sum(len(piece.passage.text) for piece in pieces) >= 0.9 * len(text.replace(" ", ""))


@settings(max_examples=60, deadline=None)
@given(st.text("ab -\n`#1.", max_size=400), st.integers(5, 60), st.booleans())
def test_segments_hold_the_whole_text_in_bounded_pieces(text: str, most: int, is_markdown: bool) -> None:
    pieces = list(segments(text, most, markdown=is_markdown))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= most


def test_segments_begin_where_blocks_do() -> None:
    text = "".join(f"- item {n} of a list with some words\n" for n in range(50))
    assert all(piece.startswith("- item") for piece in segments(text, 200, markdown=True))
    fenced = "intro\n\n```\n" + "code\n\n" * 20 + "```\n\n" + "after\n\n" * 30
    assert "```\n\nafter" in "".join(list(segments(fenced, 180, markdown=True))[:1])
