"""What the comparison found, as the page docs/benchmarks.md: what is slower than a peer first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scripts.benchmarks.harness.report import shown

OURS = "this engine"
#: Of these more is better; of all others less is.
_MORE = ("turns/s", "passages/s", "recall")


@dataclass(frozen=True, slots=True)
class Table:
    """One part of the comparison.

    Attributes:
        title: What was measured.
        note: What one has to know to read it.
        figures: By contender, by name; ours among them.
        failed: Contenders that could not be measured, with the reason.
    """

    title: str
    note: str
    figures: Mapping[str, Mapping[str, float]]
    failed: Mapping[str, str]

    def names(self) -> list[str]:
        """The figures that any contender has, in order."""
        return list(dict.fromkeys(name for own in self.figures.values() for name in own))


def slower(tables: Sequence[Table]) -> list[str]:
    """What a peer does better, the worst first."""
    found = []
    for table in tables:
        ours = table.figures.get(OURS, {})
        for peer, theirs in table.figures.items():
            for name, value in theirs.items():
                if peer != OURS and name in ours and (times := _worse(name, ours[name], value)) > 1.005:
                    line = f"{table.title}: {name} {shown(ours[name])}, {peer} {shown(value)} ({shown(times)} times)"
                    found.append((times, line))
    return [line for _, line in sorted(found, reverse=True)]


def markdown(tables: Sequence[Table], machine: str) -> str:
    """The whole page."""
    behind = slower(tables)
    lines = [
        "# Beside other libraries",
        "",
        "Written by `make bench-peers`; do not edit. The same passages, vectors and questions, one run, each",
        f"contender in a process of its own. {machine}",
        "Ratios are ours by the peer's.",
        "",
        "## Where a peer is better",
        "",
        *([f"- {line}" for line in behind] or ["Nowhere, of what was measured."]),
    ]
    for table in tables:
        lines += ["", f"## {table.title}", "", table.note, "", *_rows(table)]
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> list[str]:
    peers = [name for name in table.figures if name != OURS]
    ours = table.figures.get(OURS, {})
    rows = [f"| | {OURS} | {' | '.join(peers)} |", f"| --- | ---: |{' ---: |' * len(peers)}"]
    for name in table.names():
        cells = [_cell(table.figures[peer].get(name), ours.get(name)) for peer in peers]
        rows.append(f"| {name} | {shown(ours[name]) if name in ours else ''} | {' | '.join(cells)} |")
    return rows + [line for peer, why in table.failed.items() for line in ("", f"{peer} could not be measured: {why}")]


def _cell(value: float | None, ours: float | None) -> str:
    if value is None:
        return ""
    return f"{shown(value)} ({shown(ours / value)})" if ours is not None and value else shown(value)


def _worse(name: str, ours: float, theirs: float) -> float:
    """How many times better theirs is; below 1 where ours is better."""
    if not ours or not theirs:
        return 0.0
    return theirs / ours if name.startswith(_MORE) or any(word in name for word in _MORE) else ours / theirs
