"""What `make soak` prints, and that the tests it runs are there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Evidence, Passage
from scripts.soaking.long_session import bytes_beside_content
from scripts.soaking.measured import _LIMIT
from scripts.soaking.rows import Row, broken
from scripts.soaking.tested import SUITES, row_of
from tests.contract.test_session_store import record
from tests.sizes import FULL, sized

ROOT = Path(__file__).resolve().parents[3]
PASSED = """
<testsuites><testsuite>
<testcase name="a"><properties><property name="figure" value="50 kills"/></properties></testcase>
<testcase name="b"><properties><property name="figure" value="50 kills"/></properties></testcase>
<testcase name="c"><skipped/></testcase>
</testsuite></testsuites>
"""


def test_a_row_says_whether_it_holds_and_what_could_not_be_run() -> None:
    rows = [Row("a", "1 ms", holds=True), Row("b", "9 ms", holds=False), Row("c", "-", holds=None)]
    assert [str(row) for row in rows] == ["| a | 1 ms | yes |", "| b | 9 ms | NO |", "| c | - | not run |"]
    assert broken(rows) == ["b"]


def test_a_run_of_tests_is_a_row_with_their_figures() -> None:
    assert row_of("x", PASSED, 0) == Row("x", "50 kills; 2 of 3 tests passed, 1 not run here", holds=True)


def test_a_test_that_fails_is_named() -> None:
    failed = PASSED.replace("<skipped/>", "<failure/>")
    assert row_of("x", failed, 1) == Row("x", "50 kills; 2 of 3 tests passed; FAILED c", holds=False)
    assert row_of("x", PASSED, 1).holds is False


def test_what_was_skipped_whole_is_neither_held_nor_broken() -> None:
    skipped = "<testsuites><testcase name='a'><skipped/></testcase></testsuites>"
    assert row_of("x", skipped, 0) == Row("x", "0 of 1 tests passed, 1 not run here", holds=None)


def test_every_test_that_holds_a_row_is_there() -> None:
    for suite in SUITES.values():
        for test in suite.tests:
            path, _, name = test.partition("::")
            text = (ROOT / path).read_text("utf-8")
            assert f"def {name}(" in text if name else "def test_" in text, test


@pytest.mark.parametrize(("value", "expected"), [("", 3), ("1", 500)])
def test_a_size_is_short_unless_the_full_one_is_asked_for(
    value: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FULL, value)
    assert sized(3, 500) == expected


def test_the_places_of_an_engine_are_those_of_its_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_QUEUE", "7")
    assert 66 <= _LIMIT <= 68


def test_bytes_beside_content_are_those_that_no_text_takes(tmp_path: Path) -> None:
    async def stored(name: str, text: str) -> float:
        store = SqlSessionStore(tmp_path / name)
        for number in range(40):
            passage = Passage(f"p{number}", "d.md", "T", "", text)
            await store.append(record(f"t{number}", answer=text), [Evidence(number + 1, passage)])
        await store.close()
        return bytes_beside_content(tmp_path / name)

    short, long = (asyncio.run(stored(str(length), "x" * length)) for length in (10, 3000))
    assert short > 0
    assert long < short + 3000  # of the 6,000 that the texts of a turn take, pages that are not full at the most
