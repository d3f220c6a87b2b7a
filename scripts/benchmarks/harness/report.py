"""The figures of a run, and how they are shown."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        name: What was measured.
        unit: Of `ours` and `peer`.
        ours: The median over rounds, unless the name says otherwise.
        peer: The same of the peer, in the same run; None where no peer makes sense.
        against: What the peer is.
        rounds: How often the sides took turns.
        more: Other figures of the same measurement; their names carry their units.
    """

    name: str
    unit: str
    ours: float
    peer: float | None = None
    against: str = ""
    rounds: int = 1
    more: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Ours by the peer's."""
        return self.ours / self.peer if self.peer else None


@dataclass(frozen=True, slots=True)
class Section:
    """The figures of one subject.

    Attributes:
        note: What a reader has to know beside the figures.
        error: Why the subject could not be measured; empty when it was.
        seconds: What measuring took.
    """

    name: str
    rows: Sequence[Row] = ()
    note: str = ""
    error: str = ""
    seconds: float = 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of `values` does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle of `values`."""
    return statistics.median(values)


def as_markdown(sections: Sequence[Section]) -> str:
    """One table for people, with the notes and errors below it."""
    lines = ["| Measured | Ours | Peer | Ours / peer | Also | Rounds |", "| --- | ---: | ---: | ---: | --- | ---: |"]
    lines += [_line(row) for section in sections for row in section.rows]
    lines += [f"\n{section.name}: {section.note}" for section in sections if section.note]
    lines += [f"\n{section.name} FAILED: {section.error}" for section in sections if section.error]
    return "\n".join(lines)


def as_json(sections: Sequence[Section], *, quick: bool) -> str:
    """One object on one line: the machine, and by section the rows as they stand in the table."""
    machine = {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    found = {
        section.name: {
            "seconds": round(section.seconds, 1),
            "note": section.note,
            "error": section.error,
            "rows": [_object(row) for row in section.rows],
        }
        for section in sections
    }
    return json.dumps({"quick": quick, "machine": machine, "sections": found}, ensure_ascii=False)


def _line(row: Row) -> str:
    peer = "" if row.peer is None else f"{shown(row.peer)} ({row.against})"
    ratio = "" if row.ratio is None else shown(row.ratio)
    more = ", ".join(f"{name} {shown(value)}" for name, value in row.more.items())
    return f"| {row.name} | {shown(row.ours)} {row.unit} | {peer} | {ratio} | {more} | {row.rounds} |"


def _object(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "unit": row.unit,
        "ours": row.ours,
        "peer": row.peer,
        "against": row.against,
        "ratio": row.ratio,
        "rounds": row.rounds,
        "more": row.more,
    }


def shown(value: float) -> str:
    """Three significant digits, without an exponent."""
    if not value or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}" if digits < 6 else f"{value:.2g}"
