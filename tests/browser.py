"""A small client of the Chrome DevTools Protocol: a real browser, driven as a person would, without a library for it.

Playwright's wheel for Python has 53 MB.

Source: chromedevtools.github.io/devtools-protocol.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

#: Seconds that one thing may take: far more than it does, as machines that test are slow now and then.
WITHIN = 100.0
#: Seconds that the browser gets to end by itself, so that its helpers write nothing any more.
_LAST = 10.0
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # it visits nothing but the engine, and runs as root in containers
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
    "about:blank",
)
_KEYS = {
    "Enter": ("\r", 13),
    "Tab": ("", 9),
    "Escape": ("", 27),
    " ": (" ", 32),
    "k": ("", 75),
    "ArrowDown": ("", 40),
    "ArrowUp": ("", 38),
}


def program() -> str | None:
    """Where Chromium is; TEST_BROWSER names another one."""
    names = (os.environ.get("TEST_BROWSER", ""), "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


class Wire:
    """Commands to the browser and the events that it sends."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._open: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.pages: dict[str, Page] = {}
        self._reading = asyncio.create_task(self._read())

    async def send(self, method: str, session: str = "", /, **params: Any) -> dict[str, Any]:
        """The result of a command."""
        number = next(self._ids)
        answered = self._open[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        await self._socket.send(json.dumps(message))
        async with asyncio.timeout(WITHIN):
            result: dict[str, Any] = await answered
            return result

    async def close(self) -> None:
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text)
            if "id" in message:
                answered = self._open.pop(message["id"])
                if answered.done():
                    continue
                if "error" in message:
                    answered.set_exception(AssertionError(message["error"]["message"]))
                else:
                    answered.set_result(message["result"])
            elif page := self.pages.get(message.get("sessionId", "")):
                page.note(message["method"], message["params"])


class Page:
    """One tab.

    Attributes:
        problems: What the console was told as an error, and exceptions that nothing caught.
        requests: Addresses that it asked for.
    """

    def __init__(self, wire: Wire, session: str) -> None:
        self._wire = wire
        self._session = session
        self.problems: list[str] = []
        self.requests: list[str] = []

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command to this tab."""
        return await self._wire.send(method, self._session, **params)

    def note(self, method: str, params: dict[str, Any]) -> None:
        """Keeps what a test may ask for."""
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:2000])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.problems.append(json.dumps(params["args"])[:2000])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    async def open(self, url: str) -> None:
        """Goes to an address, and waits until its scripts have run."""
        await self.send("Page.navigate", url=url)
        await self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    async def reload(self) -> None:
        """As a person does."""
        await self.evaluate("window.before = true")
        await self.send("Page.reload")
        await self.until("window.before === undefined && document.readyState === 'complete'")

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression."""
        result = await self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def until(self, condition: str) -> None:
        """Waits until an expression is true; it is looked at on each turn of the browser's own clock."""
        looking = f"""new Promise((resolve) => {{
            const look = () => {{ try {{ if ({condition}) return resolve(true); }} catch (error) {{}} setTimeout(look, 20); }};
            look();
        }})"""
        try:
            async with asyncio.timeout(WITHIN):
                while True:
                    with suppress(AssertionError):  # the page went elsewhere meanwhile
                        await self.evaluate(looking)
                        return
        except TimeoutError:
            shown = await self.evaluate("document.body.innerText")
            raise AssertionError(
                f"not within {WITHIN:g} s: {condition}; problems {self.problems}; shown {shown}"
            ) from None

    async def text(self, selector: str) -> str:
        """What an element says."""
        return str(await self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    async def click(self, selector: str) -> None:
        """Clicks the middle of an element with the mouse."""
        await self.until(f"document.querySelector({json.dumps(selector)})?.getClientRects().length")
        place = await self.evaluate(
            f"""(async () => {{
                const middle = () => {{
                    const node = document.querySelector({json.dumps(selector)});
                    node.scrollIntoView({{block: "center"}}); const box = node.getBoundingClientRect();
                    return [box.x + box.width / 2, box.y + box.height / 2];
                }};
                for (let before = middle(); ; ) {{ // until it stands still: a list may just be growing above it
                    await new Promise((resolve) => setTimeout(resolve, 20));
                    const now = middle();
                    if (String(now) === String(before)) return now;
                    before = now;
                }}
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    async def type(self, text: str) -> None:
        """Text into what has the focus."""
        await self.send("Input.insertText", text=text)

    async def choose(self, selector: str, *files: Path) -> None:
        """Files into a field for files."""
        found = await self.send("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        names = [str(file) for file in files]
        await self.send("DOM.setFileInputFiles", files=names, objectId=found["result"]["objectId"])

    async def press(self, key: str, modifiers: int = 0) -> None:
        """A key."""
        text, code = _KEYS[key]
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        await self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    async def screenshot(self, *, width: int, height: int = 900, dark: bool = False) -> bytes:
        """A picture of the page at a width, as PNG."""
        await self.size(width, height)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.send("Emulation.setEmulatedMedia", features=features)
        taken = await self.send("Page.captureScreenshot")
        return base64.b64decode(taken["data"])

    async def size(self, width: int, height: int = 900) -> None:
        """The size of the window, in CSS pixels."""
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )


class Browser:
    """A running browser."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def context(self) -> str:
        """A profile of its own, with nothing stored."""
        made = await self._wire.send("Target.createBrowserContext")
        return str(made["browserContextId"])

    async def page(self, context: str, *, languages: str = "en-GB") -> Page:
        """A tab in a profile, for a reader of these languages."""
        target = await self._wire.send("Target.createTarget", url="about:blank", browserContextId=context)
        attached = await self._wire.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        page = self._wire.pages[attached["sessionId"]] = Page(self._wire, attached["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            await page.send(f"{domain}.enable")
        agent = await self._wire.send("Browser.getVersion")
        await page.send("Emulation.setUserAgentOverride", userAgent=agent["userAgent"], acceptLanguage=languages)
        await page.size(1280)
        return page


@asynccontextmanager
async def launched(folder: Path) -> AsyncIterator[Browser]:
    """A browser with its profile in `folder`, ended at the end."""
    # What it leaves in the folder for temporary files goes with it. Not in `folder`: a socket's path may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as temporary:
        async with _running(folder, temporary) as browser:
            yield browser


@asynccontextmanager
async def _running(folder: Path, temporary: str) -> AsyncIterator[Browser]:
    name = program()
    assert name is not None
    process = await asyncio.create_subprocess_exec(
        name,
        f"--user-data-dir={folder}",
        *_OPTIONS,
        env={**os.environ, "TMPDIR": temporary},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    draining: asyncio.Task[bytes] | None = None
    try:
        async with asyncio.timeout(WITHIN):
            address = await _address(process.stderr)
            draining = asyncio.create_task(process.stderr.read())
            socket = await connect(address, max_size=None, proxy=None)
        wire = Wire(socket)
        yield Browser(wire)
        with suppress(Exception):
            await wire.send("Browser.close")
        await wire.close()
        await socket.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if draining is not None:
            await draining


async def _address(lines: asyncio.StreamReader) -> str:
    while line := await lines.readline():
        found = re.search(rb"DevTools listening on (ws://\S+)", line)
        if found:
            return found[1].decode()
    raise AssertionError("the browser ended before it listened")
