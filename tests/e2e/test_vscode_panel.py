"""The side panel of the VS Code extension in a browser, with the editor's side played by the test."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.browser import Browser, Page, expect, needs_browser, visiting
from tests.forked import ROOT

EXTENSION = ROOT / "examples" / "vscode"
pytestmark = needs_browser
STUB = "window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => window.sent.push(message) });"
ANSWER = {
    "text": "Use <b>addVar</b> [1].",
    "citations": [{"number": 1, "document": "guide.md", "heading": "addVar", "text": "<img src=x> adds"}],
    "route": {"type": "CODE_GENERATION", "layer": "EMBEDDING", "confidence": 0.93},
}


def page_of(template: str) -> str:
    """The panel's page as the extension makes it, with the editor's functions before its script."""
    found = re.search(r"return `(<!doctype html>.*?)`;", template, re.DOTALL)
    assert found
    html = found[1].replace("${webview.cspSource}", "file:").replace("${nonce}", "n")
    html = re.sub(r'\$\{uri\("([\w.]+)"\)\}', lambda name: (EXTENSION / "media" / name[1]).as_uri(), html)
    assert "${" not in html
    return html.replace('<script nonce="n" src', f'<script nonce="n">{STUB}</script>\n<script nonce="n" src')


@pytest_asyncio.fixture(loop_scope="session")
async def panel(browser: Browser, tmp_path: Path) -> AsyncIterator[Page]:
    html = page_of((EXTENSION / "src" / "panel.ts").read_text("utf-8"))
    (tmp_path / "panel.html").write_text(html, "utf-8")
    async with visiting(browser, "file:") as context:
        page = await context.new_page()
        await page.goto((tmp_path / "panel.html").as_uri())
        assert await page.evaluate("window.sent.length") == 1
        yield page


async def tell(page: Page, **message: Any) -> None:
    await page.evaluate("(message) => window.postMessage(message, '*')", message)


async def test_an_answer_grows_and_ends_with_its_sources_as_text(panel: Page) -> None:
    assert await panel.evaluate("window.sent[0].kind") == "ready"
    await tell(panel, kind="begin", question="what is <i>addVar</i>?")
    await tell(panel, kind="stage", stage="retrieve")
    await expect(panel.locator(".stage")).to_have_text("retrieve …")
    assert await panel.is_enabled("#stop")
    await tell(panel, kind="text", text="Use ")
    await expect(panel.locator(".text")).to_have_text("Use")
    assert await panel.text_content(".text") == "Use "
    await tell(panel, kind="end", answer=ANSWER, code=True)
    await expect(panel.locator("details")).to_have_count(1)
    assert await panel.inner_text(".text") == "Use <b>addVar</b> [1]."
    assert await panel.inner_text(".question") == "what is <i>addVar</i>?"
    assert await panel.inner_text("summary") == "[1] guide.md — addVar"
    assert await panel.inner_text(".receipt") == "CODE_GENERATION · embedding 93 %"
    assert await panel.locator("article :is(b, i, img)").count() == 0
    assert await panel.is_disabled("#stop")
    await panel.click("article button")
    assert await panel.evaluate("window.sent.at(-1).kind") == "diff"


async def test_enter_asks_shift_enter_does_not_and_escape_stops(panel: Page) -> None:
    await panel.locator("#question").focus()
    await panel.keyboard.press("Enter")
    await panel.keyboard.insert_text("¿qué es?")
    await panel.keyboard.press("Enter")
    await panel.keyboard.press("Escape")
    sent = await panel.evaluate("window.sent.slice(1)")
    assert sent == [{"kind": "ask", "question": "¿qué es?"}, {"kind": "stop"}]
    assert await panel.input_value("#question") == ""


async def test_an_error_is_shown_and_a_new_conversation_is_empty(panel: Page) -> None:
    await tell(panel, kind="begin", question="q")
    await tell(panel, kind="error", message="UNAVAILABLE: nothing there")
    await expect(panel.locator(".error")).to_have_text("UNAVAILABLE: nothing there")
    await tell(panel, kind="forget")
    await expect(panel.locator("article")).to_have_count(0)
