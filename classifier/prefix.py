"""Layer 1: messages that the platform injected, known by how they open."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from classifier.decision import Layer, Opinion, Query, QueryType
from classifier.reasons import Reason

#: The file format that this module reads.
PREFIX_FILE_VERSION = 1
#: Characters of a message that are normalised: an opening stands at the front, whatever the message's length.
HEAD_CHARS = 4096


class PrefixFileError(ValueError):
    """The file of prefixes is unusable; the message names the file and what is wrong with it."""


def normalised_head(text: str) -> str:
    """The front of `text` as prefixes are compared: NFKC, case folded, white space runs as one space, none around."""
    return " ".join(unicodedata.normalize("NFKC", text[:HEAD_CHARS]).casefold().split())


class PrefixLayer:
    """Decides PLATFORM for a message that opens with a known prefix, and abstains otherwise.

    One hash look-up per distinct prefix length, however many prefixes there are. A prefix only matches up to the end
    of a word: "You have a project" does not match "You have a projector".

    Args:
        prefixes: The openings, in any case and spacing.
        version: The version of the list, for the receipt of who shipped it.

    Raises:
        ValueError: A prefix is empty.
    """

    layer = Layer.PREFIX

    def __init__(self, prefixes: Iterable[str], version: int = PREFIX_FILE_VERSION) -> None:
        self.version = version
        self._prefixes = frozenset(normalised_head(prefix) for prefix in prefixes)
        if "" in self._prefixes:
            raise ValueError("a prefix is empty, it would match every message")
        # Longest first: the order does not change the verdict, and a long opening is the common hit.
        self._lengths = tuple(sorted({len(prefix) for prefix in self._prefixes}, reverse=True))

    @classmethod
    def from_file(cls, path: Path) -> PrefixLayer:
        """The layer over the prefixes of a JSON file: `{"version": 1, "prefixes": [{"text", "language"}]}`.

        Raises:
            PrefixFileError: The file cannot be read, is not of that form or has another version.
        """
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise PrefixFileError(f"{path}: cannot be read ({error.strerror})") from error
        except (ValueError, RecursionError) as error:  # not JSON, nested too deeply, or not UTF-8
            raise PrefixFileError(f"{path}: is not JSON in UTF-8") from error
        try:
            return cls(_texts(content), PREFIX_FILE_VERSION)
        except ValueError as error:
            raise PrefixFileError(f"{path}: {error}") from error

    def match(self, text: str) -> str | None:
        """The normalised prefix that `text` opens with, the longest, or None."""
        head = normalised_head(text)
        for length in self._lengths:
            if length <= len(head) and head[:length] in self._prefixes and _ends_a_word(head, length):
                return head[:length]
        return None

    async def decide(self, query: Query) -> Opinion:
        """PLATFORM with confidence 1, or an abstention."""
        return self.opinion(query)

    def decide_many(self, queries: Sequence[Query]) -> list[Opinion]:
        """The opinions of `queries`, in order."""
        return [self.opinion(query) for query in queries]

    def opinion(self, query: Query) -> Opinion:
        """What this layer says of one query; microseconds of work."""
        start = time.perf_counter()
        # An opening is the platform's own mark: from a caller who may not use it, it is text like any other.
        hit = query.platform and self.match(query.text) is not None
        spent = (time.perf_counter() - start) * 1000
        if hit:
            platform = QueryType.PLATFORM
            return Opinion(Layer.PREFIX, platform, 1.0, Reason.PREFIX, milliseconds=spent, best=platform)
        return Opinion(Layer.PREFIX, None, 0.0, Reason.NO_PREFIX, milliseconds=spent)


def _ends_a_word(head: str, length: int) -> bool:
    """Whether the first `length` characters of `head` do not end inside a word."""
    return length == len(head) or not (head[length - 1].isalnum() and head[length].isalnum())


def _texts(content: object) -> list[str]:
    """The prefixes of a parsed file.

    Raises:
        ValueError: The form or the version is another.
    """
    if not isinstance(content, dict) or content.get("version") != PREFIX_FILE_VERSION:
        raise ValueError(f"is not a prefix file of version {PREFIX_FILE_VERSION}")
    entries = content.get("prefixes")
    if not isinstance(entries, list) or not entries:
        raise ValueError("has no list of prefixes")
    texts = [entry.get("text") if isinstance(entry, dict) else None for entry in entries]
    wrong = [position for position, text in enumerate(texts) if not isinstance(text, str) or not text.strip()]
    if wrong:
        raise ValueError(f"prefix number {wrong[0] + 1} has no text")
    return [text for text in texts if isinstance(text, str)]
