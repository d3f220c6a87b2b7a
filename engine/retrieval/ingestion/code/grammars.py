"""Source code parsed by tree-sitter, within limits of size and time."""

from __future__ import annotations

import functools
import importlib
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from engine.retrieval.ingestion.code.languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Language, Node

#: Bytes of the largest source that is parsed; what is larger was made by a program. A megabyte takes some 90 MB.
MOST_BYTES = 1_000_000
#: Seconds of processor time for parsing one source, which takes some .3 s/MB. Where a grammar has many readings of what
#: is no program (`a<a<a<` in C++), memory grows by 600 MB in each of them.
MOST_SECONDS = 1.5
_READ_BYTES = 1 << 16


@functools.cache
def is_installed(language: str) -> bool:
    """Whether the grammar of a language, a key of `LANGUAGES`, is there. Loads nothing."""
    return find_spec("tree_sitter") is not None and find_spec(LANGUAGES[language].module) is not None


def parse(language: str, source: bytes) -> Node | None:
    """The root of the syntax tree, with nodes of type ERROR around what the grammar does not read.

    None: the grammar is not installed or of a version that does not fit, or the source takes too much.

    Args:
        language: A key of `LANGUAGES`.
        source: In UTF-8.
    """
    grammar = _grammar(language) if len(source) <= MOST_BYTES else None
    if grammar is None:
        return None
    from tree_sitter import Parser

    until = time.thread_time() + MOST_SECONDS
    try:
        tree = Parser(grammar).parse(
            lambda at, _: source[at : at + _READ_BYTES],
            encoding="utf8",
            progress_callback=lambda _at, _failed: time.thread_time() > until,
        )
    except ValueError:  # how it says that it was stopped
        return None
    return tree.root_node


@functools.cache
def _grammar(language: str) -> Language | None:
    wanted = LANGUAGES[language]
    try:
        from tree_sitter import Language

        return Language(getattr(importlib.import_module(wanted.module), wanted.grammar)())
    except (ImportError, AttributeError, ValueError):
        return None
