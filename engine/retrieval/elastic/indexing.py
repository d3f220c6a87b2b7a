"""Filling the index in Elasticsearch, checking it, and going back to what it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elastic_transport import TransportError
from elasticsearch import ApiError

from classifier.embedder import Embedder
from engine.errors import ConfigurationError
from engine.retrieval.elastic.client import Connection, translated, writing_client
from engine.retrieval.elastic.lease import WriterLease
from engine.retrieval.elastic.mapping import ELASTIC_SCHEMA
from engine.retrieval.elastic.versions import Version, Versions
from engine.retrieval.elastic.writer import VersionWriter
from engine.retrieval.ingestion.indexing import index_documents
from engine.retrieval.manifest import Manifest
from engine.retrieval.port import Document, IndexReport, LeftOut, ProgressBar

#: Seconds for one request that writes: a bulk of passages, a copy of an index.
_WRITE_SECONDS = 120.0
#: Seconds for a look at start; a server that is not there must not hold the start up.
_LOOK_SECONDS = 2.0


def wanted_manifest(embedder: Embedder) -> Manifest:
    """What a version made now, with `embedder`, would say."""
    return Manifest("", embedder.id, embedder.dimensions, ELASTIC_SCHEMA)


def refusal(name: str, found: Manifest, wanted: Manifest) -> str:
    """Why the version `name` cannot be used, with the mend; empty when it can."""
    differences = found.differences(wanted)
    mend = "Build it anew: `assistance-engine index --rebuild PATH...`; what is there now is kept until that has ended."
    return f"The index {name} has {', '.join(differences)}. {mend}" if differences else ""


def check_index(connection: Connection, embedder: Embedder) -> str:
    """The version that is read now; empty when there is none, or when the server cannot be asked now.

    Raises:
        ConfigurationError: It was made by another embedder or version; names the mend.
    """
    try:
        with writing_client(connection, _LOOK_SECONDS) as client:
            current = Versions(client, connection.index).look().current
    except (TransportError, ApiError):
        return ""
    _refuse(current, wanted_manifest(embedder))
    return current.name if current else ""


def index_into(
    connection: Connection,
    embedder: Embedder,
    documents: Iterable[Document | LeftOut],
    *,
    roots: Sequence[str],
    progress: ProgressBar | None,
    rebuild: bool,
) -> IndexReport:
    """Brings the index to the state of `documents`; see `Indexer.index`.

    Raises:
        DependencyUnavailable: The server refuses, or somebody else is writing.
        ConfigurationError: The index was made by another embedder or version.
    """
    wanted = wanted_manifest(embedder)
    with (
        translated(),
        writing_client(connection, _WRITE_SECONDS) as client,
        WriterLease(client, connection.index) as lease,
    ):
        versions = Versions(client, connection.index)
        if not rebuild:
            _refuse(versions.look().current, wanted)
        writer = VersionWriter(client, versions, wanted, rebuild=rebuild, confirm=lease.confirm)
        report = index_documents(writer, embedder, documents, roots, progress)
        writer.publish()
    return report


def roll_back(connection: Connection, embedder: Embedder) -> str:
    """Reads the former version again; doing it twice is doing nothing.

    Returns:
        The version that is read now.

    Raises:
        ConfigurationError: There is none, or it was made by another embedder or version.
        DependencyUnavailable: The server refuses, or somebody is writing.
    """
    with (
        translated(),
        writing_client(connection, _WRITE_SECONDS) as client,
        WriterLease(client, connection.index),
    ):
        versions = Versions(client, connection.index)
        state = versions.look()
        if state.former is None:
            raise ConfigurationError(f"There is no former version of the index {connection.index} to go back to.")
        _refuse(state.former, wanted_manifest(embedder))
        versions.roll_back(state)
    return state.former.name


def _refuse(version: Version | None, wanted: Manifest) -> None:
    problem = refusal(version.name, version.manifest, wanted) if version else ""
    if problem:
        raise ConfigurationError(problem)
