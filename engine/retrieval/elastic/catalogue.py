"""What documents a version in Elasticsearch holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from elasticsearch import Elasticsearch

from engine.domain import Passage
from engine.retrieval.elastic.client import Connection, translated, writing_client
from engine.retrieval.elastic.mapping import passage_key, passage_of
from engine.retrieval.elastic.versions import Versions
from engine.retrieval.ingestion.indexing import stored_document
from engine.retrieval.port import StoredDocument

#: Documents, or passages of one, that are listed by one request.
_PAGE = 1_000
#: Seconds for one of these requests.
_LISTING_SECONDS = 30.0


def documents_in(connection: Connection) -> list[StoredDocument]:
    """The documents of the version that is read, by name; none where there is no index.

    Raises:
        DependencyUnavailable: The server does not answer.
    """
    with translated(), writing_client(connection, _LISTING_SECONDS) as client:
        current = Versions(client, connection.index).look().current
        found = fingerprints_in(client, current.name) if current else ()
        listed = [stored_document(fingerprint, count) for fingerprint, count, _ in found]
    return sorted(listed, key=lambda document: (document.name, document.source))


def passages_in(connection: Connection, document: StoredDocument) -> list[Passage]:
    """The passages of one of `documents_in`, in their order; none when it has left or changed meanwhile.

    Raises:
        DependencyUnavailable: The server does not answer.
    """
    found: list[Passage] = []
    with translated(), writing_client(connection, _LISTING_SECONDS) as client:
        current = Versions(client, connection.index).look().current
        if current is None:
            return []
        for start in range(0, document.passages, _PAGE):
            keys = [passage_key(document.source, place) for place in range(start, document.passages)[:_PAGE]]
            answer = client.mget(index=current.name, ids=keys, source=["shown", "fingerprint"])
            held = [one["_source"] for one in answer["docs"] if one.get("found")]
            found += [passage_of(s["shown"], 0.0) for s in held if s["fingerprint"] == document.fingerprint]
    return found


def fingerprints_in(client: Elasticsearch, name: str) -> Iterator[tuple[str, int, int]]:
    """Each fingerprint with the passages that are there, and those that should be."""
    after: dict[str, Any] = {}
    while True:
        listing = {
            "composite": {"size": _PAGE, "sources": [{"fingerprint": {"terms": {"field": "fingerprint"}}}]} | after,
            "aggs": {"parts": {"max": {"field": "parts"}}},
        }
        answer = client.search(index=name, size=0, track_total_hits=False, aggs={"documents": listing})
        found = answer["aggregations"]["documents"]
        for bucket in found["buckets"]:
            yield bucket["key"]["fingerprint"], int(bucket["doc_count"]), int(bucket["parts"]["value"])
        if "after_key" not in found:
            return
        after = {"after": found["after_key"]}
