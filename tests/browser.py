"""Chromium of this system, driven by Playwright: what the tests, the pictures and the benchmark of the page stand on.

Playwright downloads no browser here: it is given the one that is installed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("playwright", reason="no Playwright here; `make dev` installs it")

from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

__all__ = [
    "Browser",
    "BrowserContext",
    "Page",
    "ask",
    "expect",
    "launched",
    "needs_browser",
    "opened",
    "program",
    "skipped_without",
    "visiting",
]

#: Milliseconds that one thing may take: far more than it does, as machines that test are slow now and then.
WITHIN = 100_000.0
_OPTIONS = ("--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server")

#: Kinds of lines of the console that are for what goes wrong.
_WRONG = ("error", "assert")

expect.set_options(timeout=WITHIN)


def program() -> str | None:
    """Where Chromium is; TEST_BROWSER names another one."""
    names = (os.environ.get("TEST_BROWSER", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


#: For what needs a browser.
skipped_without = pytest.mark.skipif(
    program() is None, reason="no Chromium here; install one (Debian's `chromium`), or name it in TEST_BROWSER"
)
#: For modules whose tests have the one browser of the process, which lives on the loop of the whole run.
needs_browser = [skipped_without, pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="session")]


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """A browser, ended at the end; what it leaves in the folder for temporary files goes with it."""
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as folder:
        async with async_playwright() as playwright:
            variables: dict[str, str | float | bool] = {**os.environ, "TMPDIR": folder}
            browser = await playwright.chromium.launch(executable_path=program(), args=_OPTIONS, env=variables)
            try:
                yield browser
            finally:
                await browser.close()


@asynccontextmanager
async def visiting(browser: Browser, *hosts: str, expected: str = "", **options: Any) -> AsyncIterator[BrowserContext]:
    """A person's own profile, in whose tabs nothing goes wrong, and none of which asks another host.

    Args:
        browser: Where it is.
        hosts: What addresses that are asked for may begin with.
        expected: A part of what the console is told where something goes wrong on purpose.
        options: Of `Browser.new_context`.

    Raises:
        AssertionError: At the end: the console was told an error, nothing caught an exception, or another host was
            asked.
    """
    problems: list[str] = []
    asked: list[str] = []
    context = await browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(WITHIN)
    context.on("console", lambda told: problems.append(f"{told.text} {told.location}") if told.type in _WRONG else None)
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("request", lambda request: asked.append(request.url))
    try:
        yield context
    except Exception as error:
        error.add_note(f"the console was told: {problems}")
        raise
    finally:
        await context.close()
    wrong = [problem for problem in problems if not expected or expected not in problem]
    assert not wrong, f"the console was told: {wrong}"
    foreign = [url for url in asked if not url.startswith(hosts)]
    assert not foreign, f"other hosts were asked: {foreign}"


@asynccontextmanager
async def opened(browser: Browser, web: str, *, languages: str = "en-GB", **more: Any) -> AsyncIterator[Page]:
    """The page of the engine at an address, for a new person; `more` is for `visiting`."""
    async with visiting(browser, f"http://{web}/", locale=languages, **more) as context:
        page = await context.new_page()
        await page.goto(f"http://{web}/")
        await expect(page.locator("#question")).to_be_focused()
        yield page


async def ask(page: Page, query: str, count: int) -> str:
    """Asks by keyboard and waits for the receipt; the answer, which is number `count`."""
    await page.locator("#question").focus()
    await page.keyboard.insert_text(query)
    await page.keyboard.press("Enter")
    await expect(page.locator("details.receipt")).to_have_count(count)
    return await page.locator("article .answer").nth(count - 1).inner_text()
