"""Conversations on the page in a real browser, as a person has them: in two languages, over good times and bad."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from engine.client import AssistanceClient
from engine.domain import (
    Answer,
    Completed,
    Event,
    Evidence,
    Passage,
    Progress,
    Retrieved,
    Routed,
    TextDelta,
    Turn,
    Usage,
)
from engine.v1 import engine_pb2 as pb
from tests.browser import Browser, Page, ask, expect, needs_browser, opened, visiting
from tests.ollama_server import Ending, FakeOllama, word
from tests.serving import ROUTE, serving

pytestmark = needs_browser


async def session_of(page: Page) -> str:
    """The session that the page's address names."""
    return str(await page.evaluate("decodeURIComponent(location.hash.slice(1))"))


async def test_a_conversation_in_spanish_its_sources_its_receipt_and_a_reload(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web, languages="es-ES") as page:
        assert await page.inner_text("#send") == "Enviar"
        assert await page.get_attribute("html", "lang") == "es"
        assert "addParam" in await ask(page, "¿Qué diferencia hay entre addParam y addVar?", 1)
        await page.locator("article .cite").first.click()
        assert "1" in await page.evaluate("document.activeElement.textContent")
        assert len(await page.inner_text("article details.sources details[open] .passage")) > 20
        await page.click("article details.receipt summary")
        receipt = await page.inner_text("article details.receipt")
        assert "RETRIEVAL" in receipt
        assert "clasificador" in receipt
        assert "¿Por qué este tipo?" in receipt
        await page.locator(".opinions dt").nth(1).wait_for()  # those that were not asked for it too
        assert "Capa: prefijo conocido" in await page.inner_text(".opinions")
        assert await page.locator(".bars .bar").count() >= 4
        assert await ask(page, "en menos palabras", 2)
        await expect(page.locator("#sessions [aria-current]")).to_have_count(1)
        session = await session_of(page)
        before = await page.locator(".answer").all_text_contents()
        await page.reload()
        await expect(page.locator("details.receipt")).to_have_count(2)
        assert await page.locator(".answer").all_text_contents() == before
        assert await ask(page, "¿y cómo se usa addResult?", 3)  # it goes on where it was
        assert await session_of(page) == session
    async with AssistanceClient(service.address) as client:
        stored = await client.session(session)
    assert [turn.query for turn in stored.turns] == [
        "¿Qué diferencia hay entre addParam y addVar?",
        "en menos palabras",
        "¿y cómo se usa addResult?",
    ]
    assert stored.turns[1].relation != 0


async def test_an_answer_is_watched_as_it_grows(browser: Browser, tmp_path: Path) -> None:
    looked_up, more, rest = asyncio.Event(), asyncio.Event(), asyncio.Event()
    cited = Evidence(1, Passage("p1", "guide.md", "Guide", "addVar", "addVar gives a variable a value."))

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield Routed(ROUTE)
        yield Progress("retrieve")
        await looked_up.wait()
        yield Retrieved((cited,))
        yield TextDelta("Una variable ")
        await more.wait()
        yield TextDelta("recibe su valor")
        await rest.wait()
        yield TextDelta(" [1].")
        text = "Una variable recibe su valor [1]."
        yield Completed(Answer(text, turn.session_id, "turn-1", ROUTE, (cited,), 1, Usage(7, 5)))

    async with serving(tmp_path, script) as served, opened(browser, served.web.address, languages="es") as page:
        await page.keyboard.insert_text("¿Qué hace addVar?")
        await page.keyboard.press("Enter")
        turn, answer = page.locator("article"), page.locator("article .answer")
        await expect(turn).to_have_attribute("aria-busy", "true")
        await expect(page.locator("#stop")).to_be_visible()
        await expect(turn).to_contain_text("¿Qué hace addVar?")
        looked_up.set()
        await expect(answer).to_have_text("Una variable")
        more.set()
        await expect(answer).to_have_text("Una variable recibe su valor")
        await expect(turn).to_have_attribute("aria-busy", "true")
        assert await page.locator("details.receipt").count() == 0
        rest.set()
        await expect(turn).to_have_attribute("aria-busy", "false")
        await page.click("article .cite")
        await expect(page.locator("details.sources details[open] .passage")).to_have_text(cited.passage.text)
        await expect(page.locator("#send")).to_be_visible()


