import re

import pytest

from classifier.references import phrases
from classifier.references.resolve import folded

WHOLE = {
    "CODE_WORK": phrases.CODE_WORK,
    "EXPLANATION": phrases.EXPLANATION,
}


@pytest.mark.parametrize("pattern", [*WHOLE.values(), phrases.DEICTIC, phrases.EDITOR, phrases.FROM_SCRATCH])
def test_phrases_are_written_in_folded_letters(pattern: re.Pattern[str]) -> None:
    """A capital or an accent in a pattern could never match."""
    letters = re.sub(r"\\.", "", pattern.pattern)
    assert letters == letters.lower()
    assert letters.isascii()


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_is_no_phrase(name: str) -> None:
    assert not WHOLE[name].fullmatch("")
    assert not WHOLE[name].fullmatch("please")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("could you please fix this for me", "CODE_WORK"),
        ("hey can you explain this to me in detail", "EXPLANATION"),
        ("vale, y ahora explícame esto paso a paso", "EXPLANATION"),
    ],
)
def test_courtesy_does_not_matter(text: str, name: str) -> None:
    assert [found for found, pattern in WHOLE.items() if pattern.fullmatch(folded(text))] == [name]


@pytest.mark.parametrize(
    "text", ["explain this poem by neruda", "fix it in my account settings now or cancel my plan tomorrow"]
)
def test_a_message_that_says_more_is_no_phrase(text: str) -> None:
    assert not WHOLE["EXPLANATION"].fullmatch(folded(text))
