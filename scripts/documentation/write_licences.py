"""Writes docs/licences.md: the licence of every package of requirements.lock, from the metadata of what is installed.

A test fails when the page and the lock name other packages, and when a licence is not among the accepted ones.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "licences.md"
#: What stands in place of a licence where a package is for other systems than the one that this was run on.
ELSEWHERE = "for other systems; see its own metadata"
_SHORT = 60
_HEAD = """# Licences

Packages that an install brings (`requirements.lock`), each with the licence that its own metadata names. The engine is
under the MIT licence, the bundled encoder too (`engine/models/*/LICENSE`); the page colours
code by speed-highlight, CC0-1.0 (`engine/web/static/highlight/LICENSE`). `make sbom` writes a bill of materials.

(Written by `scripts/documentation/write_licences.py`.)

| Package | Licence |
| --- | --- |
"""


def locked() -> list[str]:
    """The packages of the lock, in its order."""
    names = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    return list(dict.fromkeys(names))


def licence(name: str) -> str:
    """What a package says of its licence: an SPDX expression, its own words where they are short, else its class."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return ELSEWHERE
    stated = next((found[key] for key in ("License-Expression", "License") if key in found), "")
    if stated and len(stated) <= _SHORT and "\n" not in stated:
        return stated
    classes = [text for text in found.get_all("Classifier") or () if text.startswith("License ::")]
    return ", ".join(text.rpartition(" :: ")[2] for text in classes)


def page() -> str:
    """The whole page."""
    return _HEAD + "\n".join(f"| {name} | {licence(name)} |" for name in locked()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
