"""What an index folder says of itself: which generation is current, and whose vectors it holds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from classifier.embedder import Embedder
from classifier.files import replacing
from engine.errors import ConfigurationError

#: Of the fields, the analysers, the chunking and the sentences: an index of another version must be built anew.
SCHEMA_VERSION = 2
MANIFEST = "MANIFEST.json"
#: The manifest of a rebuild that has not ended; renamed to `MANIFEST` when it has.
REBUILD = "REBUILD.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a manifest file.

    Attributes:
        generation: Name of the folder, beside the manifest, that holds texts and vectors.
        embedder: Id of the embedder that made the vectors.
        dimensions: Length of a vector.
        schema: The `SCHEMA_VERSION` it was written with.
    """

    generation: str
    embedder: str
    dimensions: int
    schema: int

    @classmethod
    def for_embedder(cls, embedder: Embedder, generation: str) -> Manifest:
        """What an index made now, with `embedder`, would say."""
        return cls(generation, embedder.id, embedder.dimensions, SCHEMA_VERSION)

    def write(self, path: Path) -> None:
        """Replaces the file at `path`, durably and at once."""
        with replacing(path) as file:
            file.write(json.dumps(asdict(self), indent=2).encode() + b"\n")

    def differences(self, wanted: Manifest) -> list[str]:
        """What keeps an index that says this from being used by one who wants `wanted`; the generation aside."""
        pairs = (
            ("embedder", self.embedder, wanted.embedder),
            ("dimensions", self.dimensions, wanted.dimensions),
            ("schema version", self.schema, wanted.schema),
        )
        return [f"{name} {found} instead of {needed}" for name, found, needed in pairs if found != needed]


def read_manifest(path: Path) -> Manifest | None:
    """The manifest at `path`; None when there is none.

    Raises:
        ConfigurationError: It is not a manifest.
        OSError: It cannot be read.
    """
    try:
        fields = json.loads(path.read_bytes())
        manifest = Manifest(
            str(fields["generation"]), str(fields["embedder"]), int(fields["dimensions"]), int(fields["schema"])
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise ConfigurationError(f"{path} is damaged. {mend(path.parent)}") from error
    if manifest.generation != Path(manifest.generation).name:
        raise ConfigurationError(f"{path} names a generation outside its folder. {mend(path.parent)}")
    return manifest


def check_manifest(folder: Path, found: Manifest, wanted: Manifest) -> None:
    """Refuses an index that was made otherwise.

    Raises:
        ConfigurationError: Names what differs and the mend.
    """
    differences = found.differences(wanted)
    if differences:
        raise ConfigurationError(f"The index in {folder} has {', '.join(differences)}. {mend(folder)}")


def mend(folder: Path) -> str:
    """The sentence that tells how to get a usable index in `folder`."""
    return f"Build it anew: `assistance-engine index --rebuild PATH...` (it replaces what is in {folder})."
