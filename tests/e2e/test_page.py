"""The page in a real browser, as a person uses it: by keyboard and mouse, in two languages, over good times and bad."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from engine.client import AssistanceClient
from engine.domain import Event, TextDelta, Turn
from engine.v1 import engine_pb2 as pb
from tests.browser import Browser, Page, launched, program
from tests.ollama_server import Ending, FakeOllama, word
from tests.serving import serving

pytestmark = [
    pytest.mark.skipif(program() is None, reason="no Chromium here; install one (Debian's `chromium`) to run these"),
    pytest.mark.timeout(600),
    pytest.mark.asyncio(loop_scope="module"),
]

RECEIPT = "document.querySelectorAll('details.receipt').length === {}"
SHIFT = 8
CONTROL = 2


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """One for all: what a person has stored is in a profile of each page's own."""
    async with launched(tmp_path_factory.mktemp("browser") / "profile") as running:
        yield running


@asynccontextmanager
async def opened(browser: Browser, web: str, *, languages: str = "en-GB") -> AsyncIterator[Page]:
    """The page for a new person; nothing may go wrong on it, nor leave for another host."""
    page = await browser.page(await browser.context(), languages=languages)
    await page.open(f"http://{web}/")
    await page.until("document.activeElement?.id === 'question'")
    yield page
    assert page.problems == []
    assert {url for url in page.requests if not url.startswith(f"http://{web}/")} <= {"about:blank"}


async def ask(page: Page, query: str, count: int) -> str:
    """Asks by keyboard and waits for the receipt; the answer, which is number `count`."""
    await page.evaluate("document.querySelector('#question').focus()")
    await page.type(query)
    await page.press("Enter")
    await page.until(RECEIPT.format(count))
    return await page.text(f"article:nth-of-type({count}) .answer")


async def test_a_browser_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(there: Path) -> list[Path]:
        async with launched(tmp_path / "profile") as running:
            page = await running.page(await running.context())
            assert await page.evaluate("1 + 1") == 2
            return await asyncio.to_thread(lambda: list(there.iterdir()))

    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        assert await use(Path(folder))  # what it would leave
        assert await asyncio.to_thread(os.listdir, folder) == []


