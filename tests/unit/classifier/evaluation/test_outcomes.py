import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from classifier.cascade import Cascade
from classifier.decision import Layer, Opinion, Query, QueryType
from classifier.evaluation.outcomes import (
    Outcome,
    accuracy_against_coverage,
    by_language,
    by_part,
    figures,
    judge_rows,
    matrix,
    mistakes,
    outcome,
    read_outside_rows,
    reliability,
)
from classifier.reasons import Reason
from classifier.training.dataset import DatasetError, Row

R, G, C, P, OUT = "RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM", "OUT_OF_SCOPE"


def row(text: str = "text", label: str = R, language: str = "en", domain: str = "domain") -> Row:
    return Row(text, label, language, "family", domain)


def made(
    label: str, best: str, confidence: float = 0.9, taken: bool = True, reason: str = "confident", language: str = "en"
) -> Outcome:
    text = f"{label} {best} {confidence}"
    return Outcome(row(text, label, language), best, best if taken else R, taken, confidence, reason)


class Words:
    """Decides by the first word: a type with a confidence, or nothing."""

    layer = Layer.EMBEDDING

    async def decide(self, query: Query) -> Opinion:
        return self.opinion(query.text)

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        return [self.opinion(query.text) for query in queries]

    def opinion(self, text: str) -> Opinion:
        first = text.split(maxsplit=1)[0]
        if first in QueryType.__members__:
            kind = QueryType(first)
            return Opinion(self.layer, kind, 0.8, Reason.CONFIDENT, best=kind)
        if first == "nothing":
            return Opinion(self.layer, None, 0.6, Reason.OUT_OF_SCOPE, best=QueryType.PLATFORM)
        return Opinion(self.layer, None, 0.0, Reason.NO_WORDS)


class TestOutcome:
    def test_a_decision_is_taken(self) -> None:
        (found,) = judge_rows(Cascade(Words()), [row("PLATFORM please", P)])
        assert (found.best, found.routed, found.taken, found.confidence) == (P, P, True, 0.8)
        assert found.reason == Reason.CONFIDENT
        assert not found.rejected

    def test_an_abstention_takes_the_default_and_keeps_its_best_type(self) -> None:
        (found,) = judge_rows(Cascade(Words()), [row("nothing here", OUT)])
        assert (found.best, found.routed, found.taken, found.confidence) == (P, R, False, 0.6)
        assert found.rejected
        assert not found.scoped

    def test_a_layer_without_any_opinion(self) -> None:
        (found,) = judge_rows(Cascade(Words()), [row("?", P)])
        assert (found.best, found.routed, found.taken, found.reason) == (R, R, False, "no_layer")

    def test_no_layer_at_all(self) -> None:
        (found,) = judge_rows(Cascade(), [row()])
        assert (found.best, found.taken, found.reason) == (R, False, Reason.NO_LAYER)

    async def test_a_single_decision_reads_the_same(self) -> None:
        decision = await Cascade(Words()).decide(Query("CONVERSATIONAL it is"))
        assert outcome(row("CONVERSATIONAL it is", C), decision).routed == C

    def test_doubt_is_no_rejection(self) -> None:
        assert not made(R, R, taken=False, reason=Reason.LOW_CONFIDENCE).rejected
        assert made(R, R, taken=False, reason=Reason.OTHER_LANGUAGE).rejected


class TestFigures:
    def test_all_right(self) -> None:
        found = figures([made(kind, kind, 1.0) for kind in (R, G, C, P)])
        assert found["macro_f1"] == found["accuracy"] == found["coverage"] == found["selective_accuracy"] == 1.0
        assert found["ece"] == found["false_rejects"] == 0.0
        assert (found["rows"], found["out_of_scope_rows"]) == (4, 0)
        assert "out_of_scope_recall" not in found

    def test_an_abstention_costs_what_the_default_costs(self) -> None:
        found = figures([made(P, P, taken=False, reason="low_confidence"), made(R, R), made(C, C), made(G, G)])
        assert (found["accuracy"], found["accuracy_routed"], found["coverage"]) == (1.0, 0.75, 0.75)
        assert found["selective_accuracy"] == 1.0
        assert found["macro_f1_routed"] < found["macro_f1"]

    def test_out_of_scope_is_counted_apart(self) -> None:
        outcomes = [
            made(OUT, P, taken=False, reason=Reason.OUT_OF_SCOPE),
            made(OUT, P, taken=False, reason=Reason.LOW_CONFIDENCE),
            made(OUT, P),
            made(OUT, R, taken=False, reason=Reason.OTHER_LANGUAGE),
        ]
        found = figures(outcomes)
        assert found == {
            "rows": 0, "out_of_scope_rows": 4, "out_of_scope_recall": 0.5, "out_of_scope_kept_out": 0.75
        }  # fmt: skip

    def test_a_false_reject(self) -> None:
        found = figures([made(P, P, taken=False, reason=Reason.OUT_OF_SCOPE), made(R, R)])
        assert found["false_rejects"] == 0.5

    def test_overconfidence_shows_in_the_calibration_error(self) -> None:
        wrong = [made(R, P, 0.95) for _ in range(5)]
        right = [made(R, R, 0.95) for _ in range(5)]
        assert figures([*wrong, *right])["ece"] == pytest.approx(0.45)

    def test_nothing_decided_is_not_a_division_by_zero(self) -> None:
        assert figures([made(P, P, taken=False, reason="close_call")])["selective_accuracy"] == 1.0
        assert figures([]) == {"rows": 0, "out_of_scope_rows": 0}


