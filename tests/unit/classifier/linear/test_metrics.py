import numpy as np
import pytest

from classifier.linear.metrics import (
    accepted,
    best_types,
    confusion,
    curves,
    expected_calibration_error,
    given_in_scope,
    leads,
    macro_f1,
    score,
)


def ints(*values: int) -> np.ndarray:
    return np.asarray(values)


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ((0, 1, 2, 3), (0, 1, 2, 3), 1.0),
        ((0, 1, 2, 3), (1, 2, 3, 0), 0.0),
        ((0, 0, 1, 1, 2, 2, 3, 3), (0, 1, 1, 1, 2, 2, 3, 3), (2 / 3 + 4 / 5 + 1 + 1) / 4),
        ((0, 0), (0, 0), 0.25),
    ],
)
def test_macro_f1(truth: tuple[int, ...], found: tuple[int, ...], expected: float) -> None:
    assert macro_f1(ints(*truth), ints(*found)) == pytest.approx(expected)


class TestCalibrationError:
    def test_perfect(self) -> None:
        confidence = np.full(100, 0.75)
        right = np.arange(100) < 75
        assert expected_calibration_error(confidence, right) == pytest.approx(0.0)

    def test_overconfident(self) -> None:
        assert expected_calibration_error(np.full(10, 0.9), np.arange(10) < 5) == pytest.approx(0.4)

    def test_bins_do_not_cancel(self) -> None:
        confidence = np.asarray([0.99] * 50 + [0.01] * 50)
        assert expected_calibration_error(confidence, np.arange(100) >= 50) == pytest.approx(0.99)

    def test_certainty_has_a_bin(self) -> None:
        assert expected_calibration_error(np.ones(3), np.ones(3, bool)) == 0.0

    def test_nothing(self) -> None:
        assert expected_calibration_error(np.zeros(0), np.zeros(0, bool)) == 0.0


ROWS = np.asarray(
    [
        [0.90, 0.05, 0.03, 0.01, 0.01],
        [0.40, 0.35, 0.05, 0.05, 0.15],
        [0.05, 0.05, 0.05, 0.35, 0.50],
        [0.01, 0.01, 0.01, 0.02, 0.95],
    ]
)


def test_confidence_is_given_that_a_message_is_in_scope() -> None:
    assert np.allclose(given_in_scope(ROWS).sum(axis=1), 1)
    best, confidence = best_types(ROWS)
    assert best.tolist() == [0, 0, 3, 3]
    assert confidence == pytest.approx([0.9 / 0.99, 0.4 / 0.85, 0.7, 0.4])


def test_certain_rejection_divides_by_nothing() -> None:
    assert np.isfinite(given_in_scope(np.asarray([[0.0, 0, 0, 0, 1.0]]))).all()


def test_leads_count_the_reject_class() -> None:
    assert leads(ROWS) == pytest.approx([0.85, 0.05, -0.15, -0.93])


@pytest.mark.parametrize(
    ("thresholds", "margin", "reject", "expected"),
    [
        ((0.0,) * 4, -1.0, 1.0, [True, True, True, True]),
        ((0.5,) * 4, -1.0, 1.0, [True, False, True, False]),
        ((0.0,) * 4, 0.1, 1.0, [True, False, False, False]),
        ((0.0,) * 4, -1.0, 0.9, [True, True, True, False]),
        ((0.0,) * 4, -1.0, 0.4, [True, True, False, False]),
        ((0.95, 0, 0, 0.8), -1.0, 1.0, [False, False, False, False]),
        ((0.95, 0, 0, 0.3), -1.0, 1.0, [False, False, True, True]),
    ],
)
def test_acceptance(thresholds: tuple[float, ...], margin: float, reject: float, expected: list[bool]) -> None:
    assert accepted(ROWS, thresholds, margin, reject).tolist() == expected


def test_confusion() -> None:
    found = confusion(ints(0, 0, 4), ints(0, 1, 4))
    assert found[0] == [1, 1, 0, 0, 0]
    assert found[4] == [0, 0, 0, 0, 1]
    assert sum(map(sum, found)) == 3


class TestScore:
    def test_all_figures(self) -> None:
        truth = ints(0, 1, 3, 4)
        figures = score(truth, ROWS, np.asarray([True, True, False, False]), reject=0.9)
        assert figures["rows"] == 3
        assert figures["coverage"] == pytest.approx(2 / 3, abs=1e-4)
        assert figures["selective_accuracy"] == 0.5
        assert figures["false_rejects"] == 0.0
        assert figures["out_of_scope_recall"] == figures["out_of_scope_kept_out"] == 1.0
        assert figures["macro_f1"] > figures["macro_f1_with_default"]

    def test_without_the_reject_class(self) -> None:
        figures = score(ints(0, 0), ROWS[:2], np.asarray([True, True]), reject=0.9)
        assert "out_of_scope_recall" not in figures
        assert figures["selective_accuracy"] == 1.0

    def test_of_the_reject_class_alone(self) -> None:
        figures = score(ints(4, 4), ROWS[2:], np.asarray([True, False]), reject=0.9)
        assert figures == {"rows": 0, "out_of_scope_recall": 0.5, "out_of_scope_kept_out": 0.5}

    def test_nothing_taken(self) -> None:
        assert score(ints(0), ROWS[:1], np.asarray([False]), reject=0.9)["selective_accuracy"] == 1.0


def test_pictures_count_every_row_once_and_what_is_held_for_none_of_the_types_in_the_last_column() -> None:
    sure, unsure, other = [0.9, 0.1, 0, 0, 0], [0.3, 0.4, 0, 0, 0.3], [0.1, 0, 0, 0, 0.9]
    found = curves(ints(0, 0, 1, 4, 0), np.asarray([sure, unsure, sure, other, other]), 0.5)
    assert found["confusion"][0] == [1, 1, 0, 0, 1]
    assert found["confusion"][4] == [0, 0, 0, 0, 1]
    assert [entry["rows"] for entry in found["reliability"]] == [1, 2, 1]  # of those in scope, by 4/7, .9 and 1
    assert found["accuracy_against_coverage"][0] == {"coverage": 0.25, "accuracy": 1.0, "threshold": 1.0}
    assert found["accuracy_against_coverage"][-1]["accuracy"] == 0.5
