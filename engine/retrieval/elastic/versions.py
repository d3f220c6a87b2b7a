"""The versions of an index: which one is read, which one was read before, and which one is being made.

A version is an index of the server, `name-v7`; it is never changed once it is read. Two aliases say which is which:
`name` leads to the version that is read, `name-former` to the one to go back to. The server changes both in one step,
so there is no moment without an index, and no second record that could disagree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from engine.errors import ConfigurationError
from engine.retrieval.elastic.mapping import SETTINGS, manifest_of, mapping
from engine.retrieval.manifest import Manifest

#: Time that the server may take to make a version ready.
_READY_WITHIN = "60s"


@dataclass(frozen=True, slots=True)
class Version:
    """One version.

    Attributes:
        name: Of the server's index.
        number: Counts up.
        meta: What it says of itself (`mapping.meta_of`).
    """

    name: str
    number: int
    meta: Mapping[str, Any]

    @property
    def manifest(self) -> Manifest:
        """Whose vectors it holds."""
        return manifest_of(self.name, dict(self.meta))


@dataclass(frozen=True, slots=True)
class State:
    """What there is.

    Attributes:
        current: The one that is read.
        former: The one that was read before.
        others: Begun and not finished, by falling number.
    """

    current: Version | None
    former: Version | None
    others: tuple[Version, ...]

    def resumable(self, wanted: Manifest, *, rebuild: bool) -> Version | None:
        """The unfinished version that a run can carry on: begun from what is read now, for the same embedder."""
        base = self.current.name if self.current else ""
        for version in self.others:
            if (
                version.meta.get("base") == base
                and version.meta.get("rebuild") is rebuild
                and not version.manifest.differences(wanted)
            ):
                return version
        return None


class Versions:
    """The versions of the index `name`, through a blocking client.

    Args:
        client: What it raises is left as it is.
        name: The alias that is read.
    """

    def __init__(self, client: Elasticsearch, name: str) -> None:
        self._client = client
        self.name = name
        self._former = f"{name}-former"

    def look(self) -> State:
        """The state now.

        Raises:
            ConfigurationError: An index, not an alias, has the name.
        """
        found = self._client.indices.get(index=f"{self.name}-v*", features="aliases,mappings", expand_wildcards="all")
        numbered = re.compile(rf"{re.escape(self.name)}-v(\d+)")
        versions = [
            (Version(name, int(match[1]), body["mappings"].get("_meta", {})), body.get("aliases", {}))
            for name, body in found.items()
            if (match := numbered.fullmatch(name))
        ]
        versions.sort(key=lambda pair: -pair[0].number)
        current = next((version for version, aliases in versions if self.name in aliases), None)
        former = next((version for version, aliases in versions if self._former in aliases), None)
        if current is None and self._client.indices.exists(index=self.name):
            raise ConfigurationError(
                f"ELASTICSEARCH_INDEX: {self.name} is an index that this service did not make; choose another name"
            )
        others = tuple(version for version, aliases in versions if not {self.name, self._former} & set(aliases))
        return State(current, former, others)

    def begin(self, number: int, meta: dict[str, Any], dimensions: int, source: Version | None) -> Version:
        """A new version that nobody reads yet.

        Args:
            number: Its number; free.
            meta: What it is to say of itself.
            dimensions: Length of a vector.
            source: Copied, by links to the same files where the disk allows; it cannot be written to from now on. None:
                the version begins empty.
        """
        name = f"{self.name}-v{number}"
        if source is None:
            self._client.indices.create(index=name, settings=SETTINGS, mappings=mapping(meta, dimensions))
        else:
            self._client.indices.add_block(index=source.name, block="write")
            settings = {**SETTINGS, "index.blocks.write": None}
            del settings["number_of_shards"]  # a clone has its source's
            self._client.indices.clone(index=source.name, target=name, settings=settings)
            self._client.indices.put_mapping(index=name, meta=meta)
        self.wait(name)
        return Version(name, number, meta)

    def wait(self, name: str) -> None:
        """Returns when the version `name` can be written to and searched."""
        self._client.cluster.health(index=name, wait_for_status="yellow", timeout=_READY_WITHIN)

    def publish(self, version: Version, state: State) -> None:
        """Makes `version` the one that is read, keeps what was read until now as the former, and drops all others.

        Args:
            version: Complete, refreshed and verified.
            state: As it was before.
        """
        self._swap(version, state)
        kept = {one.name for one in (version, state.current) if one}
        self.drop([one for one in (*state.others, state.former) if one and one.name not in kept])

    def roll_back(self, state: State) -> None:
        """Reads the former version again; the one that is read now becomes the former."""
        assert state.former is not None  # noqa: S101  # the caller has looked
        self._swap(state.former, state)

    def drop(self, versions: list[Version]) -> None:
        """Deletes versions that nobody reads."""
        if versions:
            self._client.indices.delete(index=[version.name for version in versions], ignore_unavailable=True)

    def _swap(self, version: Version, state: State) -> None:
        actions: list[dict[str, Any]] = [{"add": {"index": version.name, "alias": self.name}}]
        if state.former:
            actions.append({"remove": {"index": state.former.name, "alias": self._former}})
        if state.current:
            actions.append({"remove": {"index": state.current.name, "alias": self.name}})
            actions.append({"add": {"index": state.current.name, "alias": self._former}})
        self._client.indices.update_aliases(actions=actions)


def count_of(client: Elasticsearch, name: str) -> int:
    """Passages of the index or alias `name` that a search would see; 0 when it is not there."""
    try:
        return int(client.count(index=name)["count"])
    except NotFoundError:
        return 0
