"""Files that are whole or not there, and locks that another process respects."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from classifier.files import PARTIAL_SUFFIX, locked, replacing, sync_folder


def write(path: Path, parts: Iterable[bytes]) -> None:
    with replacing(path) as file:
        file.writelines(parts)


def test_a_file_is_written_in_order_and_nothing_else_is_left(tmp_path: Path) -> None:
    write(tmp_path / "file", (b"one ", b"two ", b"three"))
    assert (tmp_path / "file").read_bytes() == b"one two three"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_former_file_is_replaced(tmp_path: Path) -> None:
    write(tmp_path / "file", [b"a long former content"])
    write(tmp_path / "file", [b"new"])
    assert (tmp_path / "file").read_bytes() == b"new"


def test_who_has_the_former_file_open_keeps_it(tmp_path: Path) -> None:
    write(tmp_path / "file", [b"former"])
    with (tmp_path / "file").open("rb") as former:
        write(tmp_path / "file", [b"new"])
        assert former.read() == b"former"


def test_a_failure_leaves_the_former_file_alone(tmp_path: Path) -> None:
    write(tmp_path / "file", [b"former"])

    def parts() -> Iterator[bytes]:
        yield b"half of"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(tmp_path / "file", parts())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"former"


def test_a_half_written_file_has_another_name_that_is_known(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as file:
        file.write(b"x")
        assert not (tmp_path / "file").exists()
        assert len(list(tmp_path.glob(f"*{PARTIAL_SUFFIX}"))) == 1


def test_two_writers_at_a_time_each_write_a_whole_file(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as slow:
        slow.write(b"slow")
        write(tmp_path / "file", [b"quick"])
        assert (tmp_path / "file").read_bytes() == b"quick"
        slow.write(b" and whole")
    assert (tmp_path / "file").read_bytes() == b"slow and whole"


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_has_its_permissions_from_the_start(tmp_path: Path, mode: int) -> None:
    umask = os.umask(0o022)
    try:
        with replacing(tmp_path / "file", mode):
            assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [mode]
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_content_and_folder_reach_the_disk_around_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[bool, bool]] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "file").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write(tmp_path / "file", [b"x"])
    assert synced == [(False, False), (True, True)]


def test_a_folder_can_be_synced(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "none")


def test_a_lock_excludes_a_second_holder_and_is_given_back(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(BlockingIOError), locked(tmp_path / "lock", wait=False):
        pass
    with pytest.raises(RuntimeError), locked(tmp_path / "lock", wait=False):
        raise RuntimeError
    with locked(tmp_path / "lock", wait=False):
        assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


def test_who_waits_for_a_lock_goes_on_when_its_holder_ends(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from classifier.files import locked\n"
        "with locked(Path(sys.argv[1])): print('held')"
    )
    with locked(tmp_path / "lock"):
        waiting = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "lock")], stdout=subprocess.PIPE)
    held, _ = waiting.communicate(timeout=60)
    assert held == b"held\n"
