from __future__ import annotations

import pytest

from engine.generation.grounding import quoted


@pytest.mark.parametrize(
    ("model", "cited", "share"), [("extractive", (3, 1), 1.0), ("extractive", (), None), ("qwen3:1.7b", (3,), None)]
)
def test_what_is_quoted_is_wholly_supported(model: str, cited: tuple[int, ...], share: float | None) -> None:
    assert quoted(model, cited).share == share
