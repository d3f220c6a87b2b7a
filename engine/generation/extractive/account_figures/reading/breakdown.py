"""Counts that running text tells by kinds, as rows: "184 students: 76 in English, 52 in French"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.generation.extractive.account_figures.asking.synonyms import is_state
from engine.generation.extractive.account_figures.figure import Amount, Figure, amounts_in, days_in
from engine.generation.extractive.account_figures.vocabulary import is_calendar_name, is_period, period_in, role_of
from engine.text.dates import fold
from engine.text.language import Language
from engine.text.words import COMMON, letter_words

#: What stands between what is counted and its kinds.
_OPENING = re.compile(
    r"\s*(?:[:(—]|\s[-–]\s)\s*|,?\s+(?:of (?:which|them)|de (?:las? cuales?|los cuales?|ellos|ellas))[,:]?\s+",
    re.IGNORECASE,
)
#: A month or a weekday behind an amount, with what is counted in front of it.
_DATED = re.compile(
    r"\s*(?P<noun>(?:[^\W\d_]+\s+){0,3}?)(?:(?:in|on|for|during|en|el|los|de|por)\s+)(?:(?:el|la|los)\s+)?(?P<name>[^\W\d_]{3,})"
)
#: A month or a weekday in front of an amount, and what is counted behind it.
_LED = re.compile(r"(?:\b(?:in|on|en|el|los?)\s+)?(?P<name>[^\W\d_]{3,})\s*:?\s+$")
_BEHIND = re.compile(r"(?:\s+(?!(?:and|y|e|on|in|el|en)\b)[^\W\d_]+){0,2}")
#: What stands between two kinds.
_BETWEEN = re.compile(
    r"^\s*(?:(?:[,;+/]|\band\b|\bplus\b|\by\b|\be\b|más)\s*)*|(?:[\s,;+/.)]|\band|\bplus|\by|\be|\bmás)*$"
)
#: Words of the name of a kind, at most, and kinds from which their sum may differ from the whole.
_WORDS, _MANY = 4, 3
#: Letters of a sentence that is read.
_LONG = 1_000


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Counts by kinds with the whole that they are of, or by months or weekdays.

    Attributes:
        kinds: Names with their amounts, in order.
        rest: The sentence without them.
        whole: The amount in front of them; None where they are by months or weekdays.
        counted: What is counted by months or weekdays.
    """

    kinds: tuple[tuple[str, Amount], ...]
    rest: str
    whole: Amount | None = None
    counted: str = ""

    def rows(self, figures: Sequence[Figure], sentence: str) -> Iterator[Figure]:
        """A figure for each kind, as the rows of a list that is called as the whole is among `figures`."""
        head = next((one for one in reversed(figures) if self.whole and one.value == self.whole and not one.row), None)
        for name, amount in self.kinds:
            if self.counted:
                yield Figure((self.counted, name), amount, sentence=sentence)
            elif head is not None:
                names = [part for part in head.path if part]
                counted = [part for part in names if period_in(part, strict=True) is None] or names
                around = [part for part in names if part not in counted]  # "in May": so are its kinds
                path = (*around, " ".join(counted))
                yield replace(head, value=amount, row=name, listed=path[-1:], path=path)


def breakdown(sentence: str, language: Language) -> Breakdown | None:
    """The counts by kinds, months or weekdays of a sentence; None where it has none."""
    if len(sentence) > _LONG:  # no statement that people write, and each amount is held against all others
        return None
    amounts = amounts_in(sentence, language)
    if (series := _series(sentence, amounts) or _led_series(sentence, amounts)) is not None:
        return series
    for at, (_, end, whole) in enumerate(amounts[:-2]):
        opening = _OPENING.search(sentence, end, amounts[at + 1][0])
        if opening is None or whole.unit == "%":
            continue
        close = sentence.find(")", opening.end()) if "(" in opening[0] else -1
        last = close if close >= 0 else len(sentence)
        kinds = _kinds(sentence, opening.end(), last, [one for one in amounts[at + 1 :] if one[1] <= last])
        of_states = any(is_state(name) for name, _ in kinds)
        if kinds and _are_of(whole, kinds, exactly=of_states):
            rest = f"{sentence[: opening.start()].rstrip()} {sentence[last:].lstrip(')').lstrip()}".strip()
            return Breakdown(kinds, rest, whole)
    return None


