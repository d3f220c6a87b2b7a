"""The side panel of the VS Code extension in a browser, with the editor's side played by the test."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Page, launched, program
from tests.forked import ROOT

EXTENSION = ROOT / "examples" / "vscode"
pytestmark = [
    pytest.mark.skipif(program() is None, reason="no Chromium here; install one (Debian's `chromium`) to run these"),
    pytest.mark.timeout(600),
]
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


@pytest.fixture
async def panel(tmp_path: Path) -> AsyncIterator[Page]:
    html = page_of((EXTENSION / "src" / "panel.ts").read_text("utf-8"))
    (tmp_path / "panel.html").write_text(html, "utf-8")
    async with launched(tmp_path / "profile") as browser:
        page = await browser.page(await browser.context())
        await page.open((tmp_path / "panel.html").as_uri())
        await page.until("window.sent?.length === 1")
        yield page
        assert page.problems == []


async def tell(page: Page, **message: Any) -> None:
    await page.evaluate(f"window.postMessage({json.dumps(message)}, '*')")


async def test_an_answer_grows_and_ends_with_its_sources_as_text(panel: Page) -> None:
    assert await panel.evaluate("window.sent[0].kind") == "ready"
    await tell(panel, kind="begin", question="what is <i>addVar</i>?")
    await tell(panel, kind="stage", stage="retrieve")
    await panel.until("document.querySelector('.stage')?.textContent === 'retrieve …'")
    assert await panel.evaluate("document.querySelector('#stop').disabled") is False
    await tell(panel, kind="text", text="Use ")
    await panel.until("document.querySelector('.text').textContent === 'Use '")
    await tell(panel, kind="end", answer=ANSWER, code=True)
    await panel.until("document.querySelector('details')")
    assert await panel.text(".text") == "Use <b>addVar</b> [1]."
    assert await panel.text(".question") == "what is <i>addVar</i>?"
    assert await panel.text("summary") == "[1] guide.md — addVar"
    assert await panel.text(".receipt") == "CODE_GENERATION · embedding 93 %"
    assert await panel.evaluate("document.querySelectorAll('article b, article i, article img').length") == 0
    assert await panel.evaluate("document.querySelector('#stop').disabled") is True
    await panel.click("article button")
    assert await panel.evaluate("window.sent.at(-1).kind") == "diff"


async def test_enter_asks_shift_enter_does_not_and_escape_stops(panel: Page) -> None:
    await panel.evaluate("document.querySelector('#question').focus()")
    await panel.press("Enter")
    await panel.type("¿qué es?")
    await panel.press("Enter")
    await panel.press("Escape")
    sent = await panel.evaluate("window.sent.slice(1)")
    assert sent == [{"kind": "ask", "question": "¿qué es?"}, {"kind": "stop"}]
    assert await panel.evaluate("document.querySelector('#question').value") == ""


async def test_an_error_is_shown_and_a_new_conversation_is_empty(panel: Page) -> None:
    await tell(panel, kind="begin", question="q")
    await tell(panel, kind="error", message="UNAVAILABLE: nothing there")
    await panel.until("document.querySelector('.error')?.textContent === 'UNAVAILABLE: nothing there'")
    await tell(panel, kind="forget")
    await panel.until("document.querySelectorAll('article').length === 0")
