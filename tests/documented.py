"""Conversations with an engine over a folder of documents, with the bundled encoder and without a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from unittest.mock import patch

from engine import bootstrap
from engine.cli.common import settings_for_command
from engine.domain import Completed, Turn
from tests.conftest import command, environment


def answers_over(documents: Path, data: Path, dialogues: Sequence[Sequence[str]]) -> list[list[str]]:
    """Indexes the documents, and gives the answers to each dialogue's messages.

    Args:
        documents: A folder.
        data: An empty folder, for the index and the sessions.
    """
    done = command(data, "index", str(documents))
    assert done.returncode == 0, done.stderr
    return asyncio.run(_played(data, dialogues))


async def _played(data: Path, dialogues: Sequence[Sequence[str]]) -> list[list[str]]:
    told: list[list[str]] = []
    with patch.dict(os.environ, environment(data), clear=True):
        async with bootstrap.engine(settings_for_command()) as engine:
            for number, dialogue in enumerate(dialogues):
                told.append([])
                for query in dialogue:
                    turn = Turn(query, f"dialogue-{number}", principal="reader")
                    async with aclosing(engine.answers.answer(turn)) as events:
                        async for event in events:
                            if isinstance(event, Completed):
                                told[-1].append(event.answer.text)
    return told
