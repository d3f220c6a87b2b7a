from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node

from engine.retrieval.ingestion.chunking import PASSAGE_CHARS, chunk
from engine.retrieval.ingestion.code import cutting, grammars
from engine.retrieval.ingestion.code.cutting import structured_pieces
from engine.retrieval.ingestion.code.languages import LANGUAGES
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.retrieval.ingestion.isolation import IsolatedReader
from engine.retrieval.port import Document


def by_length(text: str, most: int = 50) -> Iterable[str]:
    return (text[at : at + most] for at in range(0, len(text), most))


def pieces(text: str, language: str = "python", limit: int = 300) -> list[tuple[str, str]]:
    found = structured_pieces(language, text, limit, by_length)
    assert found is not None
    return list(found)


def headings(text: str, language: str = "python", limit: int = 300) -> list[str]:
    return [heading for heading, _ in pieces(text, language, limit)]


def function(name: str, lines: int, indent: str = "") -> str:
    return f"{indent}def {name}():\n" + "".join(f"{indent}    step_{n} = {n}\n" for n in range(lines)) + "\n"


def test_small_neighbours_stand_together() -> None:
    assert headings(function("a", 1) + function("b", 1) + function("c", 15)) == ["a / b", "c"]


def test_what_stands_before_a_definition_and_is_small_stands_with_it() -> None:
    assert headings('"""What this is."""\n\nimport os\n\n\n' + function("a", 10)) == ["a"]
    assert headings("".join(f"import module_{n}\n" for n in range(15)) + "\n" + function("a", 10)) == ["", "a"]


def test_the_names_of_many_neighbours_do_not_make_a_heading() -> None:
    text = "".join(f"def a_long_name_of_a_function_{n}(): pass\n" for n in range(6))
    assert headings(text, limit=900) == [""]


def test_a_small_class_is_whole_and_says_what_it_holds() -> None:
    text = "class A:\n" + function("one", 1, "    ")
    assert headings(text) == ["A > one"]
    assert headings(f"{text}class B:\n    x = 1\n") == ["A / B"]


def test_a_class_without_functions_is_one_passage() -> None:
    fields = "".join(f"    field_{n}: int\n" for n in range(12))
    assert headings(f"@frozen\nclass A:\n    '''Fields.'''\n\n{fields}") == ["A"]


def test_the_head_of_a_class_stands_with_its_first_function() -> None:
    text = f"class A:\n    '''Words.'''\n\n{function('one', 10, '    ')}{function('two', 10, '    ')}"
    assert [(heading, piece.split("\n")[0]) for heading, piece in pieces(text)] == [
        ("A > one", "class A:"),
        ("A > two", "    def two():"),
    ]


def test_a_long_function_is_cut_into_even_parts_between_its_statements() -> None:
    cut = pieces(function("long", 60))
    assert {heading for heading, _ in cut} == {"long"}
    assert all(piece.startswith(("def long", "    step_")) for _, piece in cut)
    sizes = [len(piece) for _, piece in cut]
    assert min(sizes) > 0.6 * max(sizes)


def test_a_long_statement_is_cut_between_its_lines() -> None:
    text = "routes = {\n" + "".join(f"    'name_{n}': (compute({n}),\n        {n}),\n" for n in range(40)) + "}\n"
    cut = [piece for _, piece in pieces(text)]
    assert len(cut) > 3
    assert all(piece.startswith(("routes = {", "    'name_")) for piece in cut)


@pytest.mark.parametrize("lines", [6, 8, 9, 10, 14, 40])
def test_a_signature_is_not_left_alone(lines: int) -> None:
    words = "".join(f"    Words of line {n:02} of what it does.\n" for n in range(lines))
    text = f"class Router(Base):\n    '''{words.strip()}\n    '''\n\n    limit = 3\n"
    cut = pieces(text)
    assert "".join(piece for _, piece in cut) == text
    assert "Words of line 00" in cut[0][1]
    assert all(heading == "Router" and len(piece) <= 300 for heading, piece in cut)


