"""Fourteen things that go wrong with Ollama: the documented error within its budget, and the session usable afterwards.

Once over a stand-in, and once over the real server where `make test-backends` has started it.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from classifier.decision import Layer, Query, QueryType
from classifier.llm import ModelLayer
from classifier.reasons import Reason
from engine.answering.engine import AnswerEngine, Times
from engine.answering.nodes import Limits, Models, Nodes
from engine.answering.ports import fold
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Answer, Outcome, Passage, Turn
from engine.errors import DeadlineExceeded, DependencyUnavailable
from engine.generation.ollama.chat import OllamaChatModel, OllamaLabeller
from engine.generation.ollama.residency import OllamaLimits
from engine.generation.ollama.served import ServedModel
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedRouter, counting_ids
from tests.ollama_faults import Fault, OllamaFaults
from tests.ollama_server import CANARY, FakeOllama, done, word

#: Seconds that may come on top of a limit on a slow machine; a missing limit shows at the next longer one, which is later.
SLACK = 0.75
#: A busy machine may be late once; a missing limit is late every time.
TRIES = 3
#: How an answer ends, and what is said about it.
ENDS: dict[Fault, tuple[type[Exception] | Outcome, str]] = {
    Fault.REFUSED: (DependencyUnavailable, "nothing listens at OLLAMA_HOST"),
    Fault.HANG_FIRST: (DependencyUnavailable, "sent nothing for"),
    Fault.HANG_LATER: (DependencyUnavailable, "sent nothing for"),
    Fault.RESET: (DependencyUnavailable, "broke off"),
    Fault.NO_DONE: (DependencyUnavailable, "broke off"),
    Fault.MISSING: (DependencyUnavailable, "run `ollama pull"),
    Fault.ERROR: (DependencyUnavailable, "failed"),
    Fault.FULL: (DependencyUnavailable, "queue"),
    Fault.ERROR_LINE: (DependencyUnavailable, "failed"),
    Fault.GARBAGE: (DependencyUnavailable, "cannot be read"),
    Fault.ONLY_LOADED: (DependencyUnavailable, "cannot be read"),
    Fault.LENGTH: (Outcome.PARTIAL, ""),
    Fault.THINKING: (Outcome.COMPLETE, ""),
    Fault.SLOW: (DeadlineExceeded, "deadline"),
}
#: What layer 3 makes of it; None: a label, or one that is none, as if nothing were wrong.
LABELS: dict[Fault, Reason | None] = dict.fromkeys(Fault, Reason.UNAVAILABLE)
LABELS |= {Fault.LENGTH: None, Fault.THINKING: None, Fault.SLOW: Reason.TIMEOUT}


@dataclass(frozen=True)
class Server:
    """One that works, and the limits of time for it: a real model reads a prompt for most of a second here.

    Attributes:
        silence: Seconds between two pieces of an answer.
        deadline: Seconds of a whole answer.
        label: Seconds of layer 3.
    """

    host: str
    model: str
    silence: float
    deadline: float
    label: float


@dataclass(frozen=True)
class Case:
    """An engine and a layer 3 over one server that can be spoilt."""

    faults: OllamaFaults
    engine: AnswerEngine
    layer3: ModelLayer
    store: SqlSessionStore
    server: Server

    async def ask(self, session: str) -> Answer:
        return await fold(self.engine.answer(Turn("What is addVar?", session, principal="ana")))


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.backends)])
async def upstream(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    if request.param == "fake":
        async with FakeOllama().running() as server:
            server.lines = [*(word(f"word{n} ") for n in range(12)), done()]
            yield Server(server.host, "m", 1.0, 3.0, 1.5)
    elif address := os.environ.get("TEST_OLLAMA_ADDRESS", ""):
        yield Server(address, "tiny-qwen3-canned", 3.5, 6.0, 5.0)
    else:
        pytest.skip("no Ollama: TEST_OLLAMA_ADDRESS is not set")


@pytest.fixture
async def case(upstream: Server, tmp_path: Path) -> AsyncIterator[Case]:
    name = upstream.model
    async with OllamaFaults(upstream.host).running() as faults:
        # Far below the limit of silence, as a real server on a busy machine takes its own time for a token on top.
        faults.pause = upstream.silence * 0.4
        limits = OllamaLimits(silence=upstream.silence)
        served = ServedModel(name, faults.host, num_ctx=2048, limits=limits)
        model, labeller = OllamaChatModel(served, num_predict=64), OllamaLabeller(served)
        store = SqlSessionStore(tmp_path / "sessions.sqlite3")
        retriever = ListRetriever([Passage("add", "doc.md", "Variables", "addVar", "What addVar adds: a variable")])
        models = Models(model, model)
        workflow = Workflow.by_rules(retriever)
        nodes = Nodes(ScriptedRouter(), retriever, store, models, Limits(passages=2), workflow)
        engine = AnswerEngine(nodes, new_id=counting_ids(), times=Times(upstream.deadline, 1))
        made = Case(faults, engine, ModelLayer(labeller, upstream.label), store, upstream)
        served.residency.left()  # by the test before, which may have cost the real server its slot
        await made.ask("warm")  # the model is in memory: what is measured is not its loading
        await labeller.label("warm", ["RETRIEVAL"])
        yield made
        await model.close()
        await labeller.close()
        await store.close()


def budget(case: Case, fault: Fault) -> float:
    """Seconds within which an answer has to end."""
    return case.server.deadline if fault is Fault.SLOW else case.server.silence


async def spoilt(case: Case, fault: Fault, session: str) -> float:
    """Asks once while things go wrong; the seconds it took."""
    await case.faults.set(fault)
    end, says = ENDS[fault]
    started = time.monotonic()
    if isinstance(end, Outcome):
        answer = await case.ask(session)
        seconds = time.monotonic() - started
        assert answer.outcome is end
        assert CANARY not in answer.text
    else:
        with pytest.raises(end) as raised:
            await case.ask(session)
        seconds = time.monotonic() - started
        assert says in str(raised.value)
        assert CANARY not in str(raised.value)
    await case.faults.set(None)
    return seconds


@pytest.mark.parametrize("fault", Fault)
async def test_an_answer_ends_as_documented_and_the_session_goes_on(case: Case, fault: Fault) -> None:
    for number in range(TRIES):
        session = f"s{number}"
        seconds = await spoilt(case, fault, session)
        answer = await case.ask(session)
        assert answer.outcome is Outcome.COMPLETE
        stored = (await case.store.session("ana", session)).turns
        assert [turn.sequence for turn in stored] == [1, 2]
        assert stored[0].outcome in (Outcome.FAILED, Outcome.PARTIAL, Outcome.COMPLETE)
        assert CANARY not in stored[0].answer
        if seconds < budget(case, fault) + SLACK:
            return
    pytest.fail(f"{seconds:.2f} s is later than {budget(case, fault):g} s, {TRIES} times")


@pytest.mark.parametrize("fault", Fault)
async def test_layer_3_abstains_as_documented_and_is_asked_again(case: Case, fault: Fault) -> None:
    query = Query("Tell me about it all.")
    for _ in range(TRIES):
        await case.faults.set(fault)
        started = time.monotonic()
        opinion = await case.layer3.decide(query)
        seconds = time.monotonic() - started
        assert opinion.layer is Layer.LLM
        wanted = LABELS[fault]
        if wanted is not None:
            assert (opinion.type, opinion.reason) == (None, wanted)
        await case.faults.set(None)
        again = await case.layer3.decide(query)
        if again.reason is Reason.UNAVAILABLE:  # what was left has cost the real server its slot: it is loaded anew
            again = await case.layer3.decide(query)
        assert again.reason in (Reason.MODEL, Reason.MALFORMED)
        assert again.type is None or again.type in QueryType
        if seconds < case.server.label + SLACK:
            return
    pytest.fail(f"{seconds:.2f} s is later than {case.server.label:g} s, {TRIES} times")


@pytest.mark.parametrize("fault", [Fault.HANG_FIRST, Fault.HANG_LATER])
async def test_whoever_stops_waiting_leaves_no_request_behind(case: Case, fault: Fault) -> None:
    await spoilt(case, fault, "s")
    await case.faults.set(fault)
    assert (await case.layer3.decide(Query("Tell me about it all."))).type is None
    await case.faults.gone.wait()


@pytest.mark.parametrize("fault", [Fault.HANG_FIRST, Fault.HANG_LATER, Fault.SLOW, None])
async def test_the_proxy_sees_a_client_leave_while_the_server_says_nothing(fault: Fault | None) -> None:
    """As a real one does whose one place was lost: waiting for its first line would outlast the test."""
    async with asyncio.timeout(20), silent_server() as (host, asked), OllamaFaults(host).running() as faults:
        await faults.set(fault)
        _, writer = await asyncio.open_connection("127.0.0.1", int(faults.host.rpartition(":")[2]))
        writer.write(b"POST /api/chat HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        if fault is not Fault.HANG_FIRST:  # for which the server is not asked
            await asked.wait()
        assert not faults.gone.is_set()
        writer.close()
        await faults.gone.wait()


@asynccontextmanager
async def silent_server() -> AsyncGenerator[tuple[str, asyncio.Event]]:
    """One that takes a request and says nothing; its address, and what is set when it was asked."""
    asked = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


def test_every_fault_has_its_end() -> None:
    assert len(Fault) == 14
    assert set(ENDS) == set(LABELS) == set(Fault)
