"""A passage as Elasticsearch keeps it, and the searches that find it.

Analysis is ours on both sides (docs/adr/0010-elasticsearch.md): a field of a language holds the terms that the
analysers of the embedded index yield for it, separated by blanks, and the query names terms. So both indexes score
alike, whatever plug-ins and versions the server has: measured on the golden set, the ten best of
either half and of both are the same, where the server's `english` and `spanish` analysers change one in twenty, and up
to two of ten.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from elasticsearch.helpers import pack_dense_vector
from numpy.typing import NDArray

from engine.domain import Passage
from engine.retrieval.analysis import passage_terms, query_terms, well_formed
from engine.retrieval.manifest import Manifest
from engine.retrieval.port import Chunk

#: Of the mapping, the terms and the chunking: an index of another version must be built anew.
ELASTIC_SCHEMA = 1

#: Neighbours looked at for each that is wanted. Measured with the graph below on 5,000 passages of fiqa and
#: 180 questions: of the exact first ten .9994 are found, of the first hundred .9963; with 1 for 3, .9983 and .9677.
_OVERSAMPLING = 3
#: A passage without names in code gets this in their field: the server counts, for idf and for the average length, only
#: passages that have the field, tantivy counts all.
_NO_NAME = "\u00b7"

#: The field of one language's terms, or of other terms: split at blanks, how often but not where.
_TERMS = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
_TERM_FIELDS = ("english", "spanish", "heading_words", "identifier")

#: Settings of every version. One shard: term statistics are the index's, and a refresh shows all or nothing. Nothing is
#: shown before it is asked for. A second node, where there is one, holds a copy.
SETTINGS: dict[str, Any] = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1"}


def mapping(meta: dict[str, Any], dimensions: int) -> dict[str, Any]:
    """The mapping of a version.

    `index_options` are pinned because their default changes with the server's version and licence. float32 as in the
    embedded index: the scores are the cosines themselves and need no rescoring. A graph, as scanning would cost 100
    times as much from some 100,000 passages on, which is what this index is for.

    Args:
        meta: See `meta_of`.
        dimensions: Length of a vector.
    """
    return {
        "dynamic": "strict",
        "_meta": meta,
        # The terms can be had from the text again; they need not be stored beside it.
        "_source": {"excludes": list(_TERM_FIELDS)},
        "properties": {
            **dict.fromkeys(_TERM_FIELDS, _TERMS),
            "shown": {"type": "object", "enabled": False},
            "fingerprint": {"type": "keyword"},
            "parts": {"type": "integer"},
            "vector": {
                "type": "dense_vector",
                "dims": dimensions,
                "index": True,
                "similarity": "cosine",
                "index_options": {"type": "hnsw", "m": 16, "ef_construction": 200},
            },
        },
    }


def meta_of(manifest: Manifest, base: str | None, *, rebuild: bool) -> dict[str, Any]:
    """What a version says of itself.

    Args:
        manifest: Whose vectors it holds.
        base: The version that it was made from, or is to replace.
        rebuild: It was begun empty.
    """
    return {
        "embedder": manifest.embedder,
        "dimensions": manifest.dimensions,
        "schema": manifest.schema,
        "base": base or "",
        "rebuild": rebuild,
    }


def manifest_of(index: str, meta: dict[str, Any]) -> Manifest:
    """What `_meta` of the version `index` says; fields that are not there show as differences."""
    try:
        dimensions, schema = int(meta.get("dimensions", 0)), int(meta.get("schema", 0))
    except (TypeError, ValueError):
        dimensions = schema = 0
    return Manifest(index, str(meta.get("embedder", "")), dimensions, schema)


def passage_key(source: str, place: int) -> str:
    """The `_id` of a document's passage at `place`: the same in every run, so that writing twice is writing once."""
    return f"{hashlib.sha256(source.encode()).hexdigest()[:32]}-{place}"


def stored(chunk: Chunk, vector: NDArray[np.float32], fingerprint: str, parts: int) -> dict[str, Any]:
    """A passage as it is sent.

    Args:
        chunk: Its score is not kept.
        vector: Shape (dimensions,), unit length.
        fingerprint: Of the document that it is from.
        parts: Passages of that document: a document with fewer was cut off.
    """
    passage = chunk.passage
    terms = passage_terms(passage, chunk.searchable)
    return {
        **{name: " ".join(terms[name]) for name in _TERM_FIELDS},
        "identifier": " ".join(terms["identifier"]) or _NO_NAME,
        "shown": {
            "id": well_formed(passage.id),
            "document": well_formed(passage.document),
            "title": well_formed(passage.title),
            "heading": well_formed(passage.heading),
            "text": well_formed(passage.text),
        },
        "fingerprint": fingerprint,
        "parts": parts,
        "vector": pack_dense_vector(vector),
    }


def passage_of(shown: dict[str, Any], score: float) -> Passage:
    """A stored passage, with the score that a search gave it."""
    return Passage(shown["id"], shown["document"], shown["title"], shown["heading"], shown["text"], score=score)


def text_search(text: str, size: int) -> dict[str, Any] | None:
    """The search of the text half: any of the terms, in any field; None when `text` holds no word."""
    terms = [{"term": {name: {"value": term, "boost": weight}}} for name, term, weight in query_terms(text)]
    return _search({"query": {"bool": {"should": terms}}}, size) if terms else None


def dense_search(vector: NDArray[np.float32], size: int) -> dict[str, Any]:
    """The search of the dense half for `vector`, shape (dimensions,)."""
    candidates = min(size * _OVERSAMPLING, 10_000)
    knn = {"field": "vector", "query_vector": vector.tolist(), "k": min(size, 10_000), "num_candidates": candidates}
    return _search({"knn": knn}, size)


def cosine_of(score: float) -> float:
    """The cosine that the server's score stands for: it adds 1 and halves, so that no score is negative."""
    return 2.0 * score - 1.0


def _search(question: dict[str, Any], size: int) -> dict[str, Any]:
    return {**question, "size": size, "_source": ["shown"], "track_total_hits": False}
