"""A row of the report: what was run, what came of it, and whether the promise holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEAD = "| Row | Figure | Holds |\n| --- | --- | --- |"


@dataclass(frozen=True, slots=True)
class Row:
    """One promise at its full size.

    Attributes:
        name: What was run.
        figure: What came of it, with units.
        holds: None where it could not be run here.
    """

    name: str
    figure: str
    holds: bool | None

    def __str__(self) -> str:
        """The line of a table in Markdown."""
        said = "not run" if self.holds is None else "yes" if self.holds else "NO"
        return f"| {self.name} | {self.figure} | {said} |"


def broken(rows: Sequence[Row]) -> list[str]:
    """Names of the rows that do not hold."""
    return [row.name for row in rows if row.holds is False]
