"""Processes of `assistance-engine` that begin with its modules imported: forked from one that has done nothing else.

Importing takes most of the CPU time of a short command, and the tests start hundreds of them. From `__main__` on, a process
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
#: What commands import, early or late; not onnxruntime, which starts a thread as it is imported.
_MODULES = (
    "engine.cli",
    "engine.bootstrap",
    "engine.client",
    "alembic.command",
    "sklearn.linear_model",
    "sqlalchemy.dialects.sqlite",
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
    while True:
        message, files, _, _ = socket.recv_fds(control, _LARGEST, 4)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            request = json.loads(message)
            *streams, line = files
            _wait_for_a_fork(line)
            os.close(line)
            for number, file in enumerate(streams):
                os.dup2(file, number)
                os.close(file)
            control.close()
            os.environ.clear()
            os.environ.update(request["environment"])
            os.chdir(request["folder"])
            return list(request["words"])
        for file in files:
            os.close(file)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _wait_for_a_fork(line: int) -> None:
    """Forks, and returns in the new process only; the other one tells its number and exit code, and ends."""
    number = os.fork()
    if number == 0:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.write(line, number.to_bytes(4, "big"))
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    os.write(line, code.to_bytes(4, "big", signed=True))
    os._exit(0)


def _main() -> None:
    """Imports, reads the tokenizer, waits for requests, and goes on as the command in each new process."""
    for name in _MODULES:
        importlib.import_module(name)
    tokenizer = importlib.import_module("engine.bootstrap.embedders").MODEL_DIR / "tokenizer.json"
    read = importlib.import_module("engine.retrieval.embedding.onnx").read_tokenizer
    read(tokenizer, tokenizer.stat().st_mtime_ns)
    (_the_only_thread,) = Path("/proc/self/task").iterdir()  # a process with several cannot be forked
    gc.freeze()
    words = _words(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = ["assistance-engine", *words]
    runpy.run_module("engine", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
