from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import ConfigurationError, DependencyUnavailable
from engine.retrieval.local.lock import is_being_written, writer_lock


def test_the_lock_makes_its_folder(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()


def test_a_second_writer_is_refused_and_told_where(tmp_path: Path) -> None:
    with (
        writer_lock(tmp_path),
        pytest.raises(DependencyUnavailable, match="another process is writing") as refusal,
        writer_lock(tmp_path),
    ):
        pass
    assert str(tmp_path) in str(refusal.value)
    assert refusal.value.retryable


def test_the_lock_is_given_back(tmp_path: Path) -> None:
    for _ in range(2):
        with writer_lock(tmp_path):
            pass


def test_the_lock_is_given_back_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), writer_lock(tmp_path):
        raise RuntimeError
    with writer_lock(tmp_path):
        pass


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from engine.retrieval.local.lock import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == -9
    with writer_lock(tmp_path):
        pass


def test_another_process_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from engine.errors import DependencyUnavailable\n"
        "from engine.retrieval.local.lock import writer_lock\n"
        "try:\n"
        "    with writer_lock(Path(sys.argv[1])): sys.exit(0)\n"
        "except DependencyUnavailable: sys.exit(7)"
    )
    with writer_lock(tmp_path):
        assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 7


def test_whether_somebody_writes_is_told_without_a_trace(tmp_path: Path) -> None:
    assert not is_being_written(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with writer_lock(tmp_path):
        assert is_being_written(tmp_path)
    assert not is_being_written(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigurationError, match="file/index cannot be written to"),
        writer_lock(tmp_path / "file/index"),
    ):
        pass


def test_children_do_not_inherit_the_lock(tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(any(os.path.samestat(os.fstat(n), os.stat(sys.argv[1])) for n in _open()))"
    listing = "import os\ndef _open():\n    for n in range(3, 64):\n        try: os.fstat(n); yield n\n        except OSError: pass\n"
    with writer_lock(tmp_path):
        child = subprocess.run(
            [sys.executable, "-c", listing + code, str(tmp_path / "WRITER.lock")], close_fds=False, check=False
        )
        assert child.returncode == 0
