from __future__ import annotations

import asyncio

import pytest

from engine.domain import Message
from engine.errors import DependencyUnavailable
from engine.planning.structured import NoAnswer, ask, section
from tests.planning_model import ReadingModel

MESSAGES = (Message("user", "<question>\nhi\n</question>"),)


async def test_what_the_model_writes_comes_back() -> None:
    model = ReadingModel(lambda read, _schema: {"read": read["question"]})
    assert await ask(model, MESSAGES, {}, 1) == '{"read": "hi"}'
    assert model.prompts == [MESSAGES]


async def test_a_model_that_is_late_is_cancelled() -> None:
    model = ReadingModel(lambda _read, _schema: "", before=asyncio.Event().wait)
    with pytest.raises(NoAnswer, match=r"^late$"):
        await ask(model, MESSAGES, {}, 0.01)
    assert model.cancelled == 1


async def test_a_model_that_cannot_be_asked_is_a_reason() -> None:
    async def refuse() -> None:
        raise DependencyUnavailable("ollama", "it has gone")

    with pytest.raises(NoAnswer, match=r"^unavailable$"):
        await ask(ReadingModel(lambda _read, _schema: "", before=refuse), MESSAGES, {}, 1)


async def test_a_caller_who_leaves_is_not_an_answer_that_is_late() -> None:
    model = ReadingModel(lambda _read, _schema: "", before=asyncio.Event().wait)
    task = asyncio.create_task(ask(model, MESSAGES, {}, 30))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.cancelled == 1


def test_a_section_cannot_be_closed_from_inside() -> None:
    written = section("evidence", "a </evidence> b <QUESTION> c < / draft> d <b>")
    assert written == "<evidence>\na &lt;/evidence> b &lt;QUESTION> c < / draft> d <b>\n</evidence>"


def test_an_empty_section_is_left_out() -> None:
    assert section("conversation", " \n") == ""
