"""What the tests of the encoder's fitted layers share."""

from __future__ import annotations

import pytest

from engine.retrieval.embedding.graphs import Input, Parts, States


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The texts that the lower half of the encoder is run for from now on."""
    texts: list[object] = []
    states = Parts.states

    def counted(parts: Parts, given: Input) -> States:
        texts.append(given)
        return states(parts, given)

    monkeypatch.setattr(Parts, "states", counted)
    return texts
