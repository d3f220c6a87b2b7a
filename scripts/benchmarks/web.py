"""HTTP: the first event by Connect beside the one by gRPC, and the page's first load in a browser."""

from __future__ import annotations

import asyncio
import gzip
import json
import time

import httpx

from scripts.benchmarks.harness.load import Caller, connected, request
from scripts.benchmarks.harness.material import Resolution, seed_queries
from scripts.benchmarks.harness.report import Row, Section, median, percentile
from tests.browser import Browser, launched, program, visiting
from tests.conftest import Service, begun_anew
from tests.transports import SERVICE, framed

_NOTE = (
    "one caller and one engine, by turns, each question once; the page is sent as it is, 'gzip kB' is what a proxy "
    "could make of it. Loads are those of a browser that has nothing stored, to the end of its load event."
)
#: Milliseconds from the start of a navigation to the end of its load event.
_ENDED = """async () => {
    const ended = () => performance.getEntriesByType("navigation")[0].loadEventEnd;
    while (!ended()) await new Promise((resolve) => setTimeout(resolve, 5));
    return ended();
}"""
_STREAM = f"/{SERVICE.full_name}/AskAgentStream"


def measure(material: Resolution) -> Section:
    """Milliseconds to the first event by either protocol, and of a first load where there is a browser."""
    folder = material.fresh("web")
    service = Service(material.guide(), folder / "log", (), begun_anew)
    try:
        return Section("web", asyncio.run(_measure(service, quick=material.quick)), _NOTE)
    finally:
        service.end()


async def _measure(service: Service, *, quick: bool) -> list[Row]:
    web = f"http://{service.web}"
    async with (
        connected(service.address) as caller,
        httpx.AsyncClient(base_url=web, trust_env=False, timeout=60) as client,
    ):
        rows = [await _first_event(caller, client, calls=10 if quick else 100)]
        if program() is not None:
            async with launched() as browser:
                rows.append(await _first_load(browser, client, web, loads=3 if quick else 15))
    return rows


async def _first_event(caller: Caller, client: httpx.AsyncClient, calls: int) -> Row:
    queries = iter(seed_queries("RETRIEVAL"))
    ours: list[float] = []
    peers: list[float] = []
    for place in range(calls + 1):
        connect, grpc = await _by_connect(client, next(queries)), await caller.stamped(request(next(queries)))
        if place:  # the first of each opens its connection
            ours.append(connect * 1000)
            peers.append(grpc.at[0] * 1000)
    more = {"added ms": median(ours) - median(peers), "p95 ms": percentile(ours, 0.95)}
    return Row("First event by Connect", "ms", median(ours), median(peers), "gRPC of the same engine", calls, more)


async def _by_connect(client: httpx.AsyncClient, query: str) -> float:
    """Seconds to the first event."""
    body, kind = framed(json.dumps({"query": query}).encode()), {"content-type": "application/connect+json"}
    first = 0.0
    started = time.perf_counter()
    async with client.stream("POST", _STREAM, content=body, headers=kind) as response:
        async for _ in response.aiter_raw():
            first = first or time.perf_counter() - started
    return first


async def _first_load(browser: Browser, client: httpx.AsyncClient, web: str, loads: int) -> Row:
    spent: list[float] = []
    peers: list[float] = []
    paths: list[str] = []
    for _ in range(loads):
        peers.append((await _loaded(browser, f"{web}/healthz"))[0])
        milliseconds, asked = await _loaded(browser, f"{web}/")
        spent.append(milliseconds)
        paths = ["/", *(path for path in asked if path.startswith("/page/"))]
    bodies = [(await client.get(path)).content for path in dict.fromkeys(paths)]
    more = {
        "fastest ms": min(spent),
        "p95 ms": percentile(spent, 0.95),
        "kB": sum(map(len, bodies)) / 1000,
        "gzip kB": sum(len(gzip.compress(body)) for body in bodies) / 1000,
        "files": len(bodies),
    }
    return Row("The page's first load", "ms", median(spent), median(peers), "one line of text there", loads, more)


async def _loaded(browser: Browser, url: str) -> tuple[float, list[str]]:
    """Milliseconds to the end of the load event of a page for a new person, and the paths that it asked for."""
    async with visiting(browser, "http:", expected="favicon.ico") as context:
        page = await context.new_page()
        await page.goto(url)
        paths = "performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"
        return await page.evaluate(_ENDED), await page.evaluate(paths)
