from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from engine.cli.asking.chat import Conversation, ReadLine, _editor
from engine.errors import DependencyUnavailable, InvalidInput
from engine.v1 import engine_pb2 as pb


class Answers:
    """An assistant that answers every message alike, after telling what it does; it keeps what it was asked."""

    def __init__(self, error: Exception | None = None, *, hangs: bool = False) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.closed = 0
        self._error = error
        self._hangs = hangs

    async def stream(self, query: str, **fields: Any) -> AsyncGenerator[pb.AgentEvent]:
        self.asked.append((query, fields))
        try:
            yield pb.AgentEvent(progress=pb.Progress(stage="retrieve"))
            if self._error is not None:
                raise self._error
            if self._hangs:
                await asyncio.get_running_loop().run_in_executor(None, os.kill, os.getpid(), signal.SIGINT)
                await asyncio.Event().wait()
            yield pb.AgentEvent(text_delta="It adds.")
            cited = pb.Citation(number=1, document="guide.md", heading="addVar", text="addVar adds a variable.")
            yield pb.AgentEvent(completed=pb.AgentResponse(text="It adds.", citations=[cited], outcome=pb.COMPLETE))
        finally:
            self.closed += 1


def lines(*given: str) -> ReadLine:
    """What a person types; then the end."""
    left: Iterator[str] = iter(given)

    async def read() -> str:
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    return read


async def hold(*given: str, assistant: Answers | None = None) -> tuple[Answers, Conversation]:
    assistant = assistant or Answers()
    conversation = Conversation(assistant, "s")
    await conversation.hold(lines(*given))
    return assistant, conversation


async def test_lines_are_asked_in_one_session_and_empty_ones_ask_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("one\n", "", "  two ")
    assert [(query, fields["session_id"]) for query, fields in assistant.asked] == [("one", "s"), ("two", "s")]
    printed = capsys.readouterr().out
    assert printed.count("It adds.") == 2
    assert "[1] guide.md — addVar" in printed


async def test_quit_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("/quit", "not asked")
    assert assistant.asked == []
    await hold("/help")
    assert "/sources" in capsys.readouterr().out


async def test_a_declared_type_holds_until_it_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("/type platform", "one", "/type auto", "two", "/type nonsense", "three")
    types = [fields["query_type"] for _, fields in assistant.asked]
    assert types == ["PLATFORM", "QUERY_TYPE_UNSPECIFIED", "QUERY_TYPE_UNSPECIFIED"]
    assert "There is no type 'nonsense': RETRIEVAL" in capsys.readouterr().err


async def test_sources_are_those_of_the_last_answer(capsys: pytest.CaptureFixture[str]) -> None:
    await hold("/sources", "one", "/sources")
    printed = capsys.readouterr().out
    assert printed.startswith("The last answer cites nothing.")
    assert printed.endswith("[1] guide.md — addVar\naddVar adds a variable.\n")


async def test_a_new_conversation_has_another_id_and_no_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, conversation = await hold("one", "/new", "/sources", "two", "/session")
    first, second = (fields["session_id"] for _, fields in assistant.asked)
    assert first == "s"
    assert second == conversation.session != "s"
    assert "cites nothing" in capsys.readouterr().out


async def test_an_unknown_command_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("/sauces")
    assert "There is no command /sauces" in capsys.readouterr().err
    assert assistant.asked == []


@pytest.mark.parametrize("error", [InvalidInput("query", "is too long"), DependencyUnavailable("index", "is away")])
async def test_an_error_does_not_end_the_conversation(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("one", "two", assistant=Answers(error))
    assert len(assistant.asked) == 2
    assert capsys.readouterr().err.count("error: ") == 2


async def test_ctrl_c_stops_the_answer_and_not_the_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    assistant, _ = await hold("one", "two", assistant=Answers(hangs=True))
    assert len(assistant.asked) == assistant.closed == 2
    assert capsys.readouterr().err.count("(stopped)") == 2


async def test_what_the_engine_does_is_shown_until_the_text_begins() -> None:
    shown: list[str] = []
    await Conversation(Answers(), "s", stage=shown.append).hold(lines("one"))
    assert shown[0] == "thinking"
    assert "retrieve" in shown
    assert shown[-1] == ""


async def test_the_line_editor_keeps_its_lines_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        read = _editor(folder)
        keys.send_text("one\n")
        assert await read() == "one"
        keys.send_text("\x1b[A\n")  # the arrow up
        assert await read() == "one"
        keys.send_text("\x03")
        with pytest.raises(KeyboardInterrupt):
            await read()
    assert (folder / "chat_history").stat().st_mode & 0o777 == 0o600


async def test_answers_as_objects_have_the_output_to_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    conversation = Conversation(Answers(), "s", as_json=True)
    await conversation.hold(lines("what is it?", "/session", "/type platform", "/sources", "and more?"))
    shown = capsys.readouterr()
    answers = [json.loads(line) for line in shown.out.splitlines()]
    assert [answer["text"] for answer in answers] == ["It adds.", "It adds."]
    assert answers[0]["citations"][0]["document"] == "guide.md"
    assert "The next messages are PLATFORM" in shown.err


async def test_an_error_is_no_object(capsys: pytest.CaptureFixture[str]) -> None:
    failing = Answers(DependencyUnavailable("ollama", "is down"))
    await Conversation(failing, "s", as_json=True).hold(lines("what is it?"))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "ollama: is down" in shown.err
