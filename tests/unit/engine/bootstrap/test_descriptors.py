from __future__ import annotations

import resource
from pathlib import Path

import pytest

from engine.bootstrap import descriptors
from engine.bootstrap.descriptors import allowed_files, connections, server_limits
from engine.settings import load_settings


@pytest.mark.parametrize(("files", "held"), [(64, 16), (256, 48), (1024, 432), (20_000, 4096), (1 << 20, 4096)])
def test_connections_leave_files_for_the_engines_own_work(files: int, held: int) -> None:
    assert connections(files) == held
    assert 2 * held <= max(files - descriptors.OWN, 32)


def test_the_soft_limit_is_raised_as_far_as_the_hard_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(256, 4000)]
    monkeypatch.setattr(resource, "getrlimit", lambda _which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _which, wanted: limits.append(wanted))
    assert allowed_files() == 4000
    assert limits == [(256, 4000), (4000, 4000)]


def test_a_system_that_does_not_let_it_be_raised_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_which: int, _wanted: tuple[int, int]) -> None:
        raise ValueError("not allowed")

    monkeypatch.setattr(resource, "getrlimit", lambda _which: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refused)
    assert allowed_files() == 256


def test_a_variable_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert server_limits(load_settings()).connections == connections(allowed_files())
    chosen = server_limits(load_settings(engine_connections=7, engine_stall_seconds=2.5))
    assert (chosen.connections, chosen.stall) == (7, 2.5)