def test_a_comment_behind_a_blank_line_is_not_of_what_follows() -> None:
    comment = "# " + "word " * 45
    before = pieces(f"{function('a', 10)}{comment}\n\n\n{function('b', 15)}")
    assert [(heading, "word" in piece) for heading, piece in before] == [("a", False), ("", True), ("b", False)]
    led = pieces(f"{function('a', 10)}{comment}\n{function('b', 2)}")
    assert [(heading, "word" in piece) for heading, piece in led] == [("a", False), ("b", True)]


def test_a_comment_at_the_end_of_a_line_is_of_that_line() -> None:
    text = function("a", 14).rstrip("\n") + "  # the last\n" + function("b", 14)
    assert [heading for heading, piece in pieces(text) if "# the last" in piece] == ["a"]


def test_two_definitions_on_a_line_give_no_name() -> None:
    assert headings("const a = () => 1, b = () => 2;\n", "javascript") == [""]


@pytest.mark.parametrize(
    ("language", "text", "path"),
    [
        ("cpp", "ns::Map<a::b, c>::Map(int x) { }", "ns > Map > Map"),
        ("cpp", "bool operator<(const A& a, const B& b) { return 1; }", "operator<"),
        ("cpp", "const char *(*handler(int a))(int) { return 0; }", "handler"),
        ("c", "typedef int (*callback_t)(void *);", "callback_t"),
        ("c", "struct named *made(void) { return 0; }", "made"),
        ("c", "struct named first = { 1 };", ""),
        ("go", "func (Router) Decide() {}", "Router > Decide"),
        ("go", "type A = B", "A"),
        ("javascript", "export default class extends Base { }", ""),
        ("javascript", "Router.prototype.decide = function () {}", "Router.prototype.decide"),
        ("javascript", "const limit = 1;", ""),
        ("typescript", 'declare module "shapes" { }', "shapes"),
        ("typescript", "declare function decide(a: string): number;", "decide"),
        ("rust", "impl<'a> From<&'a str> for Router<'a> { }", "Router"),
        ("ruby", "class A::B; end", "A::B"),
        ("sql", "create or replace function f(a int) returns int as $$ select 1; $$ language sql;", "f"),
        ("sql", 'create table "Shop"."Users" (id int);', 'Shop"."Users'),
        ("php", "<?php interface Decides { }", "Decides"),
        ("bash", "function a-b { echo; }", "a-b"),
    ],
)
def test_definitions_are_named_as_they_are_looked_for(language: str, text: str, path: str) -> None:
    assert headings(f"{text}\n", language) == [path]


def test_deep_paths_lose_their_outermost_names() -> None:
    text = "".join(f"{'  ' * n}class Quite_a_long_name_of_a_class_{n}:\n" for n in range(12)) + "  " * 12 + "x = 1\n"
    found = headings(text, limit=200)
    assert max(map(len, found)) <= 280
    assert found[-1].endswith("Quite_a_long_name_of_a_class_11")


def test_a_damaged_place_hides_no_function_behind_it() -> None:
    text = function("a", 12) + "x = = 3 (\n)]\n\n\n" + function("b", 12)
    assert {"a", "b"} <= set(headings(text))


SOURCES = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60),
        st.sampled_from(
            ["class A {", "}", "def a():", "    x = 1", "# c", "/* c */", "// c", "func (r *A) b() {", "end", "<?php"]
        ),
        st.sampled_from(
            ["fn a() {", "create table a (", ");", "@a", "#[b]", "const a = () => {", "a, (", "[", "'", '"""']
        ),
    ),
    max_size=30,
).map("\n".join)


@settings(deadline=None, max_examples=200)
@given(SOURCES, st.sampled_from(sorted(LANGUAGES)), st.integers(20, 200))
def test_joined_again_the_passages_of_any_text_are_the_text(text: str, language: str, limit: int) -> None:
    assert "".join(piece for _, piece in pieces(text, language, limit)) == text


@settings(deadline=None, max_examples=100)
@given(SOURCES, st.sampled_from(sorted(LANGUAGES)), st.integers(60, 400))
def test_no_passage_of_any_text_is_too_long_and_ids_are_distinct(text: str, language: str, limit: int) -> None:
    chunks = chunk(Document("a", "A", text, f"code:{language}", "/a", ""), limit)
    assert all(len(part.passage.text) <= limit for part in chunks)
    assert len({part.passage.id for part in chunks}) == len(chunks)
    assert "".join("".join(part.passage.text for part in chunks).split()) == "".join(text.split())


