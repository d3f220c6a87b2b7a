"""The composition root: settings in, a whole engine out. The only place that chooses a backend."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import classifier
from classifier.embedder import Embedder
from classifier.llm import TIMEOUT, ModelLayer
from classifier.prefix import PrefixLayer
from classifier.training.seed import counts, shipped_rows
from engine import telemetry
from engine.answering.admission import Admission
from engine.answering.engine import AnswerEngine, Times
from engine.answering.nodes import Limits, Models, Nodes
from engine.bootstrap.descriptors import server_limits
from engine.bootstrap.embedders import beside, build_embedder, build_reader, routing_embedder
from engine.bootstrap.identity import build_access, build_tls
from engine.bootstrap.sampling import sample_forever
from engine.bootstrap.serving import Servers
from engine.bootstrap.tools import build_workflow
from engine.bootstrap.traces import traces
from engine.conversation.followup.query_rewriting.model import SECONDS, ModelRewriter, Rewriter
from engine.conversation.store.locks import Leases
from engine.conversation.store.port import SessionStore
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.errors import EngineError
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic, asks_over_table
from engine.generation.grounding import Grounder
from engine.planning.fast_path import warm_up
from engine.retrieval.answerability import AnswerabilityReader
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Index
from engine.retrieval.sentences import SentenceVectors, StoredSentences
from engine.retrieval.whole_tables import WholeTables
from engine.routing.label_export import LabelExports
from engine.routing.router import ArtifactSource, Routing, build_router
from engine.rpc.server import GrpcServer
from engine.service.access import Access
from engine.service.library import Library
from engine.service.methods import AssistanceService
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.generation.ollama.served import Served
    from engine.retrieval.elastic.index import ElasticIndex

CLASSIFIER_DATA = classifier.DATA
_DAY = 86_400
#: Seconds between looks for sessions that are too old.
_PURGE_EVERY = 3600.0
#: Sentences whose vectors are kept for quoting: 12.6 MB. A passage that is quoted again is not encoded again.
_SENTENCES = 8192
#: Tokens of a question that a model puts anew.
_QUESTION_TOKENS = 128

Check = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Engine:
    """A whole engine, ready to answer.

    Attributes:
        checks: One per dependency, for the health service and `doctor`.
        served: The models in Ollama, where there are any.
        embedder: What texts are turned into vectors by.
        access: Says who calls and what they may.
        library: The documents of the index, for callers.
    """

    settings: Settings
    answers: AnswerEngine
    routing: Routing
    retriever: Index
    store: SqlSessionStore
    models: Models
    checks: dict[str, Check]
    served: Served | None = None
    embedder: Embedder | None = None
    access: Access = field(default_factory=Access)
    library: Library | None = None

    def servers(self, *, shared: bool = False) -> Servers:
        """The servers over this engine: gRPC, and the web where it is configured.

        Args:
            shared: Other processes listen on the same addresses.
        """
        grpc = self.server(shared=shared)
        return Servers(self.settings, self.service(), grpc, self.embedder, self.retriever, shared)

    def server(self, *, shared: bool = False) -> GrpcServer:
        """The gRPC server alone."""
        return GrpcServer(
            self.service(),
            address=self.settings.engine_grpc_address,
            checks=self.checks,
            reflection_on=self.settings.engine_reflection,
            tls=build_tls(self.settings),
            limits=server_limits(self.settings),
            shared=shared,
        )

    def service(self) -> AssistanceService:
        """What every transport serves."""
        return AssistanceService(
            self.answers,
            self.routing.cascade,
            self.store,
            self.settings.engine_golden_set,
            self.answers.leases,
            self.settings.engine_session_wait_seconds,
            self.access,
            library=self.library,
            artifact=lambda: self.routing.layer2.artifact if self.routing.layer2 else None,
        )

    async def background(self) -> None:
        """What goes on beside the calls; cancel it to end it.

        Models and tables are loaded ahead, old sessions forgotten, labels exported, promoted artifacts taken into use.
        """
        async with asyncio.TaskGroup() as group:
            if self.served is not None:
                group.create_task(self.served.warm_up())
            group.create_task(asyncio.to_thread(warm_up))
            group.create_task(self.purge_forever())
            exports = build_exports(self.settings, self.store)
            group.create_task(exports.forever(self.settings.classifier_export_threshold))
            group.create_task(self.routing.watch().forever())
            group.create_task(sample_forever(self.retriever.count))

    async def purge_forever(self) -> None:
        """Forgets sessions that nobody has used for ENGINE_SESSION_DAYS; cancel it to end it."""
        while True:
            try:
                await self.store.purge(time.time() - self.settings.engine_session_days * _DAY)
            except EngineError as error:  # tried again in an hour
                telemetry.logger().warning(telemetry.PURGE_FAILED, kind=type(error).__name__)
            await asyncio.sleep(_PURGE_EVERY)


def open_index(settings: Settings, embedder: Embedder, *, rebuild: bool = False) -> Index:
    """The index; one to be rebuilt starts from nothing when documents are put in.

    Raises:
        ConfigurationError: It was made by another embedder or version.
    """
    if settings.elasticsearch_url:
        return open_elastic_index(settings, embedder, rebuild=rebuild)
    return LocalIndex(settings.index_dir, embedder, rebuild=rebuild)


def open_elastic_index(settings: Settings, embedder: Embedder, *, rebuild: bool = False) -> ElasticIndex:
    """The index in Elasticsearch. A server that cannot be asked now is no reason not to start.

    Raises:
        ConfigurationError: It was made by another embedder or version.
    """
    from engine.retrieval.elastic.client import Connection
    from engine.retrieval.elastic.index import ElasticIndex

    key = settings.elasticsearch_api_key.get_secret_value()
    connection = Connection(settings.elasticsearch_url, settings.elasticsearch_index, key)
    opened = ElasticIndex(connection, embedder, rebuild=rebuild)
    if not rebuild:
        opened.check()
    return opened


def index_name(settings: Settings) -> str:
    """The index's name in the health service and in `doctor`."""
    return "elasticsearch" if settings.elasticsearch_url else "index"


