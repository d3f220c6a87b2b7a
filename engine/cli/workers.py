"""Several processes behind one address: the kernel spreads connections over those that listen there (SO_REUSEPORT).

The process that is started serves nobody. It keeps the ports, starts the workers, starts another one for one that ends,
and ends them all with itself. They share the folder of data, so its files are in memory once, and its locks keep the
turns of a session in order whichever worker has them.

Source: socket(7) and the Linux kernel's commit c617f398edd4 (SO_REUSEPORT, connections by a hash of both ends).
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine import telemetry
from engine.errors import DependencyUnavailable, address_taken

#: Workers that may end by themselves within so many seconds; one more, and the service ends.
_MOST_ENDS, _WITHIN = 5, 60.0
#: Seconds that a worker gets to listen, and to end beyond the grace of its answers.
_START_SECONDS, _END_SECONDS = 120.0, 15.0
_READY = b"1"


@contextmanager
def reserved(address: str, variable: str) -> Iterator[str]:
    """Keeps a port for the workers without listening there; gives its address, a port 0 made one.

    Args:
        address: host:port.
        variable: Where it was configured, for the error.

    Raises:
        ConfigurationError: Another process listens there.
    """
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as kept:
        try:
            with socket.socket(family) as alone:  # alone, it is refused where anybody listens, of another service too
                alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                alone.bind((host.strip("[]"), int(port)))
                free = alone.getsockname()[1]
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            kept.bind((host.strip("[]"), free))
        except OSError:
            raise address_taken(variable, address) from None
        yield f"{host}:{free}"


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and the line to it: it writes when it listens, and ends when nobody holds the other end."""

    process: asyncio.subprocess.Process
    line: socket.socket

    async def listens(self) -> bool:
        """Whether it has said so before it ended; one that takes too long is ended."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                return await asyncio.get_running_loop().sock_recv(self.line, 1) == _READY
        except TimeoutError:
            self.process.kill()
            return False


class Workers:
    """Starts workers and keeps them running.

    Args:
        command: What a worker is, with the descriptor of its line as the last word.
        count: How many.
        environment: Of the workers.
        clock: A monotonic clock, seconds.
        ended: Is told the process id of each one that has ended.

    Attributes:
        ready: Set once all of them listen.
    """

    def __init__(
        self,
        command: Sequence[str],
        count: int,
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
        ended: Callable[[int], object] = lambda _pid: None,
    ) -> None:
        self.ready = asyncio.Event()
        self._command = tuple(command)
        self._count = count
        self._environment = dict(environment)
        self._clock = clock
        self._ended = ended
        self._running: set[_Worker] = set()
        self._listening = 0
        self._ends: deque[float] = deque(maxlen=_MOST_ENDS + 1)
        self._stopping = False

    async def run(self) -> None:
        """Returns when all have ended after `stop`.

        Raises:
            DependencyUnavailable: A worker cannot be started, or they end as soon as they are; none is left.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._count):
                    group.create_task(self._keep())
        except* DependencyUnavailable as failures:
            raise failures.exceptions[0] from None
        finally:
            for worker in self._running:
                worker.line.close()

    def stop(self) -> None:
        """Asks the workers to end; asked again, they end at once."""
        self._stopping = True
        for worker in self._running:
            if worker.process.returncode is None:
                worker.process.terminate()

    async def _keep(self) -> None:
        """One worker after the other."""
        while not self._stopping:
            worker = await self._start()
            try:
                await self._attend(worker)
            finally:
                await self._end(worker)

    async def _attend(self, worker: _Worker) -> None:
        if await worker.listens():
            self._listening += 1
            if self._listening == self._count:
                self.ready.set()
            await worker.process.wait()
            self._listening -= 1
        code = await worker.process.wait()
        if self._stopping:
            return
        telemetry.logger().error(telemetry.WORKER_ENDED.format(pid=worker.process.pid, code=code))
        self._ends.append(self._clock())
        if not self.ready.is_set() or self._often():
            raise DependencyUnavailable("engine", f"its workers end (the last with code {code}); look at the log above")

    def _often(self) -> bool:
        return len(self._ends) > _MOST_ENDS and self._ends[-1] - self._ends[0] < _WITHIN

    async def _start(self) -> _Worker:
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                str(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                env=self._environment,
                # Ctrl-C goes to the whole group of a terminal: a worker in it would hear it twice, and end at once.
                start_new_session=True,
            )
        worker = _Worker(process, ours)
        self._running.add(worker)
        if self._stopping:
            process.terminate()
        return worker

    async def _end(self, worker: _Worker) -> None:
        """Sees that it has ended: by the end of its line, and by force where that does not do."""
        worker.line.close()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await worker.process.wait()
        except TimeoutError:
            worker.process.kill()
            await worker.process.wait()
        self._running.discard(worker)
        self._ended(worker.process.pid)


def is_listening(line: int) -> None:
    """Tells the process that keeps the workers that this one listens."""
    os.write(line, _READY)


def until_left(line: int, stop: Callable[[], object]) -> None:
    """Calls `stop` when the process that keeps the workers is gone, however it has ended."""
    loop = asyncio.get_running_loop()

    def ended() -> None:
        loop.remove_reader(line)
        stop()

    loop.add_reader(line, ended)


def command() -> list[str]:
    """What a worker of the service is run with."""
    return [sys.executable, "-m", "engine", "serve", "--worker"]
