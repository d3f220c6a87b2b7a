"""Files of small heads on the encoder: named arrays with the encoder they are for, without pickle."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.files import replacing

#: Version of the form; another one is refused.
FORMAT = 1


class HeadError(ValueError):
    """A file that is no head, or one for another encoder. The message names the file and what rebuilds it."""


@dataclass(frozen=True, slots=True)
class HeadArrays:
    """What a file holds.

    Attributes:
        names: Of the classes, in the order of the rows of the weights.
        arrays: By name, float32.
    """

    names: tuple[str, ...]
    arrays: dict[str, NDArray[np.float32]]


def write_arrays(path: Path, encoder: str, names: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a head to `path`, whole or not at all.

    Args:
        encoder: Id of the encoder whose vectors it reads.
        names: Of the classes.
        arrays: By name.
    """
    with replacing(path) as file:
        stored: dict[str, Any] = {"format": np.array(FORMAT), "encoder": np.array(encoder), "names": np.array(names)}
        np.savez_compressed(file, **(stored | dict(arrays)))


def read_arrays(path: Path, encoder: str, wanted: Sequence[str], what: str, mend: str) -> HeadArrays:
    """The arrays `wanted` of the head at `path`, all of them finite.

    Args:
        encoder: Whose vectors are at hand.
        what: Names the head in an error.
        mend: What to do about an error.

    Raises:
        HeadError: There is no such file, it is damaged, or it is for another encoder.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name], dtype=np.float32) for name in wanted}
            version, made_for = int(file["format"]), str(file["encoder"])
            names = tuple(str(name) for name in file["names"])
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise HeadError(f"{what}, {path}, cannot be read: {mend}.") from error
    check(version == FORMAT and all(np.isfinite(array).all() for array in arrays.values()), path, what, mend)
    if made_for != encoder:
        raise HeadError(f"{what}, {path}, reads vectors of {made_for}, not of {encoder}: {mend}.")
    return HeadArrays(names, arrays)


def check(whole: bool, path: Path, what: str, mend: str) -> None:
    """Raises `HeadError` for a file whose arrays do not fit together."""
    if not whole:
        raise HeadError(f"{what}, {path}, is not of the expected form: {mend}.")
