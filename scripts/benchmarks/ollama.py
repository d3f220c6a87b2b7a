"""The adapter's first chunk against the same request sent bare, where TEST_OLLAMA_ADDRESS names a server."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing

import httpx

from classifier.decision import QueryType
from engine.domain import Message
from engine.generation.ollama.chat import OllamaChatModel
from engine.generation.ollama.served import ServedModel
from engine.generation.port import Prompt, Token
from scripts.benchmarks.harness.material import Resolution
from scripts.benchmarks.harness.report import Row, Section, median, percentile

VARIABLE = "TEST_OLLAMA_ADDRESS"
#: The smallest of the tiny models that writes without thinking first.
MODEL = "tiny-qwen3-plain"
_NUM_CTX, _NUM_PREDICT = 2048, 16
_WARM_UP = 5
_PROMPT = Prompt(QueryType.RETRIEVAL, "q", messages=(Message("system", "Be brief."), Message("user", "Hello?")))
_NOTE = (
    f"model {MODEL}, {_NUM_PREDICT} tokens an answer; the peer is the same request by httpx on a kept connection, its "
    "first line with text decoded; both sides read their answer to its end before the next round."
)


def measure(material: Resolution) -> Section:
    """Milliseconds to the first piece of text; nothing without a server."""
    address = material.addresses.get(VARIABLE, "")
    if not address:
        return Section("ollama", note=f"not measured: {VARIABLE} is not set (scripts/with_backends.py sets it)")
    rounds = 20 if material.quick else 100
    ours, bare = asyncio.run(_both(address, rounds))
    more = {"added ms": median(ours) - median(bare), "p95 ms": percentile(ours, 0.95)}
    more["bare p95 ms"] = percentile(bare, 0.95)
    name = "First text of a loaded model, through the adapter"
    row = Row(name, "ms", median(ours), median(bare), "bare httpx", rounds, more)
    return Section("ollama", [row], _NOTE)


async def _both(address: str, rounds: int) -> tuple[list[float], list[float]]:
    """The sides in turns, after a warm-up of both."""
    model = OllamaChatModel(ServedModel(MODEL, address, num_ctx=_NUM_CTX), num_predict=_NUM_PREDICT)
    ours, bare = [], []
    try:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            for _ in range(_WARM_UP + rounds):
                ours.append(await _adapter(model))
                bare.append(await _bare(client))
    finally:
        await model.close()
    return ours[_WARM_UP:], bare[_WARM_UP:]


async def _adapter(model: OllamaChatModel) -> float:
    started, first = time.perf_counter(), 0.0
    async with aclosing(model.stream(_PROMPT)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Token) and not first:
                first = time.perf_counter() - started
    return first * 1000


async def _bare(client: httpx.AsyncClient) -> float:
    body = {
        "model": MODEL, "stream": True, "think": False, "messages": [_wire(m) for m in _PROMPT.messages],
        "options": {"num_ctx": _NUM_CTX, "num_predict": _NUM_PREDICT, "temperature": 0.2}, "keep_alive": "30m",
    }  # fmt: skip
    started, first = time.perf_counter(), 0.0
    async with client.stream("POST", "/api/chat", json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if not first and json.loads(line)["message"]["content"]:
                first = time.perf_counter() - started
    return first * 1000


def _wire(message: Message) -> dict[str, str]:
    """A message as Ollama takes it."""
    return {"role": message.role, "content": message.content}
