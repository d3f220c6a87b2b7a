"""Takes the pictures of the page in docs/pictures: an engine over the example documents, and Chromium.

Beside them, in build/pictures, the page at three widths in both themes, to be looked at after a change.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from pathlib import Path

from tests.browser import Browser, launched, program
from tests.conftest import Service, command

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
#: Not committed.
_LOOKED_AT = ROOT / "build" / "pictures"
_ANSWERED = "document.querySelectorAll('details.receipt').length === {}"


async def _take(url: str, profile: Path) -> None:
    async with launched(profile) as browser:
        wide = await _conversation(browser, url, "en", ["How do I loop over a list?"])
        (PICTURES / "page.png").write_bytes(wide)
        narrow = await _conversation(
            browser, url, "es", ["¿Qué diferencia hay entre addParam y addVar?"], width=390, height=760, dark=True
        )
        (PICTURES / "telephone.png").write_bytes(narrow)
        _LOOKED_AT.mkdir(parents=True, exist_ok=True)
        for width, dark in itertools.product((360, 768, 1280), (False, True)):
            taken = await _conversation(browser, url, "en", ["How do I loop over a list?"], width=width, dark=dark)
            (_LOOKED_AT / f"{'dark' if dark else 'light'}-{width}.png").write_bytes(taken)


async def _conversation(
    browser: Browser,
    url: str,
    language: str,
    questions: list[str],
    *,
    width: int = 1180,
    height: int = 1000,
    dark: bool = False,
) -> bytes:
    """The page after these questions, the last one's sources and receipt open."""
    page = await browser.page(await browser.context(), languages=language)
    await page.size(width, height)
    await page.open(url)
    await page.until("document.activeElement?.id === 'question'")
    for number, question in enumerate(questions, start=1):
        await page.evaluate("document.querySelector('#question').focus()")
        await page.type(question)
        await page.press("Enter")
        await page.until(_ANSWERED.format(number))
    await page.evaluate(
        "const shown = [...document.querySelectorAll('article')].at(-1);"
        "for (const part of shown.querySelectorAll('details.receipt')) part.open = true;"
        "shown.scrollIntoView();"
    )
    return await page.screenshot(width=width, height=height, dark=dark)


def main() -> None:
    """Takes them."""
    if program() is None:
        sys.exit("no Chromium here; install one (Debian's `chromium`), or name it in TEST_BROWSER")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        if (done := command(data, "index", "examples/avap")).returncode:
            sys.exit(done.stderr)
        service = Service(data, Path(folder) / "log")
        try:
            asyncio.run(_take(f"http://{service.web}/", Path(folder) / "profile"))
        finally:
            service.stop()


if __name__ == "__main__":
    main()
