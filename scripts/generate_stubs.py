"""Generates engine/v1 from proto/. `--check` changes nothing and fails when the committed stubs differ."""

from __future__ import annotations

import argparse
import filecmp
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTO = Path("engine/v1/engine.proto")
STUBS = ("engine_pb2.py", "engine_pb2.pyi", "engine_pb2_grpc.py")


def generate(target: Path) -> None:
    """Writes the stubs below `target`.

    Raises:
        SystemExit: The compiler refused the file; it has said why.
    """
    arguments = ["protoc", f"-I{ROOT / 'proto'}"]
    arguments += [f"--{kind}_out={target}" for kind in ("python", "pyi", "grpc_python")]
    if protoc.main([*arguments, str(ROOT / "proto" / PROTO)]):
        sys.exit("protoc failed")


def differing() -> list[str]:
    """The committed stubs that are not what the .proto file gives."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        fresh = Path(folder) / PROTO.parent
        return [name for name in STUBS if not filecmp.cmp(fresh / name, ROOT / PROTO.parent / name, shallow=False)]


def main() -> None:
    """Generates, or checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the committed stubs differ")
    if not parser.parse_args().check:
        generate(ROOT)
    elif stale := differing():
        sys.exit(f"stale: {', '.join(stale)}; run `make protos`")


if __name__ == "__main__":
    main()
