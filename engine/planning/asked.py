"""What a question asks for by name and by number, and whether a text says it."""

from __future__ import annotations

import re
import unicodedata

#: A number as the question writes it; a bare digit is as often a count of words ("two routes") and is left out.
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\d[\d,.]*\d%?|(?<![\w.])\d+%")
_CODE = re.compile(r"\b[A-Z]{2,}[A-Z0-9]*\b|\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b|\b\d{4,5}\.[A-Z]{2}\b")
_PROPER = re.compile(r"(?<=[a-záéíóúñ,;] )[A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+(?: [A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+)*")
_QUOTED = re.compile(r"[“\"「『《`]([^”\"」』》`]{2,40})[”\"」』》`]")
#: Titles of works as Chinese marks them, and quoted ones.
_TITLE = re.compile(r"《([^《》]{1,40})》|“([^“”]{2,40})”")
#: A property of things that has a number: what is asked of each of several titles.
_MEASURES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"評分|评分|得分|\brat(ing|ed)s?\b|\bscores?\b|\bpuntuaci[oó]n(es)?\b|\bnotas?\b",
        r"價格|价格|股價|股价|\bprices?\b|\bprecios?\b",
        r"票房|\bbox office\b|\btaquilla\b",
    )
]
_FIGURE = re.compile(r"\d")
_SENTENCE = re.compile(r"(?<=[。！？；;\n])|(?<=[.!?])\s+")


def entities(question: str) -> tuple[str, ...]:
    """Names, codes and quoted words of the question, in their order, each once."""
    found = [(match.start(), match[0]) for pattern in (_CODE, _PROPER) for match in pattern.finditer(question)]
    found += [(match.start(), match[1]) for match in _QUOTED.finditer(question)]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def numbers(question: str) -> tuple[str, ...]:
    """Numbers of the question, of two digits or more, each once."""
    return tuple(dict.fromkeys(match[0].rstrip(".,") for match in _NUMBER.finditer(question)))


def says(text: str, name: str) -> bool:
    """Whether `text` has that name or number, in whatever case and with whatever thousands separators."""
    return _plain(name) in _plain(text)


def unmeasured(question: str, evidence: str) -> tuple[tuple[str, str], ...]:
    """Works that the evidence names and whose asked measure it does not give, as (title, measure as asked).

    "Compare the ratings of the three films" names no film: which ones they are is found out by the first pass, and
    that one of them has no rating yet is seen here. A title has its measure when a sentence has the title, a word for
    the measure and a figure.
    """
    titles = tuple(dict.fromkeys(match[1] or match[2] for match in _TITLE.finditer(evidence)))
    sentences = _SENTENCE.split(evidence)
    found = []
    for measure in _MEASURES:
        asked = measure.search(question)
        measured = [sentence for sentence in sentences if measure.search(sentence) and _FIGURE.search(sentence)]
        without = [title for title in titles if not any(_measured(title, one) for one in measured)]
        if asked and len(without) < len(titles):  # where none is measured, the search failed altogether
            found += [(title, asked[0]) for title in without]
    return tuple(found)


def _measured(title: str, sentence: str) -> bool:
    """Whether a figure follows the title in the sentence, before another title does."""
    for place in re.finditer(re.escape(title), sentence):
        rest = _TITLE.split(sentence[place.end() :].lstrip("》”"))[0]
        if _FIGURE.search(rest):
            return True
    return False


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"(?<=\d),(?=\d)|[$€£]", "", folded)
