"""The router as the service runs it: the cascade, and the layer 2 that can be exchanged while it serves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from classifier.cascade import Cascade
from classifier.decision import DecisionLayer
from classifier.embedder import Embedder
from classifier.linear.artifact import Artifact, ArtifactError, read_artifact
from classifier.linear.layer import LinearLayer
from classifier.relation.relations import ConversationReader
from engine import metrics, telemetry
from engine.errors import ConfigurationError
from engine.routing.label_export import ArtifactWatch, Signature, signature


@dataclass(slots=True)
class Routing:
    """The cascade with its layer 2.

    Attributes:
        layer2: None as long as every artifact was refused.
        artifact: Where the artifact came from, or why it was refused.
        source: Finds and reads artifacts, and makes layers of them.
        seen: The state of the file that `artifact` speaks of.
        closers: End what the layers hold, layer 2 apart.
    """

    cascade: Cascade
    layer2: LinearLayer | None
    artifact: str
    source: ArtifactSource
    seen: Signature
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()

    def respelt(self, text: str, language: str, knows: Callable[[str], bool]) -> str:
        """`text` without slips of the finger, by the words of layer 2. Fulfils `retrieval.spelling.Respelling`."""
        if self.layer2 is None:
            return text
        return self.layer2.artifact.weights.spelling.mend(text, language, knows)

    async def check(self) -> None:
        """Raises `ConfigurationError` when layer 2 has no artifact: layers 1 and 3 go on alone."""
        if self.layer2 is None:
            raise ConfigurationError(f"layer 2 of the router is off: {self.artifact}")

    def use(self, artifact: Artifact) -> None:
        """Decides by another artifact from the next batch on; a router without layer 2 gets one, behind its first."""
        self.artifact = str(artifact.path)
        metrics.use_artifact(artifact.id)
        if self.layer2 is not None:
            self.layer2.swap(artifact)
            return
        self.layer2 = self.source.layer(artifact)
        first, *rest = self.cascade.layers
        self.cascade.layers = (first, self.layer2, *rest)

    def watch(self) -> ArtifactWatch:
        """What takes promoted artifacts into use."""
        return ArtifactWatch(self.source.find, self.source.read, self.use, self.seen)

    async def close(self) -> None:
        """Ends layer 2's worker and layer 3's connections."""
        if self.layer2 is not None:
            await self.layer2.close()
        for close in self.closers:
            await close()


@dataclass(frozen=True, slots=True)
class ArtifactSource:
    """Where layer 2 comes from.

    Attributes:
        find: The path of the artifact that should be in use now.
        embedder: The one at hand.
        threshold: Below it layer 2 abstains; None takes the artifact's own.
    """

    find: Callable[[], Path]
    embedder: Embedder
    threshold: float | None = None

    def read(self, path: Path) -> Artifact:
        """The artifact at `path`. Raises `ArtifactError`."""
        return read_artifact(path, {self.embedder.id: self.embedder.dimensions})

    def layer(self, artifact: Artifact) -> LinearLayer:
        """Layer 2 over an artifact."""
        return LinearLayer(artifact, self.embedder, threshold=self.threshold)


def build_router(
    source: ArtifactSource,
    before: DecisionLayer,
    after: tuple[DecisionLayer, ...] = (),
    closers: tuple[Callable[[], Awaitable[None]], ...] = (),
    reader: ConversationReader | None = None,
) -> Routing:
    """The router with layer 2 between the others; without it where its artifact is refused, which is logged."""
    path = source.find()
    seen = signature(path)  # before it is read: what changes meanwhile is another state
    layer2: LinearLayer | None = None
    try:
        artifact = source.read(path)
        layer2 = source.layer(artifact)
        told = str(path)
        metrics.use_artifact(artifact.id)
        telemetry.logger().info(telemetry.ARTIFACT_LOADED.format(path=path))
    except ArtifactError as error:
        told = str(error)
        telemetry.logger().warning(telemetry.ARTIFACT_REFUSED.format(reason=error))
    layers = (before, *(() if layer2 is None else (layer2,)), *after)
    return Routing(Cascade(*layers, reader=reader), layer2, told, source, seen, closers)
