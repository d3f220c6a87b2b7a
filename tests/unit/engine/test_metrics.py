from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from engine import metrics
from tests.metered import metered, shown

ROOT = Path(__file__).resolve().parents[3]


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
    in_use = shown(metrics.ARTIFACT)
    assert (in_use["first"], in_use["second"], sum(in_use.values())) == (0.0, 1.0, 1.0)


def test_what_a_test_reads_is_the_difference() -> None:
    metrics.SEARCHES.inc(3)
    with metered() as counted:
        metrics.SEARCHES.inc(2)
        assert counted["engine_searches_total"] == 2
        assert counted.changed() == {"engine_searches_total": 2}


COUNTING = """
import os, sys
from engine import metrics
metrics.SEARCHES.inc(2)
metrics.STREAMS.inc(3)
metrics.PASSAGES.set(640)
metrics.use_artifact("first")
metrics.use_artifact("second")
print(os.getpid(), flush=True)
sys.stdin.read()
"""


def read_by_another(environment: Mapping[str, str]) -> dict[str, float]:
    """What a process that counts together with others shows of them all."""
    code = "from engine import metrics\nprint(metrics.exposition().decode())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, check=True)
    families = text_string_to_metric_families(done.stdout.decode())
    return {f"{one.name}{''.join(one.labels.values())}": one.value for family in families for one in family.samples}


def test_processes_count_together_and_the_gauges_of_one_that_has_ended_go() -> None:
    with metrics.shared() as variables:
        environment = {**os.environ, **variables}
        running = [
            subprocess.Popen(
                [sys.executable, "-c", COUNTING],
                env=environment,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        pids = [int(one.stdout.readline()) for one in running if one.stdout]
        together = read_by_another(environment)
        assert (together["engine_searches_total"], together["engine_streams_in_flight"]) == (4, 6)
        assert together["engine_index_passages"] == 640
        assert (together["engine_artifact_in_usefirst"], together["engine_artifact_in_usesecond"]) == (0, 1)
        for one in running:
            one.communicate()
        metrics.forget_process(variables, pids[0])
        together = read_by_another(environment)
        assert (together["engine_searches_total"], together["engine_streams_in_flight"]) == (4, 3)
