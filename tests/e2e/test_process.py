"""The process from outside: how it starts and stops, what it logs, what it refuses, what it keeps."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.client import AssistanceClient
from engine.errors import DependencyUnavailable
from engine.v1 import engine_pb2 as pb


async def test_sigterm_ends_it_cleanly(guide: Path, start: Any) -> None:
    service = start(guide)
    async with AssistanceClient(service.address) as client:
        assert await client.serving()
    assert service.stop(signal.SIGTERM) == 0
    assert "[serve] stopped" in service.read_log()
    assert "Traceback" not in service.read_log()


async def test_ctrl_c_ends_it_cleanly_while_a_client_watches(guide: Path, start: Any) -> None:
    service = start(guide)
    async with AssistanceClient(service.address) as client:
        await client.ask("What is addVar in AVAP?")
        assert await asyncio.to_thread(service.stop, signal.SIGINT) == 0
    assert "Traceback" not in service.read_log()


async def test_after_the_stop_callers_are_told_that_nothing_answers(guide: Path, start: Any) -> None:
    service = start(guide)
    async with AssistanceClient(service.address) as client:
        await client.ask("thanks")
        await asyncio.to_thread(service.stop)
        with pytest.raises(DependencyUnavailable, match="engine: nothing answers"):
            await client.ask("thanks")


async def test_what_was_answered_survives_kill_9(guide: Path, tmp_path: Path, start: Any) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    service = start(data)
    async with AssistanceClient(service.address) as client:
        answers = [await client.ask(query, session_id="kept") for query in ("What is addVar?", "thanks")]
    service.stop(signal.SIGKILL)
    again = start(data)
    async with AssistanceClient(again.address) as client:
        session = await client.session("kept")
    assert [turn.turn_id for turn in session.turns] == [answer.turn_id for answer in answers]
    assert [turn.text for turn in session.turns] == [answer.text for answer in answers]
    with closing(sqlite3.connect(data / "sessions.sqlite3")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_the_log_lines_are_those_that_operators_match(service: Any) -> None:
    async with AssistanceClient(service.address) as client:
        await client.ask("You are a direct and concise assistant. Calls: 12.")
        await client.ask("What is addVar in AVAP?")
        await client.ask("zzz", query_type="PLATFORM")
        [event async for event in client.stream("You have a project usage percentage of 20%. Provide an insight.")]
    log = service.read_log()
    assert "[classify] L1 → PLATFORM" in log
    assert "[classifier/L2] → RETRIEVAL (conf=" in log
    assert "[classify] caller-declared → PLATFORM" in log
    assert "[AskAgentStream] query_type=PLATFORM context_len=0" in log
    assert "[hybrid] RRF -> 8 final docs" in log
    assert "[classifier/L2] model loaded from " in log


async def test_platform_and_conversational_turns_log_no_search(guide: Path, start: Any) -> None:
    service = start(guide)
    async with AssistanceClient(service.address) as client:
        for type_ in ("PLATFORM", "CONVERSATIONAL"):
            await client.ask("What is addVar in AVAP?", query_type=type_)
    assert "[hybrid]" not in service.read_log()


async def test_no_text_of_a_caller_is_logged(guide: Path, start: Any) -> None:
    service = start(guide, ENGINE_LOG_LEVEL="debug")
    canary = "canary-9f3b"
    fields = {
        name: f"{canary} {name}"
        for name in ("editor_content", "selected_text", "extra_context", "user_info", "session_id")
    }
    async with AssistanceClient(service.address) as client:
        for type_ in dict(pb.QueryType.items()):
            await client.ask(f"{canary} what is addVar", query_type=type_, **fields)
        await client.session(fields["session_id"])
    service.stop()
    assert canary not in service.read_log()


async def test_a_broken_artifact_leaves_the_service_up_and_says_so(guide: Path, tmp_path: Path, start: Any) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"junk")
    service = start(guide, CLASSIFIER_MODEL_PATH=str(broken))
    async with AssistanceClient(service.address) as client:
        answer = await client.ask("What is addVar in AVAP?")
        assert answer.route.layer == pb.DEFAULT
        assert answer.route.type == pb.RETRIEVAL
        assert await client.serving()
        assert not await client.serving("classifier")
    assert f"[classifier/L2] no model: {broken}" in service.read_log()


def test_a_port_in_use_is_said_at_start(service: Any, guide: Path, run_command: Any) -> None:
    done = run_command(guide, "serve", ENGINE_GRPC_ADDRESS=service.address)
    assert done.returncode == 2
    assert f"ENGINE_GRPC_ADDRESS: cannot listen on {service.address}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ENGINE_GRPC_ADDRESS", "nowhere", "must be host:port"),
        ("CLASSIFIER_CONFIDENCE_THRESHOLD", "2", "less than or equal to 1"),
        ("CLASSIFIER_MODEL_PATH", "model.pkl", "assistance-engine train"),
        ("ENGINE_LOG_FORMAT", "xml", "'text' or 'json'"),
        ("ENGINE_THREADS", "many", "whole number"),
        ("ENGINE_TYPO", "1", "no such variable"),
        ("OLLAMA_MODEL_NAM", "qwen3", "did you mean OLLAMA_MODEL_NAME"),
        ("OLLAMA_HOST", "ftp://x", "must be an address"),
    ],
)
def test_a_wrong_value_names_its_variable(guide: Path, run_command: Any, variable: str, value: str, told: str) -> None:
    done = run_command(guide, "serve", **{variable: value})
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {variable}: ")
    assert told in done.stderr


async def test_a_second_process_shares_index_and_sessions(guide: Path, service: Any, run_command: Any) -> None:
    async with AssistanceClient(service.address) as client:
        await client.ask("What is addVar?", session_id="shared-session")
    done = run_command(guide, "sessions", "show", "shared-session", "--json")
    assert json.loads(done.stdout)["turns"][0]["query"] == "What is addVar?"


async def test_a_running_service_sees_what_another_process_indexes(
    tmp_path: Path, start: Any, run_command: Any
) -> None:
    data, notes = tmp_path / "data", tmp_path / "notes.md"
    service = start(data)
    async with AssistanceClient(service.address) as client:
        empty = await client.ask("How tall is the Obelisk of Quux?")
        assert not empty.citations
        notes.write_text("# Obelisk\n\nThe Obelisk of Quux is 77 metres tall.\n", "utf-8")
        assert run_command(data, "index", str(notes)).returncode == 0
        answer = await client.ask("How tall is the Obelisk of Quux?")
    assert "77 metres" in answer.text
    assert answer.citations[0].document == "notes.md"


async def test_the_length_of_the_context_counts_what_was_found_now(guide: Path, start: Any) -> None:
    service = start(guide)
    async with AssistanceClient(service.address) as client:
        await client.ask("What is addVar in AVAP?", session_id="length")
        await client.ask("en menos palabras", session_id="length")
    assert "[AskAgent] query_type=CONVERSATIONAL context_len=0" in service.read_log()
    assert "[AskAgent] query_type=RETRIEVAL context_len=0" not in service.read_log()
