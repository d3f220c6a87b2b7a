from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import structlog

from classifier.decision import Decision, Layer, Opinion, QueryType
from engine import telemetry

PLATFORM = QueryType.PLATFORM
UNSURE = Opinion(Layer.EMBEDDING, None, 0.414, "low_confidence", best=QueryType.RETRIEVAL)


@pytest.fixture
def _restored() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (Decision(PLATFORM, Layer.PREFIX, 1.0, "prefix"), ["[classify] L1 → PLATFORM"]),
        (Decision(PLATFORM, Layer.EMBEDDING, 0.9749, "confident"), ["[classifier/L2] → PLATFORM (conf=0.97)"]),
        (Decision(PLATFORM, Layer.DECLARED, 1.0, "declared"), ["[classify] caller-declared → PLATFORM"]),
        (
            Decision(PLATFORM, Layer.LLM, 0.0, "model", opinions=(UNSURE,)),
            ["[classifier/L2] low confidence (0.41) → LLM fallback", "[prepare/classify] L3 qwen3:0.6b -> PLATFORM"],
        ),
        (
            Decision(PLATFORM, Layer.DEFAULT, 0.0, "default:low_confidence", opinions=(UNSURE,)),
            ["[classifier/L2] low confidence (0.41) → LLM fallback", "[classify] default → PLATFORM"],
        ),
    ],
)
def test_a_decision_is_logged_in_the_documented_words(decision: Decision, lines: list[str]) -> None:
    assert telemetry.decision_lines(decision, "qwen3:0.6b") == lines


def test_a_layer_that_could_not_judge_is_not_called_unsure() -> None:
    blind = Opinion(Layer.EMBEDDING, None, 0.0, "no_words")
    decision = Decision(PLATFORM, Layer.DEFAULT, 0.0, "default:no_words", opinions=(blind,))
    assert telemetry.decision_lines(decision, "m") == ["[classify] default → PLATFORM"]


@pytest.mark.usefixtures("_restored")
def test_json_lines_go_to_stderr_one_object_each(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure_logging("json", "info")
    telemetry.logger().info(telemetry.SEARCHED.format(count=3), searches=1)
    telemetry.logger().debug("not this one")
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    fields = json.loads(line)
    assert fields.pop("timestamp").endswith("Z")
    assert fields == {"event": "[hybrid] RRF -> 3 final docs", "level": "info", "searches": 1}


@pytest.mark.usefixtures("_restored")
def test_text_lines_keep_the_event_readable(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure_logging("text", "warning")
    telemetry.logger().info("quiet")
    telemetry.logger().warning(telemetry.L1_DECIDED.format(type=PLATFORM))
    shown = capsys.readouterr().err
    assert "[classify] L1 → PLATFORM" in shown
    assert "quiet" not in shown


@pytest.mark.usefixtures("_restored")
def test_fields_bound_to_the_context_ride_along(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure_logging("json", "info")
    with structlog.contextvars.bound_contextvars(request="r-1"):
        telemetry.logger().info("x")
    assert json.loads(capsys.readouterr().err)["request"] == "r-1"


def test_a_session_is_named_by_a_hash() -> None:
    assert telemetry.session_hash("s") == telemetry.session_hash("s")
    assert telemetry.session_hash("s") != telemetry.session_hash("t")
    assert len(telemetry.session_hash("\ud800")) == 12
    assert "secret" not in telemetry.session_hash("secret")


def test_where_says_the_place_and_none_of_the_words() -> None:
    secret = "my query"
    with pytest.raises(KeyError) as raised:
        _ = dict[str, int]()[secret]
    places = telemetry.where(raised.value)
    assert [place.split(":")[0] for place in places] == ["test_telemetry.py"]
    assert places[0].endswith(" test_where_says_the_place_and_none_of_the_words")
    assert secret not in places[0]
