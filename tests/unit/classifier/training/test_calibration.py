import numpy as np
import pytest

from classifier.linear.metrics import REJECT_COLUMN
from classifier.linear.scoring import Floats, softmax
from classifier.training.calibration import (
    LEAST_ROWS,
    LEAST_SHORTCUT,
    LEAST_THRESHOLD,
    MARGIN,
    STRICTEST,
    calibrate,
    fit_mix,
    fit_shortcut,
    fit_temperature,
    fit_threshold,
    halves,
)


def sample(count: int = 2000, scale: float = 3.0, noise: float = 1.0, seed: int = 0) -> tuple[Floats, np.ndarray]:
    """Logits around the truth, and the truth drawn from them, so that they are calibrated at `scale` 1."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(scale=scale, size=(count, 5))
    chances = softmax(logits / noise)
    truth = np.asarray([rng.choice(5, p=row) for row in chances])
    return logits, truth


class TestTemperature:
    @pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
    def test_it_is_found(self, temperature: float) -> None:
        logits, truth = sample(noise=temperature)
        assert fit_temperature(logits, truth) == pytest.approx(temperature, rel=0.12)


class TestThreshold:
    def test_the_lowest_that_keeps_the_promise(self) -> None:
        confidence = np.linspace(1.0, 0.5, 100)
        right = np.arange(100) < 60
        threshold = fit_threshold(confidence, right, target=0.9)
        taken = confidence >= threshold
        assert right[taken].mean() >= 0.9
        assert threshold == pytest.approx(confidence[65], abs=1e-3)

    def test_all_right_is_still_not_below_the_least(self) -> None:
        assert fit_threshold(np.linspace(0.9, 0.1, 50), np.ones(50, bool)) == LEAST_THRESHOLD

    def test_never_right_is_the_strictest(self) -> None:
        assert fit_threshold(np.linspace(0.9, 0.1, 50), np.zeros(50, bool)) == STRICTEST

    def test_too_few_to_know_is_the_strictest(self) -> None:
        assert fit_threshold(np.ones(LEAST_ROWS - 1), np.ones(LEAST_ROWS - 1, bool)) == STRICTEST


class TestMix:
    def heads(self, good: int, seed: int = 1) -> tuple[Floats, Floats, Floats, np.ndarray]:
        """Two heads of which only one knows anything, all in English."""
        logits, truth = sample(seed=seed)
        noise = np.random.default_rng(seed + 100).normal(size=logits.shape)
        pair = (logits, noise) if good == 0 else (noise, logits)
        return *pair, np.tile(np.asarray([1.0, 0.0, 0.0]), (len(truth), 1)), truth

    @pytest.mark.parametrize("good", [0, 1])
    def test_the_head_that_knows_is_heard(self, good: int) -> None:
        mix = fit_mix(*self.heads(good))
        assert mix.weights[0, good] == pytest.approx(1.0, abs=0.15)
        assert abs(mix.weights[0, 1 - good]) < 0.15

    def test_each_language_has_its_own(self) -> None:
        english, spanish = self.heads(0), self.heads(1, seed=2)
        languages = np.concatenate([english[2], np.tile([0.0, 1.0, 0.0], (len(spanish[3]), 1))])
        parts = [np.concatenate([left, right]) for left, right in zip(english, spanish, strict=True)]
        mix = fit_mix(parts[0], parts[1], languages, parts[3])
        assert (mix.weights[0] > 0.5).tolist() == [True, False]
        assert (mix.weights[1] > 0.5).tolist() == [False, True]
        assert mix.weights[2] == pytest.approx(mix.weights[:2].mean(axis=0))

    def test_biases_correct_a_skewed_head(self) -> None:
        logits, truth = sample()
        skewed = logits + np.asarray([2.0, 0, 0, 0, -2.0])
        languages = np.tile([1.0, 0, 0], (len(truth), 1))
        mix = fit_mix(skewed, np.zeros_like(logits), languages, truth)
        corrected = softmax(mix.apply(skewed, np.zeros_like(logits), languages))
        assert corrected.mean(axis=0) == pytest.approx(np.bincount(truth, minlength=5) / len(truth), abs=0.02)

    def test_a_language_without_rows_keeps_both_heads(self) -> None:
        mix = fit_mix(*self.heads(0))
        assert mix.weights[1].tolist() == [0.5, 0.5]

    def test_it_is_the_same_every_time(self) -> None:
        assert np.array_equal(fit_mix(*self.heads(0)).weights, fit_mix(*self.heads(0)).weights)


class TestCalibrate:
    def test_it_holds_on_rows_it_was_not_fitted_on(self) -> None:
        fitted, judged = sample(4000, seed=3), sample(4000, seed=4)
        calibration = calibrate(fitted[0], fitted[0], fitted[1])
        probabilities = softmax(judged[0] / calibration.temperature)
        scoped = judged[1] != REJECT_COLUMN
        assert (probabilities[scoped, REJECT_COLUMN] >= calibration.reject).mean() <= 0.02
        assert calibration.margin == MARGIN
        assert len(calibration.thresholds) == REJECT_COLUMN
        assert all(LEAST_THRESHOLD <= threshold <= STRICTEST for threshold in calibration.thresholds)


class TestShortcut:
    def test_sure_and_right(self) -> None:
        probabilities = np.full((100, 5), 0.01)
        probabilities[:, 1] = 0.96
        assert fit_shortcut(probabilities, np.ones(100, int)) == 0.96

    def test_never_below_the_least(self) -> None:
        probabilities = np.full((100, 5), 0.1)
        probabilities[:, 1] = np.linspace(0.6, 1.0, 100)
        assert fit_shortcut(probabilities, np.ones(100, int)) == LEAST_SHORTCUT

    def test_not_worth_it(self) -> None:
        probabilities = np.full((100, 5), 0.2)
        assert fit_shortcut(probabilities, np.ones(100, int)) is None

    def test_often_wrong(self) -> None:
        probabilities = np.full((100, 5), 0.01)
        probabilities[:, 1] = 0.96
        assert fit_shortcut(probabilities, np.zeros(100, int)) is None


def test_halves_never_split_a_group() -> None:
    groups = [f"group {number % 7}" for number in range(70)]
    first = halves(groups, seed=0)
    names = {group for group, inside in zip(groups, first, strict=True) if inside}
    others = {group for group, inside in zip(groups, first, strict=True) if not inside}
    assert not names & others
    assert (len(names), len(others)) == (3, 4)
    assert np.array_equal(first, halves(groups, seed=0))
