"""How much of what is read at most: one file must not take the time or the memory of all others."""

from __future__ import annotations

#: Bytes of the largest file that is read, and of the longest line of JSON lines; a file of JSON lines may be larger.
MOST_BYTES = 20_000_000