def build_served(settings: Settings) -> Served | None:
    """The models in Ollama, shared by all who ask them; None where none is named."""
    if not settings.light_model:
        return None
    from engine.generation.ollama.residency import OllamaLimits
    from engine.generation.ollama.served import Served

    limits = OllamaLimits(
        load=settings.ollama_load_seconds,
        silence=settings.ollama_silence_seconds,
        first_word=settings.ollama_first_word_seconds,
        keep_alive=settings.ollama_keep_alive,
    )
    parallel = settings.ollama_num_parallel
    served = Served(settings.ollama_host, num_ctx=settings.ollama_num_ctx, limits=limits, parallel=parallel)
    for name in (settings.light_model, settings.ollama_model_name):  # known from the start, so that both are loaded
        if name:
            served.model(name)
    return served


def build_weighing(embedder: Embedder, stored: SentenceVectors | None = None) -> Embedder:
    """What sentences are compared by: those of the index are not encoded again."""
    weighing = MemoEmbedder(embedder, _SENTENCES, batches=True)
    return weighing if stored is None else StoredSentences(stored, weighing)


def build_models(settings: Settings, extractive: ExtractiveAnswerer, served: Served | None = None) -> Models:
    """The two slots: Ollama's models where one is named, the extractive answerer otherwise.

    Args:
        settings: Name the models.
        extractive: Answers without a model.
        served: The models in Ollama, where they are shared.
    """
    served = served or build_served(settings)
    if served is None:
        return Models(extractive, extractive)
    from engine.generation.ollama.chat import OllamaChatModel

    light = OllamaChatModel(served.model(settings.light_model), num_predict=settings.ollama_num_predict)
    if settings.ollama_model_name == settings.light_model:
        return Models(light, light)
    if not settings.ollama_model_name:
        return Models(extractive, light)
    main = OllamaChatModel(served.model(settings.ollama_model_name), num_predict=settings.ollama_num_predict)
    return Models(main, light)


def build_rewriter(settings: Settings, served: Served | None) -> Rewriter | None:
    """What puts follow-ups as questions of their own: the light model where there is one; None: rules."""
    if served is None:
        return None
    from engine.generation.ollama.chat import OllamaStructured

    return ModelRewriter(
        OllamaStructured(served.model(settings.light_model), num_predict=_QUESTION_TOKENS, within=SECONDS)
    )


def build_prefixes() -> PrefixLayer:
    """Layer 1 over the shipped prefixes."""
    return PrefixLayer.from_file(CLASSIFIER_DATA / "prefixes.json")


def build_routing(settings: Settings, embedder: Embedder, served: Served | None = None) -> Routing:
    """The router: layers 1 and 2, and layer 3 where a model is configured.

    Args:
        settings: Name the artifact and the models.
        embedder: As `build_embedder` makes it; or `training_embedder`'s, which layer 2 reads as it is.
        served: The models in Ollama, where they are shared.
    """
    bundled = beside(settings, embedder)
    routing = routing_embedder(artifact_path(settings), embedder, bundled)
    source = ArtifactSource(lambda: artifact_path(settings), routing, settings.classifier_confidence_threshold)
    reader = build_reader(settings, bundled, None if routing is embedder else routing)
    prefixes = build_prefixes()
    served = served or build_served(settings)
    if served is None:
        return build_router(source, prefixes, reader=reader)
    from engine.generation.ollama.chat import OllamaLabeller

    labeller = OllamaLabeller(served.model(settings.light_model), within=TIMEOUT)
    return build_router(source, prefixes, (ModelLayer(labeller),), (labeller.close,), reader)


