"""How well an answer stands on the passages that it cites."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain import Grounding
from engine.generation.extractive.answerer import ExtractiveAnswerer


def quoted(model: str, cited: Sequence[int]) -> Grounding:
    """That of an answer without a model: every sentence that cites a passage is the passage's own.

    Args:
        model: As on the receipt.
        cited: What the answer cites.
    """
    return Grounding(1.0) if model == ExtractiveAnswerer.name and cited else Grounding()
