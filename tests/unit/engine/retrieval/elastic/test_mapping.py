from __future__ import annotations

import base64
import json

import numpy as np
import pytest
import tantivy

from engine.domain import Passage
from engine.retrieval.analysis import build_query, build_schema, register_analysers, stored_passage
from engine.retrieval.elastic import mapping as em
from engine.retrieval.manifest import Manifest
from engine.retrieval.port import Chunk

VECTOR = np.array([1.0, 0.0], dtype=np.float32)


def chunk(text: str, title: str = "Guide", heading: str = "Variables") -> Chunk:
    return Chunk(Passage("id-1", "guide.md", title, heading, text), f"{heading}\n{text}")


def stored(text: str, **names: str) -> dict[str, object]:
    return em.stored(chunk(text, **names), VECTOR, "fp", 3)


def test_terms_are_what_the_embedded_index_makes_of_the_text() -> None:
    """Every term that a query names finds the passage in tantivy exactly where it stands in the stored field."""
    texts = ["Declaring variables with addVar(name)", "Las variables se declaran", "snake_case and HTTPServer2"]
    schema = build_schema()
    index = tantivy.Index(schema)
    register_analysers(index)
    writer = index.writer()
    for key, text in enumerate(texts):
        writer.add_document(stored_passage(chunk(text).passage, chunk(text).searchable, "fp", key))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    for field in ("english", "spanish", "heading_words", "identifier"):
        for key, text in enumerate(texts):
            for term in str(stored(text)[field]).split():
                if term == "\u00b7":
                    continue
                query = tantivy.Query.term_query(schema, field, term)
                addresses = [address for _, address in searcher.search(query, limit=10).hits]
                assert key in searcher.fast_field_values("key", addresses), (field, term)


def test_a_query_names_the_terms_and_weights_that_tantivy_is_asked_for() -> None:
    body = em.text_search("How is addVar declared?", 7)
    assert body
    clauses = body["query"]["bool"]["should"]
    named = {(field, term["value"]): term["boost"] for one in clauses for field, term in one["term"].items()}
    assert named["english", "declar"] == 1.0
    assert named["identifier", "addvar"] == 1.0
    assert named["heading_words", "var"] == 0.3
    assert body["size"] == 7
    query = str(build_query(build_schema(), "How is addVar declared?"))
    assert query.count("TermQuery") == len(clauses)


@pytest.mark.parametrize("query", ["", "???", "()", '"'])
def test_a_query_without_words_asks_nothing(query: str) -> None:
    assert em.text_search(query, 5) is None


def test_a_passage_without_names_in_code_has_a_sign_in_their_place() -> None:
    assert stored("nothing of that kind", heading="plain", title="plain")["identifier"] == "\u00b7"
    assert stored("addVar")["identifier"] == "addvar"


def test_what_is_shown_comes_back_as_it_was() -> None:
    document = json.loads(json.dumps(stored("texto ñ 日本")))
    passage = em.passage_of(document["shown"], 0.5)
    assert passage == Passage("id-1", "guide.md", "Guide", "Variables", "texto ñ 日本", score=0.5)
    assert (document["fingerprint"], document["parts"]) == ("fp", 3)


def test_lone_surrogates_are_replaced() -> None:
    json.dumps(stored("a\ud800b", title="\udfff"), ensure_ascii=False).encode()


def test_vectors_travel_as_big_endian_floats() -> None:
    assert base64.b64decode(str(stored("x")["vector"])) == VECTOR.astype(">f4").tobytes()


def test_index_options_are_pinned() -> None:
    vector = em.mapping({}, 384)["properties"]["vector"]
    assert vector["dims"] == 384
    assert vector["similarity"] == "cosine"
    assert vector["index_options"] == {"type": "hnsw", "m": 16, "ef_construction": 200}


def test_unknown_fields_are_refused_and_terms_not_stored_twice() -> None:
    mapping = em.mapping({"embedder": "e"}, 2)
    assert mapping["dynamic"] == "strict"
    assert mapping["_meta"] == {"embedder": "e"}
    assert set(mapping["_source"]["excludes"]) == {"english", "spanish", "heading_words", "identifier"}
    assert set(stored("x")) == set(mapping["properties"])


def test_meta_says_what_a_manifest_says() -> None:
    manifest = Manifest("x-v3", "e", 64, em.ELASTIC_SCHEMA)
    meta = em.meta_of(manifest, "x-v2", rebuild=True)
    assert em.manifest_of("x-v3", meta) == manifest
    assert (meta["base"], meta["rebuild"]) == ("x-v2", True)
    assert em.meta_of(manifest, None, rebuild=False)["base"] == ""


@pytest.mark.parametrize("meta", [{}, {"dimensions": "many"}, {"schema": None, "embedder": 3}])
def test_meta_of_somebody_else_is_different(meta: dict[str, object]) -> None:
    found = em.manifest_of("x-v1", meta)
    assert found.differences(Manifest("", "e", 64, em.ELASTIC_SCHEMA))


def test_passage_keys_are_the_same_in_every_run_and_differ_by_source_and_place() -> None:
    assert em.passage_key("/a", 0) == em.passage_key("/a", 0)
    assert len({em.passage_key(source, place) for source in ("/a", "/b") for place in range(3)}) == 6


def test_the_dense_search_looks_at_more_neighbours_than_it_returns() -> None:
    knn = em.dense_search(VECTOR, 100)["knn"]
    assert (knn["k"], knn["num_candidates"]) == (100, 300)
    assert em.dense_search(VECTOR, 9_000)["knn"]["num_candidates"] == 10_000


@pytest.mark.parametrize(("score", "cosine"), [(1.0, 1.0), (0.5, 0.0), (0.0, -1.0)])
def test_scores_are_cosines(score: float, cosine: float) -> None:
    assert em.cosine_of(score) == cosine
