"""What stands around the conversation on the page: panels, palette, keyboard, widths and themes, and the widget."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb
from tests.browser import Browser, Page, ask, expect, needs_browser, opened, visiting

pytestmark = needs_browser


async def test_documents_are_put_in_found_and_taken_out(
    browser: Browser, service: Any, guide: Path, tmp_path: Path
) -> None:
    good, bad = tmp_path / "<i>mareas.md", tmp_path / "broken.pdf"
    good.write_text("# Mareas\n\nThe quarrowby tide comes twice a day.\n", "utf-8")
    bad.write_bytes(b"%PDF-1.4 nothing")
    # The browser notes each answer that is no success.
    async with opened(browser, service.web, expected="/documents/broken.pdf") as page:
        there = page.locator(".documents span").get_by_text("<i>mareas.md", exact=True)
        await page.click("#documents")
        await page.locator(".documents li").nth(3).wait_for()
        told = await page.inner_text("#documents-panel dl")
        assert "Passages" in told
        assert "e5-small" in told
        await page.set_input_files("#files", [good, bad])
        await expect(there).to_have_count(1)
        assert "<i>mareas.md: added, 1 new passages." in await page.inner_text(".told")
        assert "broken.pdf: is a damaged" in await page.inner_text(".told .problem")
        await page.keyboard.press("Escape")
        await expect(page.locator("#documents-panel")).to_be_hidden()
        assert "twice a day" in await ask(page, "When does the quarrowby tide come?", 1)
        await palette(page, "documents in")
        await page.keyboard.press("Enter")
        await expect(there).to_have_count(1)
        await page.click("[aria-label='Delete <i>mareas.md']")
        await page.click(".documents [aria-label='Delete for good?']")
        await expect(there).to_have_count(0)
        await expect(page.locator("#files")).to_be_focused()
    assert not (guide / "uploads" / good.name).exists()


async def test_the_routers_evaluation_is_drawn_from_its_card(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es") as page:
        await page.click("#router")
        await expect(page.locator(".plots svg")).to_have_count(3)
        async with AssistanceClient(service.address) as client:
            card = await client.call("GetRouter", pb.GetRouterRequest())
        told = await page.inner_text("#router-panel")
        assert card.artifact_id in told
        scores = json.loads(card.card)["scores"]
        assert f"{scores['leave_domain_out']['es']['macro_f1']}" in told
        cells = await page.locator(".plots .cell + text").all_text_contents()
        assert list(map(int, cells)) == [count for line in scores["pictures"]["confusion"] for count in line]
        assert await page.locator(".plots .mark").count() == len(scores["pictures"]["reliability"])
        assert await page.evaluate("[...document.querySelectorAll('.plot')].every((one) => one.ariaLabel)")
        await page.set_viewport_size({"width": 360, "height": 700})
        panel = page.locator("#router-panel")
        assert await panel.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        await page.click("#router-panel .bar button")
        await expect(panel).to_be_hidden()
        await expect(page.locator("#router")).to_be_focused()


async def test_everything_is_reached_by_keyboard_and_has_a_name(browser: Browser, service: Any) -> None:
    async with AssistanceClient(service.address) as client:  # a conversation that begins with nothing to be seen
        unseen = (await client.ask("\ufeff\u200b")).session_id
    async with opened(browser, service.web) as page:
        await page.keyboard.insert_text("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.insert_text("two")
        await expect(page.locator("#question")).to_have_value("one\ntwo")
        await page.fill("#question", "")
        await ask(page, "What is addVar in AVAP?", 1)
        reached = set()
        await page.evaluate("document.activeElement.blur()")
        for _ in range(60):
            await page.keyboard.press("Tab")
            reached.add(
                await page.evaluate(
                    "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
                )
            )
        assert {"skip", "fresh", "cite", "question", "send"} <= reached
        unnamed = await page.evaluate(
            """[...document.querySelectorAll('button, input, textarea, select, summary, a')].filter((node) =>
            !(node.textContent.trim() || node.ariaLabel || node.labels?.length || node.closest('[hidden]'))).map((node) => node.outerHTML)"""
        )
        assert unnamed == []
        assert await page.inner_text(f"[data-session='{unseen}']") == unseen
        assert "Answer complete." in (await page.text_content("#announced") or "")
        protocol = await page.context.new_cdp_session(page)
        tree = await protocol.send("Accessibility.getFullAXTree")  # as the browser tells it to screen readers
        roles = {node["role"]["value"] for node in tree["nodes"] if not node["ignored"]}
        assert {"main", "navigation", "banner", "article", "status", "textbox"} <= roles


async def test_a_conversation_is_saved_as_a_file(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addVar in AVAP?", 1)
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        async with page.expect_download() as begun:
            await page.click("#save")
        saved = await begun.value
        assert saved.suggested_filename == f"{session}.json"
        stored = json.loads(await asyncio.to_thread((await saved.path()).read_text, "utf-8"))
        assert stored["turns"][0]["query"] == "What is addVar in AVAP?"


async def palette(page: Page, text: str = "") -> list[str]:
    """Opens the command palette, types in it, and gives what it offers."""
    await page.keyboard.press("Control+k")
    await expect(page.locator("#palette [role=combobox]")).to_be_focused()
    await page.keyboard.insert_text(text)
    return await page.locator("#palette [role=option]").all_text_contents()


async def test_the_palette_does_what_the_buttons_do_and_finds_conversations(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addResult in AVAP?", 1)
        await expect(page.locator("#sessions [aria-current]")).to_have_count(1)
        first = page.url
        offered = await palette(page)
        assert {"Your question", "New conversation", "Save as a file"} <= set(offered)
        assert "Conversations: What is addResult in AVAP?" in offered
        assert "Stop" not in offered
        await page.keyboard.insert_text("new conv")
        await page.keyboard.press("Enter")
        await expect(page.locator("#question")).to_be_focused()
        assert page.url != first
        assert await page.locator("article").count() == 0
        assert await palette(page, "CONVERSATIONS addresult") == ["Conversations: What is addResult in AVAP?"]
        await page.keyboard.press("Enter")
        await expect(page.locator("details.receipt")).to_have_count(1)
        assert page.url == first


async def test_the_palette_is_left_by_escape_and_walked_by_arrows(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es") as page:
        assert await palette(page, "no such thing") == []
        assert "No hay nada" in await page.inner_text("#palette-list")
        await page.keyboard.press("Escape")
        await expect(page.locator("#palette")).to_be_hidden()
        await page.click("#commands")
        await expect(page.locator("#palette [role=combobox]")).to_be_focused()
        await page.keyboard.insert_text("tipo")
        marked = page.locator("#palette [aria-selected=true]")
        assert "motor" in (await marked.text_content() or "")
        await page.keyboard.press("ArrowUp")
        assert (await marked.text_content() or "").endswith("PLATFORM")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        assert (await marked.text_content() or "").endswith("RETRIEVAL")
        active = await page.get_attribute("#palette [role=combobox]", "aria-activedescendant")
        assert await page.get_attribute(f"#{active}", "aria-selected") == "true"
        await page.keyboard.press("Enter")
        assert await page.input_value("#type") == "RETRIEVAL"
        await expect(page.locator("#question")).to_be_focused()


async def brightness(browser: Browser, pictures: list[bytes]) -> list[float]:
    """From 0 to 1: of the one pixel that each picture becomes when it is drawn that small."""
    draw = """(addresses) => Promise.all(addresses.map(async (address) => {
        const pixel = new OffscreenCanvas(1, 1).getContext("2d");
        pixel.imageSmoothingQuality = "high";
        pixel.drawImage(await createImageBitmap(await (await fetch(address)).blob()), 0, 0, 1, 1);
        return pixel.getImageData(0, 0, 1, 1).data[1] / 255;
    }))"""
    async with visiting(browser) as context:
        page = await context.new_page()
        addresses = [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in pictures]
        return list(await page.evaluate(draw, addresses))


async def test_it_fits_at_three_widths_in_both_themes(browser: Browser, service: Any) -> None:
    pictures: dict[str, list[bytes]] = {"light": [], "dark": []}
    async with opened(browser, service.web, viewport={"width": 360, "height": 700}) as page:
        await ask(page, "How do I loop over a list?", 1)
        await page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
        for width, (theme, taken) in itertools.product((360, 768, 1280), pictures.items()):
            await page.set_viewport_size({"width": width, "height": 700})
            await page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            assert await page.evaluate("window.innerWidth") == width
            assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            taken.append(await page.screenshot())
    assert min(await brightness(browser, pictures["light"])) > 0.7
    assert max(await brightness(browser, pictures["dark"])) < 0.3


async def test_account_data_and_a_declared_type_go_along(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await page.click("form details summary")
        await page.select_option("#type", "PLATFORM")
        await page.locator("#context").focus()
        await page.keyboard.insert_text("Calls this month: 4,120 of 10,000. Errors: 17.")
        assert "4120" in await ask(page, "How many calls have I used?", 1)
        summary = await page.inner_text("details.receipt summary")
        assert "PLATFORM" in summary
        assert "declared" in summary
        assert "0 searches" in summary


async def test_a_key_is_asked_for_where_the_engine_wants_one(
    browser: Browser, guide: Path, tmp_path: Path, start: Any, run_command: Any
) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    made = run_command(data, "keys", "create", "--name", "reader", "--json", ENGINE_AUTH="keys")
    key = json.loads(made.stdout)["key"]
    service = start(data, ENGINE_AUTH="keys")
    web = f"http://{service.web}/"
    async with visiting(browser, web, expected="status of 401") as context:
        page = await context.new_page()
        await page.goto(web)
        await page.locator("#unlock").wait_for()
        await page.keyboard.insert_text("not-a-key")
        await page.keyboard.press("Enter")
        await expect(page.locator("#key")).to_have_value("")
        await expect(page.locator("#unlock")).to_be_visible()
        await page.keyboard.insert_text(key)
        await page.keyboard.press("Enter")
        await expect(page.locator("#unlock")).to_be_hidden()
        await page.locator("#sessions li").first.wait_for()
        assert await ask(page, "What is addVar in AVAP?", 1)
        await expect(page.locator("#sessions [aria-current]")).to_have_count(1)
    assert key not in service.read_log()


async def test_the_widget_shows_an_insight_on_another_sites_page(browser: Browser, guide: Path, start: Any) -> None:
    site = await asyncio.start_server(_dashboard, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{site.sockets[0].getsockname()[1]}"
    service = start(guide, ENGINE_CORS_ORIGINS=origin)
    async with site, visiting(browser, f"{origin}/", f"http://{service.web}/") as context:
        page = await context.new_page()
        await page.goto(f"{origin}/?{service.web}")
        await page.wait_for_function("window.insights?.length === 1")
        assert await page.evaluate("insights[0].route.type") == "PLATFORM"
        shown = await page.locator("assistance-insight p").first.text_content()
        assert shown == await page.evaluate("insights[0].text")
        assert "7301" in (shown or "")
        widget = page.locator("assistance-insight")
        await widget.evaluate("(node) => { node.figures = 'Calls this month: 8,802 of 10,000.'; }")
        await page.wait_for_function("window.insights.length === 2")
        assert "8802" in await page.evaluate("insights[1].text")
        given = await widget.evaluate("(node) => { node.figures = {calls: 1}; return node.figures; }")
        assert given == '{"calls":1}'
        await page.wait_for_function("window.insights.length === 3")


async def _dashboard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A page of another site with one widget; its address names the engine."""
    request = (await reader.readuntil(b"\r\n\r\n")).decode()
    web = request.split(" ", 2)[1].partition("?")[2]
    body = f"""<!doctype html><html lang="en"><title>Dashboard</title><link rel="icon" href="data:,">
        <script>window.insights = []; addEventListener("insight", (event) => insights.push(event.detail));</script>
        <script src="http://{web}/widget.js"></script>
        <assistance-insight query="How is my usage this month?">Calls this month: 7,301 of 10,000.</assistance-insight>"""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write((head + body).encode())
    await writer.drain()
    writer.close()
