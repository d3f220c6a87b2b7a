"""The files of the page: what is served, and what they keep to."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from engine.web.page import FOLDER
from tests.serving import serving
from tests.transports import UNREAD

TEXTS = (FOLDER / "texts.js").read_text("utf-8")


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(tmp_path) as served,
        httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False, verify=UNREAD) as client,
    ):
        yield client


async def test_the_page_comes_under_a_strict_policy_and_is_small(http: httpx.AsyncClient) -> None:
    page = await http.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    parts = re.findall(r'(?:href|src)="(page/[^"]+)"', page.text)
    assert parts
    loaded = {*parts, *(f"page/{name}" for name in re.findall(r'from "\./([^"]+)"', _scripts()))}
    sizes = [len(page.content)]
    for part in sorted(loaded):
        answered = await http.get(f"/{part}")
        assert answered.status_code == 200, part
        sizes.append(len(answered.content))
    assert sum(sizes) < 150_000
    modules = {path.name for path in FOLDER.glob("*.js")} - {"widget.js", "highlight.js"}
    assert modules == {Path(part).name for part in parts if part.endswith(".js")}  # none waits for another to name it


async def test_a_browser_that_has_a_file_does_not_get_it_again(http: httpx.AsyncClient) -> None:
    first = await http.get("/page/page.js")
    again = await http.get("/page/page.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (await http.get("/", headers={"if-none-match": first.headers["etag"]})).status_code == 200


async def test_the_widget_is_one_file_that_any_site_may_load(http: httpx.AsyncClient) -> None:
    widget = await http.get("/widget.js", headers={"origin": "https://dash.example.com"})
    assert widget.headers["cross-origin-resource-policy"] == "cross-origin"
    assert widget.headers["access-control-allow-origin"] == "*"
    assert "assistance-insight" in widget.text
    assert not re.search(r"^(import|export) ", widget.text, re.MULTILINE)


@pytest.mark.parametrize(
    "path", ["/page/../server.py", "/page/%2e%2e/server.py", "/page/widget.js", "/page/", "/static/x"]
)
async def test_nothing_else_is_served(http: httpx.AsyncClient, path: str) -> None:
    assert (await http.get(path)).status_code == 404


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_read_as_html() -> None:
    for path in FOLDER.rglob("*.*"):
        text = path.read_text("utf-8")
        named = set(re.findall(r"https?://[^\s\"'<>)]+", text))
        assert named <= {"http://www.w3.org/2000/svg", "http://127.0.0.1:8080/widget.js"}, path.name
        for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style="):
            assert sink not in text, f"{path.name}: {sink}"


def test_both_languages_say_the_same_things() -> None:
    english, spanish = (
        re.search(rf"const {name} = {{\n(.*?)\n}};", TEXTS, re.DOTALL) for name in ("ENGLISH", "SPANISH")
    )
    assert english
    assert spanish
    keys = [re.findall(r"^  (\w+):", found[1], re.MULTILINE) for found in (english, spanish)]
    assert keys[0] == keys[1]
    inner = [re.findall(r"^    (\w+):", found[1], re.MULTILINE) for found in (english, spanish)]
    assert inner[0] == inner[1]
    kept = {"en", "es", "all", "rows", "macro_f1", "ece", "coverage", "selective_accuracy", "out_of_scope_recall"}
    assert set(re.findall(r"\bsay\.(\w+)", _scripts())) | kept >= set(inner[0])
    used = set(re.findall(r'data-text="(\w+)"', (FOLDER / "index.html").read_text("utf-8")))
    used |= set(re.findall(r"\btexts\.(?!js\b)(\w+)", _scripts()))
    assert used == set(keys[0]), "each text is used, and each text that is used is there"


def _scripts() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.js")))
