"""The figures of a golden run with a real model (`scripts/evaluation/model_run.py`)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the answers that a model wrote come to."""
    written = [row for row in rows if row.get("receipt") and "problem" not in row]
    unmarked = [row for row in written if row["type"] in ("RETRIEVAL", "CODE_GENERATION") and row["receipt"]]
    pace = [row["usage"]["completion_tokens"] / max(row["total"] - row["first"], 0.001) for row in written]
    shares = [row["grounding"] for row in written if row["grounding"] is not None]
    return {
        "asked": len(rows),
        "failed": [row["problem"] for row in rows if "problem" in row],
        "by the model": len(written),
        "cite": sum(bool(row["cited"]) for row in written),
        "marked": sum(bool(row["unsupported"]) for row in written),
        "neither": [row["query"] for row in unmarked if not row["cited"] and not row["unsupported"]],
        "grounding, mean": statistics.fmean(shares) if shares else None,
        "first word, median s": statistics.median(row["first"] for row in written) if written else None,
        "first word, most s": max((row["first"] for row in written), default=None),
        "tokens written a second, median": statistics.median(pace) if pace else None,
        "prompt tokens, median": statistics.median(r["usage"]["prompt_tokens"] for r in written) if written else None,
        "passages left out, mean": statistics.fmean(r["receipt"]["passages"] for r in written) if written else None,
    }
