from __future__ import annotations

import re

from prometheus_client.parser import text_string_to_metric_families

from engine import metrics
from tests.metered import metered, shown


def test_names_say_what_is_counted_and_in_which_unit() -> None:
    names = [one.name for one in metrics.described()]
    assert len(names) == len(set(names)) >= 20
    for one in metrics.described():
        assert re.fullmatch(r"engine_[a-z]+(_[a-z]+)*", one.name), one.name
        assert (one.kind == "counter") == one.name.endswith("_total"), one.name
        assert not re.search(r"milli|_ms\b|percent", one.name), one.name
        assert one.meaning[0].isupper() or one.meaning[0].isdigit(), one.name


def test_no_label_can_hold_a_caller_or_what_one_has_sent() -> None:
    used = {label for one in metrics.described() for label in one.labels}
    bounded = {"method", "code", "cause", "type", "layer", "outcome", "stage", "direction", "operation"}
    configured = {"tool", "result", "dependency", "artifact"}
    assert used == bounded | configured


def test_every_metric_is_in_the_exposition_with_its_meaning() -> None:
    families = {family.name: family for family in text_string_to_metric_families(metrics.exposition().decode())}
    for one in metrics.described():
        family = families[one.name.removesuffix("_total")]
        assert (family.type, family.documentation) == (one.kind, one.meaning)
    assert families["process_open_fds"].samples[0].value > 0


def test_one_artifact_is_in_use() -> None:
    metrics.use_artifact("first")
    metrics.use_artifact("second")
    assert shown(metrics.ARTIFACT) == {"second": 1.0}


def test_what_a_test_reads_is_the_difference() -> None:
    metrics.SEARCHES.inc(3)
    with metered() as counted:
        metrics.SEARCHES.inc(2)
        assert counted["engine_searches_total"] == 2
        assert counted.changed() == {"engine_searches_total": 2}
