"""The learning loop for real: corrections over the wire, labels out, training, the gate, the running service."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Layer, QueryType
from classifier.training.seed import shipped_rows
from engine.client import AssistanceClient
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from engine.v1 import engine_pb2 as pb
from tests.conftest import Service

#: A small seed of its own, so that a training takes seconds: by type and language, what is said of every topic.
PHRASES = {
    ("RETRIEVAL", "en"): ("What is {}?", "what does {} mean in the docs", "Explain the concept of {}."),
    ("RETRIEVAL", "es"): ("¿Qué es {}?", "qué significa {} en la documentación", "Explica el concepto de {}."),
    ("CODE_GENERATION", "en"): ("Write a function for {}", "fix this code with {}", "Generate a script that uses {}"),
    ("CODE_GENERATION", "es"): ("Escribe una función para {}", "arregla este código con {}", "Genera un script de {}"),
    ("CONVERSATIONAL", "en"): ("Thanks for {}!", "repeat what you said about {}", "say that on {} in fewer words"),
    ("CONVERSATIONAL", "es"): ("¡Gracias por {}!", "repite lo que dijiste de {}", "di eso de {} en menos palabras"),
    ("PLATFORM", "en"): ("How much {} have I used this month?", "my bill for {}", "what is my quota of {}"),
    ("PLATFORM", "es"): ("¿Cuánto {} llevo este mes?", "mi factura de {}", "cuál es mi cuota de {}"),
    ("OUT_OF_SCOPE", "en"): ("Play some {} music", "order a pizza with {}", "lyrics of a song on {}"),
    ("OUT_OF_SCOPE", "es"): ("Pon música de {}", "pide una pizza con {}", "letra de una canción de {}"),
}
TOPICS = (
    "storage", "tokens", "webhooks", "tables", "lists", "reports", "cards", "loops", "queries", "events", "files", "maps",
    "calls", "routes", "tests", "cookies", "parsers", "folders",
)  # fmt: skip
#: Nobody can tell what these want: without doubtful rows there is nothing to calibrate on.
DOUBTFUL = {"en": ("{} again, quickly", "and the {} one"), "es": ("{} otra vez, rápido", "y lo de {}")}
#: What users of one platform mean by these words no seed can know: it is their dashboard.
THINGS = (
    "walrus", "lantern", "harbour", "meadow", "violin", "glacier", "saddle", "pepper", "copper", "thistle", "anchor",
    "marble", "feather", "canyon", "barrel", "orchard", "pigeon", "velvet", "needle", "comet", "kettle", "island",
    "ribbon", "magnet", "tunnel", "candle", "garden", "bridge", "mirror", "pencil",
)  # fmt: skip
#: Words of the kind that the seed's topics are: what is said of them contradicts the seed.
LIKE_TOPICS = (
    "servers", "tasks", "pipelines", "records", "indexes", "schemas", "buckets", "clusters", "threads", "sockets",
    "streams", "modules", "scripts", "models", "images", "pages", "forms", "users", "roles", "groups", "keys", "alerts",
    "metrics", "charts", "emails", "jobs", "hooks", "nodes", "pods", "tags",
)  # fmt: skip
NEW = [f"flumber the {thing} wobbleton now" for thing in ("falcon", "cactus", "puddle", "tractor", "helmet")]


def taught(thing: str) -> str:
    return f"flumber the {thing} wobbleton now"


def seed_rows() -> list[dict[str, str]]:
    """Rows whose family is a topic in one type and language: what is held out of a training looks like the rest."""
    rows = []
    for place, ((label, language), phrases) in enumerate(PHRASES.items()):
        for at, topic in enumerate(TOPICS):
            doubtful = DOUBTFUL[language] if at % 5 == place // 2 else ()
            row = {"type": label, "language": language, "domain": topic, "family": f"{label} {language} {topic}"}
            rows += [{"text": phrase.format(topic)} | row for phrase in (*phrases, *doubtful)]
    return rows


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seed")
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in seed_rows())
    return folder


@pytest.fixture(scope="module")
def first(seed: Path, tmp_path_factory: pytest.TempPathFactory, run_command: Any) -> Path:
    """A data folder whose artifact was trained on the small seed alone."""
    data = tmp_path_factory.mktemp("first")
    out = data / "classifier_model.npz"
    done = run_command(data, "train", "--seed", str(seed), "--candidate", str(out))
    assert done.returncode == 0, done.stderr
    return data


@pytest.fixture
def data(first: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(first, tmp_path / "data"))


@pytest.fixture(scope="module")
def learnt(first: Path, seed: Path, tmp_path_factory: pytest.TempPathFactory, run_command: Any) -> Path:
    """The same folder after thirty people have corrected one turn each, and a training."""
    data = Path(shutil.copytree(first, tmp_path_factory.mktemp("learnt") / "data"))
    corrected(data, [(f"person-{place}", taught(thing)) for place, thing in enumerate(THINGS)])
    exported = run_command(data, "labels", "export", "--json")
    assert json.loads(exported.stdout)["written"] == len(THINGS), exported.stderr
    done = run_command(data, "train", "--seed", str(seed))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "promoted: " in done.stderr
    return data


def corrected(data: Path, turns: Sequence[tuple[str, str]], type_: QueryType = QueryType.PLATFORM) -> None:
    """Stores turns that layer 2 got wrong and their principals have corrected."""

    async def store_all() -> None:
        store = SqlSessionStore(data / "sessions.sqlite3")
        for place, (principal, text) in enumerate(turns):
            turn = TurnRecord(
                f"{principal}-{place}", principal, f"session-{place}", text, "An answer.", QueryType.RETRIEVAL,
                Layer.EMBEDDING, Outcome.COMPLETE, 1_790_000_000.0 + place,
            )  # fmt: skip
            await store.append(turn)
            await store.correct(principal, turn.turn_id, type_)
        await store.close()

    run_now(store_all)


def run_now(work: Callable[[], Awaitable[None]]) -> None:
    """Runs `work` to its end in a thread of its own: the caller may have an event loop already."""
    import threading

    failed: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work())  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failed, failed


def types_of(run_command: Any, data: Path, texts: Sequence[str]) -> list[str]:
    lines = "\n".join(json.dumps({"query": text}) for text in texts)
    done = run_command(data, "classify", "--jsonl", "-", stdin=lines)
    return [json.loads(line)["type"] for line in done.stdout.splitlines()]


async def until(client: AssistanceClient, service: Service, text: str, seen: Callable[[pb.Route], bool]) -> pb.Route:
    """Classifies ten times a second until the answer is the one waited for; the test's time limit ends it otherwise."""
    while not seen(route := await client.classify(text)):
        await asyncio.to_thread(service.wait, 0.1)
    return route


