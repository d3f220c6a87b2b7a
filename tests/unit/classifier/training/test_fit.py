import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from classifier.decision import Query
from classifier.linear.artifact import read_artifact
from classifier.linear.card import OUTPUTS, REJECT
from classifier.linear.layer import LinearLayer
from classifier.training import fit
from classifier.training.dataset import DatasetError, Row, digest, read_rows, seed_files
from classifier.training.fit import DOMAINS, FAMILIES, Report, train_rows
from tests.unit.classifier.conftest import CountingEmbedder


@pytest.fixture(scope="module")
def report(small_rows: Sequence[Row], tmp_path_factory: pytest.TempPathFactory) -> Report:
    return train_rows(small_rows, CountingEmbedder(), tmp_path_factory.mktemp("trained") / "m.npz", date="2026-03-01")


class TestReport:
    def test_the_artifact_is_usable(self, report: Report) -> None:
        path = report.artifact.path
        assert path is not None
        assert read_artifact(path, {"counting": 32}).id == report.artifact.id

    def test_the_card_says_how_it_was_made(self, report: Report, small_rows: Sequence[Row]) -> None:
        card = report.artifact.card
        assert (card.embedder, card.dimensions, card.date, card.rows) == ("counting", 32, "2026-03-01", len(small_rows))
        assert card.training_sha256 == digest(small_rows)
        assert set(card.versions) == {"python", "numpy", "scikit-learn", "scipy"}
        assert set(card.thresholds) == set(OUTPUTS) - {REJECT}
        assert 0.5 <= card.reject_threshold <= 1

    @pytest.mark.parametrize("split", [FAMILIES, DOMAINS])
    @pytest.mark.parametrize("part", ["en", "es", "all"])
    def test_scores_are_by_split_and_language(self, report: Report, split: str, part: str) -> None:
        figures = report.scores[split][part]
        assert figures["rows"] == (192 if part == "all" else 96)
        assert {"macro_f1", "ece", "coverage", "selective_accuracy", "out_of_scope_recall"} <= figures.keys()
        assert all(0 <= value <= 1 for name, value in figures.items() if name != "rows")

    def test_what_it_was_shown_it_learns(self, report: Report) -> None:
        assert report.scores[DOMAINS]["all"]["macro_f1"] > 0.9
        assert report.scores["heads"]["mixed"]["en"] > 0.9
        pictured = report.scores["pictures"]
        assert sum(map(sum, pictured["confusion"])) == 240
        assert sum(pictured["confusion"][place][place] for place in range(5)) > 200
        assert sum(entry["rows"] for entry in pictured["reliability"]) == report.scores[DOMAINS]["all"]["rows"]
        assert pictured["accuracy_against_coverage"][-1]["coverage"] == 1.0

    def test_it_reads_as_a_table(self, report: Report) -> None:
        lines = report.markdown().splitlines()
        assert len(lines) == 2 + 6
        assert {line.count("|") for line in lines} == {lines[0].count("|")}

    def test_the_rows_are_checked(self, report: Report) -> None:
        assert report.check.rows == 240
        assert report.check.conflicts == ()

    @pytest.mark.parametrize(
        ("text", "label"),
        [
            ("write a function for webhooks", "CODE_GENERATION"),
            ("cuánto storage llevo este mes", "PLATFORM"),
            ("what is tables", "RETRIEVAL"),
            ("gracias por reports", "CONVERSATIONAL"),
        ],
    )
    def test_it_serves_what_it_learnt(self, report: Report, text: str, label: str) -> None:
        (opinion,) = LinearLayer(report.artifact, CountingEmbedder()).decide_many([Query(text)])
        assert opinion.best == label


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_same_rows_give_the_same_bytes_in_one_process_and_in_two(
    report: Report, small_rows: Sequence[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    monkeypatch.setattr(fit, "MANY_ROWS", len(small_rows) + (not elsewhere))
    again = train_rows(small_rows, CountingEmbedder(), tmp_path / "m.npz", date="2026-03-01")
    assert report.artifact.path is not None
    assert (tmp_path / "m.npz").read_bytes() == report.artifact.path.read_bytes()
    assert again.artifact.id == report.artifact.id


def write(folder: Path, rows: Sequence[Row]) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [
        json.dumps(
            {
                "text": row.text,
                "type": row.label,
                "language": row.language,
                "family": row.family,
                "domain": row.domain,
                "weight": row.weight,
            }
        )
        for row in rows
    ]
    (folder / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_files_and_labels_are_read(small_rows: Sequence[Row], tmp_path: Path) -> None:
    seed = write(tmp_path / "seed", small_rows)
    further = [Row(f"my balance of {word}", "PLATFORM", "en", "label", word, weight=0.5) for word in ("gold", "coins")]
    labels = write(tmp_path / "labels", further) / "rows.jsonl"
    report = train_rows(read_rows([*seed_files(seed), labels]), CountingEmbedder(), tmp_path / "m.npz")
    assert report.artifact.card.rows == len(small_rows) + 2


class TestRefusals:
    @pytest.mark.parametrize("missing", OUTPUTS)
    def test_an_output_without_rows(self, small_rows: Sequence[Row], tmp_path: Path, missing: str) -> None:
        rows = [row for row in small_rows if row.label != missing]
        with pytest.raises(DatasetError, match=f"two families of {missing}"):
            train_rows(rows, CountingEmbedder(), tmp_path / "m.npz")

    def test_too_few_domains_to_leave_any_out(self, small_rows: Sequence[Row], tmp_path: Path) -> None:
        rows = [row for row in small_rows if row.family.endswith("0 0") or row.family.endswith("1 0")]
        rows = [Row(row.text, row.label, row.language, row.family, f"d{at % 4}") for at, row in enumerate(rows)]
        with pytest.raises(DatasetError, match="families or domains"):
            train_rows(rows, CountingEmbedder(), tmp_path / "m.npz")
        assert not (tmp_path / "m.npz").exists()


def test_serving_imports_no_training_library() -> None:
    """A start must not pay for scikit-learn, nor know anything of the engine."""
    code = (
        "import sys, classifier.cascade, classifier.linear.layer, classifier.llm, classifier.prefix, classifier.linear.artifact;"
        "print([name for name in sys.modules if name.split('.')[0] in ('sklearn', 'scipy', 'engine', 'onnxruntime')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_importing_training_does_not_either() -> None:
    code = "import sys, classifier.training.fit; print([n for n in sys.modules if n.split('.')[0] in ('sklearn', 'engine')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
