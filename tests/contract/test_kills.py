"""Processes that are killed at any moment: what they had acknowledged is there, and the rest is whole.

The index has its own: `test_indexer.py`.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from classifier.learning.label_files import label_files, read_labels
from classifier.linear.artifact import read_artifact
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from tests.sizes import sized

ROOT = Path(__file__).resolve().parents[2]
KILLS = sized(1, 50)
#: Seconds within which a process is killed after what it said last; what it does takes about a tenth of that.
SOON = 0.05

_BEGIN = """
import asyncio, sys, uuid
from pathlib import Path

folder = Path(sys.argv[1])
"""
TURNS = """
from engine import telemetry
from engine.answering.ports import fold
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Turn
from tests.turn_process import engine_over

async def main():
    telemetry.configure_logging("text", "error")
    store = SqlSessionStore(folder / "sessions.sqlite3")
    with (folder / "book").open("a") as book:
        engine = engine_over(store, uuid.uuid4().hex, book, 60)
        while True:
            answer = await fold(engine.answer(Turn("What is variable q1?", "s", principal="ana")))
            print(answer.turn_id, flush=True)

asyncio.run(main())
"""
LABELS = """
from classifier.decision import QueryType
from classifier.learning.label_files import exporting, label_files, set_exported_at, write_labels
from classifier.learning.labels import Label, Provenance

while True:
    with exporting(folder):
        number = len(label_files(folder)) + 1
        texts = [f"{number} {place} " + "x" * 500 for place in range(200)]
        labels = [Label(text, QueryType.RETRIEVAL, Provenance.LAYER_3, "p", f"s{number}") for text in texts]
        written = write_labels(folder, labels)
        set_exported_at(folder, float(number))
    print(written.name, flush=True)
"""
ARTIFACTS = """
from classifier.linear.artifact import read_artifact, write_artifact

target = folder / "model.npz"
shipped = read_artifact(target)
while True:
    print(write_artifact(target, shipped.card, shipped.weights).id, flush=True)
"""


def killed(code: str, folder: Path, dice: random.Random) -> list[str]:
    """Lets a process work and kills it; what it had acknowledged by then, a line for each thing."""
    words = [sys.executable, "-c", _BEGIN + code, str(folder)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = [process.stdout.readline() for _ in range(dice.randint(1, 4))]
        with suppress(subprocess.TimeoutExpired):
            process.wait(dice.random() * SOON)
        process.kill()
        said += process.stdout.readlines()
    assert said[0], "it ended by itself"
    return [line.strip() for line in said if line.endswith("\n")]


Told = Callable[[str, object], None]


@pytest.mark.timeout(600)
async def test_no_acknowledged_turn_is_lost_and_the_store_is_whole(tmp_path: Path, record_property: Told) -> None:
    dice, acknowledged = random.Random(1), list[str]()
    for _ in range(KILLS):
        acknowledged += killed(TURNS, tmp_path, dice)
        with closing(sqlite3.connect(tmp_path / "sessions.sqlite3")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    stored = (await store.session("ana", "s")).turns
    await store.close()
    assert set(acknowledged) <= {turn.turn_id for turn in stored}
    assert [turn.sequence for turn in stored] == list(range(1, len(stored) + 1))
    assert all(turn.outcome is Outcome.COMPLETE for turn in stored if turn.turn_id in set(acknowledged))
    assert len(acknowledged) >= KILLS
    record_property("figure", f"{KILLS} kills, {len(acknowledged)} acknowledged turns, none lost")


@pytest.mark.timeout(600)
def test_an_export_is_there_whole_or_not_at_all(tmp_path: Path, record_property: Told) -> None:
    dice, acknowledged = random.Random(2), list[str]()
    for _ in range(KILLS):
        acknowledged += killed(LABELS, tmp_path, dice)
    files = [path.name for path in label_files(tmp_path)]
    assert files == [f"labels-{number}.jsonl" for number in range(1, len(files) + 1)]
    assert set(acknowledged) <= set(files)
    assert read_labels(tmp_path)  # no line is broken
    assert [len(path.read_text("utf-8").splitlines()) for path in label_files(tmp_path)] == [200] * len(files)
    record_property("figure", f"{KILLS} kills, {len(acknowledged)} acknowledged exports, none lost or cut")


@pytest.mark.timeout(600)
def test_an_artifact_is_there_whole_whenever_its_writer_is_killed(tmp_path: Path, record_property: Told) -> None:
    dice, target = random.Random(3), tmp_path / "model.npz"
    shutil.copy(ROOT / "classifier" / "data" / "classifier_model.npz", target)
    written = 0
    for _ in range(KILLS):
        said = killed(ARTIFACTS, tmp_path, dice)
        written += len(said)
        assert read_artifact(target).id == said[-1]
    record_property("figure", f"{KILLS} kills, {written} artifacts written, each read back whole")