HOSTILE = {
    "minified": ("javascript", "function f(a){if(a){return g([1,{x:a}])}return a}" * 4_000),
    "a line of lines": ("javascript", ("function f(a){return a}" * 2_000 + "\n") * 4),
    "braces": ("javascript", "{\n" * 60_000),
    "classes": ("java", "class A {\n" * 20_000),
    "a chain": ("javascript", "x = a" + "\n+ a" * 40_000),
    "templates": ("cpp", "a<\n" * 20_000),
    "parentheses": ("python", "(" * 100_000),
    "names": ("python", "a\n" * 60_000),
    "comments": ("c", "// a\n" * 40_000),
    "a comment": ("c", f"/*{'a ' * 90_000}*/"),
    "a string": ("python", f"'''{'word ' * 40_000}"),
    "words": ("sql", "lorem ipsum " * 15_000),
}


@pytest.mark.parametrize(("language", "text"), HOSTILE.values(), ids=HOSTILE.keys())
def test_what_nobody_wrote_is_cut_into_passages_all_the_same(language: str, text: str) -> None:
    chunks = chunk(Document("a", "A", text, f"code:{language}", "/a", ""))
    assert "".join("".join(part.passage.text for part in chunks).split()) == "".join(text.split())
    assert all(len(part.passage.text) <= PASSAGE_CHARS for part in chunks)
    assert all(len(part.passage.heading) <= 300 for part in chunks)


def test_nothing_within_a_line_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a megabyte on one line costs its parsing and no walk through a million nodes."""
    looked: list[int] = []
    groups = cutting._groups

    def counted(nodes: Sequence[Node]) -> list[list[Node]]:
        looked.append(len(nodes))
        return groups(nodes)

    monkeypatch.setattr(cutting, "_groups", counted)
    pieces("f(a,b,[c,{d:e}]);" * 3_000, "javascript", 1_000)
    assert sum(looked) == 3_000


def test_two_megabytes_on_a_line_are_cut_as_without_a_grammar() -> None:
    text = "function f(a){return g(a)}" * 80_000
    with_grammar = chunk(Document("a", "A", text, "code:javascript", "/a", ""))
    assert with_grammar == chunk(Document("a", "A", text, "code", "/a", ""))


def test_without_its_grammar_a_file_is_cut_as_code_is(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(function(f"f{n}", 20) for n in range(10))
    monkeypatch.setattr(grammars, "_grammar", lambda _: None)
    assert chunk(Document("a", "A", text, "code:python", "/a", "")) == chunk(Document("a", "A", text, "code", "/a", ""))


def test_the_path_is_searched_and_shown_behind_the_name_of_the_file() -> None:
    text = f"class Router:\n{function('decide', 30, '    ')}"
    document = Document("src/router.py", "router.py", text, content_of(".py", text.encode()).kind, "/r", "")
    part = chunk(document)[-1]
    assert part.searchable.startswith("router.py\nRouter > decide\n")


def test_line_ends_of_other_systems_are_read() -> None:
    text = (function("a", 12) + function("b", 12)).replace("\n", "\r\n")
    chunks = chunk(Document("a", "A", text, "code:python", "/a", ""), 300)
    assert [part.passage.heading for part in chunks] == ["a", "b"]


def test_bytes_that_are_no_text_shift_no_border() -> None:
    text = "# 注释 ñ 😀\n" * 3 + function("decide", 12) + "x = '文字'\n" * 20
    assert "".join(piece for _, piece in pieces(text)) == text
    (decide,) = [piece for heading, piece in pieces(text) if heading == "decide"]
    assert decide.startswith("# 注释 ñ 😀\n# 注释 ñ 😀\n# 注释 ñ 😀\ndef decide():\n")
    assert decide.rstrip().endswith("step_11 = 11")


def test_it_is_the_same_in_the_process_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "router.py"
    path.write_text(f"class Router:\n{function('decide', 40, '    ')}{function('explain', 40, '    ')}")
    with IsolatedReader() as reader:
        document = reader(path, "router.py")
    assert document.chunks is not None
    found = [name for name, _ in itertools.groupby(part.passage.heading for part in document.chunks)]
    assert found == ["Router > decide", "Router > explain"]
