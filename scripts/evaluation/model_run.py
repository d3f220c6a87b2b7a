"""A golden run with a real small model: what it answers, how long one waits, what it cites and what is marked.

    python -m scripts.evaluation.model_run --ollama http://127.0.0.1:11434 --index DIR [--model NAME] [--out FILE]

DIR is an ENGINE_DATA_DIR with an index of `examples/avap`. Sessions are kept in a folder of the run's own. Writes one
JSON line an answer, then the figures to stdout as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from classifier.decision import Query
from classifier.llm import ModelLayer
from engine import bootstrap
from engine.domain import Answer, Completed, Progress, TextDelta, Turn
from engine.errors import EngineError
from engine.evaluation.golden import GoldenCase, read_golden_set, select
from engine.generation.ollama.chat import OllamaLabeller
from engine.settings import Settings, load_settings
from scripts.evaluation.model_figures import figures

ROOT = Path(__file__).resolve().parents[2]
#: Follow-ups asked behind some of the questions, in their session: what a second turn costs to read.
FOLLOW_UPS = ("Tell me more about that", "thanks!")
#: Seconds that a label may take here: it is its validity that is looked at.
_PATIENT = 120.0


async def asked(engine: bootstrap.Engine, query: str, session: str) -> dict[str, Any]:
    """One answer with its times."""
    began, first, stages = time.perf_counter(), None, []
    answer: Answer | None = None
    problem = ""
    try:
        async with aclosing(engine.answers.answer(Turn(query, session, principal="run"))) as events:
            async for event in events:
                if isinstance(event, TextDelta) and first is None:
                    first = time.perf_counter() - began
                elif isinstance(event, Progress):
                    stages.append(f"{event.stage} {event.detail}".strip())
                elif isinstance(event, Completed):
                    answer = event.answer
    except EngineError as error:
        problem = str(error)
    row: dict[str, Any] = {"query": query, "first": first, "total": time.perf_counter() - began, "stages": stages}
    return row | ({"problem": problem} if answer is None else _kept(answer))


def _kept(answer: Answer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "type": answer.route.type.value,
        "model": answer.route.model,
        "cited": [[piece.number, piece.passage.text] for piece in answer.citations],
        "grounding": answer.grounding.share,
        "unsupported": [asdict(one) for one in answer.grounding.unsupported],
        "receipt": None if answer.prompt is None else asdict(answer.prompt),
        "usage": asdict(answer.usage),
        "outcome": answer.outcome.value,
        "act": answer.route.decision.act.act.value,
        "search_query": answer.route.search_query,
    }


async def labels(engine: bootstrap.Engine, cases: Sequence[GoldenCase]) -> dict[str, Any]:
    """How many of the labels that the model gives are labels, and how many are right."""
    assert engine.served is not None  # noqa: S101  # a model is configured
    labeller = OllamaLabeller(engine.served.model(engine.settings.light_model))
    layer = ModelLayer(labeller, timeout=_PATIENT)
    opinions = [(await layer.decide(Query(case.query)), case.type) for case in cases]
    await labeller.close()
    valid = [(opinion.type, kind) for opinion, kind in opinions if opinion.type is not None]
    return {"asked": len(opinions), "valid": len(valid), "right": sum(said is kind for said, kind in valid)}


async def run(given: argparse.Namespace, settings: Settings, keep: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Asks everything, one after another."""
    cases = select(read_golden_set(ROOT / "examples/golden/avap.jsonl"), language="en")[:: given.every][: given.limit]
    rows = []
    async with bootstrap.engine(settings) as engine:
        assert engine.served is not None  # noqa: S101  # a model is configured
        await engine.served.warm_up()
        for place, case in enumerate(cases):
            session = uuid.uuid4().hex
            for query in (case.query, *(FOLLOW_UPS if place % 6 == 0 else ())):
                rows.append(await asked(engine, query, session))
                keep(rows[-1])
        layer = await labels(engine, cases[: given.labels])
    return figures(rows) | {"layer 3": layer}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ollama", required=True)
    parser.add_argument("--index", required=True, type=Path)
    parser.add_argument("--model", default="smollm2:135m")
    parser.add_argument("--out", default="model_run.jsonl", type=Path)
    parser.add_argument("--every", type=int, default=2, help="every so many golden questions in English")
    parser.add_argument("--limit", type=int, default=24)
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=120, help="longest answer")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        (Path(folder) / "index").symlink_to(given.index.resolve() / "index")
        settings = load_settings(
            engine_data_dir=Path(folder),
            ollama_host=given.ollama,
            ollama_model_name=given.model,
            ollama_num_ctx=4096,
            ollama_num_predict=given.tokens,
            engine_deadline_seconds=900.0,
        )

        def keep(row: dict[str, Any]) -> None:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.flush()

        print(json.dumps(asyncio.run(run(given, settings, keep)), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
