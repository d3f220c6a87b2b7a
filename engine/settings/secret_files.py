"""Secrets from files: `NAME_FILE` names a file that holds the value of `NAME`, as orchestrators mount them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

_SUFFIX = "_FILE"
#: Bytes that are read of a file: no secret of ours is longer, and a device never ends.
_MOST = 65_536


def file_variable(name: str) -> str:
    """The variable that names the file of a secret."""
    return name.upper() + _SUFFIX


def read_secrets(names: Iterable[str], given: Mapping[str, str | None]) -> tuple[dict[str, str], list[str]]:
    """The secrets among `names` that are given as files, and what is wrong with others.

    Args:
        names: Fields of the settings.
        given: The environment, by names in upper case.
    """
    found, problems = {}, []
    for name in names:
        variable = file_variable(name)
        if not (path := given.get(variable)):
            continue
        if given.get(name.upper()):
            problems.append(f"{variable}: {name.upper()} is set too; leave one of the two out")
            continue
        value = _read(Path(path))
        if value:
            found[name] = value
        else:
            problems.append(f"{variable}: {path} must be a file in UTF-8 that can be read and holds the secret alone")
    return found, problems


def _read(path: Path) -> str:
    """What is in a file but for the line break at its end; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError):
        return ""
