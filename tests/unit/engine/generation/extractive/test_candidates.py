"""Which codes that a question names are missing from what was found."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Origin, Passage
from engine.generation.extractive.candidates import candidates, lacks_code

TABLE = "| Code | Meaning |\n|---|---|\n| `KDR-101` | no key |\n| `KDR-104` | expired |\n"
NAMES = "Set `KEDRA_HOST` and `KEDRA_TOKEN` first. The header is `KDR-Trace`. It needs UTF-8."


def found(*texts: str) -> tuple[Evidence, ...]:
    passages = (Passage(str(at), "kedra.md", "Kedra", "Errors", text) for at, text in enumerate(texts))
    return tuple(Evidence(at, passage, Origin.SEARCH) for at, passage in enumerate(passages, start=1))


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("what does KDR-107 mean?", True),
        ("what does kdr-107 mean?", True),
        ("what does KDR104 mean?", False),
        ("is KDR-107 worse than KDR-104?", False),  # one of them is told of
        ("what is KEDRA_REGION by default?", True),
        ("what is kedra_region by default?", True),
        ("what is KEDRA_TOKEN?", False),
        ("do I need UTF-16?", False),  # one of a family is no list of them
        ("how do I read user_id from a request?", False),
        ("what happens after 107 errors?", False),
    ],
)
def test_a_code_is_missing_where_others_of_its_family_are_told_of(question: str, lacks: bool) -> None:
    assert lacks_code(question, candidates(found(TABLE, NAMES))) is lacks


def test_no_code_is_missing_where_nothing_is_found() -> None:
    assert not lacks_code("what does KDR-107 mean?", ())
