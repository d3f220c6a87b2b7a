"""The page as axe sees it, in both themes: no serious problem of contrast, names, roles or order."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from engine.domain import Event, TextDelta, Turn
from engine.errors import Overloaded
from engine.web.page import FOLDER
from tests.browser import Browser, Page, ask, expect, opened, skipped_without
from tests.conftest import Service
from tests.forked import ROOT
from tests.serving import serving

pytestmark = [
    pytest.mark.backends,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("npm") is None, reason="no npm here; axe-core comes by it"),
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


@skipped_without
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "es"])
async def test_nothing_is_serious(browser: Browser, axe: str, service: Service, theme: str, language: str) -> None:
    # The page's policy is left out for the script of the test alone.
    async with opened(browser, service.web, languages=language, color_scheme=theme, bypass_csp=True) as page:
        await page.evaluate(axe)
        await ask(page, "How do I loop over a list in AVAP?", 1)
        await page.click(".thumb.down")
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        await page.locator(".opinions dt").nth(1).wait_for()
        assert await serious(page) == []
        await page.set_viewport_size({"width": 360, "height": 700})
        assert await serious(page) == [], "on a telephone"
        await page.set_viewport_size({"width": 1280, "height": 900})
        for sheet, filled in (("documents", ".documents li"), ("router", ".plots svg")):
            await page.locator(f"#{sheet}").evaluate("(button) => button.click()")
            await page.locator(filled).first.wait_for()
            assert await serious(page) == [], sheet
            await page.locator(f"#{sheet}-panel").evaluate("(panel) => panel.close()")
        await page.keyboard.press("Control+k")
        await expect(page.locator("#palette [role=combobox]")).to_be_focused()
        assert await serious(page) == []
        await page.keyboard.press("Escape")
        await page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert [rule for rule, _ in await serious(page)] == ["button-name"]  # it is looked at


@skipped_without
@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_is_serious_while_an_answer_grows_nor_where_it_ends(
    browser: Browser, axe: str, tmp_path: Path
) -> None:
    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta("first")
        if turn.query == "fail":
            raise Overloaded("full", 2.0)
        await asyncio.Event().wait()

    async with serving(tmp_path, script) as served, opened(browser, served.web.address, bypass_csp=True) as page:
        await page.evaluate(axe)
        await page.keyboard.insert_text("go on")
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_have_text("first")
        assert await serious(page) == []
        await page.click("#stop")
        await expect(page.locator("article")).to_contain_text("Stopped.")
        assert await serious(page) == [], "stopped"
        await page.locator("#question").focus()
        await page.keyboard.insert_text("fail")
        await page.keyboard.press("Enter")
        await page.locator("article .problem").wait_for()
        assert await serious(page) == [], "failed"