class TestParts:
    outcomes = (
        made(R, R),
        made(R, P, language="es"),
        made(OUT, R, taken=False, reason="out_of_scope", language="other"),
    )

    def test_languages_that_have_rows(self) -> None:
        found = by_language(self.outcomes)
        assert list(found) == ["en", "es", "other", "all"]
        assert (found["en"]["accuracy"], found["es"]["accuracy"], found["all"]["accuracy"]) == (1.0, 0.0, 0.5)
        assert list(by_language(self.outcomes[:1])) == ["en", "all"]

    def test_the_worst_domain_stands_first(self) -> None:
        outcomes = [
            Outcome(row(label=R, domain="good"), R, R, taken=True, confidence=0.9, reason="confident"),
            Outcome(row(label=R, domain="bad"), P, P, taken=True, confidence=0.9, reason="confident"),
            Outcome(row(label=OUT, domain="weather"), P, P, taken=True, confidence=0.9, reason="confident"),
        ]
        found = by_part(outcomes, lambda entry: entry.domain)
        assert list(found) == ["bad", "good"]
        assert found["bad"]["rows"] == 1

    def test_confusion_has_rejections_in_its_last_column(self) -> None:
        found = matrix(self.outcomes)
        assert found[0] == [1, 0, 0, 1, 0]
        assert found[4] == [0, 0, 0, 0, 1]
        assert sum(map(sum, found)) == 3


class TestCurves:
    outcomes = tuple(made(R, R if place < 8 else P, 1.0 - place / 20) for place in range(10))

    def test_reliability_by_bins_of_confidence(self) -> None:
        found = reliability([*self.outcomes, made(OUT, R, 0.9)])
        assert sum(entry["rows"] for entry in found) == 10
        assert [entry["confidence"] for entry in found] == sorted(entry["confidence"] for entry in found)
        assert found[-1]["accuracy"] == 1.0
        assert found[0]["accuracy"] == 0.0

    def test_accuracy_falls_as_more_is_decided(self) -> None:
        found = accuracy_against_coverage(self.outcomes)
        assert found[-1] == {"coverage": 1.0, "accuracy": 0.8, "threshold": 0.55}
        assert found[0]["accuracy"] == 1.0
        assert [point["coverage"] for point in found] == sorted(point["coverage"] for point in found)

    def test_no_rows_no_curve(self) -> None:
        assert accuracy_against_coverage([made(OUT, R)]) == []
        assert reliability([]) == []


class TestMistakes:
    def test_the_surest_first_and_only_mistakes(self) -> None:
        outcomes = [
            made(R, P, 0.7), made(R, P, 0.99), made(R, R, 1.0), made(OUT, P, 0.8), made(P, R, 0.9, language="es"),
            made(OUT, P, 0.9, taken=False, reason="out_of_scope"),
        ]  # fmt: skip
        found = mistakes(outcomes, "en")
        assert [entry["confidence"] for entry in found] == [0.99, 0.8, 0.7]
        assert found[0]["label"] == R
        assert found[0]["best"] == P
        assert "weight" not in found[0]
        assert len(mistakes(outcomes, "en", most=1)) == 1


class TestOutsideRows:
    def write(self, folder: Path, *lines: object) -> Path:
        path = folder / "outside.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
        return path

    def test_rows_with_and_without_a_source(self, tmp_path: Path) -> None:
        entry = {"text": "hola", "type": C, "language": "es"}
        rows = read_outside_rows(self.write(tmp_path, entry, "", entry | {"source": "forum"}))
        assert [found.domain for found in rows] == ["unnamed", "forum"]
        assert rows[0].label == C

    @pytest.mark.parametrize(
        "line",
        [
            "{", "[]", "3", {"text": "a", "type": R}, {"text": "a", "type": "CHAT", "language": "en"},
            {"text": "a", "type": R, "language": "fr"}, {"text": 3, "type": R, "language": "en"},
            {"text": "a", "type": [], "language": "en"},
        ],
    )  # fmt: skip
    def test_a_line_that_is_no_row_is_named(self, tmp_path: Path, line: object) -> None:
        path = self.write(tmp_path, {"text": "a", "type": R, "language": "en"}, line)
        with pytest.raises(DatasetError, match=r"outside\.jsonl:2"):
            read_outside_rows(path)

    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match="no rows"):
            read_outside_rows(self.write(tmp_path, ""))
