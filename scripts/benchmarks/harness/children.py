"""Processes beside this one, and what they cost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_OURS = ("ENGINE_", "OLLAMA_", "CLASSIFIER_", "GENERATOR_", "ELASTICSEARCH_", "DATABASE_URL", "EMBEDDING_MODEL")
_LISTENING = re.compile(r"listening on (\S+:\d+)")
_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_LOOK_EVERY = 0.002
_TICKS = os.sysconf("SC_CLK_TCK")


def environment(data: Path, **variables: str) -> dict[str, str]:
    """The environment of an engine on `data` with nothing else configured but `variables`: no model, any free port.

    Run it in another folder than ours: a `.env` there would be read.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    anywhere = {"ENGINE_GRPC_ADDRESS": "127.0.0.1:0", "ENGINE_WEB_ADDRESS": "127.0.0.1:0"}
    own = {"ENGINE_DATA_DIR": str(data), **anywhere, "PYTHONPATH": str(ROOT)}
    return inherited | own | variables


def command(*words: str) -> list[str]:
    """A module of ours run by this interpreter."""
    return [sys.executable, "-m", *words]


@dataclass(frozen=True, slots=True)
class Child:
    """A server process.

    Attributes:
        address: Where it listens.
        seconds: From its start to the line that says so.
    """

    pid: int
    address: str
    seconds: float

    def resident(self) -> float:
        """Resident memory, MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu(self) -> float:
        """Seconds of CPU that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def child(data: Path, *words: str, **variables: str) -> Iterator[Child]:
    """A module run as a server on loopback, ended at the end; what it prints goes to a file in `data`.

    One thread of BLAS, as the command sees to: a second one waits for work by keeping a core busy.

    Raises:
        RuntimeError: It ended, or did not listen in time.
    """
    log = data / "bench.log"
    with log.open("wb") as stream:
        started = time.perf_counter()
        process = subprocess.Popen(
            command(*words), cwd=data, env=environment(data, **({"OPENBLAS_NUM_THREADS": "1"} | variables)),
            stdin=subprocess.PIPE, stdout=stream, stderr=stream,
        )  # fmt: skip
    try:
        address = _address(process, log, started)
        yield Child(process.pid, address, time.perf_counter() - started)
    finally:
        _stop(process)


def _address(process: subprocess.Popen[bytes], log: Path, started: float) -> str:
    while process.poll() is None and time.perf_counter() - started < _START_SECONDS:
        found = _LISTENING.search(log.read_text("utf-8"))
        if found:
            return found.group(1)
        time.sleep(_LOOK_EVERY)
    raise RuntimeError(f"a server did not start: {log.read_text('utf-8')[-800:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        if process.stdin is not None:
            process.stdin.close()
