from __future__ import annotations

import sys
import time

import pytest

from engine.retrieval.ingestion.code import grammars
from engine.retrieval.ingestion.code.grammars import is_installed, parse
from engine.retrieval.ingestion.code.languages import LANGUAGES, language_of


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_its_nodes_are_those_of_the_grammar(language: str) -> None:
    wanted = LANGUAGES[language]
    grammar = grammars._grammar(language)
    assert grammar is not None
    kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    fields = {grammar.field_name_for_id(number) for number in range(1, grammar.field_count + 1)}
    # JavaScript and TypeScript share a table: each has types that the other does not know.
    both = language in ("javascript", "tsx", "typescript")
    assert [kind for kind in wanted.definitions if kind not in kinds and not both] == []
    assert [kind for kind in wanted.wrappers if kind not in kinds and not both] == []
    assert wanted.containers <= set(wanted.definitions)
    assert {field for kind, field in wanted.definitions.items() if kind in kinds} <= fields


def test_the_root_holds_the_whole_source() -> None:
    root = parse("python", b"def decide():\n    pass\n")
    assert root is not None
    assert [child.type for child in root.children] == ["function_definition"]


def test_a_source_longer_than_what_is_read_at_once_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "_READ_BYTES", 7)
    root = parse("python", "x = 'ñandú 文字'\n".encode() * 20)
    assert root is not None
    assert not root.has_error
    assert len(root.children) == 20


def test_what_is_larger_than_people_write_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "MOST_BYTES", 10)
    assert parse("python", b"x = 12345\n") is not None
    assert parse("python", b"x = 123456\n") is None


def test_parsing_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = iter(range(10_000_000))
    monkeypatch.setattr(time, "thread_time", lambda: 3_600.0 * next(hours))
    assert parse("python", b"x = (1 +\n" * 10_000) is None


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "_grammar", grammars._grammar.__wrapped__)
    monkeypatch.setattr(grammars, "is_installed", grammars.is_installed.__wrapped__)


@pytest.mark.parametrize("absent", ["tree_sitter", "tree_sitter_python"])
@pytest.mark.usefixtures("anew")
def test_without_the_parser_or_the_grammar_nothing_is_parsed(monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    monkeypatch.setattr(grammars, "find_spec", lambda name: None if name == absent else object())
    assert not grammars.is_installed("python")
    assert parse("python", b"pass") is None
    assert grammars.is_installed("go") == (absent != "tree_sitter")


@pytest.mark.usefixtures("anew")
def test_a_grammar_of_another_version_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import tree_sitter

    def refuse(_: object) -> None:
        raise ValueError("Incompatible Language version 99. Must be between 13 and 15")

    monkeypatch.setattr(tree_sitter, "Language", refuse)
    assert is_installed("python")
    assert parse("python", b"pass") is None


@pytest.mark.parametrize(("suffix", "language"), [(".py", "python"), (".tsx", "tsx"), (".yaml", ""), ("", "")])
def test_the_suffix_tells_the_language(suffix: str, language: str) -> None:
    assert language_of(suffix, "x") == language
