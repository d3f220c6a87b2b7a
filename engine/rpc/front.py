"""GRPC's event loop, in a thread beside the engine's, and the way of a call from the one to the other and back.

A call takes some ten steps of its event loop until it is refused, and gRPC takes calls in one after the other, each
in two such steps. On the loop that turns run on too, a refusal waited for whatever they did in each of those steps.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

from google.protobuf.message import Message

from engine.errors import ENDINGS

_Result = TypeVar("_Result")
#: Sends a message; returns when it has been taken.
Send = Callable[[Message], Awaitable[None]]
#: What makes the messages of a call.
Work = Callable[[Send], Awaitable[None]]
#: Seconds for which a thread may keep the interpreter while another wants it. Python's own 5 ms, ten times a refusal,
#: are 50; each change costs some microseconds.
_SWITCH = 0.001
#: Steps that a loop with something to do takes at most before it looks for what has arrived.
_UNASKED = 8


class _Holding(selectors.DefaultSelector):
    """Asks the system only when the loop has nothing else to do, or some times later.

    Each question gives the interpreter away, and it comes back when another thread has had it for `_SWITCH`; a loop
    asks before each of its steps, also between those of one call that wait for nothing.
    """

    _unasked = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See `selectors.BaseSelector.select`."""
        if timeout == 0 and self._unasked < _UNASKED:
            self._unasked += 1
            return []
        self._unasked = 0
        return super().select(timeout)


class Front:
    """An event loop in a thread of its own, from `start` to `stop`."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="grpc", daemon=True)
        self._began = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave = asyncio.Event()

    def start(self) -> None:
        """Returns when the loop runs."""
        sys.setswitchinterval(_SWITCH)
        self._thread.start()
        self._began.wait()

    async def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """What `work` returns or raises there."""
        assert self._loop is not None  # noqa: S101  # it was started
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def stop(self) -> None:
        """Ends the loop, with what still runs there. Idempotent; nothing where it was not started."""
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):  # it closes this moment
                self._loop.call_soon_threadsafe(self._leave.set)
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(_Holding())) as runner:
            runner.run(self._stay())

    async def _stay(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began.set()
        await self._leave.wait()


class Relay:
    """The messages of one call, one at a time, from the engine's loop, where they are made, to this one.

    The next is made when the one before has been taken: a reader that is slow slows the answer down.

    Args:
        engine: The event loop of the engine.
    """

    def __init__(self, engine: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._front = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[Message | BaseException | None] = asyncio.Queue()
        self._taken: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self, work: Work, ended: Callable[[], None]) -> None:
        """Has `work` done there, with the variables of this context.

        Args:
            work: Is given what sends a message, to be awaited.
            ended: Called there when it has ended, also where it was ended before it began.
        """
        self._engine.call_soon_threadsafe(self._begin, work, ended, context=copy_context())

    async def __aiter__(self) -> AsyncGenerator[Message]:
        """The messages; raises at last what the work has raised."""
        while (item := await self._arrived.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
            self._engine.call_soon_threadsafe(self._go_on)

    def give_up(self, error: Exception) -> None:
        """Has the sending of the present message raise `error`."""
        self._engine.call_soon_threadsafe(self._go_on, error)

    def leave(self) -> None:
        """Ends the work, if it goes on; does not wait for that. Idempotent."""
        with suppress(RuntimeError):  # the engine's loop is closed
            self._engine.call_soon_threadsafe(self._end)

    def _begin(self, work: Work, ended: Callable[[], None]) -> None:
        self._task = asyncio.create_task(self._do(work))
        _RUNNING.add(self._task)
        self._task.add_done_callback(_RUNNING.discard)
        self._task.add_done_callback(lambda _: ended())

    async def _do(self, work: Work) -> None:
        try:
            await work(self._send)
        except BaseException as error:
            self._tell(error)
            if isinstance(error, ENDINGS):
                raise
        else:
            self._tell(None)

    async def _send(self, message: Message) -> None:
        self._taken = self._engine.create_future()
        self._tell(message)
        await self._taken

    def _go_on(self, error: Exception | None = None) -> None:
        if self._taken is None or self._taken.done():
            return
        if error is None:
            self._taken.set_result(None)
        else:
            self._taken.set_exception(error)

    def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _tell(self, item: Message | BaseException | None) -> None:
        with suppress(RuntimeError):  # the server has stopped, and nobody is there to be told
            self._front.call_soon_threadsafe(self._arrived.put_nowait, item)


#: Work that goes on: a loop keeps no task alive by itself.
_RUNNING: set[asyncio.Task[None]] = set()
