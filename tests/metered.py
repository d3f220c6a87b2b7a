"""Reads what the metrics say, as the difference that a piece of a test makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge

from engine.metrics import REGISTRY


class Metered:
    """What has been counted since it was made."""

    def __init__(self) -> None:
        self._before = _samples()

    def __getitem__(self, series: str) -> float:
        """The difference of one series, such as `engine_calls_total{code=OK,method=AskAgent}`; labels by name."""
        return _samples().get(series, 0.0) - self._before.get(series, 0.0)

    def changed(self) -> dict[str, float]:
        """Every series of the engine's own that is another one now, by what was added."""
        now = _samples()
        differences = {series: value - self._before.get(series, 0.0) for series, value in now.items()}
        return {series: more for series, more in differences.items() if more}


@contextmanager
def metered() -> Iterator[Metered]:
    """For a piece of a test."""
    yield Metered()


def shown(metric: Counter | Gauge) -> dict[str, float]:
    """Present values of a metric with one label or none, by the label's value."""
    samples = (sample for family in metric.collect() for sample in family.samples)
    return {"".join(sample.labels.values()): sample.value for sample in samples}


def _samples() -> dict[str, float]:
    found = {}
    for family in REGISTRY.collect():
        for sample in family.samples:
            if sample.name.startswith("engine_") and not sample.name.endswith("_created"):
                labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found
