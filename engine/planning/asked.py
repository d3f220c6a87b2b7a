"""What a question asks for by name and by number, and whether a text says it."""

from __future__ import annotations

import re
import unicodedata

from engine.text.sentences import sentences_of_lines
from engine.text.words import content, content_stems, has_digit, stem

#: A number as the question writes it; a bare digit is as often a count of words ("two routes") and is left out.
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\d[\d,.]*\d%?|(?<![\w.])\d+%")
_CODE = re.compile(r"\b[A-Z]{2,}[A-Z0-9]*\b|\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b|\b\d{4,5}\.[A-Z]{2}\b")
_PROPER = re.compile(r"(?<=[a-záéíóúñ,;] )[A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+(?: [A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+)*")
_QUOTED = re.compile(r"[“\"「『《`]([^”\"」』》`]{2,40})[”\"」』》`]")
#: Titles of works as Chinese marks them, and quoted ones.
_TITLE = re.compile(r"《([^《》]{1,40})》|“([^“”]{2,40})”")
HAN = re.compile(r"[\u4e00-\u9fff]+")


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
    """Works that the evidence names and whose asked attribute it does not give, as (title, attribute as asked).

    "Compare the ratings of the three films" names no film: which ones they are is found out by the first pass, and
    that one of them has no rating yet is seen here. An attribute is what question and evidence both say in a sentence
    that has a figure behind a title; whatever it is called.
    """
    titles = tuple(dict.fromkeys(match[1] or match[2] for match in _TITLE.finditer(evidence)))
    given: dict[str, set[str]] = {}
    for sentence in sentences_of_lines(evidence):
        attribute = " ".join(_shared(question, _TITLE.sub(" ", sentence)))
        for title in titles:
            if attribute and _measured(title, sentence):
                given.setdefault(attribute, set()).add(title)
    if not given:
        return ()
    attribute = max(given, key=lambda one: len(given[one]))
    every = set().union(*(has for one, has in given.items() if set(one.split()) & set(attribute.split())))
    return tuple((title, attribute) for title in titles if title not in every)


def _shared(question: str, sentence: str) -> list[str]:
    """What question and sentence both say, as the question has it: words, or runs of Chinese characters."""
    stems = content_stems(sentence)
    found = [(question.index(word), word) for word in content(question) if not HAN.search(word) and stem(word) in stems]
    for run in HAN.finditer(question):
        at = 0
        while at < len(run[0]) - 1:
            length = next((n for n in range(len(run[0]) - at, 1, -1) if run[0][at : at + n] in sentence), 0)
            found += [(run.start() + at, run[0][at : at + length])] if length else []
            at += length or 1
    return list(dict.fromkeys(word for _, word in sorted(found)))


def _measured(title: str, sentence: str) -> bool:
    """Whether a figure follows the title in the sentence, before another title does."""
    for place in re.finditer(re.escape(title), sentence):
        rest = _TITLE.split(sentence[place.end() :].lstrip("》”"))[0]
        if has_digit(rest):
            return True
    return False


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"(?<=\d),(?=\d)|[$€£]", "", folded)
