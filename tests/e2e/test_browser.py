"""What the tests of the page rely on: a browser that leaves nothing behind, profiles apart, and nothing unnoticed."""

from __future__ import annotations

import asyncio
import os
import tempfile

import pytest

from tests.browser import Browser, launched, needs_browser, visiting

pytestmark = needs_browser
ELSEWHERE = "http://elsewhere.test/"
ASKING = f"globalThis.asking = fetch('{ELSEWHERE}', {{mode: 'no-cors'}})"


async def run(browser: Browser, *scripts: str, hosts: str = "about:", expected: str = "") -> None:
    """Runs each script in a turn of its own, as a page's are, in a tab of a person's; another host would answer."""
    async with visiting(browser, hosts, expected=expected) as context:
        await context.route(ELSEWHERE, lambda route: route.fulfill(body="there"))
        page = await context.new_page()
        for script in scripts:
            await page.evaluate("(script) => new Promise((done) => { setTimeout(script); setTimeout(done); })", script)
            await page.evaluate("globalThis.asking?.then(() => null)")


async def test_a_browser_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        async with launched() as running:
            page = await running.new_page()
            assert await page.evaluate("1 + 1") == 2
            assert await asyncio.to_thread(os.listdir, folder)  # what it would leave
        assert await asyncio.to_thread(os.listdir, folder) == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("console.error('a mistake')", "a mistake"),
        ("console.assert(1 === 2, 'not the same')", "not the same"),
        ("throw new Error('not caught')", "not caught"),
        ("Promise.reject(new Error('not awaited'))", "not awaited"),
        (ASKING, f"other hosts were asked: ['{ELSEWHERE}']"),
    ],
)
async def test_what_goes_wrong_in_a_tab_fails_the_test(browser: Browser, script: str, told: str) -> None:
    with pytest.raises(AssertionError) as failed:
        await run(browser, script)
    assert told in str(failed.value)


async def test_what_is_expected_or_harmless_does_not(browser: Browser) -> None:
    scripts = ("console.error('on purpose')", "console.warn('a warning')", ASKING)
    await run(browser, *scripts, hosts=ELSEWHERE, expected="on purpose")


async def test_a_failure_says_what_the_console_was_told(browser: Browser) -> None:
    async def fail() -> None:
        async with visiting(browser) as context:
            await (await context.new_page()).evaluate("console.error('what led to it')")
            raise ValueError("of the test")

    with pytest.raises(ValueError, match="of the test") as failed:
        await fail()
    assert "what led to it" in failed.value.__notes__[0]


async def test_a_person_has_what_is_stored_and_a_language_alone(browser: Browser) -> None:
    found = []
    for locale in ("es-ES", "en-GB"):
        async with visiting(browser, "about:", locale=locale) as context:
            page = await context.new_page()
            await context.add_cookies([{"name": locale, "value": "x", "url": "http://127.0.0.1/"}])
            found.append((await page.evaluate("navigator.language"), [one["name"] for one in await context.cookies()]))
    assert found == [("es-ES", ["es-ES"]), ("en-GB", ["en-GB"])]
