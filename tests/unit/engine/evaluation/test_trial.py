from __future__ import annotations

from pathlib import Path

import pytest

from engine.conversation.followup.dependence import Dependence
from engine.conversation.store.port import Conversation
from engine.domain import Passage
from engine.evaluation.collection import Asked, read_collection
from engine.evaluation.trial import (
    conversation_of,
    detection,
    forms_of,
    fusion_gain,
    gap_closed,
    run_trial,
)
from engine.retrieval.port import Half


class Words:
    """Finds the passages that share most words with the query; its dense half finds nothing right."""

    def __init__(self, folder: Path) -> None:
        lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()
        self.texts = {line.split('"')[3]: set(line.lower().replace(".", " ").split()) for line in lines}
        self.asked: list[tuple[str, Half, int]] = []

    async def search(self, query: str, *, k: int = 8, half: Half = Half.BOTH) -> list[Passage]:
        self.asked.append((query, half, k))
        wanted = set(query.lower().rstrip("?").split())
        found = sorted(self.texts, key=lambda id_: -len(self.texts[id_] & wanted))
        found = found[::-1] if half is Half.DENSE else found
        return [Passage(id_, id_, "", "", "", 1.0) for id_ in found[:k]]

    async def count(self) -> int:
        return len(self.texts)

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


ASKED = Asked(
    "c<::>2", "Which fish live in it?", "", "", (("where does the penobscot river end", "Far."),), {"p2": 1.0}
)


def test_the_turns_before_are_as_the_engine_stores_them() -> None:
    (turn,) = conversation_of(ASKED).recent
    assert (turn.sequence, turn.query, turn.answer) == (1, "where does the penobscot river end", "Far.")
    assert turn.type.searches


def test_a_question_is_asked_in_the_forms_that_it_has() -> None:
    assert forms_of(ASKED, Dependence.STANDALONE)["rewrite"] == ASKED.query
    assert forms_of(ASKED, Dependence.INCOMPLETE) == {
        "last_turn": "Which fish live in it?",
        "rewrite": "Which fish live in it? penobscot river end",
    }


@pytest.mark.usefixtures("tasks")
async def test_every_form_is_asked_of_every_half(folder: Path) -> None:
    collection, source = read_collection(folder), Words(folder)
    done: list[int] = []
    found = await run_trial(collection, source, done.append)
    assert done == [1, 2]
    assert (found["questions"], found["passages"]) == (2, 3)
    assert {k for _, _, k in source.asked} == {10}
    assert len(source.asked) == 2 * 4 * 3
    assert set(found["ndcg"]) == set(found["recall"]) == {"last_turn", "gold", "rewrite", "joined"}
    assert found["ndcg"]["gold"]["text"] > found["ndcg"]["gold"]["dense"]
    assert found["fusion_gain"]["gold"] == 0.0
    assert found["recall"]["gold"] == {"both": 1.0, "text": 1.0, "dense": 1.0}
    assert found["needs_rewrite"]["hits"] == 1
    assert found["needs_rewrite"]["rejections"] == 1


async def test_without_a_persons_form_there_is_no_gap(folder: Path) -> None:
    (folder / "queries_rewrite.jsonl").unlink()
    found = await run_trial(read_collection(folder), Words(folder))
    assert "gold" not in found["ndcg"]
    assert found["gap_closed"] == {}
    assert found["needs_rewrite"] == {}


def test_the_gap_is_closed_by_half() -> None:
    means = {"last_turn": {"both": 0.2}, "rewrite": {"both": 0.3}, "gold": {"both": 0.4}}
    assert gap_closed(means)["both"] == pytest.approx(0.5)


def test_fusion_is_held_against_the_better_half() -> None:
    means = {"a": {"both": 0.4, "text": 0.1, "dense": 0.35}, "b": {"both": 0.2, "text": 0.3, "dense": 0.1}}
    assert fusion_gain(means) == {"a": pytest.approx(0.05), "b": pytest.approx(-0.1)}


def test_detection_leaves_out_what_nobody_has_judged() -> None:
    judged = Asked(
        "c<::>2", "Which fish live in it?", "Which fish live in the Penobscot river?", "", ASKED.earlier, {"p": 1.0}
    )
    assert detection([ASKED], [Dependence.INCOMPLETE]) == {}
    needs = [Dependence.INCOMPLETE, Dependence.TOPICAL]
    assert detection([ASKED, judged], needs)["hits"] == 1
    assert detection([ASKED, judged], [Dependence.INCOMPLETE, Dependence.STANDALONE])["hits"] == 0


@pytest.mark.usefixtures("tasks")
async def test_what_needs_the_turns_before_is_asked_of_whoever_knows(folder: Path) -> None:
    asked: list[tuple[str, int]] = []

    def never(query: str, conversation: Conversation) -> Dependence:
        asked.append((query, len(conversation.recent)))
        return Dependence.STANDALONE

    found = await run_trial(read_collection(folder), Words(folder), needs=never)
    assert found["ndcg"]["rewrite"] == found["ndcg"]["last_turn"]
    assert found["needs_rewrite"]["hits"] == 0
    assert sorted(turns for _, turns in asked) == [0, 1]
