"""Exported labels as files: `labels-<n>.jsonl` in one folder, readable by their owner alone.

Each file holds what is new or changed since those before it, so an export with nothing new writes nothing, and a label
that is corrected later is written again. A file is there whole or not at all.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from classifier.decision import QueryType
from classifier.files import locked, replacing
from classifier.learning.labels import Label, Provenance, latest

_NAME = re.compile(r"labels-(\d{1,9})\.jsonl")
_KEY_NAME, _LOCK_NAME, _STATE_NAME = ".pseudonyms.key", ".lock", ".exported.json"
_KEY_BYTES = 32


class LabelFileError(ValueError):
    """An exported file is not as it was written; the message names the file and the line."""


def label_files(folder: Path) -> list[Path]:
    """The exported files, the first one first."""
    found = [(int(match[1]), path) for path in folder.glob("labels-*.jsonl") if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def read_labels(folder: Path) -> list[Label]:
    """All exported labels, the last word of each session on each text.

    Raises:
        LabelFileError: A line is not a label.
    """
    return latest(label for path in label_files(folder) for label in _read(path))


def write_labels(folder: Path, labels: Sequence[Label]) -> Path | None:
    """Writes the next file: synced, then renamed, with permissions for its owner alone. None when there is nothing.

    Call it under `exporting`.
    """
    if not labels:
        return None
    numbers = [int(match[1]) for path in label_files(folder) if (match := _NAME.fullmatch(path.name))]
    path = folder / f"labels-{max(numbers, default=0) + 1}.jsonl"
    lines = [json.dumps(_entry(label), ensure_ascii=False, sort_keys=True) + "\n" for label in labels]
    _write(path, "".join(lines).encode("utf-8", "surrogatepass"))
    return path


def pseudonym_key(folder: Path) -> bytes:
    """The secret under which principals and sessions are named in this folder; made when there is none.

    Call it under `exporting`.
    """
    path = folder / _KEY_NAME
    if not path.exists():
        _write(path, secrets.token_bytes(_KEY_BYTES))
    return path.read_bytes()


def exported_at(folder: Path) -> float:
    """When labels were last exported, in Unix seconds; 0 when they never were or nobody knows."""
    try:
        return float(json.loads((folder / _STATE_NAME).read_text("utf-8"))["exported_at"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 0.0


def set_exported_at(folder: Path, when: float) -> None:
    """Remembers when labels were exported."""
    _write(folder / _STATE_NAME, json.dumps({"exported_at": when}).encode())


@contextmanager
def exporting(folder: Path) -> Iterator[None]:
    """Holds the folder for one export: another process waits. The kernel lets go when the process ends.

    Raises:
        OSError: The folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / _LOCK_NAME):
        yield


def _entry(label: Label) -> dict[str, object]:
    return dataclasses.asdict(label) | {"provenance": label.provenance.name.lower(), "type": str(label.type)}


def _read(path: Path) -> Iterator[Label]:
    """The labels of one file.

    Raises:
        LabelFileError: A line is not one.
    """
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                kind, source = QueryType(entry.pop("type")), Provenance[entry.pop("provenance").upper()]
                label = Label(type=kind, provenance=source, **entry)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise LabelFileError(f"{path}:{number}: is not an exported label") from error
            if not all(isinstance(value, str) for value in entry.values()) or label.language not in ("", "en", "es"):
                raise LabelFileError(f"{path}:{number}: a field of its label has another kind than it was written with")
            yield label


def _write(path: Path, content: bytes) -> None:
    """Writes a file for its owner alone."""
    with replacing(path, 0o600) as file:
        file.write(content)