def artifact_path(settings: Settings) -> Path:
    """The layer 2 artifact in use: the one named, else the trained one, else the shipped one."""
    if settings.classifier_model_path is not None:
        return settings.classifier_model_path
    trained = settings.engine_data_dir / "classifier_model.npz"
    return trained if trained.exists() else CLASSIFIER_DATA / "classifier_model.npz"


def open_store(settings: Settings) -> SqlSessionStore:
    """Where sessions are kept: in PostgreSQL where DATABASE_URL names one, in a SQLite file otherwise.

    Raises:
        ConfigurationError: The SQLite file cannot be opened.
    """
    if settings.database_url is None:
        return SqlSessionStore(settings.database_path)
    url = settings.database_url.get_secret_value()
    return SqlSessionStore(PostgresPlace(url, settings.database_pool_size, settings.database_timeout_seconds))


def build_exports(settings: Settings, store: SessionStore) -> LabelExports:
    """What exports labels of stored turns; a principal's share is counted against the shipped rows too."""
    return LabelExports(store, settings.labels_dir, lambda: counts(shipped_rows()))


@asynccontextmanager
async def without_embedder(settings: Settings) -> AsyncGenerator[dict[str, Check]]:
    """The checks of the parts that need no embedder, for `doctor` where there is none."""
    store, served = open_store(settings), build_served(settings)
    checks: dict[str, Check] = {"database": store.ping}
    if served is not None:
        checks["ollama"] = served.ping
    try:
        yield checks
    finally:
        if served is not None:
            await served.close()
        await store.close()


@asynccontextmanager
async def engine(
    settings: Settings, embedder: MemoEmbedder | None = None, models: Models | None = None
) -> AsyncGenerator[Engine]:
    """A whole engine, closed at the end: the parts last made first, also where making one fails.

    Args:
        settings: What is built.
        embedder: One that is loaded already.
        models: What answers, in place of what the settings name; closed with the engine.

    Raises:
        ConfigurationError: A file or folder is unusable; the message names it.
    """
    async with AsyncExitStack() as closing:
        access, access_checks = build_access(settings)
        embedder = embedder or build_embedder(settings)
        retriever = open_index(settings, embedder)
        closing.push_async_callback(retriever.close)
        store = open_store(settings)
        closing.push_async_callback(store.close)
        served = build_served(settings)
        sentences = build_weighing(embedder, retriever if isinstance(retriever, LocalIndex) else None)
        # What is asked of figures and rows is told by heads that are fitted to the bundled encoder.
        names = sentences if (bundled := beside(settings, embedder)) is embedder else build_weighing(bundled)
        figures, rows = AccountFigures(names), RowArithmetic(names)
        models = models or build_models(settings, ExtractiveAnswerer(sentences, figures, rows), served)
        closing.push_async_callback(models.close)
        routing = build_routing(settings, embedder, served)
        closing.push_async_callback(routing.close)
        workflow, close_tools = build_workflow(settings, retriever, served)
        closing.push_async_callback(close_tools)
        rewriter = build_rewriter(settings, served)
        if rewriter is not None:
            closing.push_async_callback(rewriter.close)
        parts = (routing.cascade, retriever, store, models, _limits(settings), workflow)
        reader = AnswerabilityReader(sentences)
        nodes = Nodes(
            *parts,
            rewriter=rewriter,
            answerability=reader,
            figures=figures,
            respelling=routing.respelt,
            tables=WholeTables(retriever, figures.asks_over_rows, rows.answers_over, asks_over_table, rows.rows_asked),
            catalogue=retriever,
        )
        answers = _answers(settings, nodes, store, sentences)
        checks: dict[str, Check] = {
            index_name(settings): retriever.ping,
            "database": store.ping,
            "classifier": routing.check,
            **access_checks,
            **({} if served is None else {"ollama": served.ping}),
        }
        uploads = None if settings.elasticsearch_url else settings.engine_data_dir / "uploads"
        library = Library(retriever, embedder.id, uploads)
        closing.push_async_callback(library.close)
        await closing.enter_async_context(traces(settings))
        yield Engine(settings, answers, routing, retriever, store, models, checks, served, embedder, access, library)


def _limits(settings: Settings) -> Limits:
    return Limits(
        passages=settings.engine_search_results,
        history_turns=settings.generator_history_turns,
        history_answer_chars=settings.generator_history_answer_chars,
        prompt_tokens=max(settings.ollama_num_ctx - settings.ollama_num_predict, 512),
    )


def _answers(settings: Settings, nodes: Nodes, store: SqlSessionStore, sentences: Embedder) -> AnswerEngine:
    return AnswerEngine(
        nodes,
        new_id=lambda: uuid.uuid4().hex,
        times=Times(settings.engine_deadline_seconds, settings.engine_session_wait_seconds),
        leases=Leases(store.locks),
        admission=Admission(settings.max_turns, settings.engine_queue, each=settings.engine_caller_turns),
        grounder=Grounder(sentences),
    )
