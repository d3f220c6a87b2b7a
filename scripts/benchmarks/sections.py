"""The subjects in the order they are measured."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from engine import telemetry
from scripts.benchmarks import elastic, first_event, ollama, retrieval, router, sessions, start, streams, turns, web
from scripts.benchmarks.harness.children import environment
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Section

#: By the name that `--only` takes.
SECTIONS: dict[str, Callable[[Resolution], Section]] = {
    "first_event": first_event.measure,
    "streams": streams.measure,
    "router": router.measure,
    "retrieval": retrieval.measure,
    "elastic": elastic.measure,
    "ollama": ollama.measure,
    "turns": turns.measure,
    "sessions": sessions.measure,
    "start": start.measure,
    "web": web.measure,
}


def measure(names: Iterable[str], *, quick: bool) -> list[Section]:
    """The figures of the named subjects; one that fails does not keep the others from being measured."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        servers = {name: address for name, address in os.environ.items() if name.startswith("TEST_")}
        material = Resolution(Path(folder), quick=quick, addresses=servers)
        telemetry.configure_logging("text", "warning")
        # What the caller has configured is not what is measured.
        with patch.dict(os.environ, environment(material.folder), clear=True):
            return [_one(name, material) for name in names]


def _one(name: str, material: Resolution) -> Section:
    print(f"{name} ...", end=" ", file=sys.stderr, flush=True)
    started = time.perf_counter()
    try:
        section = SECTIONS[name](material)
    except Exception as error:  # noqa: BLE001  # whatever it is, the report says so and goes on
        section = Section(name, error=f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - started
    print(f"{seconds:.0f} s", file=sys.stderr, flush=True)
    return replace(section, seconds=seconds)
