"""The command line, as a person and as a script use it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_ask_answers_in_process_when_no_service_runs(guide: Path, run_command: Any) -> None:
    done = run_command(guide, "ask", "What is addVar in AVAP?")
    assert done.returncode == 0, done.stderr
    assert "[1] avap/en/" in done.stdout
    assert "RETRIEVAL by embedding" in done.stdout


def test_ask_uses_the_service_that_runs(guide: Path, service: Any, run_command: Any) -> None:
    before = service.read_log().count("[turn] stored")
    done = run_command(guide, "ask", "thanks", ENGINE_GRPC_ADDRESS=service.address)
    assert done.returncode == 0, done.stderr
    assert service.read_log().count("[turn] stored") == before + 1


def test_ask_as_json_is_an_agent_response(guide: Path, run_command: Any) -> None:
    done = run_command(guide, "ask", "What is addVar in AVAP?", "--json", "--session", "json-1")
    answer = json.loads(done.stdout)
    assert answer["session_id"] == "json-1"
    assert answer["route"]["type"] == "RETRIEVAL"
    assert answer["searches"] == 1
    assert answer["citations"][0]["document"].startswith("avap/en/")
    assert answer["outcome"] == "COMPLETE"


def test_ask_with_a_selection_and_a_file(guide: Path, tmp_path: Path, run_command: Any) -> None:
    program = tmp_path / "a.avap"
    program.write_text("startLoop(i, 1, 5)\nendLoop()\n", "utf-8")
    words = ("ask", "explain this", "--file", str(program), "--selection", "startLoop(i, 1, 5)", "--json")
    route = json.loads(run_command(guide, *words).stdout)["route"]
    assert (route["type"], route["editor"]) == ("CODE_GENERATION", True)


def test_ask_with_platform_data_from_a_file(guide: Path, tmp_path: Path, run_command: Any) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text('{"calls_this_month": 4312}', "utf-8")
    done = run_command(guide, "ask", "how many calls have I made this month?", "--context", f"@{figures}")
    assert "4312" in done.stdout


def test_chat_keeps_one_session(guide: Path, run_command: Any) -> None:
    done = run_command(
        guide, "chat", "--session", "chat-1", stdin="What is addVar in AVAP?\nwhat was my first question?\n\n"
    )
    assert done.returncode == 0, done.stderr
    assert "Your first question was: “What is addVar in AVAP?”" in done.stdout


def test_classify_prints_the_receipt(guide: Path, run_command: Any) -> None:
    done = run_command(guide, "classify", "cuántas llamadas llevo este mes?", "--json")
    assert json.loads(done.stdout)["type"] == "PLATFORM"
    assert "PLATFORM" in run_command(guide, "classify", "cuántas llamadas llevo este mes?").stdout


def test_classify_takes_lines_in_order(guide: Path, run_command: Any) -> None:
    lines = [
        {"query": "What is addVar in AVAP?"},
        {"query": "explain this", "selected_text": "addVar(a, 1)"},
        {"query": "explain this", "history": [{"type": "CODE_GENERATION", "query": "Write a loop"}]},
        {"query": "cuántas llamadas llevo este mes?", "history": [{"role": "user", "text": "What is addVar?"}]},
    ]
    done = run_command(guide, "classify", "--jsonl", "-", stdin="\n".join(json.dumps(line) for line in lines))
    assert done.returncode == 0, done.stderr
    assert [row["type"] for row in rows(done.stdout)] == ["RETRIEVAL", "CODE_GENERATION", "CODE_GENERATION", "PLATFORM"]


def test_plan_prints_the_whole_preparation(guide: Path, run_command: Any) -> None:
    row = json.loads(run_command(guide, "plan", "How do I register an endpoint?", "--json").stdout)
    assert (row["relation"], row["action"]) == ("NEW_TOPIC_PROCEDURAL", "FRESH")
    assert row["search_query"] == "How do I register an endpoint?"
    assert row["plan_mode"] == "SINGLE_RETRIEVAL"


def test_plan_prints_what_would_be_looked_up(guide: Path, run_command: Any) -> None:
    query = "What does addVar do and how does startLoop count?"
    plan = json.loads(run_command(guide, "plan", query, "--json").stdout)["plan"]
    assert (plan["mode"], plan["reason"], plan["complexity"]) == ("multi_retrieval", "several_parts", "complex")
    assert [(part["id"], part["tool"]) for part in plan["subqueries"]] == [("q1", "kb"), ("q2", "kb")]
    shown = run_command(guide, "plan", query).stdout
    assert "how does startLoop count?" in shown
    assert "abstains" in shown


def test_a_wrong_file_of_tools_is_named(guide: Path, tmp_path: Path, run_command: Any) -> None:
    (tmp_path / "tools.json").write_text('{"servers": {"a": {"cmd": "x"}}, "tools": {}}', "utf-8")
    done = run_command(guide, "plan", "x", TOOLS_FILE=str(tmp_path / "tools.json"))
    assert done.returncode == 2
    assert "TOOLS_FILE: " in done.stderr
    assert "servers.a.cmd: no such key" in done.stderr


def test_plan_with_history_recalls(guide: Path, run_command: Any) -> None:
    line = {"query": "What was my first question?", "history": [{"role": "user", "text": "What is addVar?"}]}
    done = run_command(guide, "plan", "--jsonl", "-", stdin=json.dumps(line))
    assert rows(done.stdout)[0]["action"] == "HISTORY"


@pytest.mark.parametrize("half", ["both", "text", "dense"])
def test_search_finds_the_section(guide: Path, run_command: Any, half: str) -> None:
    done = run_command(guide, "search", "addVar", "--half", half, "-k", "5", "--json")
    hits = json.loads(done.stdout)["hits"]
    assert len(hits) == 5
    assert {"id", "score", "document"} <= set(hits[0])
    assert any("addVar" in hit["heading"] for hit in hits)


def test_search_takes_lines(guide: Path, run_command: Any) -> None:
    done = run_command(
        guide, "search", "--jsonl", "-", "-k", "2", stdin='{"query": "addVar"}\n{"query": "startLoop"}\n'
    )
    assert [len(row["hits"]) for row in rows(done.stdout)] == [2, 2]


def test_indexing_again_changes_nothing_and_a_removed_file_leaves(tmp_path: Path, run_command: Any) -> None:
    data, notes = tmp_path / "data", tmp_path / "notes"
    notes.mkdir()
    for name in ("one", "two"):
        (notes / f"{name}.md").write_text(f"# {name}\n\nThis is about {name}.\n", "utf-8")
    first = json.loads(run_command(data, "index", str(notes), "--json").stdout)
    second = json.loads(run_command(data, "index", str(notes), "--json").stdout)
    (notes / "two.md").unlink()
    third = json.loads(run_command(data, "index", str(notes), "--json").stdout)
    assert (first["added"], second["unchanged"], second["added"], third["removed"]) == (2, 2, 0, 1)


def test_a_passage_of_a_json_line_keeps_its_id(tmp_path: Path, run_command: Any) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "doc-7", "title": "Quux", "text": "Quux is a metal."}\n', "utf-8")
    assert run_command(tmp_path / "data", "index", str(corpus)).returncode == 0
    hits = json.loads(run_command(tmp_path / "data", "search", "quux", "--json").stdout)["hits"]
    assert (hits[0]["id"], hits[0]["document"]) == ("doc-7", "doc-7")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["index", "/nowhere/at/all"], "/nowhere/at/all does not exist"),
        (["ask", "  "], "query: is empty"),
        (["classify"], "query: give either a query or --jsonl FILE"),
        (["search", "x", "--half", "third"], "third"),
        (["sessions", "show", "unknown"], "session_id: there is no such session"),
        (["ask", "x", "--file", "/nowhere.avap"], "/nowhere.avap: cannot be read"),
        (["evaluate", "--golden", "/nowhere.jsonl"], "there is no golden set at /nowhere.jsonl"),
    ],
)
def test_bad_input_is_code_2_and_one_line(guide: Path, run_command: Any, words: list[str], told: str) -> None:
    done = run_command(guide, *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_is_evaluated_without_passages(tmp_path: Path, run_command: Any) -> None:
    done = run_command(tmp_path, "evaluate", "--limit", "1")
    assert done.returncode == 2
    assert "the index holds no passages: run assistance-engine index PATH first" in done.stderr


def test_a_broken_line_is_named(guide: Path, run_command: Any) -> None:
    done = run_command(guide, "classify", "--jsonl", "-", stdin='{"query": "a"}\nnot json\n')
    assert done.returncode == 2
    assert "line 2: is not JSON" in done.stderr


def test_doctor_says_what_is_wrong_and_how_to_mend_it(tmp_path: Path, guide: Path, run_command: Any) -> None:
    well = run_command(guide, "doctor", "--json")
    assert well.returncode == 0, well.stderr
    assert set(json.loads(well.stdout)["checks"].values()) == {""}
    empty = run_command(tmp_path / "empty", "doctor")
    assert empty.returncode == 3
    assert "assistance-engine index PATH" in empty.stdout


def test_doctor_names_a_model_server_that_is_not_there(guide: Path, run_command: Any) -> None:
    done = run_command(guide, "doctor", OLLAMA_MODEL_NAME="qwen3:1.7b", OLLAMA_HOST="http://127.0.0.1:1")
    assert done.returncode == 3
    assert "ollama serve" in done.stdout


def test_doctor_names_a_database_that_is_not_there_and_shows_no_password(guide: Path, run_command: Any) -> None:
    url = "postgresql+psycopg://engine:canary-5177@127.0.0.1:1/engine"
    done = run_command(guide, "doctor", "--json", DATABASE_URL=url)
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert "see that PostgreSQL runs" in told["checks"]["database"]
    assert [name for name, problem in told["checks"].items() if problem] == ["database"]
    assert told["configuration"]["DATABASE_URL"] == "********"
    assert "canary" not in done.stdout + done.stderr


def test_doctor_goes_on_without_an_embedder_and_names_how_to_install_it(
    guide: Path, tmp_path: Path, run_command: Any
) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('{"servers": {"gone": {"command": "/nowhere/at/all"}}, "tools": {}}', "utf-8")
    done = run_command(
        guide, "doctor", "--json", EMBEDDING_MODEL=str(tmp_path / "nothing"), OLLAMA_HOST="http://127.0.0.1:1",
        OLLAMA_MODEL_NAME="m", TOOLS_FILE=str(tools),
    )  # fmt: skip
    assert done.returncode == 3
    checks = json.loads(done.stdout)["checks"]
    assert list(checks) == ["embedder", "index", "classifier", "database", "ollama", "tools"]
    assert "EMBEDDING_MODEL" in checks["embedder"]
    if importlib.util.find_spec("sentence_transformers") is None:
        assert "pip install 'assistance-engine[transformers]'" in checks["embedder"]
    assert checks["index"] == checks["classifier"] == "not checked: it needs the embedder"
    assert checks["database"] == ""
    assert "ollama serve" in checks["ollama"]
    assert "servers.gone: it cannot be started or reached" in checks["tools"]


def test_health_is_code_3_when_nothing_serves(guide: Path, service: Any, run_command: Any) -> None:
    assert run_command(guide, "health", ENGINE_GRPC_ADDRESS="127.0.0.1:1").returncode == 3
    assert run_command(guide, "health", ENGINE_GRPC_ADDRESS=service.address).returncode == 0
    told = json.loads(run_command(guide, "health", "--json", ENGINE_GRPC_ADDRESS=service.address).stdout)
    assert told == {"status": "SERVING", "address": service.address}


def test_a_session_is_exported_and_deleted(guide: Path, run_command: Any) -> None:
    run_command(guide, "ask", "What is addVar in AVAP?", "--session", "to-go")
    exported = json.loads(run_command(guide, "sessions", "export", "to-go").stdout)
    assert exported["turns"][0]["query"] == "What is addVar in AVAP?"
    assert "to-go" in run_command(guide, "sessions", "list").stdout
    gone = json.loads(run_command(guide, "sessions", "delete", "to-go", "--json").stdout)
    assert gone == {"session_id": "to-go", "deleted_turns": 1}
    assert run_command(guide, "sessions", "delete", "to-go").returncode == 2


def test_evaluate_prints_a_table_and_json(guide: Path, run_command: Any) -> None:
    assert "| all | 2 |" in run_command(guide, "evaluate", "--limit", "2").stdout
    report = json.loads(run_command(guide, "evaluate", "--limit", "2", "--json").stdout)
    assert report["overall"]["cases"] == 2
    assert len(report["cases"]) == 2


def test_every_command_has_help(guide: Path, run_command: Any) -> None:
    listed = run_command(guide, "--help").stdout
    for name in (
        "serve",
        "ask",
        "chat",
        "classify",
        "plan",
        "index",
        "search",
        "sessions",
        "train",
        "labels",
        "replay",
        "evaluate",
        "doctor",
    ):
        assert name in listed
        assert run_command(guide, name, "--help").returncode == 0
