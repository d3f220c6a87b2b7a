"""The comparison with other libraries: its passages, its page, and our side of it. The others are not installed here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from scripts.bench_peers import NOTES, wanted
from scripts.benchmarks.peers.chats import CHATS, WORDS, Haystack, LlamaIndex, Ours
from scripts.benchmarks.peers.contender import PARTS, store
from scripts.benchmarks.peers.corpus import DIMENSIONS, generated, recall
from scripts.benchmarks.peers.memory import MEMORIES, by_place
from scripts.benchmarks.peers.report import OURS, Table, markdown, slower
from scripts.benchmarks.peers.stores import STORES
from scripts.benchmarks.peers.stores import Ours as OurStore

ROOT = Path(__file__).resolve().parents[3]


def table(**peer: float) -> Table:
    ours = {"turn p50 ms": 10.0, "turns/s at 8": 50.0, "recall of the exact ten": 1.0}
    return Table("Turns", "A note.", {OURS: ours, "Peer": peer}, {"Other": "ModuleNotFoundError"})


def test_a_question_is_nearest_to_its_own_passage() -> None:
    corpus = generated(400, 30)
    assert corpus.vectors.shape == (400, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(corpus.asked, axis=1), 1.0, atol=1e-5)
    first = corpus.nearest[:, 0]
    assert all(
        set(question.split()) <= set(corpus.texts[place].split())
        for question, place in zip(corpus.questions, first, strict=True)
    )
    again = generated(400, 30)
    assert again.texts == corpus.texts
    np.testing.assert_array_equal(again.nearest, corpus.nearest)


def test_recall_is_the_share_of_the_exact_ten() -> None:
    nearest = np.array([list(range(10)), list(range(10, 20))])
    assert recall([list(range(10)), list(range(10, 20))], nearest) == 1.0
    assert recall([[0, 1, 2, 3, 4], [99]], nearest) == 0.25


def test_the_embedded_index_finds_the_exact_ten(tmp_path: Path) -> None:
    corpus, kept = generated(300, 10), OurStore(tmp_path)
    kept.fill(corpus)
    asked = list(zip(corpus.questions, corpus.asked, strict=True))
    assert recall([kept.search(*one, hybrid=False) for one in asked], corpus.nearest) == 1.0
    assert all(len(kept.search(*one, hybrid=True)) == 10 for one in asked)
    kept.close()


def test_our_store_is_measured_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.benchmarks.peers.contender._settle", lambda: None)
    found = store(OURS, 200, tmp_path, tmp_path)
    assert found["recall of the exact ten"] == 1.0
    assert {"dense p50 ms", "hybrid p50 ms", "filled passages/s", "MB on disk", "MiB of memory"} <= set(found)


async def test_our_side_answers_whole_turns(guide: Path, tmp_path: Path) -> None:
    chat = Ours(guide)
    await chat.start(())
    said = [piece async for piece in chat.answer("What is addVar in AVAP?", "a session")]
    assert "".join(said).startswith("".join(WORDS).strip()[:20])
    await chat.close()


async def test_turns_are_reported_by_their_place_in_the_session() -> None:
    turns = 0

    async def turn() -> None:
        nonlocal turns
        turns += 1

    assert set(await by_place(turn, 100)) == {"10", "100"}
    assert turns == 104


def test_what_a_peer_does_better_is_said_first_the_worst_at_the_top() -> None:
    one = table(**{"turn p50 ms": 5.0, "turns/s at 8": 200.0, "recall of the exact ten": 0.9})
    assert slower([one]) == [
        "Turns: turns/s at 8 50.0, Peer 200 (4.00 times)",
        "Turns: turn p50 ms 10.0, Peer 5.00 (2.00 times)",
    ]
    page = markdown([one], "Two cores.")
    assert page.index("Where a peer is better") < page.index("4.00 times") < page.index("## Turns")


def test_the_page_has_ratios_notes_and_who_could_not_be_measured() -> None:
    page = markdown([table(**{"turn p50 ms": 20.0})], "Two cores.")
    assert "Nowhere, of what was measured." in page
    assert "| turn p50 ms | 10.0 | 20.0 (0.500) |" in page
    assert "| turns/s at 8 | 50.0 |  |" in page
    assert "A note." in page
    assert "Other could not be measured: ModuleNotFoundError" in page


def test_a_table_without_ours_is_shown_as_it_is() -> None:
    page = markdown([Table("Turns", "", {"Peer": {"turn p50 ms": 3.0}}, {OURS: "it ended"})], "")
    assert "| turn p50 ms |  | 3.00 |" in page
    assert slower([Table("Turns", "", {"Peer": {"turn p50 ms": 3.0}}, {})]) == []


def test_ours_comes_first_everywhere() -> None:
    for contenders in (list(CHATS), list(STORES), list(MEMORIES)):
        assert contenders[0] == OURS
        assert len(contenders) > 1
    assert set(NOTES) == set(PARTS)


@pytest.mark.parametrize("chat", [LlamaIndex(None), Haystack()], ids=["LlamaIndex", "Haystack"])
async def test_a_library_that_is_not_installed_is_an_error_when_it_is_started(chat: LlamaIndex | Haystack) -> None:
    with pytest.raises(ModuleNotFoundError):
        await chat.start(())


def test_one_that_cannot_be_measured_is_named_on_the_page(tmp_path: Path) -> None:
    words = [str(ROOT / "scripts" / "bench_peers.py"), "--parts", "store", "--passages", "150", "--out", "page.md"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "## Stores, 150 generated passages" in page
    assert f"| | {OURS} |" in page
    assert all(f"{name} could not be measured: ModuleNotFoundError" in page for name in list(STORES)[1:])


def test_a_contender_prints_its_figures_as_one_line(tmp_path: Path) -> None:
    words = ["-m", "scripts.benchmarks.peers.contender", "store", OURS, "150", str(tmp_path / "own"), str(tmp_path)]
    (tmp_path / "own").mkdir()
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout)["recall of the exact ten"] == 1.0


def test_the_parts_and_sizes_that_are_asked_for_are_measured() -> None:
    asked = Namespace(parts=["store", "memory"], passages=[10, 2_000], turns=3, session=7)
    assert [(part, size) for _, part, size in wanted(asked)] == [("store", 10), ("store", 2_000), ("memory", 7)]
