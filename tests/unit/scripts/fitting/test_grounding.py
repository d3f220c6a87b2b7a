from __future__ import annotations

import json

from engine.generation.grounding import Grounder
from engine.testing import HashedWordsEmbedder
from scripts.fitting.grounding import ROWS, marked


def test_rows_are_held_against_their_own_passage() -> None:
    passage = "The kiln reaches 900 degrees in two hours."
    rows = [
        {"passage": passage, "sentence": "The kiln reaches 900 degrees in two hours."},
        {"passage": passage, "sentence": "The kiln reaches 950 degrees in two hours."},
        {"passage": passage, "sentence": "Clouds gather over distant mountains."},
    ]
    assert marked(rows, Grounder(HashedWordsEmbedder(512))) == [False, True, True]


def test_the_rows_are_of_both_kinds_and_each_stands_once() -> None:
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    assert {row["supported"] for row in rows} == {True, False}
    assert len({(row["passage"], row["sentence"]) for row in rows}) == len(rows)
