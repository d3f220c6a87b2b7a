"""What is shipped for watching the service speaks of metrics that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import metrics
from scripts.documentation.write_tables import metrics_page

ROOT = Path(__file__).resolve().parents[2]
#: Of the client library and of Prometheus itself.
OTHERS = {
    "process_open_fds",
    "process_max_fds",
    "process_resident_memory_bytes",
    "process_cpu_seconds_total",
    "up",
}
_SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
SERIES = {one.name + suffix: one for one in metrics.described() for suffix in _SUFFIXES[one.kind]}


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text("utf-8"))["groups"]
    return list(group["rules"])


def dashboard() -> dict[str, Any]:
    return dict(json.loads((ROOT / "deploy/grafana/engine.json").read_text("utf-8")))


def expressions() -> Iterator[str]:
    for rule in rules():
        yield rule["expr"]
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield target["expr"]
    for variable in dashboard()["templating"]["list"]:
        yield variable["query"]


def names(expression: str) -> set[str]:
    """Names of series, without what stands in quotes."""
    return set(re.findall(r"\b(?:engine|process)_\w+|\bup\b", re.sub(r'"[^"]*"', "", expression)))


@pytest.mark.parametrize("expression", list(expressions()))
def test_a_query_names_series_that_there_are(expression: str) -> None:
    assert names(expression) <= set(SERIES) | OTHERS, expression
    assert expression.count("(") == expression.count(")")


@pytest.mark.parametrize("expression", list(expressions()))
def test_a_query_names_labels_that_its_series_have(expression: str) -> None:
    allowed = {label for name in names(expression) & set(SERIES) for label in SERIES[name].labels}
    allowed |= {"le", "job", "instance"}
    grouped = ",".join(re.findall(r"\bby \(([^)]*)\)", expression)).replace(" ", "").split(",")
    selected = re.findall(r"(\w+)\s*=~?\s*\"", expression)
    assert {label for label in [*grouped, *selected] if label} <= allowed, expression


def test_every_metric_is_on_the_dashboard() -> None:
    shown = set().union(*(names(target["expr"]) for panel in dashboard()["panels"] for target in panel["targets"]))
    assert {one.name for one in metrics.described()} == {SERIES[name].name for name in shown & set(SERIES)}


def test_panels_have_places_and_numbers_of_their_own() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)


def test_an_alert_says_how_bad_it_is_and_what_is_wrong() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules()) >= 8
    for rule in rules():
        assert rule["labels"]["severity"] in ("warning", "critical"), rule
        assert len(rule["annotations"]["summary"]) > 40, rule
        assert re.fullmatch(r"\d+m", rule["for"]), rule


def test_the_page_of_metrics_is_written_from_the_registry() -> None:
    assert (ROOT / "docs/metrics.md").read_text("utf-8") == metrics_page()


def test_the_autoscaler_asks_for_a_metric_that_there_is() -> None:
    documents = yaml.safe_load_all((ROOT / "deploy/kubernetes/engine.yaml").read_text("utf-8"))
    scaler = next(one for one in documents if one["kind"] == "HorizontalPodAutoscaler")
    asked = {metric["pods"]["metric"]["name"] for metric in scaler["spec"]["metrics"]}
    assert asked == {metrics.STREAMS._name}
