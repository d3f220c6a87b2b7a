"""The bundled encoder, as what is fitted to its vectors reads it."""

from __future__ import annotations

from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder

#: Vectors that are kept: a fit reads its texts many times.
_KEPT = 65_536


def bundled() -> MemoEmbedder:
    """The encoder of `MODEL_DIR`; each text is encoded once."""
    return MemoEmbedder(OnnxEmbedder(MODEL_DIR), _KEPT, batches=True)
