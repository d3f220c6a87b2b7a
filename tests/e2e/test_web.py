"""The web address of the real process: the same answers as by gRPC, and the same sessions."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import numpy as np
import openai
import pytest

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb
from tests.forked import ROOT
from tests.transports import TRANSPORTS

ASK = "/engine.v1.AssistanceService/AskAgent"
WEB = sorted(set(TRANSPORTS) - {"grpc"})


def steady(answer: Any) -> tuple[Any, ...]:
    """What of an answer does not change from one time to the next."""
    cited = [(citation.number, citation.passage_id, citation.document) for citation in answer.citations]
    return answer.text, answer.route.type, answer.route.layer, answer.searches, answer.outcome, cited


@pytest.mark.parametrize("transport", WEB)
async def test_an_answer_is_the_one_that_grpc_gives(service: Any, client: AssistanceClient, transport: str) -> None:
    by_grpc = await client.ask("What is addVar in AVAP?")
    call = TRANSPORTS[transport]
    request = pb.AgentRequest(query="What is addVar in AVAP?")
    whole = await call(service.address, service.web, "AskAgent", request)
    streamed = await call(service.address, service.web, "AskAgentStream", request)
    completed = streamed.messages[-1].completed
    assert steady(whole.messages[0]) == steady(completed) == steady(by_grpc)
    assert "".join(event.text_delta for event in streamed.messages) == completed.text
    kinds = [event.WhichOneof("event") for event in streamed.messages if event.WhichOneof("event") != "progress"]
    assert kinds[0] == "route"
    assert kinds[-1] == "completed"
    assert "sources" in kinds


async def test_a_conversation_goes_on_from_one_transport_to_the_next(service: Any, client: AssistanceClient) -> None:
    async with httpx.AsyncClient(base_url=f"http://{service.web}", timeout=100, trust_env=False) as http:
        body = {"query": "What is addVar in AVAP?", "sessionId": "across-transports"}
        first = (await http.post(ASK, json=body)).json()
        second = await client.ask("en menos palabras", session_id="across-transports")
        body = {"sessionId": "across-transports"}
        session = (await http.post("/engine.v1.AssistanceService/GetSession", json=body)).json()
    assert first["route"]["type"] == "RETRIEVAL"
    assert second.route.relation != 0
    assert [turn["turnId"] for turn in session["turns"]] == [first["turnId"], second.turn_id]


async def test_the_process_says_where_and_is_ready(service: Any) -> None:
    assert re.search(r"\[serve\] web on 127\.0\.0\.1:\d+", service.read_log())
    async with httpx.AsyncClient(base_url=f"http://{service.web}", timeout=100, trust_env=False) as http:
        assert (await http.get("/healthz")).json() == {"status": "ok"}
        ready = (await http.get("/readyz")).json()
    assert ready["status"] == "SERVING"
    assert ready["dependencies"]["database"] == ready["dependencies"]["classifier"] == "SERVING"


async def test_ctrl_c_ends_it_while_a_browser_holds_a_connection(guide: Path, tmp_path: Path, start: Any) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    service = start(data)
    async with httpx.AsyncClient(base_url=f"http://{service.web}", timeout=100, trust_env=False) as http:
        assert (await http.post(ASK, json={"query": "thanks"})).is_success  # and the connection is kept
        assert await asyncio.to_thread(service.stop, signal.SIGINT) == 0
    assert "[serve] stopped" in service.read_log()
    assert "Traceback" not in service.read_log()


def test_a_web_port_in_use_is_said_at_start(guide: Path, run_command: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run_command(guide, "serve", ENGINE_WEB_ADDRESS=address)
    assert done.returncode == 2
    assert f"ENGINE_WEB_ADDRESS: cannot listen on {address}" in done.stderr
    assert "Traceback" not in done.stderr


async def test_openais_client_holds_a_conversation(service: Any, client: AssistanceClient) -> None:
    http = httpx2.AsyncClient(trust_env=False, timeout=100)
    asked: list[Any] = [{"role": "user", "content": "What is addVar in AVAP?"}]
    async with openai.AsyncOpenAI(base_url=f"http://{service.web}/v1", api_key="any", http_client=http) as chats:
        first = await chats.chat.completions.create(model="assist", messages=asked)
        asked.append({"role": "assistant", "content": first.choices[0].message.content})
        asked.append({"role": "user", "content": "in fewer words"})
        streamed = await chats.chat.completions.with_raw_response.create(model="assist", messages=asked, stream=True)
        chunks = [chunk async for chunk in streamed.parse()]
        session = await client.session(streamed.headers["x-session-id"])
        elsewhere: list[Any] = [
            {"role": "user", "content": "What is addVar?"},
            {"role": "assistant", "content": "It sets one."},
        ]
        told = await chats.chat.completions.with_raw_response.create(
            model="assist", messages=[*elsewhere, {"role": "user", "content": "What was my first question?"}]
        )
        names = [model.id async for model in chats.models.list()]
        vector = await chats.embeddings.create(model=names[-1], input="one text")
    assert "addVar" in (first.choices[0].message.content or "")
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert [turn.query for turn in session.turns] == ["What is addVar in AVAP?", "in fewer words"]
    assert session.turns[1].relation != 0
    assert "What is addVar?" in (told.parse().choices[0].message.content or "")
    assert len(vector.data[0].embedding) == 384


async def test_langchains_chat_model_streams_and_its_embeddings_are_the_encoders(service: Any) -> None:
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    async with httpx2.AsyncClient(trust_env=False, timeout=100) as http, asyncio.timeout(100):
        with httpx2.Client(trust_env=False, timeout=100) as blocking:
            there: Any = {"base_url": f"http://{service.web}/v1", "api_key": "any"}
            mine: Any = {**there, "http_client": blocking, "http_async_client": http}
            chat = ChatOpenAI(model="assist", extra_body={"session_id": "by-langchain"}, **mine)
            whole = await chat.ainvoke("What is addVar in AVAP?")
            pieces = [piece async for piece in chat.astream([("human", "in fewer words")])]
            models = openai.AsyncOpenAI(**there, http_client=http).models
            names = [model.id async for model in models.list()]
            # LangChain counts and cuts tokens by OpenAI's own tables unless it is told not to.
            embeddings = OpenAIEmbeddings(model=names[-1], check_embedding_ctx_length=False, **mine)
            texts = ["loop over a list", "iterate a list", "my invoice"]
            alike, other, odd = await embeddings.aembed_documents(texts)
    assert "addVar creates" in whole.text
    assert "variables.md" in whole.text
    said = "".join(piece.text for piece in pieces)
    assert "addVar" in said
    assert len(said) < len(whole.text)
    assert np.dot(alike, other) > np.dot(alike, odd)


async def test_figures_of_an_openai_client_reach_a_platform_answer(service: Any) -> None:
    http = httpx2.AsyncClient(trust_env=False, timeout=100)
    messages: Any = [
        {"role": "system", "content": "Calls this month: 3,412 of 5,000."},
        {"role": "user", "content": "How many calls have I used?"},
    ]
    async with openai.AsyncOpenAI(base_url=f"http://{service.web}/v1", api_key="any", http_client=http) as chats:
        done = await chats.chat.completions.create(model="assist:platform", messages=messages)
    assert "3412" in (done.choices[0].message.content or "")


def test_the_examples_run_against_a_service(service: Any, tmp_path: Path) -> None:
    """As they are shipped, but for the address."""
    programs = {"openai_client.py": sys.executable, "stream.mjs": shutil.which("node")}
    for name, program in programs.items():
        if program is None:
            continue
        text = (ROOT / "examples" / "web" / name).read_text("utf-8")
        assert "http://127.0.0.1:8080" in text
        text = text.replace("http://127.0.0.1:8080", f"http://{service.web}")
        copy = tmp_path / "examples" / "web" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, "utf-8")
        if not (tmp_path / "engine").exists():
            (tmp_path / "engine").symlink_to(ROOT / "engine")
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        done = subprocess.run(
            [program, copy], capture_output=True, text=True, timeout=110, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
        assert "addVar" in done.stdout
