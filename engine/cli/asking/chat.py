"""A conversation at the terminal: a line editor with history, commands behind a slash, and what the engine is doing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from engine.cli.asking.ask import Assistant, open_assistant, show
from engine.cli.common import TYPES, print_json, proto_json, run, settings_for_command
from engine.errors import EngineError, InvalidInput
from engine.settings import Settings
from engine.v1 import engine_pb2 as pb

_HELP = """\
/help          this list
/type TYPE     declare the type of the next messages: retrieval, code_generation, conversational, platform; auto ends it
/sources       the passages that the last answer cites, in full
/session       the id of this conversation, to continue it with `chat --session ID`
/new           begin another conversation
/quit          leave, as Ctrl-D and Ctrl-C at the prompt do
Ctrl-C while an answer is written stops it. Arrow keys bring back earlier lines."""

#: Gives the next line of a person; raises EOFError or KeyboardInterrupt at the end.
ReadLine = Callable[[], Awaitable[str]]


@click.command()
@click.option("--session", default="", help="Continue the session of this id.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable object for each answer.")
def chat(session: str, as_json: bool) -> None:
    """A conversation. /help lists its commands; Ctrl-D, Ctrl-C or /quit ends it."""
    run(_chat(settings_for_command(), session or uuid.uuid4().hex, as_json=as_json))


async def _chat(settings: Settings, session: str, *, as_json: bool) -> None:
    async with open_assistant(settings) as assistant:
        at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        read = _editor(settings.engine_data_dir) if at_terminal else _plain_lines
        click.echo(f"Session {session}. /help lists the commands.", err=True)
        stage = _stage if at_terminal else lambda _: None
        await Conversation(assistant, session, stage=stage, as_json=as_json).hold(read)


async def _plain_lines() -> str:
    """A line of a pipe."""
    line: str = await asyncio.to_thread(sys.stdin.readline)
    if not line:
        raise EOFError
    return line


def _editor(folder: Path) -> ReadLine:
    """A line editor that keeps its lines in `folder`, readable by their owner alone."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    kept = folder / "chat_history"
    history: History = InMemoryHistory()
    with suppress(OSError):  # a folder that cannot be written to: lines are kept until the end
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(kept, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        history = FileHistory(str(kept))
    session: PromptSession[str] = PromptSession(history=history)
    return lambda: session.prompt_async("> ")


def _stage(doing: str) -> None:
    """Shows what the engine is doing on a line of its own, in place of what stood there."""
    sys.stderr.write(f"\r\x1b[K{click.style(doing + ' …', dim=True) if doing else ''}")
    sys.stderr.flush()


@dataclass
class Conversation:
    """One conversation with its commands.

    Attributes:
        assistant: Is asked.
        session: The id of the conversation.
        stage: Told what the engine is doing.
        declared: The type of the next messages; unspecified: the engine decides.
        last: The last answer.
        as_json: Print answers as objects, and everything else beside them.
    """

    assistant: Assistant
    session: str
    stage: Callable[[str], None] = lambda _: None
    declared: str = "QUERY_TYPE_UNSPECIFIED"
    last: pb.AgentResponse = field(default_factory=pb.AgentResponse)
    as_json: bool = False

    def _say(self, text: str) -> None:
        click.echo(text, err=self.as_json)

    async def hold(self, read: ReadLine) -> None:
        """Asks line by line until the person leaves; an empty line asks nothing."""
        while True:
            try:
                line = (await read()).strip()
            except (EOFError, KeyboardInterrupt):
                return
            if line.startswith("/"):
                if not self.command(line):
                    return
            elif line:
                await self._ask(line)

    def command(self, line: str) -> bool:
        """Carries out a line that begins with a slash; False to leave."""
        name, _, rest = line.partition(" ")
        match name:
            case "/quit" | "/exit":
                return False
            case "/help":
                self._say(_HELP)
            case "/type":
                self._declare(rest.strip())
            case "/sources":
                self._say(self._sources())
            case "/session":
                self._say(self.session)
            case "/new":
                self.session, self.last = uuid.uuid4().hex, pb.AgentResponse()
                self._say(f"Session {self.session}.")
            case _:
                click.echo(f"There is no command {name}; /help lists them.", err=True)
        return True

    def _declare(self, name: str) -> None:
        if name.casefold() in ("", "auto"):
            self.declared = "QUERY_TYPE_UNSPECIFIED"
            self._say("The engine decides the type.")
        elif name.casefold() in (choice.casefold() for choice in TYPES.choices):
            self.declared = name.upper()
            self._say(f"The next messages are {self.declared}; /type auto ends that.")
        else:
            click.echo(f"There is no type {name!r}: {', '.join(TYPES.choices)} or auto.", err=True)

    def _sources(self) -> str:
        cited = self.last.citations
        if not cited:
            return "The last answer cites nothing."
        return "\n\n".join(f"[{one.number}] {one.document} — {one.heading}\n{one.text}" for one in cited)

    async def _ask(self, query: str) -> None:
        """Asks, and prints the answer; Ctrl-C stops the answer and nothing else."""
        fields: dict[str, Any] = {"session_id": self.session, "query_type": self.declared}
        self.stage("thinking")
        asking = asyncio.ensure_future(show(self.assistant, query, fields, silent=self.as_json, stage=self.stage))
        try:
            with _stopped_by_interrupt(asking):
                self.last = await asking
            if self.as_json:
                print_json(proto_json(self.last))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # the whole conversation is ended, not this answer
                asking.cancel()
                raise
            click.echo("\n(stopped)", err=True)
        except InvalidInput as error:
            click.echo(f"error: {error}", err=True)
        except EngineError as error:
            click.echo(f"error: {error}; the conversation goes on", err=True)
        finally:
            self.stage("")


@contextmanager
def _stopped_by_interrupt(asking: asyncio.Future[Any]) -> Iterator[None]:
    """Ctrl-C stops `asking` meanwhile, where this thread gets signals."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, asking.cancel)
    except (NotImplementedError, ValueError, RuntimeError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
