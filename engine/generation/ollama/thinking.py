"""Thinking text that a model writes into its answer although thinking is switched off.

A model whose template knows no thinking may have learnt to begin with it all the same. It then stands in tags before
everything else; tags further on are part of the answer.
"""

from __future__ import annotations

from enum import Enum, auto

_OPEN, _CLOSE = "<think>", "</think>"


class _Place(Enum):
    BEFORE, INSIDE, BEHIND, ANSWER = auto(), auto(), auto(), auto()


class ThinkingFilter:
    """Takes away what an answer begins with in `<think>` tags, piece by piece. A block that never ends is all of it."""

    def __init__(self) -> None:
        self._held = ""
        self._place = _Place.BEFORE

    def feed(self, text: str) -> str:
        """What may be shown once `text` has come."""
        self._held += text
        start = self._held.lstrip()
        if self._place is _Place.BEFORE and start.startswith(_OPEN):
            self._place = _Place.INSIDE
        elif self._place is _Place.BEFORE and not _OPEN.startswith(start):
            self._place = _Place.ANSWER
        if self._place is _Place.INSIDE:
            _, closed, rest = self._held.partition(_CLOSE)
            self._held = rest if closed else self._held[-len(_CLOSE) :]  # the tag may be cut in two
            self._place = _Place.BEHIND if closed else _Place.INSIDE
        if self._place is _Place.BEHIND:
            self._held = self._held.lstrip()
            self._place = _Place.ANSWER if self._held else _Place.BEHIND
        if self._place is not _Place.ANSWER:
            return ""
        shown, self._held = self._held, ""
        return shown

    def flush(self) -> str:
        """What was kept back in case it became a tag; the answer has ended."""
        return self._held if self._place is _Place.BEFORE else ""
