from __future__ import annotations

import os

import pytest

from engine import __main__, cli


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("4", "4")])
def test_numpy_gets_one_thread_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, before: str | None, after: str
) -> None:
    seen: list[str] = []
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", before or "")
    if before is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    monkeypatch.setattr(cli, "main", lambda: seen.append(os.environ["OPENBLAS_NUM_THREADS"]))
    __main__.main()
    assert seen == [after]
