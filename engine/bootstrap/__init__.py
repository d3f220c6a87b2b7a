"""The composition root: settings in, a whole engine out. The only place that chooses a backend."""

from __future__ import annotations

from engine.bootstrap.assembly import (
    CLASSIFIER_DATA,
    Check,
    Engine,
    artifact_path,
    build_exports,
    build_models,
    build_prefixes,
    build_routing,
    build_served,
    engine,
    index_name,
    open_elastic_index,
    open_index,
    open_store,
    without_embedder,
)
from engine.bootstrap.embedders import (
    HELD_OUT,
    HELD_OUT_RELATIONS,
    MODEL_DIR,
    beside,
    build_embedder,
    build_reader,
    relation_encoders,
    trained_relations,
    training_embedder,
)

__all__ = [
    "CLASSIFIER_DATA",
    "HELD_OUT",
    "HELD_OUT_RELATIONS",
    "MODEL_DIR",
    "Check",
    "Engine",
    "artifact_path",
    "beside",
    "build_embedder",
    "build_exports",
    "build_models",
    "build_prefixes",
    "build_reader",
    "build_routing",
    "build_served",
    "engine",
    "index_name",
    "open_elastic_index",
    "open_index",
    "open_store",
    "relation_encoders",
    "trained_relations",
    "training_embedder",
    "without_embedder",
]
