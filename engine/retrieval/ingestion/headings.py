"""The headings of plain text: lines that stand alone and are written as headings are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.retrieval.ingestion.sections import Section, with_own_text
from engine.text.sentences import is_one_question

#: Characters and words of the longest heading.
_MOST_CHARS, _MOST_WORDS = 80, 12
#: Characters of the longest question that is the heading of its answer.
_MOST_ASKED = 160
#: Letters of the shortest line in capitals that is a heading: not a name such as "EU"; words of one that asks.
_LEAST_CAPITALS, _LEAST_ASKING = 3, 2
#: Questions with answers of the text in which they are headings: a single one is its writer's way to go on.
_LEAST_QUESTIONS = 2
#: The style of questions, and their level, which is below that of every other heading.
_QUESTION, _QUESTION_LEVEL = "question", 1_000
_CAPITALS = "capitals"
#: Lines in which the next item of a list is looked for.
_BESIDE = 5
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|~{3,}|\*{3,})[ \t]*")
_NUMBERED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})*)[.)]?[ \t]+(?P<title>[^\W\d_].*)")
_NAMED = re.compile(
    r"(?:chapter|part|section|article|appendix|annex|cap[ií]tulo|parte|secci[oó]n|art[ií]culo|anexo|ap[eé]ndice)"
    r"[ \t]+(?:\d+|[ivxlc]+|[a-z])\b.*",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*#*")
#: What leads in a question and its answer: "Q: ...", "A: ...", in Spanish "P: ..." and "R: ...".
_ASKS = re.compile(r"[QP]\d{0,3}[.:)][ \t]+", re.IGNORECASE)
_REPLIES = re.compile(r"[ \t]*[AR]\d{0,3}[.:)][ \t]+", re.IGNORECASE)
_SENTENCE_ENDS = (".", ",", ";", ":", "!", "。", "，", "；", "：", "…")


def text_sections(text: str) -> list[Section]:
    """Splits plain text at its headings; a text without them is one section.

    A heading is a line with an empty one above it, or the first, that is underlined; or is in capitals, numbered
    (`2.1 Fire`), called a chapter or marked with `#`, and has an empty line below it too. A list whose items are
    numbered and stand apart has none. Levels come in the order of first use, as in reStructuredText. A question on a
    line of its own is the heading of the answer below it where the text has several.

    Args:
        text: With line feeds alone.
    """
    return with_own_text(list(_raw_sections(text)))


def _raw_sections(text: str) -> Iterator[Section]:
    lines = text.split("\n")
    asked = _questions(lines)
    styles: list[str] = []
    path: list[tuple[int, str]] = []
    start = level = 0
    for place, style, title, length in _headings(lines, asked):
        yield Section(tuple(name for _, name in path), level, "\n".join(lines[start:place]))
        if style not in styles and style != _QUESTION:
            styles.append(style)
        level, start = _QUESTION_LEVEL if style == _QUESTION else styles.index(style) + 1, place + length
        path = [*(above for above in path if above[0] < level), (level, title)]
    yield Section(tuple(name for _, name in path), level, "\n".join(lines[start:]))


def _headings(lines: list[str], asked: dict[int, str]) -> Iterator[tuple[int, str, str, int]]:
    """(line, style, title, number of lines) of each heading; `asked` are questions that are such, by their lines."""
    for place, line in enumerate(lines):
        if place in asked:
            style = _style(asked[place])
            yield place, style if style == _CAPITALS else _QUESTION, asked[place], 1
            continue
        if not line.strip() or len(line) > _MOST_CHARS or (place and lines[place - 1].strip()):
            continue
        below = lines[place + 1] if place + 1 < len(lines) else ""
        title = " ".join(line.split())
        if _UNDERLINE.fullmatch(below) and not _UNDERLINE.fullmatch(line) and len(below.rstrip()) * 2 >= len(title):
            yield place, below[0], title, 2
        elif not below.strip() and (style := _style(title)) and not _is_item(lines, place, title):
            marked = _MARKED.fullmatch(title)
            yield place, style, marked["title"] if marked else title, 1


def _style(title: str) -> str:
    """How a line that stands alone is written as a heading; empty where it is not."""
    if title.endswith(_SENTENCE_ENDS) or len(title.split()) > _MOST_WORDS:
        return ""
    if marked := _MARKED.fullmatch(title):
        return marked["marks"]
    if numbered := _NUMBERED.fullmatch(title):
        return f"{numbered['number'].count('.')} points" if numbered["title"][0].isupper() else ""
    if _NAMED.fullmatch(title) and title[0].isupper():
        return title.split(maxsplit=1)[0].casefold()
    letters = sum(character.isupper() for character in title)
    told = not title.endswith("?") or len(title.split()) >= _LEAST_ASKING
    return _CAPITALS if title.isupper() and letters >= _LEAST_CAPITALS and told else ""


def _questions(lines: list[str]) -> dict[int, str]:
    """The questions with an answer below them, by their lines, where there are several.

    What leads in an answer ("A:") is taken off `lines`, where "Q:" leads in its question.
    """
    found: dict[int, str] = {}
    for place, line in enumerate(lines):
        if not (_is_asked(line) and (place == 0 or not lines[place - 1].strip())):
            continue
        title = " ".join(line.split())
        below = next((at for at in (place + 1, place + 2) if at < len(lines) and lines[at].strip()), None)
        if below is None or _is_asked(lines[below]) or (below > place + 1 and _style(title)):
            continue  # what has a style stands with the headings of that style
        found[place] = title
    if len(found) < _LEAST_QUESTIONS:
        return {}
    for place, title in found.items():
        if led := _ASKS.match(title):
            found[place] = title[led.end() :]
            below = place + 1 if lines[place + 1].strip() else place + 2
            lines[below] = _REPLIES.sub("", lines[below], count=1)
    return found


def _is_asked(line: str) -> bool:
    """Whether a line is a question, and nothing else."""
    title = line.strip()
    if not title.endswith("?") or len(title) > _MOST_ASKED:
        return False
    led = _ASKS.match(title)
    return is_one_question(title[led.end() :] if led else title)


def _is_item(lines: list[str], place: int, title: str) -> bool:
    """Whether a numbered line is an item of a list: one beside it, which stands alone too, has its number or the next.

    A list that stands close below a heading, or ends above it, has its own count: its items do not stand alone.
    """
    numbered = _NUMBERED.fullmatch(title)
    if numbered is None:
        return False
    *above, last = map(int, numbered["number"].split("."))
    below = (at for at in range(place + 1, min(place + _BESIDE, len(lines))) if lines[at].strip())
    before = (at for at in range(place - 1, max(place - _BESIDE, -1), -1) if lines[at].strip())
    for at, step in ((next(below, None), 1), (next(before, None), -1)):
        other = (
            _NUMBERED.fullmatch(" ".join(lines[at].split())) if at is not None and _stands_alone(lines, at) else None
        )
        if other is None:
            continue
        *others, number = map(int, other["number"].split("."))
        if others == above and number in (last, last + step):
            return True
    return False


def _stands_alone(lines: list[str], place: int) -> bool:
    """Whether the lines above and below are empty, or there are none."""
    return not any(lines[at].strip() for at in (place - 1, place + 1) if 0 <= at < len(lines))
