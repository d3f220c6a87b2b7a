"""The trained model as one file that cannot run code: a zip of plain arrays and a card in JSON."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from classifier.files import replacing
from classifier.linear.card import LANGUAGES, OUTPUTS, Card, CardError
from classifier.linear.features import COLUMNS
from classifier.linear.memory import Memory
from classifier.linear.spelling import Spelling

#: Bytes of a file, and of what it declares to hold; the shipped artifact holds about 1.5 MB.
MOST_BYTES = 64 * 1024 * 1024
#: The command that makes a new artifact, named by every refusal of an old one.
RETRAIN = "assistance-engine train"
#: Columns of the language head: the low bits of the character block.
LANGUAGE_COLUMNS = 1 << 13

_CARD = "card.json"
_PICKLES = (".pkl", ".pickle", ".joblib")
_NAMES = (
    "sparse", "sparse_bias", "embedding", "embedding_bias", "language", "language_bias", "mix", "mix_bias",
    "solo", "solo_bias",
)  # fmt: skip
_SPELLING = "spelling"
#: Only where something is remembered.
_MEMORY = "remembered"


class ArtifactError(ValueError):
    """An artifact is refused.

    Args:
        path: The file.
        reason: What is wrong with it, in words.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Weights:
    """The arrays of a model; k is the number of outputs, the four types and the reject class.

    Attributes:
        sparse: Shape (COLUMNS, k): the head on n-grams.
        sparse_bias: Shape (k,).
        embedding: Shape (dimensions, k): the head on the embedding.
        embedding_bias: Shape (k,).
        language: Shape (LANGUAGE_COLUMNS, 3): English, Spanish or another.
        language_bias: Shape (3,).
        mix: Shape (3, 2): by language, the weight of the n-gram head and of the embedding head.
        mix_bias: Shape (3, k).
        solo: Shape (3, 1): by language, the weight of the n-gram head where it decides alone.
        solo_bias: Shape (3, k).
        spelling: The words that slips of the finger are taken back to.
        memory: Messages whose type people have said.
    """

    sparse: NDArray[np.float32]
    sparse_bias: NDArray[np.float32]
    embedding: NDArray[np.float32]
    embedding_bias: NDArray[np.float32]
    language: NDArray[np.float32]
    language_bias: NDArray[np.float32]
    mix: NDArray[np.float32]
    mix_bias: NDArray[np.float32]
    solo: NDArray[np.float32]
    solo_bias: NDArray[np.float32]
    spelling: Spelling
    memory: Memory = field(default_factory=Memory.empty)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A model that may be used: its card and its arrays agree.

    Attributes:
        id: Names this artifact on every receipt.
        card: What it is, how it was made and what it scored.
        weights: Its arrays.
        path: Where it was read from; None for one that was just fitted.
    """

    id: str
    card: Card
    weights: Weights
    path: Path | None = None

    def forgetful(self) -> Artifact:
        """The same without what it remembers."""
        return replace(self, weights=replace(self.weights, memory=Memory.empty()))


def write_artifact(path: Path, card: Card, weights: Weights) -> Artifact:
    """Writes an artifact by rename, keeping the one before as `<name>.previous`.

    Args:
        path: The file to write.
        card: Its `weights_sha256` is filled in here.
        weights: What to save.

    Returns:
        The artifact as it reads back.
    """
    members = _members(weights)
    card = card.with_digest(_digest(members))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, former=path.with_name(f"{path.name}.previous")) as file:
        _pack(file, {_CARD: card.to_json(), **members})
    return read_artifact(path)


def read_artifact(path: Path, embedders: Mapping[str, int] | None = None) -> Artifact:
    """Reads an artifact, or says why not. Nothing in the file is ever executed.

    Args:
        path: The file.
        embedders: The ids that are at hand with their dimensions; None takes whichever the card names.

    Raises:
        ArtifactError: Anything about the file disagrees; names the file and the reason.
    """
    try:
        members = _unzip(_content(path))
        card = Card.from_json(members.pop(_CARD))
        card.check_embedder(embedders)
        _check_digest(members, card)
        weights = _weights(members, card)
    except (CardError, ValueError) as error:
        raise ArtifactError(path, str(error)) from error
    except OSError as error:
        raise ArtifactError(path, f"cannot be read ({error.strerror})") from error
    digest = hashlib.sha256(card.to_json()).hexdigest()
    return Artifact(f"linear-{digest[:12]}", card, weights, path)


def _check_digest(members: Mapping[str, bytes], card: Card) -> None:
    """Raises ValueError when the arrays are not the ones that the card was written for."""
    if _digest(members) != card.weights_sha256:
        raise ValueError("its weights do not have the sha256 that its card names")


def _content(path: Path) -> bytes:
    """The bytes of a regular file of a sane size.

    Raises:
        ValueError: It is anything else.
    """
    if path.suffix.lower() in _PICKLES:
        raise ValueError(f"is a pickle by its name, which is never loaded; retrain with `{RETRAIN}`")
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise ValueError("is a symbolic link")
    if stat.S_ISDIR(status.st_mode):
        raise ValueError("is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("is not a regular file")
    if status.st_size == 0:
        raise ValueError("is empty")
    if status.st_size > MOST_BYTES:
        raise ValueError(f"has more than {MOST_BYTES} bytes")
    content = path.read_bytes()
    if content.startswith(b"\x80"):
        raise ValueError(f"is a pickle, which is never loaded; retrain with `{RETRAIN}`")
    return content


def _unzip(content: bytes) -> dict[str, bytes]:
    """The members of the archive, after their declared sizes were checked.

    Raises:
        ValueError: It is no such archive, it is damaged, or it is larger inside than it may be.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            _check_members(entries)
            # A member that inflates beyond its declared size ends there: zipfile reads no further and checks its CRC.
            return {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise ValueError("is not a readable artifact: junk, truncated or damaged") from error


def _check_members(entries: Sequence[zipfile.ZipInfo]) -> None:
    """Raises ValueError when the archive declares too much, or other members than an artifact has."""
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise ValueError(f"declares more than {MOST_BYTES} bytes inside")
    expected = sorted([_CARD, *(f"{name}.npy" for name in (*_NAMES, _SPELLING))])
    if sorted(entry.filename for entry in entries if entry.filename != f"{_MEMORY}.npy") != expected:
        raise ValueError(f"does not hold exactly {', '.join(expected)}")


def _weights(members: Mapping[str, bytes], card: Card) -> Weights:
    """The arrays, each of the shape that the card implies.

    Raises:
        ValueError: One has another type or shape, or a value that is no number.
    """
    outputs, languages = len(OUTPUTS), len(LANGUAGES)
    shapes: dict[str, tuple[int, ...]] = {
        "sparse": (COLUMNS, outputs), "sparse_bias": (outputs,),
        "embedding": (card.dimensions, outputs), "embedding_bias": (outputs,),
        "language": (LANGUAGE_COLUMNS, languages), "language_bias": (languages,),
        "mix": (languages, 2), "mix_bias": (languages, outputs),
        "solo": (languages, 1), "solo_bias": (languages, outputs),
    }  # fmt: skip
    arrays = {name: _array(members[f"{name}.npy"], name, shape) for name, shape in shapes.items()}
    return Weights(
        **arrays, spelling=_spelling(members[f"{_SPELLING}.npy"]), memory=_memory(members.get(f"{_MEMORY}.npy"))
    )


def _spelling(content: bytes) -> Spelling:
    """A JSON document that is kept as an array of bytes.

    Raises:
        ValueError: It is none.
    """
    try:
        return Spelling.from_json(content[_header(content, _SPELLING)[2] :])
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ValueError("its spelling cannot be read") from error


def _memory(content: bytes | None) -> Memory:
    """What is remembered: a line a message, as `Memory.to_array` has it.

    Raises:
        ValueError: It is something else.
    """
    if content is None:
        return Memory.empty()
    shape = _header(content, _MEMORY)[0]
    if len(shape) != 2:
        raise ValueError(f"its array {_MEMORY} has shape {shape}, not a line a message")
    return Memory.from_array(_array(content, _MEMORY, shape))


def _array(content: bytes, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """One array of floats, read only once its header says what is expected.

    Raises:
        ValueError: It does not.
    """
    found, dtype, start = _header(content, name)
    if dtype.hasobject or dtype not in (np.dtype("<f2"), np.dtype("<f4")):
        raise ValueError(f"its array {name} is of type {dtype}, not of floats")
    if found != shape:
        raise ValueError(f"its array {name} has shape {found} where its card implies {shape}")
    body = content[start:]
    if len(body) != dtype.itemsize * int(np.prod(shape)):
        raise ValueError(f"its array {name} is cut short")
    values = np.frombuffer(body, dtype=dtype).reshape(shape).astype(np.float32)
    if not np.isfinite(values).all():
        raise ValueError(f"its array {name} holds NaN or infinity")
    return values


def _header(content: bytes, name: str) -> tuple[tuple[int, ...], np.dtype[np.generic], int]:
    """Shape, type and the place where the values begin, of an array in NumPy's format 1.0, C order.

    Raises:
        ValueError: It is not in that format.
    """
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except Exception as error:  # the parser of headers raises whatever Python's own does
        raise ValueError(f"its array {name} is not in NumPy's format") from error
    if version != (1, 0) or fortran:
        raise ValueError(f"its array {name} is not in NumPy's format 1.0")
    return shape, dtype, file.tell()


def _members(weights: Weights) -> dict[str, bytes]:
    """The arrays as NumPy files by member name; the large one in half precision."""
    arrays: dict[str, NDArray[np.generic]] = {
        name: getattr(weights, name).astype("<f4") for name in _NAMES if name not in ("sparse", "language")
    }
    # Half precision moves no probability by more than .001, and halves the file.
    arrays |= {"sparse": weights.sparse.astype("<f2"), "language": weights.language.astype("<f2")}
    if len(weights.memory):
        arrays[_MEMORY] = weights.memory.to_array().astype("<f2")
    arrays[_SPELLING] = np.frombuffer(weights.spelling.to_json(), dtype=np.uint8)
    members = {}
    for name, array in sorted(arrays.items()):
        file = io.BytesIO()
        np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = file.getvalue()
    return members


def _digest(members: Mapping[str, bytes]) -> str:
    """sha256 over names and contents, in the order of names."""
    total = hashlib.sha256()
    for name, content in sorted(members.items()):
        total.update(json.dumps([name, len(content)]).encode() + content)
    return total.hexdigest()


def _pack(file: BinaryIO, members: Mapping[str, bytes]) -> None:
    """Writes the archive."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            # A fixed date: the same training gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
