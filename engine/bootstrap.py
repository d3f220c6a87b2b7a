"""The composition root: settings in, a whole engine out. The only place that chooses a backend."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import classifier
from classifier.artifact import ArtifactError, read_artifact
from classifier.cascade import Cascade
from classifier.decision import DecisionLayer, Embedder
from classifier.linear import LinearLayer
from classifier.llm import ModelLayer
from classifier.prefix import PrefixLayer
from engine import telemetry
from engine.answer import AnswerEngine, Times
from engine.conversation.sql import SqlSessionStore
from engine.errors import ConfigurationError, EngineError
from engine.generation.extractive import ExtractiveAnswerer
from engine.graph import build_prepare_graph
from engine.nodes import Limits, Models, Nodes
from engine.retrieval.local import LocalIndex
from engine.retrieval.memo import MemoEmbedder
from engine.retrieval.onnx_embedder import OnnxEmbedder
from engine.rpc.server import GrpcServer
from engine.rpc.service import AssistanceService
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.generation.ollama import OllamaLabeller

#: The embedder that ships with the engine.
MODEL_DIR = Path(__file__).parent / "models" / "all-MiniLM-L6-v2"
CLASSIFIER_DATA = Path(classifier.__file__).parent / "data"
_DAY = 86_400
#: Seconds between looks for sessions that are too old.
_PURGE_EVERY = 3600.0

Check = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Routing:
    """The cascade with its layer 2.

    Attributes:
        layer2: None when its artifact was refused.
        artifact: Where the artifact came from, or why it was refused.
    """

    cascade: Cascade
    layer2: LinearLayer | None
    artifact: str
    labeller: OllamaLabeller | None = None

    async def check(self) -> None:
        """Raises `ConfigurationError` when layer 2 has no artifact: layers 1 and 3 go on alone."""
        if self.layer2 is None:
            raise ConfigurationError(f"layer 2 of the router is off: {self.artifact}")

    async def close(self) -> None:
        """Ends layer 2's worker and layer 3's connections."""
        if self.layer2 is not None:
            await self.layer2.close()
        if self.labeller is not None:
            await self.labeller.close()


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


def open_index(settings: Settings, embedder: Embedder, *, rebuild: bool = False) -> LocalIndex:
    """The embedded index; one to be rebuilt starts from nothing when documents are put in."""
    return LocalIndex(settings.index_dir, embedder, rebuild=rebuild)


def build_models(settings: Settings, embedder: Embedder) -> Models:
    """The two slots: Ollama's models where one is named, the extractive answerer otherwise."""
    extractive = ExtractiveAnswerer(embedder)
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


def build_routing(settings: Settings, embedder: Embedder) -> Routing:
    """The router: layers 1 and 2, and layer 3 where a model is configured."""
    layers: list[DecisionLayer] = [PrefixLayer.from_file(CLASSIFIER_DATA / "prefixes.json")]
    layer2, artifact = _embedding_layer(settings, embedder)
    if layer2 is not None:
        layers.append(layer2)
    labeller: OllamaLabeller | None = None
    if settings.light_model:
        from engine.generation.ollama import OllamaLabeller

        labeller = OllamaLabeller(settings.light_model, host=settings.ollama_host, num_ctx=settings.ollama_num_ctx)
        layers.append(ModelLayer(labeller))
    return Routing(Cascade(*layers), layer2, artifact, labeller)


def artifact_path(settings: Settings) -> Path:
    """The layer 2 artifact in use: the one named, else the trained one, else the shipped one."""
    if settings.classifier_model_path is not None:
        return settings.classifier_model_path
    trained = settings.engine_data_dir / "classifier_model.npz"
    return trained if trained.exists() else CLASSIFIER_DATA / "classifier_model.npz"


def _embedding_layer(settings: Settings, embedder: Embedder) -> tuple[LinearLayer | None, str]:
    path = artifact_path(settings)
    try:
        artifact = read_artifact(path, {embedder.id: embedder.dimensions})
    except ArtifactError as error:
        telemetry.logger().warning(telemetry.ARTIFACT_REFUSED.format(reason=error))
        return None, str(error)
    telemetry.logger().info(telemetry.ARTIFACT_LOADED.format(path=path))
    return LinearLayer(artifact, embedder, threshold=settings.classifier_confidence_threshold), str(path)


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
