"""How much of what is read at most: one file must not take the time or the memory of all others."""

from __future__ import annotations

#: Bytes of the largest file that is read, and of the longest line of JSON lines; a file of JSON lines may be larger.
MOST_BYTES = 20_000_000
#: Seconds of processor time that a file may take to be read and cut, without its encoding. A page of 19 MB takes 11 s.
MOST_SECONDS = 60.0
#: Bytes that reading a file may take beside the libraries. A page of 19 MB takes some 600 MB.
MOST_MEMORY = 1_500_000_000


class UnusableError(Exception):
    """A file holds nothing that can be indexed, or cannot be read.

    Args:
        reason: As in `LeftOut.reason`.
        keeps: See `LeftOut.keeps`.
    """

    def __init__(self, reason: str, *, keeps: bool = False) -> None:
        super().__init__(reason)
        self.keeps = keeps
