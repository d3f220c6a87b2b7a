"""What the service counts: every metric, its labels and its meaning, in one registry that `/metrics` is written from.

Labels take their values from small fixed sets, or from the configuration (names of models and tools): never from what a
caller sends, and no principal or session is one. So the number of time series has a bound, and no text of a caller
reaches whoever reads them.

Source of names and units: Prometheus, "Metric and label naming" and "Histograms and summaries".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
    multiprocess,
    values,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

#: Upper ends of buckets. Seconds of work inside the process, of whole answers, and shares.
_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LONG = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)

#: The variable by which the library counts in files of that folder, together with other processes.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_OfAll = Literal["livesum", "livemin", "livemax"]

CONTENT_TYPE = CONTENT_TYPE_LATEST
REGISTRY = CollectorRegistry()


@dataclass(frozen=True, slots=True)
class Described:
    """A metric as the page of docs has it.

    Attributes:
        name: As it is queried: a counter with `_total`, a histogram without `_bucket`.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str


_described: list[Described] = []


def described() -> tuple[Described, ...]:
    """Every metric of the engine's own, in the order of their definition."""
    return tuple(_described)


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    _described.append(Described(name, "counter", labels, meaning))
    return Counter(name, meaning, labels, registry=REGISTRY)


def _gauge(name: str, meaning: str, *labels: str, of_all: _OfAll = "livesum") -> Gauge:
    """A gauge; `of_all` says what the figures of several workers come to."""
    _described.append(Described(name, "gauge", labels, meaning))
    return Gauge(name, meaning, labels, registry=REGISTRY, multiprocess_mode=of_all)


def _histogram(name: str, meaning: str, *labels: str, buckets: Sequence[float]) -> Histogram:
    _described.append(Described(name, "histogram", labels, meaning))
    return Histogram(name, meaning, labels, buckets=buckets, registry=REGISTRY)


CALLS = _counter(
    "engine_calls_total",
    "Calls by any transport that have ended, refused ones included, by status code",
    *("method", "code"),
)
CALL_SECONDS = _histogram(
    "engine_call_seconds",
    "Time of a call from its beginning to its last message, refused ones left out",
    "method",
    buckets=_LONG,
)
STREAMS = _gauge("engine_streams_in_flight", "Calls that are being served now, those that wait in the queue included")
REFUSALS = _counter(
    "engine_refusals_total",
    "Calls that were turned away: `queue`, `model`, `rate`, `caller` (as many turns as one caller may have), "
    "`evaluation`, `session` (busy), `identity`, `scope`, `stopping`",
    "cause",
)
CANCELS = _counter(
    "engine_cancels_total", "Calls whose caller left before the end, or that were cut at the end of a drain", "method"
)
STALLED = _counter("engine_stalled_readers_total", "Streams that were ended because nobody read them", "method")
ROUTES = _counter(
    "engine_routes_total", "Turns that were routed, by query type and the layer that decided", "type", "layer"
)
CONFIDENCE = _histogram(
    "engine_route_confidence", "Confidence of the layer that decided, 0 to 1", "layer", buckets=_SHARES
)
TURNS = _counter(
    "engine_turns_total", "Turns that were answered and stored, by query type and outcome", "type", "outcome"
)
TURN_SECONDS = _histogram(
    "engine_turn_seconds", "Time of an answered turn from its admission to its being stored", "type", buckets=_LONG
)
FIRST_TEXT = _histogram(
    "engine_first_text_seconds",
    "Time from a turn's call to the first text of its answer, waiting included",
    "type",
    buckets=_LONG,
)
STAGES = _histogram(
    "engine_stage_seconds",
    "Time of one stage of an answered turn: `classify`, `plan`, `retrieve`, `look_up`, `remember`, `compose`",
    "stage",
    buckets=_SHORT,
)
TOKENS = _counter(
    "engine_tokens_total", "Tokens of a language model as it counted them: `prompt` or `completion`", "direction"
)
SEARCHES = _counter("engine_searches_total", "Searches that answered turns made")
ANSWERABILITY = _histogram(
    "engine_answerability", "How probable it is that the passages found answer the question, 0 to 1", buckets=_SHARES
)
TRUNCATED = _counter("engine_truncated_answers_total", "Answers that a model broke off at its limit of tokens")
EVIDENCE_CUT = _counter(
    "engine_evidence_cut_total", "Passages that were found and left out of a prompt because it would have been too long"
)
TOOL_CALLS = _counter(
    "engine_tool_calls_total", "Tools that answered turns asked: `found` or `failed`", "tool", "result"
)
RUNNING = _gauge("engine_turns_running", "Turns that run now; ENGINE_MAX_TURNS at most")
WAITING = _gauge("engine_turns_waiting", "Turns that wait for a place among those; ENGINE_QUEUE at most")
QUEUE_WAIT = _histogram(
    "engine_queue_wait_seconds", "Time that a turn waited until it ran, for its session too", buckets=_LONG
)
STORE_SECONDS = _histogram(
    "engine_store_seconds",
    "Time of one call of the session store: `read`, `write`, `append` (of a turn); those that failed too",
    "operation",
    buckets=_SHORT,
)
LOOP_LAG = _histogram(
    "engine_event_loop_lag_seconds", "How late the event loop wakes what has waited half a second", buckets=_SHORT
)
DEPENDENCY_UP = _gauge(
    "engine_dependency_up",
    "Whether a part that the engine needs worked when last looked at: 1 or 0",
    "dependency",
    of_all="livemin",
)
ARTIFACT = _gauge(
    "engine_artifact_in_use",
    "1 for the artifact that layer 2 decides by, by its id; none: layer 2 is off",
    "artifact",
    of_all="livemax",
)
PASSAGES = _gauge("engine_index_passages", "Passages in the index when last looked at", of_all="livemax")

ProcessCollector(registry=REGISTRY)


def exposition() -> bytes:
    """All metrics with their present values, in Prometheus' text format; those of all workers where there are some."""
    if values.ValueClass is values.MutexValue:
        return generate_latest(REGISTRY)
    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # it has no annotations
    return generate_latest(together)


@contextmanager
def shared() -> Iterator[dict[str, str]]:
    """What the environment of processes has to hold that count together."""
    with TemporaryDirectory(prefix="engine-metrics-") as folder:
        yield {_FOLDER: folder}


def forget_process(environment: Mapping[str, str], pid: int) -> None:
    """Takes the gauges of a process that has ended out of what it has counted with others; what it counted stays."""
    multiprocess.mark_process_dead(pid, environment[_FOLDER])  # type: ignore[no-untyped-call]  # as above


def use_artifact(artifact_id: str) -> None:
    """Says which artifact layer 2 decides by from now on; those before it are shown with 0."""
    for family in ARTIFACT.collect():
        for sample in family.samples:
            ARTIFACT.labels(**sample.labels).set(0)
    ARTIFACT.labels(artifact_id).set(1)