async def test_a_conversation_in_spanish_its_sources_its_receipt_and_a_reload(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es-ES") as page:
        assert await page.text("#send") == "Enviar"
        assert await page.evaluate("document.documentElement.lang") == "es"
        answer = await ask(page, "¿Qué diferencia hay entre addParam y addVar?", 1)
        assert "addParam" in answer
        await page.click("article .cite")
        assert "1" in await page.evaluate("document.activeElement.textContent")
        assert len(await page.text("article details.sources details[open] .passage")) > 20
        await page.click("article details.receipt summary")
        receipt = await page.text("article details.receipt")
        assert "RETRIEVAL" in receipt
        assert "clasificador" in receipt
        assert "¿Por qué este tipo?" in receipt
        await page.until(
            "document.querySelectorAll('.opinions dt').length >= 2"
        )  # those that were not asked for it too
        assert "Capa: prefijo conocido" in await page.text(".opinions")
        assert await page.evaluate("document.querySelectorAll('.bars .bar').length") >= 4
        assert await ask(page, "en menos palabras", 2)
        await page.until("document.querySelectorAll('#sessions [aria-current]').length === 1")
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        before = await page.evaluate("[...document.querySelectorAll('.answer')].map((node) => node.textContent)")
        await page.reload()
        await page.until(RECEIPT.format(2))
        assert (
            await page.evaluate("[...document.querySelectorAll('.answer')].map((node) => node.textContent)") == before
        )
    async with AssistanceClient(service.address) as client:
        stored = await client.session(session)
    assert [turn.query for turn in stored.turns] == [
        "¿Qué diferencia hay entre addParam y addVar?",
        "en menos palabras",
    ]
    assert stored.turns[1].relation != 0


async def test_sessions_are_listed_opened_and_deleted_and_a_type_is_corrected(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        first = await ask(page, "What is addVar in AVAP?", 1)
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        await page.click("article details.receipt summary")
        await page.evaluate("document.querySelector('article select').value = 'PLATFORM'")
        await page.click("article details.receipt button")
        await page.until("document.querySelector('.receipt [role=status]').textContent.includes('PLATFORM')")
        await page.click("#fresh")
        await page.until(
            "document.querySelectorAll('article').length === 0 && document.activeElement.id === 'question'"
        )
        await ask(page, "thanks", 1)
        here = f"#sessions [data-session={json.dumps(session)}]"
        await page.evaluate(f"globalThis.row = document.querySelector({json.dumps(here)})")
        await page.until("document.querySelector('#sessions [aria-current]')?.textContent === 'thanks'")
        assert await page.evaluate(f"row === document.querySelector({json.dumps(here)})"), (
            "what a press began on is gone"
        )
        await page.click(here)
        await page.until(f"document.querySelector('.answer')?.innerText === {json.dumps(first)}")
        assert "PLATFORM" in await page.text("details.receipt summary")
        await page.click(f"{here} ~ .remove")
        await page.until(f"document.querySelector({json.dumps(here + ' ~ .remove')}).textContent.includes('for good')")
        await page.evaluate("document.getElementById('question').focus()")
        assert await page.text(f"{here} ~ .remove") == "×", "asked for good, and left"
        await page.click(f"{here} ~ .remove")
        await page.click(f"{here} ~ .remove")
        await page.until(f"!document.querySelector({json.dumps(here)}) && !document.querySelector('article')")
    async with AssistanceClient(service.address) as client:
        assert session not in [summary.session_id for summary in (await client.sessions(page_size=200)).sessions]


async def test_a_relation_is_corrected_and_its_type_stays(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addVar in AVAP?", 1)
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        await page.click("article details.receipt summary")
        chosen = "article select[id$=relation]"
        assert await page.evaluate(f"document.querySelector('{chosen}').value") == "NEW_TOPIC_INFORMATIONAL"
        await page.evaluate(f"document.querySelector('{chosen}').value = 'HISTORY_RECALL'")
        await page.click(f"{chosen} + button")
        await page.until("document.querySelector('article').textContent.includes('Corrected to HISTORY_RECALL')")
    async with AssistanceClient(service.address) as client:
        (turn,) = (await client.session(session)).turns
    assert pb.Relation.Name(turn.corrected_relation) == "HISTORY_RECALL"
    assert turn.corrected_type == pb.QUERY_TYPE_UNSPECIFIED


async def test_a_conversation_gets_a_name_and_an_answer_a_thumb_with_a_reason(
    browser: Browser, service: Any, guide: Path, run_command: Any
) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addVar in AVAP?", 1)
        await page.until("document.querySelectorAll('#sessions [aria-current]').length === 1")
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        await page.click("#sessions [aria-current] + .rename")
        await page.until("document.activeElement?.getAttribute('aria-label') === 'Name of the conversation'")
        await page.type("Variables <b>first</b>")
        await page.press("Enter")
        await page.until("document.querySelector('#sessions [aria-current]')?.textContent === 'Variables <b>first</b>'")
        await page.click("#sessions [aria-current] + .rename")
        await page.type("nobody wants this")
        await page.press("Escape")
        await page.until("document.querySelector('#sessions [aria-current]')?.textContent.startsWith('Variables')")
        await page.click(".thumb.down")
        await page.until("document.querySelector('.thumb.down').ariaPressed === 'true'")
        await page.evaluate("document.querySelector('.why input').focus()")
        await page.type("too short")
        await page.press("Enter")
        await page.until("document.querySelector('.feedback [role=status]').textContent.startsWith('Noted')")
        await page.reload()
        await page.until("document.querySelector('.feedback [role=status]')?.textContent === 'too short'")
        assert await page.evaluate("document.querySelector('.thumb.down').ariaPressed") == "true"
        await page.click(".thumb.down")  # takes it back
        await page.until("document.querySelector('.feedback [role=status]').textContent === 'Taken back.'")
        await page.click(".thumb.up")
        await page.until("document.querySelector('.feedback [role=status]').textContent.startsWith('Noted')")
        assert await page.evaluate("document.querySelectorAll('.why button').length") == 1
        await page.click(".thumb.down")
        await page.until("document.querySelector('.feedback [role=status]').textContent.startsWith('Noted')")
        await page.click(".why button + button")  # a bad answer may be one of the wrong type
        await page.until("document.activeElement === document.querySelector('details.receipt[open] select')")
    assert "turns  Variables <b>first</b>" in (await asyncio.to_thread(run_command, guide, "sessions", "list")).stdout
    async with AssistanceClient(service.address) as client:
        stored = await client.session(session)
    assert (stored.name, stored.turns[0].rating, stored.turns[0].rating_reason) == (
        "Variables <b>first</b>",
        pb.DOWN,
        "",
    )


async def test_documents_are_put_in_found_and_taken_out(
    browser: Browser, service: Any, guide: Path, tmp_path: Path
) -> None:
    good, bad = tmp_path / "<i>mareas.md", tmp_path / "broken.pdf"
    good.write_text("# Mareas\n\nThe quarrowby tide comes twice a day.\n", "utf-8")
    bad.write_bytes(b"%PDF-1.4 nothing")
    there = "[...document.querySelectorAll('.documents span')].some((one) => one.textContent === '<i>mareas.md')"
    async with opened(browser, service.web) as page:
        await page.click("#documents")
        await page.until("document.querySelectorAll('.documents li').length > 3")
        told = await page.text("#documents-panel dl")
        assert "Passages" in told
        assert "e5-small" in told
        await page.choose("#files", good, bad)
        await page.until(there)
        assert "<i>mareas.md: added, 1 new passages." in await page.text(".told")
        assert "broken.pdf: is a damaged" in await page.text(".told .problem")
        page.problems.clear()  # the browser notes each answer that is no success
        await page.press("Escape")
        await page.until("!document.querySelector('#documents-panel').open")
        assert "twice a day" in await ask(page, "When does the quarrowby tide come?", 1)
        await page.press("k", modifiers=CONTROL)
        await page.until("document.activeElement?.role === 'combobox'")
        await page.type("documents in")
        await page.press("Enter")
        await page.until(there)
        remove = "[aria-label='Delete <i>mareas.md']"
        await page.click(remove)
        await page.click(".documents [aria-label='Delete for good?']")
        await page.until(f"!{there} && document.activeElement.id === 'files'")
    assert not (guide / "uploads" / good.name).exists()


async def test_the_routers_evaluation_is_drawn_from_its_card(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es") as page:
        await page.click("#router")
        await page.until("document.querySelectorAll('.plots svg').length === 3")
        async with AssistanceClient(service.address) as client:
            card = await client.call("GetRouter", pb.GetRouterRequest())
        told = await page.text("#router-panel")
        assert card.artifact_id in told
        scores = json.loads(card.card)["scores"]
        assert f"{scores['leave_domain_out']['es']['macro_f1']}" in told
        cells = await page.evaluate("[...document.querySelectorAll('.plots .cell + text')].map((c) => +c.textContent)")
        assert cells == [count for line in scores["pictures"]["confusion"] for count in line]
        marks = await page.evaluate("document.querySelectorAll('.plots .mark').length")
        assert marks == len(scores["pictures"]["reliability"])
        assert await page.evaluate("[...document.querySelectorAll('.plot')].every((one) => one.ariaLabel)")
        await page.size(360, 700)
        inside = (
            "document.querySelector('#router-panel').scrollWidth <= document.querySelector('#router-panel').clientWidth"
        )
        assert await page.evaluate(inside)
        await page.click("#router-panel .bar button")
        await page.until("!document.querySelector('#router-panel').open && document.activeElement.id === 'router'")


async def test_two_tabs_on_one_session(browser: Browser, service: Any) -> None:
    context = await browser.context()
    one, two = [await browser.page(context) for _ in range(2)]
    await one.open(f"http://{service.web}/")
    await ask(one, "What is addVar in AVAP?", 1)
    await two.open(f"http://{service.web}/")  # goes on with the last session
    await two.until(RECEIPT.format(1))
    await ask(two, "in fewer words", 2)
    assert await one.evaluate("document.querySelectorAll('article').length") == 1
    await one.send("Page.bringToFront")
    await one.evaluate("window.dispatchEvent(new Event('focus'))")
    await one.until(RECEIPT.format(2))
    assert await one.text("article:nth-of-type(2) .answer") == await two.text("article:nth-of-type(2) .answer")
    assert one.problems == two.problems == []


async def test_account_data_and_a_declared_type_go_along(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await page.click("form details summary")
        await page.evaluate("document.querySelector('#type').value = 'PLATFORM'")
        await page.evaluate("document.querySelector('#context').focus()")
        await page.type("Calls this month: 4,120 of 10,000. Errors: 17.")
        answer = await ask(page, "How many calls have I used?", 1)
        assert "4120" in answer
        summary = await page.text("details.receipt summary")
        assert "PLATFORM" in summary
        assert "declared" in summary
        assert "0 searches" in summary


async def test_everything_is_reached_by_keyboard_and_has_a_name(browser: Browser, service: Any) -> None:
    async with AssistanceClient(service.address) as client:  # a conversation that begins with nothing to be seen
        unseen = (await client.ask("\ufeff\u200b")).session_id
    async with opened(browser, service.web) as page:
        await page.type("one")
        await page.press("Enter", SHIFT)
        await page.type("two")
        await page.until("document.querySelector('#question').value === 'one\\ntwo'")
        await page.evaluate("document.querySelector('#question').value = ''")
        await ask(page, "What is addVar in AVAP?", 1)
        reached = []
        await page.evaluate("document.activeElement.blur()")
        for _ in range(60):
            await page.press("Tab")
            reached.append(
                await page.evaluate(
                    "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
                )
            )
        assert {"skip", "fresh", "cite", "question", "send"} <= set(reached)
        unnamed = await page.evaluate(
            """[...document.querySelectorAll('button, input, textarea, select, summary, a')].filter((node) =>
            !(node.textContent.trim() || node.ariaLabel || node.labels?.length || node.closest('[hidden]'))).map((node) => node.outerHTML)"""
        )
        assert unnamed == []
        assert await page.text(f"[data-session='{unseen}']") == unseen
        assert "Answer complete." in await page.evaluate("document.querySelector('#announced').textContent")
        tree = await page.send("Accessibility.getFullAXTree")
        roles = {node["role"]["value"] for node in tree["nodes"] if not node["ignored"]}
        assert {"main", "navigation", "banner", "article", "status", "textbox"} <= roles


async def test_a_conversation_is_saved_as_a_file(browser: Browser, service: Any, tmp_path: Path) -> None:
    async with opened(browser, service.web) as page:
        await page.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await ask(page, "What is addVar in AVAP?", 1)
        session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
        await page.click("#save")
        file = tmp_path / f"{session}.json"
        async with asyncio.timeout(100):
            while not file.exists() or not file.stat().st_size:  # an empty one holds its place until it is written
                await page.evaluate("0")
        assert json.loads(file.read_text("utf-8"))["turns"][0]["query"] == "What is addVar in AVAP?"


async def palette(page: Page, text: str = "") -> list[str]:
    """Opens the command palette, types in it, and gives what it offers."""
    await page.press("k", modifiers=CONTROL)
    await page.until("document.activeElement?.role === 'combobox'")
    await page.type(text)
    offered = await page.evaluate("[...document.querySelectorAll('#palette [role=option]')].map((o) => o.textContent)")
    return [str(name) for name in offered]


async def test_the_palette_does_what_the_buttons_do_and_finds_conversations(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addResult in AVAP?", 1)
        await page.until("document.querySelectorAll('#sessions [aria-current]').length === 1")
        first = await page.evaluate("location.hash")
        offered = await palette(page)
        assert {"Your question", "New conversation", "Save as a file"} <= set(offered)
        assert "Conversations: What is addResult in AVAP?" in offered
        assert "Stop" not in offered
        await page.type("new conv")
        await page.press("Enter")
        await page.until("document.activeElement?.id === 'question'")
        assert await page.evaluate("location.hash") != first
        assert await page.evaluate("document.querySelectorAll('article').length") == 0
        assert await palette(page, "CONVERSATIONS addresult") == ["Conversations: What is addResult in AVAP?"]
        await page.press("Enter")
        await page.until(RECEIPT.format(1))
        assert await page.evaluate("location.hash") == first


async def test_the_palette_is_left_by_escape_and_walked_by_arrows(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es") as page:
        assert await palette(page, "no such thing") == []
        assert "No hay nada" in await page.text("#palette-list")
        await page.press("Escape")
        await page.until("!document.querySelector('#palette').open")
        await page.click("#commands")
        await page.until("document.activeElement?.role === 'combobox'")
        await page.type("tipo")
        marked = "document.querySelector('#palette [aria-selected=true]').textContent"
        assert "motor" in await page.evaluate(marked)
        await page.press("ArrowUp")
        assert (await page.evaluate(marked)).endswith("PLATFORM")
        await page.press("ArrowDown")
        await page.press("ArrowDown")
        assert (await page.evaluate(marked)).endswith("RETRIEVAL")
        active = await page.evaluate("document.activeElement.getAttribute('aria-activedescendant')")
        assert await page.evaluate(f"document.getElementById({active!r}).ariaSelected") == "true"
        await page.press("Enter")
        assert await page.evaluate("document.querySelector('#type').value") == "RETRIEVAL"
        await page.until("document.activeElement?.id === 'question'")


async def test_it_fits_on_a_telephone(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await page.size(360, 700)
        await ask(page, "How do I loop over a list?", 1)
        await page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def test_stop_closes_the_models_connection_and_keeps_what_was_said(
    browser: Browser, guide: Path, start: Any
) -> None:
    async with FakeOllama().running() as model:
        model.lines, model.ending = [word("It begins <b>here</b>")], Ending.HANG
        service = start(guide, OLLAMA_HOST=model.host, OLLAMA_MODEL_NAME="m")
        async with opened(browser, service.web) as page:
            await page.type("What is addVar in AVAP?")
            await page.press("Enter")
            await page.until("document.querySelector('.answer')?.textContent === 'It begins <b>here</b>'")
            assert not model.gone.is_set()
            await page.click("#stop")
            async with asyncio.timeout(100):
                await model.gone.wait()
            await page.until("document.querySelector('article').getAttribute('aria-busy') === 'false'")
            assert await page.text(".answer") == "It begins <b>here</b>"
            assert "Stopped." in await page.text("article")
            await page.until("document.querySelector('#send').getClientRects().length")


async def test_a_reload_in_mid_answer_gives_the_question_back(browser: Browser, tmp_path: Path) -> None:
    async with serving(tmp_path) as served, opened(browser, served.web.address) as page:
        await page.type("tell me everything")
        await page.press("Enter")
        await page.until("document.querySelector('.answer')?.textContent === 'first'")
        session = await page.evaluate("location.hash")
        await page.reload()
        async with asyncio.timeout(100):
            await served.answers.ended.wait()
        await page.until("document.querySelector('#question').value === 'tell me everything'")
        assert await page.evaluate("location.hash") == session


MANY, EACH = 50, 5
STREAMS = """import("/page/protocol.js").then(({ client }) => Promise.all([...Array(%d)].map(async (_, place) => {
  let text = "";
  for await (const event of client("").stream("AskAgentStream", { query: `question ${place}` })) text += event.textDelta || "";
  return text;
})))"""


async def test_fifty_streams_of_browsers_are_held_at_a_time(browser: Browser, tmp_path: Path) -> None:
    all_there = asyncio.Barrier(MANY)

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta(f"{turn.query}: ")
        async with asyncio.timeout(100):
            await all_there.wait()  # nobody is told the rest before everybody has the beginning
        yield TextDelta("told")

    async with serving(tmp_path, script) as served:
        # A browser holds six connections to a host, by profile.
        pages = [await browser.page(await browser.context()) for _ in range(MANY // EACH)]
        await asyncio.gather(*(page.open(f"{served.url}/healthz") for page in pages))
        told = await asyncio.gather(*(page.evaluate(STREAMS % EACH) for page in pages))
    assert told == [[f"question {place}: told" for place in range(EACH)]] * len(pages)
    await asyncio.gather(*(page.send("Page.close") for page in pages))


async def test_hostile_answers_stay_text(browser: Browser, tmp_path: Path) -> None:
    hostile = '# <img src=x onerror="document.title=1">\n\n```html\n<script>document.title = 2</script>\n```\n- **<i>a</i>** [99] [x](javascript:alert(1))\n\n```avap\n// <img src=x>\naddVar(a, "<b>1</b>")\n```\n'

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta(hostile)
        await asyncio.Event().wait()

    async with serving(tmp_path, script) as served, opened(browser, served.web.address) as page:
        await page.type("<script>document.title = 3</script>")
        await page.press("Enter")
        await page.until("document.querySelector('.answer pre code')")
        assert (
            await page.evaluate("document.querySelectorAll('#turns img, #turns script, #turns i, #turns a').length")
            == 0
        )
        assert "<script>document.title = 2</script>" in await page.text(".answer pre")
        assert await page.text(".answer li") == "<i>a</i> [99] [x](javascript:alert(1))"
        assert await page.evaluate("document.title") == "Assistance engine"
        await page.until("document.querySelectorAll('[data-language=avap] span').length >= 3")
        assert await page.text("[data-language=avap] .code-str") == '"<b>1</b>"'
        coloured = await page.text("[data-language=avap]")
        assert coloured.splitlines() == ["// <img src=x>", 'addVar(a, "<b>1</b>")']


async def test_the_engine_goes_and_comes_back(browser: Browser, guide: Path, tmp_path: Path, start: Any) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    service = start(data)
    page = await browser.page(await browser.context())
    await page.open(f"http://{service.web}/")
    first = await ask(page, "What is addVar in AVAP?", 1)
    service.stop()
    await page.evaluate("document.querySelector('#question').focus()")
    await page.type("How do I loop over a list?")
    await page.press("Enter")
    await page.until("document.querySelector('#connection').textContent.includes('does not answer')")
    await page.until("document.querySelector('article .problem + button')")
    again = start(data, ENGINE_WEB_ADDRESS=service.web)
    await page.until("document.querySelector('#connection').hidden")
    await page.click("article .problem + button")
    await page.until(RECEIPT.format(2))
    assert await page.text(".answer") == first
    await page.until("document.querySelectorAll('#sessions [aria-current]').length === 1")
    session = await page.evaluate("decodeURIComponent(location.hash.slice(1))")
    async with AssistanceClient(again.address) as client:
        turns = (await client.session(session)).turns
    assert [turn.query for turn in turns] == ["What is addVar in AVAP?", "How do I loop over a list?"]


async def test_a_key_is_asked_for_where_the_engine_wants_one(
    browser: Browser, guide: Path, tmp_path: Path, start: Any, run_command: Any
) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    made = run_command(data, "keys", "create", "--name", "reader", "--json", ENGINE_AUTH="keys")
    key = json.loads(made.stdout)["key"]
    service = start(data, ENGINE_AUTH="keys")
    page = await browser.page(await browser.context())
    await page.open(f"http://{service.web}/")
    await page.until("document.querySelector('#unlock').getClientRects().length")
    await page.type("not-a-key")
    await page.press("Enter")
    await page.until(
        "document.querySelector('#unlock').getClientRects().length && document.querySelector('#key').value === ''"
    )
    await page.type(key)
    await page.press("Enter")
    await page.until("document.querySelector('#unlock').hidden && document.querySelector('#sessions li')")
    assert await ask(page, "What is addVar in AVAP?", 1)
    await page.until("document.querySelectorAll('#sessions [aria-current]').length === 1")
    assert key not in service.read_log()


async def test_the_widget_shows_an_insight_on_another_sites_page(
    browser: Browser, guide: Path, start: Any, tmp_path: Path
) -> None:
    site = await asyncio.start_server(_dashboard, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{site.sockets[0].getsockname()[1]}"
    service = start(guide, ENGINE_CORS_ORIGINS=origin)
    page = await browser.page(await browser.context())
    async with site:
        await page.open(f"{origin}/?{service.web}")
        await page.until("window.insights?.length === 1")
        assert await page.evaluate("insights[0].route.type") == "PLATFORM"
        shown = await page.evaluate(
            "document.querySelector('assistance-insight').shadowRoot.querySelector('p').textContent"
        )
        assert shown == await page.evaluate("insights[0].text")
        assert "7301" in shown
        await page.evaluate(
            "document.querySelector('assistance-insight').figures = 'Calls this month: 8,802 of 10,000.'"
        )
        await page.until("window.insights.length === 2")
        assert "8802" in await page.evaluate("insights[1].text")
        given = "(() => { const node = document.querySelector('assistance-insight'); node.figures = {calls: 1}; return node.figures; })()"
        assert await page.evaluate(given) == '{"calls":1}'
        await page.until("window.insights.length === 3")
    assert page.problems == []


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
