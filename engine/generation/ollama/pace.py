"""How fast a model reads, as its server reports it: what the wait for a first word follows from.

Sources: `prompt_eval_count` and `prompt_eval_duration` of the last message of an answer (Ollama's API). The count is
that of the whole prompt, the duration that of the part which the server had not read just before: it keeps what it has
read and reads on from where a prompt differs (seen with Ollama 0.17.4: 213 tokens in 6.6 s, the same again in 0.05 s).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Characters that have to be new to tell a pace from them.
_ENOUGH = 160
#: Reports of which the slowest counts: one may have been of text that the server had read for somebody else.
_REPORTS = 2
_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt that a model is given.

    Attributes:
        fresh: Characters of it that the server has not read just before.
        seconds: That reading it is expected to take; None where nobody knows.
    """

    fresh: int
    seconds: float | None


class ReadingPace:
    """The pace of one model on one server. Fulfils `generation.port.Pace`.

    Args:
        first_word: Seconds that a prompt may be read for.
        parallel: Prompts that the server keeps.
    """

    def __init__(self, first_word: float, parallel: int = 1) -> None:
        self.first_word = first_word
        self._kept: deque[str] = deque(maxlen=parallel)
        self._reports: deque[float] = deque(maxlen=_REPORTS)  # characters a second

    @property
    def known(self) -> bool:
        """Whether a server has reported one."""
        return bool(self._reports)

    def seconds(self, text: str) -> float | None:
        """How long the model would read `text`; None where nobody knows."""
        return self._fresh(text) / min(self._reports) if self._reports else None

    def begin(self, text: str) -> Reading:
        """Takes note that the model is given `text` now."""
        reading = Reading(self._fresh(text), self.seconds(text))
        self._kept.append(text)
        return reading

    def learn(self, reading: Reading, report: Mapping[str, Any]) -> None:
        """Takes note of what the server reports of a prompt; reports without figures say nothing."""
        duration, count = report.get("prompt_eval_duration"), report.get("prompt_eval_count")
        if not (isinstance(duration, int) and isinstance(count, int) and duration > 0 and count > 0):
            return
        if reading.fresh >= _ENOUGH:
            self._reports.append(reading.fresh / (duration / _NANOSECONDS))

    def _fresh(self, text: str) -> int:
        return len(text) - max((_shared(text, kept) for kept in self._kept), default=0)


def _shared(one: str, other: str) -> int:
    """Characters that both begin with."""
    shortest = min(len(one), len(other))
    return bisect_left(range(shortest), True, key=lambda end: one[: end + 1] != other[: end + 1])  # noqa: FBT003
