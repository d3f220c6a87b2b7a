"""`evaluate-retrieval` on a collection made here, with the bundled embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.evaluation.evaluate_retrieval import evaluate_retrieval
from engine.errors import InvalidInput, NotFound

TEXTS = {
    "p1": "The Penobscot river starts in Maine and ends in the Atlantic.",
    "p2": "Salmon and trout, two fish, swim up the Penobscot river in spring.",
    "p3": "White pines grow in the north.",
}


def write_lines(path: Path, rows: dict[str, str]) -> None:
    path.write_text("".join(json.dumps({"_id": i, "title": "", "text": text}) + "\n" for i, text in rows.items()))


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENGINE_DATA_DIR", str(tmp_path / "data"))
    home = tmp_path / "sets" / "rivers"
    home.mkdir(parents=True)
    first, second = "where does the penobscot river end", "Which fish live in it?"
    write_lines(home / "corpus.jsonl", TEXTS)
    write_lines(home / "queries_lastturn.jsonl", {"r<::>1": first, "r<::>2": second})
    write_lines(home / "queries_rewrite.jsonl", {"r<::>1": first, "r<::>2": "Which fish live in the Penobscot river?"})
    write_lines(home / "queries_questions.jsonl", {"r<::>1": first, "r<::>2": f"{first}\n{second}"})
    (home / "qrels.tsv").write_text("q\tc\ts\nr<::>1\tp1\t1\nr<::>2\tp2\t1\n")
    return tmp_path / "sets"


def invoke(*arguments: str) -> str:
    done = CliRunner().invoke(evaluate_retrieval, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_folder_is_judged_and_its_index_kept(sets: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "out", tmp_path / "kept"
    found = json.loads(invoke(str(sets), "--keep", str(kept), "--out", str(out), "--json"))
    rivers = found["trials"]["rivers"]
    assert rivers["questions"] == 2
    assert rivers["passages"] == 3
    assert rivers["ndcg"]["rewrite"]["both"] == 1.0
    assert rivers["needs_rewrite"]["f1"] == 1.0
    assert json.loads((out / "retrieval.json").read_text("utf-8")) == found
    manifest = (kept / "rivers" / "index" / "MANIFEST.json").stat().st_mtime_ns
    assert "## rivers" in invoke(str(sets / "rivers"), "--keep", str(kept))
    assert (kept / "rivers" / "index" / "MANIFEST.json").stat().st_mtime_ns == manifest


def test_indexes_are_kept_with_the_data_by_default(sets: Path, tmp_path: Path) -> None:
    invoke(str(sets))
    assert (tmp_path / "data" / "trials" / "rivers" / "index" / "MANIFEST.json").is_file()


def test_a_folder_without_collections_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        CliRunner().invoke(evaluate_retrieval, [str(tmp_path)], catch_exceptions=False)


def test_a_collection_without_judgements_is_refused(sets: Path) -> None:
    (sets / "rivers" / "qrels.tsv").write_text("q\tc\ts\n")
    with pytest.raises(InvalidInput, match="judgement"):
        CliRunner().invoke(evaluate_retrieval, [str(sets)], catch_exceptions=False)
