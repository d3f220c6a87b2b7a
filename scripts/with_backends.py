"""Starts the real servers that can be started here, runs a command with their addresses, and stops them again.

A backend is a program `NAME/start PORT` in the folder ASSISTANCE_BACKENDS (../shared/backends, if there is one)
that prints `READY <address> ...` and runs until SIGTERM. Its address is given to the command as TEST_<NAME>_ADDRESS;
tests whose address is missing are skipped, and this script says which were not started. Leaves nothing running.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BACKENDS = ("elasticsearch", "ollama", "postgres")
#: The first start of a backend may build it.
_START_SECONDS = 1800
_STOP_SECONDS = 20


def main() -> None:
    """Runs the command and ends with its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command")
    command = [word for word in parser.parse_args().command if word != "--"]
    folder = Path(os.environ.get("ASSISTANCE_BACKENDS", ROOT.parent / "shared" / "backends"))
    environment = dict(os.environ)
    with ExitStack() as running:
        for name in BACKENDS:
            program = folder / name / "start"
            if not program.is_file():
                print(f"{name}: no start program at {program}; its tests are skipped", flush=True)
                continue
            address = _start(program, running)
            if address:
                environment[f"TEST_{name.upper()}_ADDRESS"] = address
            print(f"{name}: {address or 'did not start; its tests are skipped'}", flush=True)
        code = subprocess.run(command, env=environment, check=False).returncode
    sys.exit(code)


def _start(program: Path, running: ExitStack) -> str:
    """The address of a started backend, stopped when `running` ends; empty when it did not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([program, str(port)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    running.callback(_stop, process)
    deadline = time.monotonic() + _START_SECONDS
    assert process.stdout is not None  # noqa: S101  # it was asked for
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < deadline and selector.select(deadline - time.monotonic()):
            line = process.stdout.readline().decode()
            if not line:
                break
            if line.startswith("READY "):
                return line.split()[1]
    return ""


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    main()
