"""Workers that share an address: started, started anew, ended together. The workers here are a few lines of Python."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from engine.cli.workers import Workers, is_listening, reserved, until_left
from engine.errors import ConfigurationError, DependencyUnavailable

#: Says who it is, listens, and ends when its line does.
SERVES = """
import os, socket, sys
line = int(sys.argv[1])
with socket.create_connection(("127.0.0.1", int(os.environ["PORT"]))) as told:
    told.sendall(f"{os.getpid()}\\n".encode())
os.write(line, b"1")
os.read(line, 1)
"""
#: The first one serves; the others end as soon as they are begun.
FIRST_SERVES = (
    """
import os, sys
try:
    os.mkdir(os.environ["FOLDER"])
except FileExistsError:
    sys.exit(5)
"""
    + SERVES
)
#: Never listens.
FAILS = "import sys; sys.exit(7)"
#: Ends as soon as it listens.
LEAVES = "import os, sys; os.write(int(sys.argv[1]), b'1'); sys.exit(7)"


class Begun:
    """The workers that have begun, by process, in their order."""

    def __init__(self) -> None:
        self.pids: asyncio.Queue[int] = asyncio.Queue()
        self.port = 0

    async def took(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.pids.put_nowait(int(await reader.readline()))
        writer.close()

    async def next(self, count: int) -> list[int]:
        async with asyncio.timeout(30):
            return [await self.pids.get() for _ in range(count)]


@pytest.fixture
async def begun() -> AsyncIterator[Begun]:
    told = Begun()
    async with await asyncio.start_server(told.took, "127.0.0.1", 0) as server:
        told.port = server.sockets[0].getsockname()[1]
        yield told


def workers(program: str, count: int, ended: list[int] | None = None, **environment: object) -> Workers:
    given = {name.upper(): str(value) for name, value in environment.items()}
    told = ([] if ended is None else ended).append
    return Workers([sys.executable, "-c", program], count, {**os.environ, **given}, ended=told)


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


async def test_all_are_started_and_end_together(begun: Begun) -> None:
    kept = workers(SERVES, 3, port=begun.port)
    running = asyncio.create_task(kept.run())
    async with asyncio.timeout(30):
        await kept.ready.wait()
    pids = await begun.next(3)
    assert all(map(alive, pids))
    kept.stop()
    async with asyncio.timeout(30):
        await running
    assert not any(map(alive, pids))


async def test_one_that_ends_is_started_anew_and_the_log_says_so(begun: Begun) -> None:
    ended: list[int] = []
    kept = workers(SERVES, 2, ended, port=begun.port)
    with capture_logs() as lines:
        running = asyncio.create_task(kept.run())
        async with asyncio.timeout(30):
            await kept.ready.wait()
        first, other = await begun.next(2)
        os.kill(first, signal.SIGKILL)
        (another,) = await begun.next(1)
        assert ended == [first]
        assert len({first, other, another}) == 3
        assert alive(other)
        kept.stop()
        async with asyncio.timeout(30):
            await running
    assert [line["event"] for line in lines] == [f"[serve] worker {first} has ended with code -9"]
    assert sorted(ended[1:]) == sorted([other, another])


async def test_one_that_never_listens_ends_the_service() -> None:
    with pytest.raises(DependencyUnavailable, match=r"its workers end \(the last with code 7\)"):
        await workers(FAILS, 2).run()


async def test_workers_that_keep_ending_end_the_service() -> None:
    with capture_logs() as lines, pytest.raises(DependencyUnavailable, match="its workers end"):
        await workers(LEAVES, 1).run()
    assert len(lines) == 6


async def test_workers_that_end_now_and_then_do_not() -> None:
    ends = 0

    def clock() -> float:
        nonlocal ends
        ends += 1
        if ends == 8:
            kept.stop()
        return ends * 1_000.0

    kept = Workers([sys.executable, "-c", LEAVES], 1, os.environ, clock)
    async with asyncio.timeout(30):
        await kept.run()
    assert ends == 8


async def test_when_one_cannot_be_started_the_others_end(begun: Begun, tmp_path: Path) -> None:
    with pytest.raises(DependencyUnavailable, match="code 5"):
        await workers(FIRST_SERVES, 3, port=begun.port, folder=tmp_path / "begun").run()
    assert not any(map(alive, [begun.pids.get_nowait() for _ in range(begun.pids.qsize())]))


async def test_a_worker_notices_that_it_has_been_left() -> None:
    ours, theirs = socket.socketpair()
    left = asyncio.Event()
    until_left(theirs.fileno(), left.set)
    is_listening(theirs.fileno())
    assert ours.recv(1) == b"1"
    await asyncio.sleep(0)
    assert not left.is_set()
    ours.close()
    async with asyncio.timeout(10):
        await left.wait()
    theirs.close()


def test_a_port_is_kept_for_those_who_share_it() -> None:
    with reserved("127.0.0.1:0", "ENGINE_GRPC_ADDRESS") as address:
        port = int(address.rpartition(":")[2])
        assert port > 0
        servers = [socket.create_server(("127.0.0.1", port), reuse_port=True) for _ in range(2)]
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
        for server in servers:
            server.close()


def test_a_port_that_another_process_listens_on_is_refused(listening: socket.socket) -> None:
    port = listening.getsockname()[1]
    with (
        pytest.raises(ConfigurationError, match=f"ENGINE_WEB_ADDRESS: cannot listen on 127.0.0.1:{port}"),
        reserved(f"127.0.0.1:{port}", "ENGINE_WEB_ADDRESS"),
    ):
        pass


def test_a_port_that_is_shared_already_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(ConfigurationError, match="another process has the port"),
            reserved(f"127.0.0.1:{port}", "V"),
        ):
            pass