def artifact_of(route: pb.Route) -> str:
    return str(route.artifact_id)


def test_corrections_change_what_new_texts_of_the_family_are_taken_for(
    first: Path, learnt: Path, run_command: Any
) -> None:
    assert "PLATFORM" not in types_of(run_command, first, NEW)
    assert types_of(run_command, learnt, NEW) == ["PLATFORM"] * len(NEW)
    usual = ["What is storage?", "Escribe una función para tokens", "Thanks for tables!", "mi factura de cards"]
    assert types_of(run_command, learnt, usual) == ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]


def test_the_artifact_before_is_kept_and_the_labels_are_their_owners_alone(first: Path, learnt: Path) -> None:
    before = (first / "classifier_model.npz").read_bytes()
    assert (learnt / "classifier_model.npz.previous").read_bytes() == before
    (exported,) = (learnt / "classifier_labels").glob("labels-*.jsonl")
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600
    text = exported.read_text("utf-8")
    assert "person-" not in text
    assert "session-" not in text


def test_one_principals_labels_do_not_change_it(data: Path, seed: Path, run_command: Any) -> None:
    bills = [f"my bill for {thing}" for thing in THINGS]
    flood = bills[:25] + [f"{text} and {thing}" for text in bills[:25] for thing in ("rain", "snow", "hail")]
    corrected(data, [("mallory", text) for text in flood], QueryType.CONVERSATIONAL)
    exported = json.loads(run_command(data, "labels", "export", "--json").stdout)
    assert exported["written"] + exported["capped"] == 100
    of_type = sum(row.label == QueryType.CONVERSATIONAL.name for row in shipped_rows())
    assert exported["written"] <= of_type // 100 + 1
    out = data / "poisoned.npz"
    done = run_command(data, "train", "--seed", str(seed), "--candidate", str(out), "--json")
    report = json.loads(done.stdout)
    assert (report["labels"], report["fitted"]) == (0, 0)  # layer 2 is sure of another type, and nobody else says so
    assert report["left_out"]["alone"] == 1  # of a seed with fewer than 100 rows of the type
    shutil.move(out, data / "classifier_model.npz")
    assert types_of(run_command, data, bills) == ["PLATFORM"] * len(bills)