def _series(sentence: str, amounts: Sequence[tuple[int, int, Amount]]) -> Breakdown | None:
    """Amounts that are of a month or a weekday each, the first ones in a row of them: "15 on Monday, 22 on Tuesday"."""
    found: list[tuple[str, Amount]] = []
    noun, first, last = "", 0, 0
    for at, (start, end, amount) in enumerate(amounts):
        following = amounts[at + 1][0] if at + 1 < len(amounts) else len(sentence)
        dated = _DATED.match(sentence[end:following])
        of = dated is not None and is_calendar_name(dated["name"]) and not (found and dated["noun"])
        if dated is None or not of or (found and found[0][1].unit != amount.unit):
            if len(found) > 1:
                break
            found = []
            continue
        if not found:
            noun, first = (dated["noun"] or "").strip(), start
        found.append((dated["name"], amount))
        last = end + dated.end("name")
        if following < len(sentence) and _BETWEEN.sub("", sentence[last:following]):
            break
    counted = noun.lower() or _subject(sentence[:first])
    if len(found) < 2 or not counted or len({name for name, _ in found}) < len(found):
        return None
    return Breakdown(tuple(found), _joined(sentence[:first], sentence[last:]), None, counted)


def _led_series(sentence: str, amounts: Sequence[tuple[int, int, Amount]]) -> Breakdown | None:
    """The same where the month or weekday stands in front of its amount: "Monday 6 hours, Tuesday 8 hours"."""
    found: list[tuple[str, Amount, int, int]] = []
    before = 0
    for start, end, amount in amounts:
        led = _LED.search(sentence[before:start])
        if led is not None and is_calendar_name(led["name"]) and (not found or found[0][1].unit == amount.unit):
            found.append((led["name"], amount, before + led.start(), end))
        elif len(found) > 1:
            break
        else:
            found = []
        before = end
    if len(found) < 2 or len({name for name, *_ in found}) < len(found):
        return None
    first, last = found[0][2], found[-1][3]
    behind = _BEHIND.match(sentence, found[0][3])
    words = (behind[0] if behind else "").split()
    noun = " ".join(word for word in words if fold(word) not in COMMON and not is_calendar_name(word))
    rest = sentence[last:]
    rest = rest[len(noun) + 1 :] if noun and rest.strip().startswith(noun) else rest
    counted = noun.lower() or _subject(sentence[:first])
    kinds = tuple((name, amount) for name, amount, _, _ in found)
    return Breakdown(kinds, _joined(sentence[:first], rest), None, counted) if counted else None


def _joined(before: str, behind: str) -> str:
    """What is left of a sentence without what stood between."""
    return f"{before.rstrip()} {behind.lstrip(' ,')}".strip()


def _subject(before: str) -> str:
    """What a clause is about that ends in a number: the words of its last part that say something."""
    words = letter_words(re.split(r"[.;,]|: (?=.*\w)", before)[-1])
    return " ".join(word for word in words if fold(word) not in COMMON and not is_period(word)).lower()


def _kinds(
    sentence: str, start: int, end: int, amounts: Sequence[tuple[int, int, Amount]]
) -> tuple[tuple[str, Amount], ...]:
    """The names of the amounts of a stretch of a sentence, behind each or before each; empty where one has none."""
    if len(amounts) < 2:
        return ()
    behind = not sentence[start : amounts[0][0]].strip()
    found: list[tuple[str, Amount]] = []
    for at, (first, last, amount) in enumerate(amounts):
        following = amounts[at + 1][0] if at + 1 < len(amounts) else end
        text = sentence[last:following] if behind else sentence[amounts[at - 1][1] if at else start : first]
        name = _name(text)
        if not name:
            return ()
        found.append((name, amount))
    after = "" if behind else _BETWEEN.sub("", sentence[amounts[-1][1] : end]).strip()
    return () if after or len({fold(name) for name, _ in found}) < len(found) else tuple(found)


def _name(text: str) -> str:
    """The name of a kind, without what stands around it; empty where the text is none."""
    bare = _BETWEEN.sub("", text).strip(" ,;:.)=")
    words = bare.split()
    while words and fold(words[0]) in COMMON:
        words.pop(0)
    name = " ".join(words)
    plain = 0 < len(words) <= _WORDS and re.fullmatch(r"[^\W\d_][\w'’ .&/-]*", name) is not None
    return name if plain and not any(map(role_of, words)) and not days_in(name) else ""


def _are_of(whole: Amount, kinds: Sequence[tuple[str, Amount]], *, exactly: bool) -> bool:
    """Whether amounts may be the kinds of a whole: of its unit, and its sum; of many at most, unless `exactly`."""
    units = {amount.unit for _, amount in kinds}
    together = sum(amount.value for _, amount in kinds)
    return units in ({whole.unit}, {""}) and (
        together == whole.value or (len(kinds) >= _MANY and together <= whole.value and not exactly)
    )
