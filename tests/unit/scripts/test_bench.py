"""The shape of what `make bench` prints, from its smallest part; no figure is looked at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.v1 import engine_pb2 as pb
from scripts.bench import main
from scripts.benchmarks.harness.children import child, environment
from scripts.benchmarks.harness.load import SERVERS, by_token, check, connected, parsed, request
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Row, Section, as_json, as_markdown, median, percentile, shown
from scripts.benchmarks.harness.servers import REPLY, TOKENS, read_recordings, write_recordings
from scripts.benchmarks.sections import SECTIONS, measure

ROOT = Path(__file__).resolve().parents[3]


def bench(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, str(ROOT / "scripts" / "bench.py"), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def answer(text: str, completed: str = "", model: str = "scripted") -> list[bytes]:
    words = [word + " " for word in text.split(" ")]
    words[-1] = words[-1].rstrip()
    events = [pb.AgentEvent(text_delta=word) for word in words]
    events.append(pb.AgentEvent(completed=pb.AgentResponse(text=completed or text, route=pb.Route(model=model))))
    return [event.SerializeToString() for event in events]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> Section:
        raise RuntimeError("a token was lost")

    monkeypatch.setitem(SECTIONS, "streams", fail)


def test_the_smallest_part_prints_a_table_and_one_json_object_and_leaves_nothing(tmp_path: Path) -> None:
    done = bench("--quick", "--only", "router", "--json", str(tmp_path / "kept.json"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    table, last = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert table.startswith("| Measured | Ours | Peer |")
    assert list(tmp_path.glob("bench-*")) == []
    assert (tmp_path / "kept.json").read_text("utf-8").strip() == last
    result = json.loads(last)
    assert result["quick"] is True
    assert set(result["machine"]) == {"cores", "load", "python", "system"}
    (name,) = result["sections"]
    section = result["sections"][name]
    assert (name, section["error"]) == ("router", "")
    assert {row["name"] for row in section["rows"]} >= {"Layer 1, 1 caller, p50", "Layer 1, 32 callers, p50"}
    assert all(set(row) == KEYS and row["unit"] == "µs" for row in section["rows"])


KEYS = {"name", "unit", "ours", "peer", "against", "ratio", "rounds", "more"}


def test_an_unknown_subject_is_refused_with_the_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "nothing"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert all(name in told for name in SECTIONS)


def test_a_subject_that_fails_is_reported_and_leaves_nothing(
    failing: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (section,) = measure(["streams"], quick=True)
    assert section.error == "RuntimeError: a token was lost"
    assert list(tmp_path.iterdir()) == []


def test_the_ratio_is_ours_by_the_peers() -> None:
    assert Row("a", "ms", 6.0, 2.0).ratio == 3.0
    assert Row("a", "ms", 6.0).ratio is None
    assert Row("a", "ms", 6.0, 0.0).ratio is None


def test_the_table_shows_rows_notes_and_errors() -> None:
    section = Section("one", [Row("Search", "ms", 2.0, 1.0, "numpy", 3, {"p95 ms": 4.0})], "a note", "an error")
    lines = as_markdown([section]).splitlines()
    assert lines[2] == "| Search | 2.00 ms | 1.00 (numpy) | 2.00 | p95 ms 4.00 | 3 |"
    assert "one: a note" in lines
    assert "one FAILED: an error" in lines


def test_the_json_is_one_line_with_every_field() -> None:
    text = as_json([Section("one", [Row("Search", "ms", 2.0)])], quick=False)
    assert "\n" not in text
    result: dict[str, Any] = json.loads(text)
    assert result["sections"]["one"]["rows"][0] == {
        "name": "Search",
        "unit": "ms",
        "ours": 2.0,
        "peer": None,
        "against": "",
        "ratio": None,
        "rounds": 1,
        "more": {},
    }


def test_percentiles_are_of_the_nearest_rank() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert (percentile(values, 0.95), percentile(values, 0.5), percentile([7.0], 0.95)) == (95.0, 50.0, 7.0)
    assert median([3.0, 1.0, 2.0]) == 2.0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.01234, "0.0123"), (1.5, "1.50"), (12.34, "12.3"), (1234.5, "1,234"), (float("inf"), "inf")],
)
def test_figures_have_three_digits(value: float, text: str) -> None:
    assert shown(value) == text


def test_a_whole_answer_passes_the_check() -> None:
    assert len(REPLY.split(" ")) == TOKENS
    check([answer(REPLY)], 1)
    assert [event.WhichOneof("event") for event in parsed(answer(REPLY))][-1] == "completed"


@pytest.mark.parametrize(
    "wrong",
    [
        [answer(REPLY.replace("token07 ", ""))],
        [answer(REPLY.replace("token07 token08", "token08 token07"))],
        [answer(REPLY, completed="another")],
        [answer(f"{REPLY} {REPLY}")],
        [answer("I found nothing.")],
        [],
    ],
    ids=["lost", "reordered", "completed otherwise", "twice", "another model's", "no answer"],
)
def test_a_lost_or_reordered_token_fails_the_check(wrong: list[list[bytes]]) -> None:
    with pytest.raises(RuntimeError, match="lost or reordered"):
        check(wrong, 1)


@pytest.mark.parametrize(
    "said",
    [answer(f"{REPLY}\n\nNothing was found about this."), answer("42 km", model="extractive")],
    ids=["a sentence of the engine's behind the model's", "what no model has said"],
)
def test_what_the_engine_says_by_itself_passes_the_check(said: list[bytes]) -> None:
    check([said], 1)


@pytest.mark.parametrize("type_", ["PLATFORM", "RETRIEVAL"])
async def test_the_engine_that_is_measured_answers_by_the_script(type_: str, tmp_path: Path) -> None:
    made = Resolution(tmp_path, quick=True).fresh("data")
    with child(made, SERVERS, "engine") as running:
        async with connected(running.address) as caller:
            check([await caller.whole(request("How is the weather up there?", type_))], 1)


def test_recordings_come_back_as_they_were(tmp_path: Path) -> None:
    recordings = {b"\x00\xff": [b"", b"\x80"], b"": []}
    assert read_recordings(write_recordings(tmp_path / "recordings", recordings)) == recordings


def test_a_child_is_configured_by_nothing_but_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_MODEL_NAME", "someone's")
    assert "OLLAMA_MODEL_NAME" not in environment(tmp_path)
    assert environment(tmp_path)["ENGINE_DATA_DIR"] == str(tmp_path)


def test_a_child_ends_with_its_block(tmp_path: Path) -> None:
    kept = write_recordings(tmp_path / "recordings", {})
    with child(tmp_path, "scripts.benchmarks.harness.servers", "bare", str(kept)) as running:
        assert running.resident() > 0
        assert running.cpu() >= 0
        assert Path(f"/proc/{running.pid}").exists()
    assert not Path(f"/proc/{running.pid}").exists()


def test_a_child_that_does_not_start_is_an_error_that_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="No such file"),
        child(tmp_path, "scripts.benchmarks.harness.servers", "bare", str(tmp_path / "missing")),
    ):
        pass


@pytest.mark.parametrize("name", ["elastic", "ollama"])
def test_what_needs_a_server_says_so_without_one(name: str, tmp_path: Path) -> None:
    section = SECTIONS[name](Resolution(tmp_path, quick=True, addresses={}))
    assert not section.rows
    assert f"TEST_{'ELASTICSEARCH' if name == 'elastic' else 'OLLAMA'}_ADDRESS is not set" in section.note


def test_an_answer_by_token_says_the_same_with_a_message_for_each() -> None:
    route = pb.AgentEvent(route=pb.Route(model="scripted")).SerializeToString()
    joined = [route, *answer("one  two\n\nthree", "")]
    found = parsed(by_token([joined[0], pb.AgentEvent(text_delta="one  two\n\nthree").SerializeToString(), joined[-1]]))
    assert [event.text_delta for event in found if event.text_delta] == ["one  ", "two\n\n", "three"]
    assert [event.WhichOneof("event") for event in (found[0], found[-1])] == ["route", "completed"]
