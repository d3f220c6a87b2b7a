"""How many requests a model is given at a time. Ollama queues without bound, so the bound is ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.errors import Overloaded

#: Requests that may be at the server, for each one that it works on: as many again wait in its queue.
_PER_SLOT = 2
#: Least and most seconds that a refused caller is told to wait.
_LEAST, _MOST = 1.0, 30.0
#: Weight of the last request in what a request is taken to last.
_WEIGHT = 0.2


class Admission:
    """Lets in twice as many requests as the model works on at a time, and refuses the next at once.

    Args:
        model: Whose requests they are.
        parallel: How many the server works on at a time.
        clock: A monotonic clock, seconds.
    """

    def __init__(self, model: str, parallel: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._parallel = parallel
        self._room = parallel * _PER_SLOT
        self._clock = clock
        self._inside = 0
        self._usual = _LEAST

    @property
    def full(self) -> bool:
        """Whether the server works on as many as it can at a time."""
        return self._inside >= self._parallel

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Holds a place until the end.

        Raises:
            Overloaded: There is none; the hint is what a request has usually taken of late.
        """
        if self._inside >= self._room:
            raise Overloaded(
                f"ollama: model {self._model} has {self._inside} requests already; try again later, or raise "
                "OLLAMA_NUM_PARALLEL here and on its server",
                min(max(self._usual, _LEAST), _MOST),
                cause="model",
            )
        self._inside += 1
        started = self._clock()
        try:
            yield
        finally:
            self._inside -= 1
            self._usual += _WEIGHT * (self._clock() - started - self._usual)