async def test_sessions_are_listed_opened_and_deleted_and_a_type_is_corrected(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        first = await ask(page, "What is addVar in AVAP?", 1)
        session = await session_of(page)
        await page.click("article details.receipt summary")
        await page.locator("article select").first.select_option("PLATFORM")
        await page.locator("article details.receipt button").first.click()
        await expect(page.locator(".receipt [role=status]").first).to_contain_text("PLATFORM")
        await page.click("#fresh")
        await expect(page.locator("article")).to_have_count(0)
        await expect(page.locator("#question")).to_be_focused()
        await ask(page, "thanks", 1)
        here = f"#sessions [data-session={json.dumps(session)}]"
        row = await page.locator(here).element_handle()
        await expect(page.locator("#sessions [aria-current]")).to_have_text("thanks")
        kept = await page.evaluate("([row, here]) => row === document.querySelector(here)", [row, here])
        assert kept, "what a press began on is gone"
        await page.click(here)
        await expect(page.locator(".answer")).to_have_text(first, use_inner_text=True)
        assert await page.inner_text(".answer") == first
        assert "PLATFORM" in await page.inner_text("details.receipt summary")
        remove = page.locator(f"{here} ~ .remove")
        await remove.click()
        await expect(remove).to_contain_text("for good")
        await page.locator("#question").focus()
        assert await remove.inner_text() == "×", "asked for good, and left"
        await remove.click()
        await remove.click()
        await expect(page.locator(here)).to_have_count(0)
        await expect(page.locator("article")).to_have_count(0)
    async with AssistanceClient(service.address) as client:
        assert session not in [summary.session_id for summary in (await client.sessions(page_size=200)).sessions]


async def test_a_relation_is_corrected_and_its_type_stays(browser: Browser, service: Any) -> None:
    async with opened(browser, service.web) as page:
        await ask(page, "What is addVar in AVAP?", 1)
        session = await session_of(page)
        await page.click("article details.receipt summary")
        chosen = page.locator("article select[id$=relation]")
        assert await chosen.input_value() == "NEW_TOPIC_INFORMATIONAL"
        await chosen.select_option("HISTORY_RECALL")
        await page.click("article select[id$=relation] + button")
        await expect(page.locator("article")).to_contain_text("Corrected to HISTORY_RECALL")
    async with AssistanceClient(service.address) as client:
        (turn,) = (await client.session(session)).turns
    assert pb.Relation.Name(turn.corrected_relation) == "HISTORY_RECALL"
    assert turn.corrected_type == pb.QUERY_TYPE_UNSPECIFIED


async def test_a_conversation_gets_a_name_and_an_answer_a_thumb_with_a_reason(
    browser: Browser, service: Any, guide: Path, run_command: Any
) -> None:
    async with opened(browser, service.web) as page:
        current, rename = page.locator("#sessions [aria-current]"), page.locator("#sessions [aria-current] + .rename")
        up, down, why = page.locator(".thumb.up"), page.locator(".thumb.down"), page.locator(".why button")
        said = page.locator(".feedback [role=status]")
        await ask(page, "What is addVar in AVAP?", 1)
        await expect(current).to_have_count(1)
        session = await session_of(page)
        await rename.click()
        await expect(page.locator("[aria-label='Name of the conversation']")).to_be_focused()
        await page.keyboard.insert_text("Variables <b>first</b>")
        await page.keyboard.press("Enter")
        await expect(current).to_have_text("Variables <b>first</b>")
        await rename.click()
        await page.keyboard.insert_text("nobody wants this")
        await page.keyboard.press("Escape")
        await expect(current).to_have_text(re.compile("^Variables"))
        await down.click()
        await expect(down).to_have_attribute("aria-pressed", "true")
        await page.locator(".why input").focus()
        await page.keyboard.insert_text("too short")
        await page.keyboard.press("Enter")
        await expect(said).to_have_text(re.compile("^Noted"))
        await page.reload()
        await expect(said).to_have_text("too short")
        assert await down.get_attribute("aria-pressed") == "true"
        await down.click()  # takes it back
        await expect(said).to_have_text("Taken back.")
        await up.click()
        await expect(said).to_have_text(re.compile("^Noted"))
        assert await why.count() == 1
        await down.click()
        await expect(said).to_have_text(re.compile("^Noted"))
        await page.click(".why button + button")  # a bad answer may be one of the wrong type
        await expect(page.locator("details.receipt[open] select").first).to_be_focused()
    assert "Variables <b>first</b>" in (await asyncio.to_thread(run_command, guide, "sessions", "list")).stdout
    async with AssistanceClient(service.address) as client:
        stored = await client.session(session)
    turn = stored.turns[0]
    assert (stored.name, turn.rating, turn.rating_reason) == ("Variables <b>first</b>", pb.DOWN, "")


async def test_two_tabs_on_one_session(browser: Browser, service: Any) -> None:
    second = "article:nth-of-type(2) .answer"
    async with opened(browser, service.web) as one:
        await ask(one, "What is addVar in AVAP?", 1)
        two = await one.context.new_page()
        await two.goto(one.url.partition("#")[0])  # goes on with the last session
        await expect(two.locator("details.receipt")).to_have_count(1)
        await ask(two, "in fewer words", 2)
        assert await one.locator("article").count() == 1
        await one.bring_to_front()
        await one.evaluate("window.dispatchEvent(new Event('focus'))")
        await expect(one.locator("details.receipt")).to_have_count(2)
        assert await one.inner_text(second) == await two.inner_text(second)


async def test_two_tabs_that_ask_at_once_both_get_an_answer(browser: Browser, service: Any) -> None:
    queries = ["What is addParam in AVAP?", "What is addResult in AVAP?"]
    async with opened(browser, service.web) as one:
        await ask(one, "What is addVar in AVAP?", 1)
        two = await one.context.new_page()
        await two.goto(one.url.partition("#")[0])
        await expect(two.locator("details.receipt")).to_have_count(1)
        session = await session_of(two)
        assert session == await session_of(one)
        told = await asyncio.gather(*(ask(page, query, 2) for page, query in zip((one, two), queries, strict=True)))
        assert ["addParam" in told[0], "addResult" in told[1]] == [True, True]
        for page in (one, two):
            await page.reload()
            await expect(page.locator("details.receipt")).to_have_count(3)
        assert await one.locator(".answer").all_text_contents() == await two.locator(".answer").all_text_contents()
    async with AssistanceClient(service.address) as client:
        stored = (await client.session(session)).turns
    assert stored[0].query == "What is addVar in AVAP?"
    assert {turn.query for turn in stored[1:]} == set(queries)


async def test_stop_closes_the_models_connection_and_keeps_what_was_said(
    browser: Browser, guide: Path, start: Any
) -> None:
    async with FakeOllama().running() as model:
        model.lines, model.ending = [word("It begins <b>here</b>")], Ending.HANG
        service = start(guide, OLLAMA_HOST=model.host, OLLAMA_MODEL_NAME="m")
        async with opened(browser, service.web) as page:
            await page.keyboard.insert_text("What is addVar in AVAP?")
            await page.keyboard.press("Enter")
            await expect(page.locator(".answer")).to_have_text("It begins <b>here</b>")
            assert not model.gone.is_set()
            await page.click("#stop")
            async with asyncio.timeout(100):
                await model.gone.wait()
            await expect(page.locator("article")).to_have_attribute("aria-busy", "false")
            assert await page.inner_text(".answer") == "It begins <b>here</b>"
            assert "Stopped." in await page.inner_text("article")
            await expect(page.locator("#send")).to_be_visible()


async def test_escape_stops_and_the_conversation_goes_on(browser: Browser, tmp_path: Path) -> None:
    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta(f"about {turn.query}")
        if turn.query == "everything":
            await asyncio.Event().wait()

    async with serving(tmp_path, script) as served, opened(browser, served.web.address) as page:
        await page.keyboard.insert_text("everything")
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_have_text("about everything")
        await page.keyboard.press("Escape")
        async with asyncio.timeout(100):
            await served.answers.ended.wait()
        await expect(page.locator("article")).to_contain_text("Stopped.")
        session = await session_of(page)
        await page.locator("#question").focus()
        await page.keyboard.insert_text("one thing")
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer").nth(1)).to_have_text("about one thing")
        assert await session_of(page) == session
    assert [(turn.query, turn.session_id) for turn in served.answers.turns] == [
        ("everything", session),
        ("one thing", session),
    ]


async def test_a_reload_in_mid_answer_gives_the_question_back(browser: Browser, tmp_path: Path) -> None:
    async with serving(tmp_path) as served, opened(browser, served.web.address) as page:
        await page.keyboard.insert_text("tell me everything")
        await page.keyboard.press("Enter")
        await expect(page.locator(".answer")).to_have_text("first")
        session = await session_of(page)
        await page.reload()
        async with asyncio.timeout(100):
            await served.answers.ended.wait()
        await expect(page.locator("#question")).to_have_value("tell me everything")
        assert await session_of(page) == session


MANY, EACH = 50, 5
STREAMS = """(each) => import("/page/protocol.js").then(({ client }) => Promise.all([...Array(each)].map(async (_, place) => {
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

    async def hear(page: Page) -> list[str]:
        await page.goto(f"{served.url}/healthz")
        return list(await page.evaluate(STREAMS, EACH))

    async with serving(tmp_path, script) as served, AsyncExitStack() as people:
        # A browser holds six connections to a host, by profile. It asks for an icon where a page names none.
        profiles = [visiting(browser, served.url, expected="favicon.ico") for _ in range(MANY // EACH)]
        pages = [await (await people.enter_async_context(profile)).new_page() for profile in profiles]
        told = await asyncio.gather(*map(hear, pages))
    assert told == [[f"question {place}: told" for place in range(EACH)]] * len(pages)


async def test_hostile_answers_stay_text(browser: Browser, tmp_path: Path) -> None:
    hostile = '# <img src=x onerror="document.title=1">\n\n```html\n<script>document.title = 2</script>\n```\n- **<i>a</i>** [99] [x](javascript:alert(1))\n\n```avap\n// <img src=x>\naddVar(a, "<b>1</b>")\n```\n'

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta(hostile)
        await asyncio.Event().wait()

    async with serving(tmp_path, script) as served, opened(browser, served.web.address) as page:
        await page.keyboard.insert_text("<script>document.title = 3</script>")
        await page.keyboard.press("Enter")
        await page.locator(".answer pre code").first.wait_for()
        assert await page.locator("#turns :is(img, script, i, a)").count() == 0
        assert "<script>document.title = 2</script>" in await page.locator(".answer pre").first.inner_text()
        assert await page.inner_text(".answer li") == "<i>a</i> [99] [x](javascript:alert(1))"
        assert await page.title() == "Assistance engine"
        await page.locator("[data-language=avap] span").nth(2).wait_for(state="attached")
        assert await page.inner_text("[data-language=avap] .code-str") == '"<b>1</b>"'
        coloured = await page.inner_text("[data-language=avap]")
        assert coloured.splitlines() == ["// <img src=x>", 'addVar(a, "<b>1</b>")']


async def test_the_engine_goes_and_comes_back(browser: Browser, guide: Path, tmp_path: Path, start: Any) -> None:
    data = tmp_path / "data"
    shutil.copytree(guide, data)
    service = start(data)
    async with opened(browser, service.web, expected="ERR_CONNECTION_REFUSED") as page:
        again = page.locator("article .problem + button")
        first = await ask(page, "What is addVar in AVAP?", 1)
        # The page asks for the sessions once more after an answer: an engine that stops would refuse that with 503.
        await expect(page.locator("#sessions [aria-current]")).to_have_count(1)
        service.stop()
        await page.locator("#question").focus()
        await page.keyboard.insert_text("How do I loop over a list?")
        await page.keyboard.press("Enter")
        await expect(page.locator("#connection")).to_contain_text("does not answer")
        await again.wait_for()
        service = start(data, ENGINE_WEB_ADDRESS=service.web)
        await expect(page.locator("#connection")).to_be_hidden()
        await again.click()
        await expect(page.locator("details.receipt")).to_have_count(2)
        assert await page.locator(".answer").first.inner_text() == first
        await expect(page.locator("#sessions [aria-current]")).to_have_count(1)
        session = await session_of(page)
    async with AssistanceClient(service.address) as client:
        turns = (await client.session(session)).turns
    assert [turn.query for turn in turns] == ["What is addVar in AVAP?", "How do I loop over a list?"]
