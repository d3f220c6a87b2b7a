from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from classifier.dialogue_act.acts import DialogueAct
from classifier.training.seed import shipped_rows
from scripts.fitting.dialogue_acts import ActRow, act_rows, fit_head, negatives, sentence, typed


def test_every_act_has_rows_in_both_languages_and_none_twice() -> None:
    rows = act_rows()
    for act in set(DialogueAct) - {DialogueAct.NONE}:
        for language in ("en", "es"):
            assert sum(row.act is act and row.language == language for row in rows) >= 10, (act, language)
    texts = [row.text.casefold() for row in rows]
    assert len(texts) == len(set(texts))


def test_a_file_that_is_no_list_names_the_act(tmp_path: Path) -> None:
    path = tmp_path / "acts.json"
    path.write_text(json.dumps({"thanks": {"en": "thanks"}}))
    with pytest.raises(ValueError, match=r"thanks\.en must be a list"):
        act_rows(path)


def test_negatives_are_questions_and_requests_of_the_seed() -> None:
    found = negatives(shipped_rows(), most=200)
    assert len(found) == 200
    assert {row.act for row in found} == {DialogueAct.NONE}
    assert {row.language for row in found} >= {"en", "es"}


@pytest.mark.parametrize(
    ("text", "written"), [("go on", "Go on."), ("¿algo más?", "¿algo más?"), ("élite!", "Élite!"), ("x", "X.")]
)
def test_a_row_is_learnt_as_a_sentence_too(text: str, written: str) -> None:
    assert sentence(ActRow(text, DialogueAct.MORE, "es")) == ActRow(written, DialogueAct.MORE, "es")


def test_the_head_tells_apart_what_its_vectors_tell_apart() -> None:
    rng = np.random.default_rng(3)
    centres = {DialogueAct.NONE: 0, DialogueAct.THANKS: 1, DialogueAct.SHORTER: 2}
    rows = [ActRow("", act, "en") for act in centres for _ in range(30)]
    vectors = np.eye(8, dtype=np.float32)[[centres[row.act] for row in rows]]
    vectors += rng.normal(0, 0.1, vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    head = fit_head(vectors[::2], [row.act for row in rows[::2]], "e")
    assert [head.read(vector).act for vector in vectors[1::2]] == [row.act for row in rows[1::2]]
    assert head.encoder == "e"


@pytest.mark.parametrize(("text", "written"), [("¿Y eso, cuánto?", "y eso, cuanto"), ("Go on!", "go on"), ("?", "?")])
def test_a_row_is_learnt_as_it_is_typed_too(text: str, written: str) -> None:
    assert typed(ActRow(text, DialogueAct.MORE, "es")) == ActRow(written, DialogueAct.MORE, "es")
