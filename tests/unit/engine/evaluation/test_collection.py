from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InvalidInput, NotFound
from engine.evaluation.collection import Asked, find_collections, read_collection


def test_a_folder_is_a_collection_or_holds_some(folder: Path) -> None:
    assert find_collections(folder) == [folder]
    assert find_collections(folder.parent) == [folder]


def test_a_folder_without_a_corpus_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"corpus\.jsonl"):
        find_collections(tmp_path)


@pytest.mark.usefixtures("tasks")
def test_questions_come_with_what_is_known_of_them(folder: Path) -> None:
    found = read_collection(folder)
    assert (found.name, found.corpus) == ("rivers", folder / "corpus.jsonl")
    first, second = found.asked
    assert first == Asked(
        "r<::>1",
        "where does the penobscot river end",
        "Where does the Penobscot River end?",
        "where does the penobscot river end",
        (),
        {"p1": 1.0},
    )
    assert second.earlier == (("where does the penobscot river end", "In the Atlantic."),)
    assert second.joined == "where does the penobscot river end\nWhich fish live in it?"
    assert second.relevant == {"p2": 2.0}


def test_without_tasks_the_questions_are_the_conversation(folder: Path) -> None:
    assert read_collection(folder).asked[1].earlier == (("where does the penobscot river end", ""),)


def test_tasks_may_lie_in_the_folder_itself(folder: Path, tasks: Path) -> None:
    tasks.rename(folder / "tasks.jsonl")
    assert read_collection(folder).asked[1].earlier[0][1] == "In the Atlantic."


@pytest.mark.usefixtures("tasks")
def test_whether_a_question_lacks_words_of_the_turns_before_it(folder: Path) -> None:
    first, second = read_collection(folder).asked
    assert first.lacks_words is False  # a first question does not
    assert second.lacks_words is True


@pytest.mark.parametrize(
    ("gold", "lacks"),
    [
        ("which FISH", False),
        ("Which fish live in rivers?", True),  # by the stem, of the question before
        ("Which fish swim in brackish water?", True),  # of the answer before
        ("Can you tell me which fishes there are?", False),
        ("Which salmon?", False),  # another word, which nobody has said
        ("", None),
    ],
)
def test_other_words_alone_do_not_say_that_a_question_lacked_some(gold: str, lacks: bool | None) -> None:
    earlier = (("Where does the river end?", "In brackish water."),)
    assert Asked("x", "Which fish?", gold, "", earlier, {"p": 1.0}).lacks_words is lacks


def test_rewrites_and_joined_questions_may_be_missing(folder: Path) -> None:
    (folder / "queries_rewrite.jsonl").unlink()
    (folder / "queries_questions.jsonl").unlink()
    for asked in read_collection(folder).asked:
        assert (asked.gold, asked.joined, asked.earlier) == ("", asked.query, ())


@pytest.mark.parametrize("name", ["queries_lastturn.jsonl", "qrels.tsv"])
def test_what_is_needed_must_be_there(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(NotFound, match=name):
        read_collection(folder)


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("queries_lastturn.jsonl", "{", "queries_lastturn.jsonl:1"),
        ("queries_lastturn.jsonl", "\n[]", "queries_lastturn.jsonl:2"),
        ("queries_rewrite.jsonl", '{"_id": 3, "text": "x"}', "queries_rewrite.jsonl:1"),
        ("queries_rewrite.jsonl", '{"_id": "x"}', "queries_rewrite.jsonl:1"),
        ("qrels.tsv", "head\nr<::>1\tp1\n", "qrels.tsv:2"),
        ("qrels.tsv", "head\nr<::>1\tp1\tmuch\n", "qrels.tsv:2"),
        ("tasks.jsonl", '{"task_id": "r<::>2", "history": "none"}', "tasks.jsonl:1"),
    ],
)
def test_a_line_of_another_format_is_named(folder: Path, name: str, content: str, where: str) -> None:
    (folder / name).write_text(content, "utf-8")
    with pytest.raises(InvalidInput) as error:
        read_collection(folder)
    assert error.value.field == where
