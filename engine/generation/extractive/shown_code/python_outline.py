"""What Python's own parser sees in a piece of Python: what is defined, called, assigned and returned.

Source: the grammar and node classes of the standard library's `ast`.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_CHARS = 20_000
#: Begins a line of Python and, as it goes on, of hardly any other language.
_PYTHON = re.compile(
    r"^\s*(?:(?:async\s+)?def\s+\w+\s*\(|from\s+[\w.]+\s+import\s|import\s+\w[\w.]*\s*$|class\s+\w+[^{;]*:\s*$)",
    re.MULTILINE,
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Outline:
    """A definition, or statements outside of one.

    Attributes:
        name: Of what is defined; empty for statements.
        kind: `function`, `class` or `statements`.
        signature: The name with its parameters or bases.
        docstring: Its first paragraph, on one line.
        calls: What is called, in order, each once.
        assigned: The names that are assigned to, in order, each once.
        returned: The expressions that are returned, in order, each once.
        methods: Of a class.
        first: Line where it begins, from 1.
        last: Line where it ends.
    """

    name: str
    kind: str
    signature: str
    docstring: str = ""
    calls: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    first: int = 1
    last: int = 1


def parsed(code: str) -> ast.Module | None:
    """The tree of `code`, indented or not; None where it is no Python, or too long or deep to be read."""
    found = _read(code[:_CHARS])
    return found if isinstance(found, ast.Module) else None


def python_tree(code: str) -> ast.Module | None:
    """The tree of code in which a definition or an import stands as Python alone has them; None of any other."""
    return parsed(code) if _PYTHON.search(code) else None


def broken_at(code: str) -> tuple[int, str] | None:
    """The line at which Python's parser stops, from 1, and its reason; None for code that it reads, or is no Python.

    It is Python where a definition or an import stands in it as Python alone has them.
    """
    found = _read(code) if len(code) <= _CHARS and _PYTHON.search(code) else None
    return (found.lineno or 1, found.msg) if isinstance(found, SyntaxError) else None


def _read(code: str) -> ast.Module | SyntaxError | None:
    """The tree of `code`, or where it is broken; None where it is too deep to be read."""
    try:
        return ast.parse(textwrap.dedent(code))
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None


def outline(tree: ast.Module) -> list[Outline]:
    """The definitions at the top of the tree, and the statements beside them as one."""
    defined = [_defined(node) for node in tree.body if isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    rest = [node for node in tree.body if not isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    if defined or not rest:
        return defined
    return [_outlined(rest, Outline("", "statements", "", last=rest[-1].end_lineno or 1))]


def statement(tree: ast.Module, line: int) -> Outline | None:
    """What the innermost statement that begins on `line` does; None where none does."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]
    if not found:
        return None
    node = found[-1]
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return _defined(node)
    return _outlined([node], Outline("", "statements", "", first=line, last=node.end_lineno or line))


def definitions_of(tree: ast.Module, name: str) -> Iterator[Outline]:
    """The functions, methods and classes of a name, wherever they stand, in the order of the lines."""
    found = [node for node in ast.walk(tree) if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.name == name]
    return (_defined(node) for node in sorted(found, key=lambda node: node.lineno))


def functions_with(tree: ast.Module, parameter: str) -> Iterator[str]:
    """The signatures of functions and methods that have a parameter of this name."""
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and parameter in [
            one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)
        ]:
            yield _signature(node)


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported, and names out of modules as `module.name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or '.'}.{alias.name}" for alias in node.names)


def enclosing(tree: ast.Module, line: int) -> str:
    """The signature of the innermost definition around `line`; empty outside of any."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return _signature(max(around, key=lambda node: node.lineno)) if around else ""


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _defined(node: _Function | ast.ClassDef) -> Outline:
    is_class = isinstance(node, ast.ClassDef)
    seen = Outline(
        node.name,
        "class" if is_class else "function",
        _signature(node),
        docstring=" ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()),
        methods=tuple(n.name for n in node.body if isinstance(n, _FUNCTIONS)) if is_class else (),
        first=node.lineno,
        last=node.end_lineno or node.lineno,
    )
    return seen if is_class else _outlined(node.body, seen)


def _signature(node: _Function | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        return f"{node.name}({', '.join(map(ast.unparse, node.bases))})" if node.bases else node.name
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){gives}"


def _outlined(body: Sequence[ast.stmt], seen: Outline) -> Outline:
    """`seen` with what the statements of `body` call, assign and return."""
    nodes = [node for one in body for node in _in_order(one)]
    calls = (ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call))
    targets = (name for node in nodes for name in _targets(node))
    returned = (ast.unparse(node.value) for node in nodes if isinstance(node, ast.Return) and node.value)
    return replace(
        seen,
        calls=tuple(dict.fromkeys(calls)),
        assigned=tuple(dict.fromkeys(targets)),
        returned=tuple(dict.fromkeys(returned)),
    )


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is below it, as it is read; definitions inside it are their own."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            yield from _in_order(child)


def _targets(node: ast.AST) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
        targets = [node.target]
    for target in targets:
        yield ast.unparse(target)