async def test_a_correction_over_the_wire_is_exported_scrubbed(data: Path, start: Any, run_command: Any) -> None:
    service = start(data)
    async with AssistanceClient(service.address) as client:
        answer = await client.ask("my name is Wanda Quill, flumber for wanda@example.org 5551234567?")
        await client.correct_turn(answer.turn_id, "PLATFORM")
        await client.ask("flumber the attic", query_type="PLATFORM")
    assert json.loads(run_command(data, "labels", "export", "--json").stdout)["written"] == 2
    assert run_command(data, "labels", "export").stdout.startswith("nothing new")
    await_text = (data / "classifier_labels" / "labels-1.jsonl").read_text("utf-8")
    assert not {"Wanda", "example.org", "5551234567", "local"} & set(await_text.replace('"', " ").split())


async def test_the_service_exports_by_itself_at_the_threshold(data: Path, start: Any) -> None:
    service = start(data, CLASSIFIER_EXPORT_THRESHOLD="2", CLASSIFIER_EXPORT_DIR=str(data / "elsewhere"))
    async with AssistanceClient(service.address) as client:
        for session in ("one", "two"):
            await client.ask("flumber the attic", session_id=session, query_type="PLATFORM")
        await until(client, service, "thanks", lambda _: (data / "elsewhere" / "labels-1.jsonl").exists())
        await until(client, service, "thanks", lambda _: "[labels] exported " in service.read_log())


async def test_the_running_service_takes_a_promoted_artifact_and_leaves_a_broken_one(
    data: Path, learnt: Path, start: Any
) -> None:
    service = start(data)
    target, spare = data / "classifier_model.npz", data / "spare.npz"
    async with AssistanceClient(service.address) as client:
        old = artifact_of(await client.classify(NEW[0]))
        shutil.copy(learnt / "classifier_model.npz", spare)
        os.replace(spare, target)  # noqa: PTH105
        route = await until(client, service, NEW[0], lambda route: artifact_of(route) != old)
        assert route.type == pb.PLATFORM
        promoted = artifact_of(route)
        spare.write_bytes(b"junk")
        os.replace(spare, target)  # noqa: PTH105
        await until(client, service, NEW[0], lambda _: "[classifier/L2] no model" in service.read_log())
        assert artifact_of(await client.classify(NEW[0])) == promoted
        assert await client.serving("classifier")


async def test_a_service_that_started_without_an_artifact_gets_one(data: Path, learnt: Path, start: Any) -> None:
    target, spare = data / "classifier_model.npz", data / "spare.npz"
    target.write_bytes(b"junk")
    service = start(data)
    async with AssistanceClient(service.address) as client:
        assert artifact_of(await client.classify(NEW[0])) == ""
        shutil.copy(learnt / "classifier_model.npz", spare)
        os.replace(spare, target)  # noqa: PTH105
        await until(client, service, NEW[0], lambda route: artifact_of(route) != "")


def test_replay_prints_the_flips_and_no_texts(learnt: Path, first: Path, run_command: Any) -> None:
    found = json.loads(
        run_command(learnt, "replay", "--artifact", str(learnt / "classifier_model.npz"), "--json").stdout
    )
    assert (found["turns"], found["mended"], found["broken"]) == (len(THINGS), len(THINGS), 0)
    assert found["counts"] == {"RETRIEVAL -> PLATFORM": len(THINGS)}
    assert "text" not in found["flips"][0]
    assert found["flips"][0]["source"] == "corrected"
    shown = run_command(learnt, "replay", "--artifact", str(learnt / "classifier_model.npz"), "--texts").stdout
    assert "wobbleton" in shown
    assert run_command(learnt, "replay", "--artifact", str(learnt / "sessions.sqlite3")).returncode == 2


def test_a_candidate_that_is_worse_is_refused_with_a_report(data: Path, seed: Path, run_command: Any) -> None:
    before = (data / "classifier_model.npz").read_bytes()
    phrases = PHRASES["PLATFORM", "en"] + PHRASES["PLATFORM", "es"]
    texts = [phrase.format(thing) for phrase in phrases for thing in LIKE_TOPICS]
    wrong = [(f"person-{place}", text) for place, text in enumerate(texts)]
    corrected(data, wrong, QueryType.CONVERSATIONAL)
    assert run_command(data, "labels", "export").returncode == 0
    done = run_command(data, "train", "--seed", str(seed), "--json")
    assert done.returncode == 1
    assert "stays as it is" in done.stderr
    gate = json.loads(done.stdout)["gate"]
    failed = {entry["name"]: entry["why"] for entry in gate["criteria"] if not entry["passed"]}
    assert not gate["promoted"]
    languages = {"macro_f1.en", "macro_f1.es"} & set(failed)  # either will do: one wrong label is not learnt as fast
    assert languages, gate["criteria"]
    assert all(failed[name].startswith("worse by ") for name in languages)
    assert (data / "classifier_model.npz").read_bytes() == before
