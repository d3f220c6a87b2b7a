"""JSON that comes from a file, a model or a caller may be nested a million deep: that is bad input, not a traceback."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What is read there was written by the same program, ships with it, or is guarded by `identity/watched.py`.
OURS = {
    "engine/identity/keys.py",
    "engine/identity/tokens.py",
    "engine/generation/extractive/account_figures/asking/heads.py",
    "engine/generation/extractive/account_figures/measures.py",
    "engine/retrieval/ingestion/indexing.py",
    "classifier/training/heads.py",
    "classifier/evaluation/bounds.py",
}


def unguarded(tree: ast.AST) -> list[int]:
    """The lines of calls of `json.loads` outside a `try` that takes `RecursionError`."""
    guarded: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(
            isinstance(name, ast.Name) and name.id == "RecursionError"
            for handler in node.handlers
            if handler.type is not None
            for name in ast.walk(handler.type)
        ):
            guarded |= {inner for statement in node.body for inner in ast.walk(statement)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "json.loads" and node not in guarded
        if "__file__" not in ast.unparse(node)  # a file beside the module ships with it
    ]


def test_every_reader_of_json_takes_what_is_nested_too_deeply() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("engine", "classifier")
        for path in (ROOT / folder).rglob("*.py")
        if str(path.relative_to(ROOT)) not in OURS
        for line in unguarded(ast.parse(path.read_text("utf-8")))
    }
    assert found == set()


def test_a_reader_without_a_guard_is_found() -> None:
    guarded = "try:\n    json.loads(x)\nexcept (ValueError, RecursionError):\n    pass"
    assert unguarded(ast.parse(guarded)) == []
    assert unguarded(ast.parse(guarded.replace(", RecursionError", ""))) == [2]
