"""Processes of `assistance-engine` that begin with its modules imported and what never changes read: forked from one that
has done nothing else.

Both take most of the CPU time of a short command, and the tests start hundreds of them. From `__main__` on, a process
runs as one that a shell starts: with its own words, environment, folder, files, signals and exit code.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

ROOT = Path(__file__).resolve().parents[1]
#: What commands import, early or late.
_MODULES = (
    "engine.cli",
    "engine.bootstrap",
    "engine.client",
    "sklearn.linear_model",
    "sqlalchemy.dialects.sqlite",
    "sqlite3",
    "tokenizers",
)
_LARGEST = 1 << 17


class Forked:
    """A process that was forked; what `subprocess.Popen` has is called the same.

    Args:
        words: Of the command line, behind `assistance-engine`.
        environment: All of it.
        stdin: An open file, as the other two.
        folder: Where it runs.

    Attributes:
        pid: Its number.
        returncode: None while it runs; negative where a signal has ended it.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        stdin: IO[bytes],
        stdout: IO[bytes],
        stderr: IO[bytes],
        folder: Path = ROOT,
    ) -> None:
        self._line, theirs = os.pipe()
        asked = {"words": list(words), "environment": dict(environment), "folder": str(folder)}
        message = json.dumps(asked).encode()
        files = [stdin.fileno(), stdout.fileno(), stderr.fileno(), theirs]
        socket.send_fds(_control(), [message], files)
        os.close(theirs)
        self.returncode: int | None = None
        self.pid = self._read()

    def poll(self) -> int | None:
        """Its exit code once it has ended."""
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended.

        Raises:
            subprocess.TimeoutExpired: It has not within `timeout` seconds.
        """
        if self.returncode is None:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("assistance-engine", timeout or 0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, name: signal.Signals) -> None:
        """Sends it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, name)

    def kill(self) -> None:
        """Ends it at once."""
        self.send_signal(signal.SIGKILL)

    def _end(self) -> None:
        self.returncode = self._read()
        os.close(self._line)

    def _read(self) -> int:
        """A number that the process writes that waits for this one."""
        number = os.read(self._line, 4)
        assert len(number) == 4, "the process that forks has ended"
        return int.from_bytes(number, "big", signed=True)


@cache
def _control() -> socket.socket:
    """The line to the process that forks; it ends when the line does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        forking = subprocess.Popen(
            [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        forking.wait()

    atexit.register(end)
    return ours


def _words(control: socket.socket) -> list[str]:
    """Forks for each request; returns in the process that was asked for, with its words."""
    lines: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _tell_who_ended(lines))
    while True:
        message, files, _, _ = socket.recv_fds(control, _LARGEST, 4)
        if not message:
            os._exit(0)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # none ends before its line is known
        if number := os.fork():
            lines[number] = files.pop()
            os.write(lines[number], number.to_bytes(4, "big"))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            for file in files:
                os.close(file)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for line in (*lines.values(), files.pop()):
            os.close(line)
        for place, file in enumerate(files):
            os.dup2(file, place)
            os.close(file)
        control.close()
        request = json.loads(message)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        return list(request["words"])


def _tell_who_ended(lines: dict[int, int]) -> None:
    """Writes the exit code of each process that has ended to its line."""
    while lines:
        number, status = os.waitpid(-1, os.WNOHANG)
        if not number:
            return
        line = lines.pop(number)
        with suppress(BrokenPipeError):  # nobody waits for it any more
            os.write(line, os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
        os.close(line)


def _end(code: int) -> NoReturn:
    """Ends as the interpreter does, but for taking everything apart that was imported, which takes .1 s in a fork."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _read_encoder() -> None:
    """Reads the tokenizer and the graphs, each once for all processes: a graph that is run on one core has no threads."""
    onnx = importlib.import_module("engine.retrieval.embedding.onnx")
    folder = importlib.import_module("engine.bootstrap.embedders").MODEL_DIR
    tokenizer = folder / "tokenizer.json"
    onnx.read_tokenizer(tokenizer, tokenizer.stat().st_mtime_ns)
    vars(onnx)["session"] = session = cache(onnx.session)  # graphs of another folder are read by the process itself
    for graph in folder.glob("*.onnx"):
        session(graph)


def _read_calendars() -> None:
    """Reads the names of months and days, and compiles what they are found by."""
    clock = importlib.import_module("engine.planning.tools.clock.questions")
    assert clock.clock_answer("which day was yesterday?", datetime(2026, 11, 26, tzinfo=UTC))


def _main() -> None:
    """Imports, reads the encoder and the calendars, waits for requests, and goes on as the command in each new process."""
    for name in _MODULES:
        importlib.import_module(name)
    _read_encoder()
    _read_calendars()
    (_the_only_thread,) = Path("/proc/self/task").iterdir()  # a process with several cannot be forked
    gc.freeze()
    words = _words(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = ["assistance-engine", *words]
    try:
        runpy.run_module("engine", run_name="__main__", alter_sys=True)
    except SystemExit as done:
        if not isinstance(done.code, int):
            raise
        _end(done.code)


if __name__ == "__main__":
    _main()
