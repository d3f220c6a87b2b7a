"""What is seen of the names of code that is shown: what defines them, where they stand, and all of them together."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.generation.extractive.shown_code.python_outline import (
    Outline,
    definitions_of,
    functions_with,
    imported,
    outline,
    python_tree,
)
from engine.text.words import content, is_common, is_name_in_code

_NAME = re.compile(r"[A-Za-z_]\w*")
#: A name that is called, with what it is given where that has no brackets of its own.
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(([^()]*)\)?")
#: A name that stands inside a template: "WHERE id = ${uid}".
_IN_TEMPLATE = re.compile(r"\$\{\s*([A-Za-z_]\w*)")
_COMMENT = re.compile(r"(?:^|\s)(?://|#).*$", re.MULTILINE)
#: Asks for the places of something.
_WHERE = re.compile(r"\b(?:which|what|en qu[eé]) l(?:ines?|[ií]neas?)\b|\bwhere\b|\bd[oó]nde\b", re.IGNORECASE)
#: Letters that are words of English or Spanish.
_GRAMMAR = frozenset("aeiouyAIO")
#: Words with a meaning of its own that a question about a parameter or a variable has beside its name.
_BESIDE = 2


@dataclass(frozen=True, slots=True)
class Named:
    """A name of the code that a message asks for.

    Attributes:
        definitions: What Python's parser has of that name.
        signatures: Of functions that have a parameter of that name.
        lines: Where it stands, from 1.
    """

    name: str
    definitions: tuple[Outline, ...]
    signatures: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """All that is seen of some code.

    Attributes:
        lines: How many it has.
        imports: Modules, and names out of modules.
        defines: Signatures of functions and classes.
        calls: What is called, in order, each once.
        names: What is assigned to, of Python; of other code the names that calls are given.
        python: It is read by Python's parser.
    """

    lines: int
    imports: tuple[str, ...]
    defines: tuple[str, ...]
    calls: tuple[str, ...]
    names: tuple[str, ...]
    python: bool


def named_in(query: str, code: str, documented: Collection[str]) -> Named | None:
    """The name of the code that a message is about; None where it is about none, or a document's section is called so.

    A word of ordinary language is one where the code defines it, or where its places are asked for.

    Args:
        documented: What sections of documents are called: they say what a command does, and not where it stands.
    """
    tree = python_tree(code)
    where = _WHERE.search(query) is not None
    said = set(_NAME.findall(code)).intersection(_NAME.findall(query))
    seen = [_seen(word, code, tree) for word in dict.fromkeys(_NAME.findall(query)) if word in said]
    meant = [one for one in seen if one.definitions or _is_meant(one, query, where=where, documented=documented)]
    if where and (inside := _inside(seen)) is not None:
        return inside
    return next(iter(meant), None)


def _inside(seen: Sequence[Named]) -> Named | None:
    """What stands inside a definition that is named beside it: "where is the return of totals?"; None without both."""
    around = next((one.definitions[0] for one in seen if len(one.definitions) == 1), None)
    for one in seen if around else ():
        lines = tuple(line for line in one.lines if around and around.first <= line <= around.last)
        if not one.definitions and lines and not is_common(one.name):
            return replace(one, lines=lines)
    return None


def _is_meant(found: Named, query: str, *, where: bool, documented: Collection[str]) -> bool:
    """Whether a message is about a name that the code has and does not define."""
    brief = sum(one != found.name for one in content(query)) <= _BESIDE
    if found.signatures and brief:
        return found.name not in _GRAMMAR
    told = where or (is_name_in_code(found.name) and brief and found.name not in documented)
    return told and not is_common(found.name)


def _seen(name: str, code: str, tree: ast.Module | None) -> Named:
    lines = [at for at, line in enumerate(code.splitlines(), 1) if re.search(rf"\b{name}\b", line)]
    definitions = () if tree is None else tuple(definitions_of(tree, name))
    return Named(name, definitions, () if tree is None else tuple(functions_with(tree, name)), tuple(lines))


def inventory(code: str) -> Inventory:
    """What the code has, as far as a parser or the form of its calls tells."""
    tree, lines = python_tree(code), len(code.splitlines())
    bare = _COMMENT.sub("", code)
    if tree is None:
        calls = _CALLED.findall(bare)
        given = [*_given(calls), *_IN_TEMPLATE.findall(bare)]
        return Inventory(lines, (), (), _once(name for name, _ in calls), _once(given), python=False)
    defined = outline(tree)
    parts = [one for top in defined for one in (top, *(_methods(top, tree)))]
    signatures = _once(one.signature for one in defined if one.signature)
    return Inventory(
        lines,
        _once(imported(tree)),
        signatures,
        _once(name for one in parts for name in one.calls),
        _once(name for one in parts for name in one.assigned),
        python=True,
    )


def _methods(seen: Outline, tree: ast.Module) -> Iterator[Outline]:
    for name in seen.methods:
        yield from (one for one in definitions_of(tree, name) if seen.first <= one.first <= seen.last)


def _given(calls: Sequence[tuple[str, str]]) -> Iterator[str]:
    for _, arguments in calls:
        yield from (one.strip() for one in arguments.split(",") if _NAME.fullmatch(one.strip()))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
