"""The composition root: settings in, a whole engine out. The only place that chooses a backend."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import classifier
from classifier.decision import Embedder
from classifier.gloss import Gloss, words
from classifier.llm import ModelLayer
from classifier.prefix import PrefixLayer
from classifier.seed import counts, shipped_rows
from engine import telemetry
from engine.answer import AnswerEngine, Times
from engine.conversation.sql import SqlSessionStore
from engine.conversation.store import SessionStore
from engine.errors import EngineError
from engine.generation.extractive import ExtractiveAnswerer
from engine.graph import build_prepare_graph
from engine.language import Language, language_of
from engine.learning import LabelExports
from engine.nodes import Limits, Models, Nodes
from engine.retrieval.local import LocalIndex
from engine.retrieval.memo import MemoEmbedder
from engine.retrieval.onnx_embedder import OnnxEmbedder
from engine.router import ArtifactSource, Routing, build_router
from engine.rpc.server import GrpcServer
from engine.rpc.service import AssistanceService
from engine.settings import Settings

#: The embedder that ships with the engine.
MODEL_DIR = Path(__file__).parent / "models" / "all-MiniLM-L6-v2"
CLASSIFIER_DATA = Path(classifier.__file__).parent / "data"
_DAY = 86_400
#: Seconds between looks for sessions that are too old.
_PURGE_EVERY = 3600.0

Check = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Engine:
    """A whole engine, ready to answer.

    Attributes:
        checks: One per dependency, for the health service and `doctor`.
    """

    settings: Settings
    answers: AnswerEngine
    routing: Routing
    retriever: LocalIndex
    store: SqlSessionStore
    models: Models
    checks: dict[str, Check]

    def server(self) -> GrpcServer:
        """The gRPC server over this engine."""
        service = AssistanceService(self.answers, self.routing.cascade, self.store, self.settings.engine_golden_set)
        return GrpcServer(
            service,
            address=self.settings.engine_grpc_address,
            checks=self.checks,
            reflection_on=self.settings.engine_reflection,
        )

    async def background(self) -> None:
        """What goes on beside the calls: forgetting, exporting labels, watching for an artifact. Cancel it to end."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.purge_forever())
            exports = build_exports(self.settings, self.store)
            group.create_task(exports.forever(self.settings.classifier_export_threshold))
            group.create_task(self.routing.watch().forever())

    async def purge_forever(self) -> None:
        """Forgets sessions that nobody has used for ENGINE_SESSION_DAYS; cancel it to end it."""
        while True:
            try:
                await self.store.purge(time.time() - self.settings.engine_session_days * _DAY)
            except EngineError as error:  # tried again in an hour
                telemetry.logger().warning(telemetry.PURGE_FAILED, kind=type(error).__name__)
            await asyncio.sleep(_PURGE_EVERY)


def build_embedder(settings: Settings) -> MemoEmbedder:
    """The bundled embedder, loaded; a text is embedded once for the router and the retriever."""
    threads = settings.engine_threads or min(os.cpu_count() or 1, 4)
    embedder = OnnxEmbedder(MODEL_DIR, threads)
    embedder.warm_up()
    return MemoEmbedder(embedder)


@cache
def build_gloss() -> Callable[[str], str]:
    """Spanish in English, word by word, for the bundled embedder; empty for a text that is not Spanish."""
    table = Gloss.from_json((CLASSIFIER_DATA / "gloss.json").read_bytes())

    def gloss(text: str) -> str:
        return " ".join(table.translate(words(text))) if language_of(text) is Language.SPANISH else ""

    return gloss


def open_index(settings: Settings, embedder: Embedder, *, rebuild: bool = False) -> LocalIndex:
    """The embedded index; one to be rebuilt starts from nothing when documents are put in."""
    return LocalIndex(settings.index_dir, embedder, rebuild=rebuild, gloss=build_gloss())


def build_models(settings: Settings, embedder: Embedder) -> Models:
    """The two slots: Ollama's models where one is named, the extractive answerer otherwise."""
    extractive = ExtractiveAnswerer(embedder, build_gloss())
    if not settings.light_model:
        return Models(extractive, extractive)
    from engine.generation.ollama import OllamaChatModel

    def model(name: str) -> OllamaChatModel:
        return OllamaChatModel(
            name,
            host=settings.ollama_host,
            num_ctx=settings.ollama_num_ctx,
            num_predict=settings.ollama_num_predict,
        )

    light = model(settings.light_model)
    if not settings.ollama_model_name:
        return Models(extractive, light)
    same = settings.ollama_model_name == settings.light_model
    return Models(light if same else model(settings.ollama_model_name), light)


def build_prefixes() -> PrefixLayer:
    """Layer 1 over the shipped prefixes."""
    return PrefixLayer.from_file(CLASSIFIER_DATA / "prefixes.json")


def build_routing(settings: Settings, embedder: Embedder) -> Routing:
    """The router: layers 1 and 2, and layer 3 where a model is configured."""
    source = ArtifactSource(lambda: artifact_path(settings), embedder, settings.classifier_confidence_threshold)
    prefixes = build_prefixes()
    if not settings.light_model:
        return build_router(source, prefixes)
    from engine.generation.ollama import OllamaLabeller

    labeller = OllamaLabeller(settings.light_model, host=settings.ollama_host, num_ctx=settings.ollama_num_ctx)
    return build_router(source, prefixes, (ModelLayer(labeller),), (labeller.close,))


def artifact_path(settings: Settings) -> Path:
    """The layer 2 artifact in use: the one named, else the trained one, else the shipped one."""
    if settings.classifier_model_path is not None:
        return settings.classifier_model_path
    trained = settings.engine_data_dir / "classifier_model.npz"
    return trained if trained.exists() else CLASSIFIER_DATA / "classifier_model.npz"


def build_exports(settings: Settings, store: SessionStore) -> LabelExports:
    """What exports labels of stored turns; a principal's share is counted against the shipped rows too."""
    return LabelExports(store, settings.labels_dir, lambda: counts(shipped_rows(CLASSIFIER_DATA)))


@asynccontextmanager
async def engine(settings: Settings) -> AsyncGenerator[Engine]:
    """A whole engine, closed at the end.

    Raises:
        ConfigurationError: A file or folder is unusable; the message names it.
    """
    embedder = build_embedder(settings)
    retriever = open_index(settings, embedder)
    store = SqlSessionStore(settings.database_path)
    models = build_models(settings, embedder)
    routing = build_routing(settings, embedder)
    limits = Limits(
        passages=settings.engine_search_results,
        history_turns=settings.generator_history_turns,
        history_answer_chars=settings.generator_history_answer_chars,
        prompt_tokens=max(settings.ollama_num_ctx - settings.ollama_num_predict, 512),
    )
    graph = build_prepare_graph(Nodes(routing.cascade, retriever, store, models, limits))
    times = Times(settings.engine_deadline_seconds, settings.engine_session_wait_seconds)
    answers = AnswerEngine(graph, models, store, new_id=lambda: uuid.uuid4().hex, times=times)
    checks: dict[str, Check] = {"index": retriever.ping, "database": store.ping, "classifier": routing.check}
    if settings.light_model:
        checks["ollama"] = models.ping
    try:
        yield Engine(settings, answers, routing, retriever, store, models, checks)
    finally:
        await routing.close()
        await models.close()
        await retriever.close()
        await store.close()
