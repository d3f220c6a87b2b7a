"""Who may import whom, and what a start may cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_doors_are_kept() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def start() -> set[str]:
    return loaded_by("import engine.bootstrap, engine.cli")


@pytest.mark.parametrize(
    "library",
    [
        "torch",
        "sklearn",
        "scipy",
        "sentence_transformers",
        "transformers",
        "elasticsearch",
        "langchain_ollama",
        "pypdf",
        "tree_sitter",
        "mcp",
        "sqlglot",
        "pint",
        "psycopg",
        "jwt",
        "cryptography",
    ],
)
def test_a_default_start_does_not_load(start: set[str], library: str) -> None:
    assert library not in start


def test_planning_without_tools_of_others_loads_none_of_their_libraries() -> None:
    loaded = loaded_by(
        "import engine.planning.planner, engine.planning.evaluate, engine.planning.execute, engine.planning.fast_path\n"
        "import engine.planning.tools.calculator.tool, engine.planning.tools.clock.tool, engine.planning.tools.config\n"
        "engine.planning.fast_path.fast_path('1024 減去 768 等於多少？')"
    )
    assert not {"mcp", "httpx2", "sqlglot", "sqlalchemy", "pint", "langgraph", "grpc"} & loaded


def test_what_makes_spans_loads_nothing_of_opentelemetry_while_it_makes_none() -> None:
    # LangGraph's own tracer loads OpenTelemetry's SDK wherever that is installed, so the start as a whole is not asked.
    loaded = loaded_by(
        "import asyncio, engine.rpc.server, engine.web.server\nfrom engine import tracing\n"
        "async def step(): tracing.note({'a': 1})\n"
        "with tracing.call_span('AskAgent'): asyncio.run(tracing.traced('step')(step)())"
    )
    assert not {name for name in loaded if name.startswith("opentelemetry")}


def test_the_classifier_alone_loads_neither_engine_nor_server_libraries() -> None:
    loaded = loaded_by("import classifier.cascade, classifier.linear.layer, classifier.prefix, classifier.llm")
    assert not {"engine", "grpc", "langgraph", "sqlalchemy", "sklearn", "scipy"} & loaded
