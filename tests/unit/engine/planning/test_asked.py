from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.asked import entities, numbers, says, unmeasured


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is addVar?", ("addVar",)),
        ("what is the difference between addVar and add_param", ("addVar", "add_param")),
        ("What percentage of SMI determines eligibility?", ("SMI",)),
        ("What about CrossLab?", ("CrossLab",)),
        ("weather in Madrid and New York", ("Madrid", "New York")),
        ('what does "half open" mean', ("half open",)),
        ("《爸爸》的評分", ("爸爸",)),
        ("騰訊控股（0700.HK）的股價", ("0700.HK",)),
        ("what is it", ()),
        ("", ()),
    ],
)
def test_names(question: str, names: tuple[str, ...]) -> None:
    assert entities(question) == names


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("a family of 4 that makes $4,500/month", ("$4,500",)),
        ("What is 85% of 92,041?", ("85%", "92,041")),
        ("in 2026 and in 2027.", ("2026", "2027")),
        ("give me 2 routes", ()),
        ("what is 7%", ("7%",)),
        ("addVar2 and v1.2", ()),
    ],
)
def test_numbers(question: str, found: tuple[str, ...]) -> None:
    assert numbers(question) == found


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("It costs $92041.", "92,041", True),
        ("It costs 92,041 dollars", "$92041", True),
        ("the ADDVAR command", "addVar", True),
        ("１２３", "123", True),
        ("nothing", "addVar", False),
    ],
)
def test_saying(text: str, name: str, said: bool) -> None:
    assert says(text, name) is said


WINNERS = "劉青雲憑《神探大戰》獲獎。梁朝偉憑《金手指》獲獎。劉青雲憑《爸爸》獲獎。"


def test_a_work_without_its_rating_is_seen() -> None:
    evidence = WINNERS + "《神探大戰》豆瓣評分 6.6。《金手指》豆瓣評分 6.1。"
    assert unmeasured("比較三部電影在豆瓣上的評分", evidence) == (("爸爸", "豆瓣 評分"),)


def test_nothing_is_missing_when_every_work_has_its_rating() -> None:
    evidence = WINNERS + "《神探大戰》評分 6.6，《金手指》評分 6.1，《爸爸》評分 7.5。"
    assert unmeasured("比較三部電影的評分", evidence) == ()


def test_a_rating_belongs_to_the_title_before_it() -> None:
    evidence = "《神探大戰》和《金手指》的評分：《金手指》6.1。"
    assert unmeasured("評分", evidence) == (("神探大戰", "評分"),)


def test_what_is_not_asked_is_not_missed() -> None:
    assert unmeasured("誰是最佳男主角", WINNERS + "《金手指》評分 6.1。") == ()


def test_where_nothing_is_measured_the_search_failed_altogether() -> None:
    assert unmeasured("比較三部電影的評分", WINNERS) == ()


def test_english_titles_in_quotes() -> None:
    evidence = "The winners are “Drift” and “Gold”. The rating of “Drift” is 7.1."
    assert unmeasured("compare their ratings", evidence) == (("Gold", "ratings"),)


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("how many pages do the books have", "“Ember” has 310 pages. “Slate” is by Kim.", (("Slate", "pages"),)),
        (
            "compara la duración de las obras",
            "“Nube” tiene una duración de 90 minutos. “Arena” es nueva.",
            (("Arena", "duración"),),
        ),
        ("這些小說各有多少頁數", "《春雨》頁數 210。《秋風》是新書。", (("秋風", "頁數"),)),
    ],
)
def test_an_attribute_is_whatever_question_and_evidence_call_it(
    question: str, evidence: str, missing: tuple[tuple[str, str], ...]
) -> None:
    assert unmeasured(question, evidence) == missing


@settings(deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_no_text_breaks_it(one: str, other: str) -> None:
    entities(one)
    numbers(one)
    says(one, other)
    unmeasured(one, other)
