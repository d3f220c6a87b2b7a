"""The page as axe sees it, in both themes: no serious problem of contrast, names, roles or order."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine.web.page import FOLDER
from tests.browser import Page, launched, program
from tests.conftest import Service
from tests.forked import ROOT

pytestmark = [
    pytest.mark.backends,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("npm") is None or program() is None, reason="needs npm and Chromium"),
]
LOCKED = ROOT / "tests" / "accessibility"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of the lock."""
    folder = tmp_path_factory.mktemp("axe")
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copyfile(LOCKED / name, folder / name)
    words = ["npm", "ci", "--no-audit", "--no-fund"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and re.search(r"ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN", done.stderr):
        pytest.skip("the registry of npm cannot be reached")
    assert done.returncode == 0, done.stderr
    return folder / "node_modules"


@pytest.fixture(scope="module")
def axe(packages: Path) -> str:
    """axe-core's script; never a part of the engine."""
    return (packages / "axe-core" / "axe.min.js").read_text("utf-8")


def test_what_colours_code_is_as_it_was_published(packages: Path) -> None:
    published = packages / "@speed-highlight" / "core"
    ours = {path.name: path.read_bytes() for path in (FOLDER / "highlight").iterdir()}
    assert ours.pop("LICENSE") == (published / "LICENSE").read_bytes()
    assert ours.pop("tokenize.js") == (published / "dist" / "tokenize.js").read_bytes()
    assert ours == {name: (published / "dist" / "languages" / name).read_bytes() for name in ours}


async def serious(page: Page) -> list[Any]:
    """What is wrong on the page as it is, by rule and element."""
    found = await page.evaluate(
        """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
        .filter((one) => ["serious", "critical"].includes(one.impact))
        .map((one) => [one.id, one.nodes.map((node) => node.target.join(" "))]))"""
    )
    return list(found)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "es"])
async def test_nothing_is_serious(axe: str, service: Service, tmp_path: Path, theme: str, language: str) -> None:
    async with launched(tmp_path / "profile") as browser:
        page = await browser.page(await browser.context(), languages=language)
        await page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        await page.send("Page.setBypassCSP", enabled=True)  # for the script of the test alone
        await page.open(f"http://{service.web}/")
        await page.until("document.activeElement?.id === 'question'")
        await page.evaluate(axe)
        await page.type("How do I loop over a list in AVAP?")
        await page.press("Enter")
        await page.until("document.querySelector('details.receipt')")
        await page.click(".thumb.down")
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        await page.until("document.querySelectorAll('.opinions dt').length > 1")
        assert await serious(page) == []
        for sheet, filled in (("documents", ".documents li"), ("router", ".plots svg")):
            await page.evaluate(f"document.querySelector('#{sheet}').click()")
            await page.until(f"document.querySelector({filled!r})")
            assert await serious(page) == [], sheet
            await page.evaluate(f"document.querySelector('#{sheet}-panel').close()")
        await page.press("k", modifiers=2)
        await page.until("document.activeElement?.role === 'combobox'")
        assert await serious(page) == []
        await page.press("Escape")
        await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert [rule for rule, _ in await serious(page)] == ["button-name"]  # it is looked at
