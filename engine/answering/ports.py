"""What servers need of the answer, as Protocols: importing them loads neither the graph nor any adapter."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from classifier.decision import Decision, Query
from engine.domain import Answer, Completed, Event, Turn
from engine.errors import EngineError


class Answers(Protocol):
    """What servers need of the answer engine."""

    def answer(self, turn: Turn) -> AsyncGenerator[Event]:
        """The events of one answer."""
        ...


class Place(Answers, Protocol):
    """A place among the turns that run or wait: what it answers has one already."""

    def leave(self) -> None:
        """Gives it up, whether it was used or not. Idempotent; on the event loop that turns run on."""
        ...


class Admitting(Answers, Protocol):
    """What can refuse a turn before the event loop is reached that turns run on."""

    def enter(self, caller: str) -> Place:
        """A place for one turn of `caller`. Never waits; may be called in any thread.

        Raises:
            Overloaded: There is none.
        """
        ...


class Router(Protocol):
    """What decides a query's type: `classifier.cascade.Cascade`."""

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        """The decision, never an error."""
        ...


class FoundFigures(Protocol):
    """What figures say to a question."""

    @property
    def sure(self) -> bool:
        """Whether they answer it."""
        ...

    @property
    def carried(self) -> bool:
        """Whether the question names nothing itself and goes on from the one before it."""
        ...

    @property
    def likely(self) -> bool:
        """Whether they do not surely answer it, and have a figure that is probably meant."""
        ...


class Figures(Protocol):
    """What answers questions from the figures of an account; blocks, so call it in a worker thread."""

    def answered(self, query: str, *contexts: str, before: Sequence[str] = ()) -> FoundFigures:
        """What the contexts say to `query`, which may go on from the questions `before` it."""
        ...


async def fold(events: AsyncGenerator[Event]) -> Answer:
    """The answer of a stream of events: what AskAgent returns."""
    async with aclosing(events) as stream:
        async for event in stream:
            if isinstance(event, Completed):
                return event.answer
    raise EngineError("the answer ended without a result")
