"""Links of pages when they become a site."""

from __future__ import annotations

import re
import tomllib
from pathlib import PurePosixPath

import pytest

from scripts.documentation.build_site import DOCS, ROOT, within


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("web.md", "see [it](identity.md) and [that](adr/README.md#x)", None),
        ("callers/go.md", "[API](../api.md)", None),
        ("web.md", "[elsewhere](https://example.com/a) [here](#there)", None),
        ("web.md", "[the policy](../SECURITY.md)", "the policy (`SECURITY.md`)"),
        ("web.md", "[SECURITY.md](../SECURITY.md#reports)", "`SECURITY.md`"),
        ("callers/node.md", "[examples/web/stream.mjs](../../examples/web/stream.mjs)", "`examples/web/stream.mjs`"),
        ("api.md", "[`engine.proto`](../proto/engine.proto), then", "`proto/engine.proto`, then"),
    ],
)
def test_a_link_that_leaves_the_pages_becomes_the_name_of_its_file(page: str, text: str, expected: str | None) -> None:
    assert within(text, PurePosixPath(page)) == (expected or text)


def test_the_menu_names_pages_that_exist_once_each() -> None:
    menu = re.findall(r'"([\w/-]+\.md)"', (DOCS / "zensical.toml").read_text("utf-8"))
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert len(menu) == len(set(menu))
    assert set(menu) <= pages


def test_the_site_takes_no_letters_from_elsewhere_and_its_generator_is_locked() -> None:
    configured = tomllib.loads((DOCS / "zensical.toml").read_text("utf-8"))["project"]
    assert configured["theme"]["font"] is False
    lock = (ROOT / "requirements-docs.lock").read_text("utf-8")
    assert "zensical==" in lock
    assert "--hash=sha256:" in lock
    assert "http" not in lock


def test_pictures_are_small() -> None:
    pictures = [*(DOCS / "pictures").iterdir()]
    assert {path.suffix for path in pictures} == {".png", ".svg"}
    assert sum(path.stat().st_size for path in pictures) < 400_000
