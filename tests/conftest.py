"""The real process over the real wire, on a folder of its own, with nothing configured but what a test says."""

from __future__ import annotations

import importlib
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import hypothesis
import pytest
import pytest_asyncio
import structlog

from classifier.files import locked
from engine.client import AssistanceClient
from tests.forked import ROOT, Forked
from tests.postgres import address, new_database

if TYPE_CHECKING:
    from playwright.async_api import Browser

# The same examples in every run, so that a change is refused for what it changed. `--hypothesis-profile=default` draws new ones.
hypothesis.settings.load_profile("ci")

_OURS = (
    "ENGINE_",
    "OTEL_",
    "OLLAMA_",
    "CLASSIFIER_",
    "GENERATOR_",
    "ELASTICSEARCH_",
    "DATABASE_URL",
    "EMBEDDING_MODEL",
    "TOOLS_FILE",
)


def environment(data: Path, **variables: str) -> dict[str, str]:
    """The environment of a process that is configured by `variables` alone."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    anywhere = {"ENGINE_GRPC_ADDRESS": "127.0.0.1:0", "ENGINE_WEB_ADDRESS": "127.0.0.1:0"}
    return inherited | {"ENGINE_DATA_DIR": str(data)} | anywhere | variables


def command(
    data: Path, *words: str, stdin: str | None = None, folder: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs `assistance-engine` in `folder` to its end."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write((stdin or "").encode())
        given.seek(0)
        process = Forked(words, environment(data, **variables), given, out, err, folder)
        try:
            code = process.wait(240)
        finally:
            process.kill()
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(words, code, out.read().decode(), err.read().decode())


#: Starts `assistance-engine` with its words, its environment, and the three standard files.
Beginning = Callable[
    [Sequence[str], Mapping[str, str], IO[bytes], IO[bytes], IO[bytes]], Forked | subprocess.Popen[bytes]
]


def begun_anew(
    words: Sequence[str], variables: Mapping[str, str], stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Starts it as a shell does."""
    command = [sys.executable, "-m", "engine", *words]
    return subprocess.Popen(command, cwd=ROOT, env=dict(variables), stdin=stdin, stdout=stdout, stderr=stderr)


class Service:
    """A running service.

    Args:
        data: Its folder of data.
        log: The file that its stderr goes to.
        words: Of the command line, behind `serve`.
        begin: How it is started.
        variables: Of its environment.

    Attributes:
        address: Where it listens for gRPC.
        web: Where it listens for HTTP; empty where it does not.
        log: The file that its stderr goes to.
    """

    def __init__(
        self, data: Path, log: Path, words: Sequence[str] = (), begin: Beginning = Forked, /, **variables: str
    ) -> None:
        self.log = log
        with log.open("wb") as errors, Path(os.devnull).open("r+b") as nothing:
            self.process = begin(["serve", *words], environment(data, **variables), nothing, nothing, errors)
        self.address = self._address()

    def _address(self) -> str:
        """Where it listens, once it says so; the log is read until then or until the process has ended."""
        while self.process.poll() is None:
            found = re.search(r"listening on (\S+) \(gRPC\)", log := self.read_log())
            if found and "Ctrl-C stops it." in log:  # the greeting is whole
                web = re.search(r"In a browser: https?://(\S+)", log)
                self.web = web.group(1) if web else ""
                return found.group(1)
            self.wait(0.05)
        raise AssertionError(f"the service ended with {self.process.returncode}: {self.read_log()}")

    def wait(self, seconds: float) -> None:
        """Returns when it has ended, or after that time."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def read_log(self) -> str:
        """What it has logged so far."""
        return self.log.read_text("utf-8")

    def stop(self, name: signal.Signals = signal.SIGTERM) -> int:
        """Stops it; its exit code."""
        self.process.send_signal(name)
        return self.process.wait(30)

    def end(self) -> None:
        """Makes sure that it has ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Imports the tests from the last in every second process: each rewrites half of them, and reads what the other has."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if int(number) % 2 and session.config.args == ["tests"]:
        for path in sorted((ROOT / "tests").rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # told when it is collected
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


Start = Callable[..., Service]


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Gives back what `configure_logging` takes over, so that no test hears or silences another."""
    root, hooks = logging.getLogger(), (threading.excepthook, sys.unraisablehook)
    handlers, raising = list(root.handlers), logging.raiseExceptions
    yield
    logging.captureWarnings(capture=False)
    logging.raiseExceptions = raising
    root.handlers = handlers
    structlog.reset_defaults()
    threading.excepthook, sys.unraisablehook = hooks


@pytest.fixture(scope="session")
def tool_server() -> Iterator[str]:
    """The address of the MCP server of the tests' own, over streamable HTTP."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "mcp_server.py"), "--http"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        yield f"http://127.0.0.1:{port}/mcp"
        process.kill()


@pytest.fixture(scope="session")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the AVAP guide in its index; indexed once, also where tests run in several processes."""
    several = "PYTEST_XDIST_WORKER" in os.environ
    home = tmp_path_factory.getbasetemp().parent if several else tmp_path_factory.getbasetemp()
    with locked(home / "indexed.lock"):
        if not (home / "indexed").exists():
            done = command(home / "indexing", "index", "examples/avap")
            assert done.returncode == 0, done.stderr
            (home / "indexing").rename(home / "indexed")
    return Path(shutil.copytree(home / "indexed", tmp_path_factory.mktemp("guide"), dirs_exist_ok=True))


@pytest.fixture(scope="session")
def service(guide: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service over the guide, without a model."""
    running = Service(guide, tmp_path_factory.mktemp("log") / "log", (), begun_anew)
    yield running
    running.end()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts services that end with the test."""
    running: list[Service] = []

    def run(data: Path, words: Sequence[str] = (), **variables: str) -> Service:
        running.append(Service(data, tmp_path / f"log-{len(running)}", words, **variables))
        return running[-1]

    yield run
    for one in running:
        one.end()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all tests of a process: what a person has stored is in a profile of each test's own."""
    from tests.browser import launched  # not by the processes that try no page

    async with launched() as running:
        yield running


@pytest.fixture
async def client(service: Service) -> AsyncIterator[AssistanceClient]:
    """A client of the service over the guide."""
    async with AssistanceClient(service.address) as connected:
        yield connected


@pytest.fixture(scope="session")
def run_command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `assistance-engine` on a data folder, to its end."""
    return command


@pytest.fixture
def postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL database of the test's own."""
    with new_database(address()) as url:
        yield url
