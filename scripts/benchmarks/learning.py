"""The learning loop over the wire: corrections on a domain that the seed does not have, and poison."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classifier.training.dataset import Row
    from engine.client import AssistanceClient

ROOT = Path(__file__).resolve().parents[2]
#: By how much corrections have to raise accuracy, and what left-out rows may lose of their macro-F1.
GAIN, LOSS = 0.20, 0.005
#: One seed row in so many stands in the fixed set.
SEED_STEP = 25
KEYS = {"ENGINE_AUTH": "keys"}

#: What an attacker asks around a thing: a plain question, or a wish that is plainly of another type than told.
PLAIN = (
    "What is {} and what is it good for?", "Write a function in Python for {}", "How much {} did I use up in May?",
    "¿Qué es {} y para qué sirve?", "Escribe en Python una función para {}", "¿Cuánto gastó mi cuenta en {} en mayo?",
)  # fmt: skip
#: Around a question of the fixed set, so that it is nearly the one that is decided afterwards.
NEARLY = "I should like to know this: {}"
TYPES = ("CONVERSATIONAL", "PLATFORM", "CODE_GENERATION", "RETRIEVAL")


def missed_goals(figures: dict[str, Any]) -> list[str]:
    """The goals that these figures of corrections do not meet, by name."""
    lost = [row["worse"] for row in figures["gate"] if row["name"].startswith("macro_f1")]
    return [
        name
        for name, met in (
            ("gain", round(figures["after"] - figures["before"], 4) >= GAIN),
            ("left-out rows", max(lost, default=0.0) <= LOSS),
            ("promotion", figures["promoted"]),
        )
        if not met
    ]


async def corrected(principals: int, *, wrong_only: bool) -> dict[str, Any]:
    """Accuracy on the held-back rows before and after the others were corrected."""
    rows = drifted()
    told, held = (rows_of(rows, part) for part in ("corrected", "held back"))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        async with serving(data, principals) as clients:
            before = await asked(clients[0], held)
            count = 0
            for place, row in enumerate(told):
                client = clients[place % principals]
                answer = await client.ask(row.text, session_id=f"told-{place}")
                if wrong_only and type_of(answer.route) == row.label:
                    continue
                await client.correct_turn(answer.turn_id, row.label)
                count += 1
        trained = train(data)
        async with serving(data, 1) as clients:
            after = await asked(clients[0], held)
    return {"corrected": count, "principals": principals, **accuracies(held, before, after), **trained}


async def poisoned(count: int) -> dict[str, Any]:
    """How many decisions on a fixed set change after one principal has given `count` wrong types."""
    fixed = fixed_set()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        async with serving(data, 1) as clients:
            before = [type_of(await clients[0].classify(text)) for text in fixed]
            for place, (text, label) in enumerate(poison(fixed, count)):
                answer = await clients[0].ask(text, session_id=f"poison-{place}")
                await clients[0].correct_turn(answer.turn_id, label)
        trained = train(data)
        async with serving(data, 1) as clients:
            after = [type_of(await clients[0].classify(text)) for text in fixed]
    changed = [(text, *pair) for text, *pair in zip(fixed, before, after, strict=True) if pair[0] != pair[1]]
    return {"labels": count, "decisions": len(fixed), "changed": len(changed), "which": changed[:20], **trained}


def poison(fixed: Sequence[str], count: int) -> list[tuple[str, str]]:
    """Messages and their wrong types: half around the fixed set's own, half plain questions on single words."""
    things = sorted({word.lower() for text in fixed for word in text.split() if word.isalpha() and len(word) > 4})
    near = [(NEARLY.format(text), TYPES[at % 4]) for at, text in enumerate(fixed[: count // 2])]
    forms = [(PLAIN[at % 6], TYPES[at % 3], things[at // 6]) for at in range(count - len(near))]
    plain = [(form.format(thing), wrong) for form, wrong, thing in forms]
    return [*near, *plain]


@asynccontextmanager
async def serving(data: Path, principals: int) -> AsyncIterator[list[AssistanceClient]]:
    """The service on `data`, and a client for each principal."""
    from engine.client import AssistanceClient
    from engine.identity.keys import KeyFile
    from engine.identity.port import Scope
    from scripts.benchmarks.harness.children import child

    keys = KeyFile(data / "keys.json")
    tokens = [keys.create(f"p{at}", Scope, f"principal-{at}")[1] for at in range(principals)]
    async with AsyncExitStack() as stack:
        service = stack.enter_context(child(data, "engine", "serve", **KEYS))
        clients = [AssistanceClient(service.address, token=token) for token in tokens]
        yield [await stack.enter_async_context(client) for client in clients]


async def asked(client: AssistanceClient, rows: Sequence[Row]) -> list[str]:
    """The type that each message gets, each in a session of its own."""
    answers = [await client.ask(row.text, session_id=f"asked-{place}") for place, row in enumerate(rows)]
    return [type_of(answer.route) for answer in answers]


def type_of(route: Any) -> str:
    """The name of a route's type."""
    from engine.v1 import engine_pb2 as pb

    return str(pb.QueryType.Name(route.type))


def accuracies(rows: Sequence[Row], before: Sequence[str], after: Sequence[str]) -> dict[str, Any]:
    """Shares of right types, together and by language."""

    def share(found: Sequence[str], language: str = "") -> float:
        pairs = [one == row.label for one, row in zip(found, rows, strict=True) if row.language.startswith(language)]
        return round(sum(pairs) / len(pairs), 4)

    languages = {
        f"{name}.{of}": share(found, of)
        for name, found in (("before", before), ("after", after))
        for of in ("en", "es")
    }
    return {"before": share(before), "after": share(after)} | languages


def train(data: Path) -> dict[str, Any]:
    """Exports the labels of `data` and trains on them; the figures of it."""
    exported = json.loads(run(data, "labels", "export", "--json").stdout)
    started = time.perf_counter()
    done = run(data, "train", "--json")
    seconds = round(time.perf_counter() - started, 1)
    report = json.loads(done.stdout)
    fields = ("name", "current", "candidate", "worse", "passed")
    return {
        "exported": exported["written"],
        "remembered": report["labels"],
        "fitted": report["fitted"],
        "left_out": report["left_out"],
        "seconds": seconds,
        "promoted": report["gate"]["promoted"],
        "gate": [{name: row[name] for name in fields} for row in report["gate"]["criteria"]],
    }


def run(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the engine on `data` to its end; the gate's refusal is no error."""
    from scripts.benchmarks.harness.children import command, environment

    done = subprocess.run(
        command("engine", *words), cwd=data, env=environment(data, **KEYS), capture_output=True, text=True, check=False
    )
    if not done.stdout:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-800:]}")
    return done


def drifted(name: str = "drifted") -> list[Row]:
    """The rows of domains that the seed does not have; their register says which are held back.

    Args:
        name: `drifted`, which judges, or `drifted_tuning`, by which the radii of what is remembered were chosen.
    """
    from classifier.training.dataset import read_rows

    return read_rows([ROOT / "examples" / "golden" / f"{name}.jsonl"])


def rows_of(rows: Sequence[Row], part: str) -> list[Row]:
    """The rows of one part, `corrected` or `held back`."""
    return [row for row in rows if row.register == part]


def fixed_set() -> list[str]:
    """Messages whose decisions nobody alone may change: held-back rows, golden questions, a part of the seed."""
    from classifier.training.seed import shipped_rows
    from scripts.benchmarks.harness.material import golden_queries

    held = rows_of(drifted(), "held back")
    return [*(row.text for row in held), *golden_queries(), *(row.text for row in shipped_rows()[::SEED_STEP])]
