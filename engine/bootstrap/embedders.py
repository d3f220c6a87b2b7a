"""What turns texts into vectors: for the search, for the router's layer 2, and for a training of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import classifier
from classifier.embedder import Embedder
from classifier.linear.artifact import ArtifactError, read_artifact
from classifier.relation.head import Encoders
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.conversation_heads import EncoderHeads, load_heads
from engine.routing.fitted_layers import IntentEmbedder, RelationLayers
from engine.settings import Settings

#: The embedder that ships with the engine.
MODEL_DIR = Path(__file__).parents[1] / "models" / "multilingual-e5-small"
HELD_OUT = classifier.DATA / "held_out.npz"
HELD_OUT_RELATIONS = classifier.DATA / "held_out_relations.npz"


def build_embedder(settings: Settings, *, load: bool = True) -> MemoEmbedder:
    """The embedder of EMBEDDING_MODEL, or the bundled one. A text is embedded once for router and retriever.

    Args:
        settings: Name it.
        load: Now. Otherwise the bundled one is loaded by the first text, where there may be none to embed.

    Raises:
        ConfigurationError: It cannot be loaded; the message has the mend.
    """
    if not settings.embedding_model:
        return _bundled(settings.engine_threads, load=load)
    from engine.retrieval.embedding.sentence_transformers import TransformersEmbedder

    chosen = TransformersEmbedder(settings.embedding_model, settings.embedding_device)
    chosen.warm_up()
    return MemoEmbedder(chosen)


def beside(settings: Settings, embedder: Embedder) -> Embedder:
    """The bundled embedder, loaded once more only where EMBEDDING_MODEL has put another one in its place.

    Args:
        settings: Name the embedder of the search.
        embedder: As `build_embedder` makes it.
    """
    return _second(settings.engine_threads) if settings.embedding_model else embedder


def routing_embedder(artifact: Path, embedder: Embedder, bundled: Embedder) -> Embedder:
    """What layer 2 reads: the bundled embedder with intent, until it is trained for the one EMBEDDING_MODEL names.

    Args:
        artifact: Says what layer 2 was trained for.
        embedder: Of the search.
        bundled: As `beside` gives it.
    """
    if bundled is embedder:
        return _with_intent(embedder)
    intents = _with_intent(bundled)
    try:
        return intents if read_artifact(artifact).card.embedder == intents.id else embedder
    except ArtifactError:
        return embedder  # it is refused, with its reason, by whoever reads it next


def build_reader(settings: Settings, bundled: Embedder, intents: Embedder | None = None) -> EncoderHeads | None:
    """What reads messages in their conversations: heads on the bundled embedder; None where it is another one.

    Args:
        settings: Name the folder of a head that was trained.
        bundled: As `beside` gives it.
        intents: It with intent, where layer 2 reads that; None: one of the reader's own.
    """
    encoder = bundled.inner if isinstance(bundled, MemoEmbedder) else bundled
    if not isinstance(encoder, OnnxEmbedder):
        return None
    encoders = relation_encoders(encoder, bundled, intents)
    return load_heads(classifier.DATA / "dialogue_acts.npz", relations_path(settings), encoders)


def relation_encoders(
    encoder: OnnxEmbedder, queries: Embedder | None = None, intents: Embedder | None = None
) -> Encoders:
    """What the heads read messages by.

    Args:
        encoder: The bundled one.
        queries: It where it remembers what it was asked; None: `encoder`.
        intents: It with intent, where there is one already.
    """
    queries = queries or encoder
    return Encoders(queries, intents or _with_intent(queries), RelationLayers(encoder, HELD_OUT_RELATIONS))


def relations_path(settings: Settings) -> Path:
    """The head of the relations in use: the trained one, else the shipped one."""
    trained = trained_relations(settings)
    return trained if trained.exists() else classifier.DATA / trained.name


def trained_relations(settings: Settings) -> Path:
    """Where a head of the relations that was trained here is kept."""
    return settings.engine_data_dir / "relations.npz"


def training_embedder(settings: Settings) -> Embedder:
    """What layer 2 is trained on: the embedder of EMBEDDING_MODEL, or the bundled one with intent; loaded.

    Raises:
        ConfigurationError: It cannot be loaded; the message has the mend.
    """
    return _with_intent(build_embedder(settings).inner)


def _with_intent(embedder: Embedder) -> Embedder:
    """The layers that were fitted to the types, where `embedder` is the bundled one; any other as it is."""
    if isinstance(embedder, MemoEmbedder) and isinstance(embedder.inner, OnnxEmbedder):
        return MemoEmbedder(IntentEmbedder(embedder.inner, HELD_OUT, embedder.embed_queries))
    return IntentEmbedder(embedder, HELD_OUT) if isinstance(embedder, OnnxEmbedder) else embedder


def bundled_encoder(settings: Settings) -> OnnxEmbedder:
    """The encoder that ships with the engine, on as many threads as the settings say; not loaded."""
    return OnnxEmbedder(MODEL_DIR, settings.engine_threads)


def _bundled(threads: int, *, load: bool = True) -> MemoEmbedder:
    embedder = OnnxEmbedder(MODEL_DIR, threads)
    if load:
        embedder.warm_up()
    return MemoEmbedder(embedder)


#: The bundled encoder beside another one: one for the router and for figures.
_second = lru_cache(1)(_bundled)
