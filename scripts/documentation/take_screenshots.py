"""Takes the pictures of the page in docs/pictures: an engine over the example documents, and Chromium.

Beside them, in build/pictures, the page at three widths in both themes, to be looked at after a change.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from pathlib import Path

from tests.browser import Browser, ask, launched, opened, program
from tests.conftest import Service, command

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
#: Not committed.
_LOOKED_AT = ROOT / "build" / "pictures"


async def _take(web: str) -> None:
    async with launched() as browser:
        wide = await _conversation(browser, web, "en", "How do I loop over a list?")
        (PICTURES / "page.png").write_bytes(wide)
        narrow = await _conversation(
            browser, web, "es", "¿Qué diferencia hay entre addParam y addVar?", width=390, height=760, theme="dark"
        )
        (PICTURES / "telephone.png").write_bytes(narrow)
        _LOOKED_AT.mkdir(parents=True, exist_ok=True)
        for width, theme in itertools.product((360, 768, 1280), ("light", "dark")):
            taken = await _conversation(browser, web, "en", "How do I loop over a list?", width=width, theme=theme)
            (_LOOKED_AT / f"{theme}-{width}.png").write_bytes(taken)


async def _conversation(
    browser: Browser,
    web: str,
    language: str,
    question: str,
    *,
    width: int = 1180,
    height: int = 1000,
    theme: str = "light",
) -> bytes:
    """The page after this question, its sources and receipt open, as PNG."""
    size = {"width": width, "height": height}
    async with opened(browser, web, languages=language, viewport=size, color_scheme=theme) as page:
        await ask(page, question, 1)
        await page.evaluate(
            "for (const part of document.querySelectorAll('details.receipt')) part.open = true;"
            "document.querySelector('article').scrollIntoView();"
        )
        return await page.screenshot()


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
            asyncio.run(_take(service.web))
        finally:
            service.stop()


if __name__ == "__main__":
    main()
