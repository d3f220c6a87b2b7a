"""The size of things: what a reader can hold in mind."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("engine", "classifier", "scripts")
    for path in (ROOT / folder).rglob("*.py")
    if "v1" not in path.parts
)


def lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def functions() -> list[tuple[str, int]]:
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                first = node.body[0]
                documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                described = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
                found.append((f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1 - described))
    return found


def test_no_module_is_over_400_lines() -> None:
    assert {str(path.relative_to(ROOT)): lines(path) for path in SOURCES if lines(path) > 400} == {}


def test_the_median_module_has_at_most_150_lines() -> None:
    assert statistics.median(lines(path) for path in SOURCES) <= 150


def test_no_function_is_over_60_lines_and_the_median_has_at_most_10() -> None:
    sizes = functions()
    assert [name for name, size in sizes if size > 60] == []
    assert statistics.median(size for _, size in sizes) <= 10


def test_scripts_are_thin() -> None:
    assert [path.name for path in (ROOT / "scripts").glob("*.py") if lines(path) > 200] == []


def test_modules_import_few_of_their_own() -> None:
    """Half of the modules import three others at most, and none but the assembly more than 26.

    There is no bound on the mean: it rises when a long module is split in two, and falls when two are merged.
    """
    counts = {}
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        own = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] in ("engine", "classifier")
        }
        counts[path.relative_to(ROOT).as_posix()] = len(own)
    assert statistics.median(counts.values()) <= 3
    assembly = counts.pop("engine/bootstrap/assembly.py")
    assert assembly <= 44
    assert [name for name, count in counts.items() if count > 26] == []


def test_there_are_at_least_as_many_test_lines_as_source_lines() -> None:
    tested = sum(lines(path) for path in (ROOT / "tests").rglob("*.py"))
    assert tested >= sum(lines(path) for path in SOURCES)
