"""What "the two" of a message means: "which of those two is cheaper?", "¿qué diferencia hay entre ambos?".

It means the two things that an answer told, or else those that the latest questions were about. A message that names
what it compares means nothing else, nor does "the two rooms", which has a noun of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from engine.conversation.followup.dependence import QUERY_CHARS, earlier, fragment_of
from engine.conversation.followup.ordinals import Item, listed, names_an_item, told_rows
from engine.conversation.followup.query_rewriting.rules import last_phrase
from engine.conversation.store.port import Conversation, TurnRecord
from engine.text.questions.comparisons import compared
from engine.text.sentences import item_name
from engine.text.words import content, content_stems, is_common, is_name_in_code, words

#: "The two" as one word that points; what is between them is told by the preposition before.
_TWO = re.compile(
    r"(?P<of>\b(?:of|de) )?(?P<between>\b(?:between|entre) )?"
    r"(?:\b(?:(?:the|these|those) two|(?P<them>both of (?:them|these|those))|both|(?<=\bbetween )them)\b"
    r"|\b(?P<spanish>(?:los|es[oa]s|est[oa]s) dos|(?:(?<=\bde )|(?<=\bentre ))las dos(?! y\b)|amb[oa]s"
    r"|(?<=\bentre )ell[oa]s)\b)",
    re.IGNORECASE,
)
#: Turns that are looked at for what they are about.
_TURNS = 6


def pair_meant(query: str, conversation: Conversation) -> Item | None:
    """The message with the two things that it means in place of "the two"; None where it means none that are known.

    Args:
        query: The message, such as "which of the two is older?".
        conversation: The turns before it.
    """
    query = query.strip()[:QUERY_CHARS]
    found = _TWO.search(query)
    if found is None or compared(query) is not None or not _points(query, found):
        return None
    turns = earlier(conversation)
    pair = _told_last(turns)
    subjects = list(islice(_subjects(turns), 2))
    pair = pair or tuple(reversed(subjects))
    if len(pair) != 2:
        return None
    return Item(", ".join(pair), alone=True, sequence=turns[-1].sequence, query=_with(query, found, *pair))


def _points(query: str, found: re.Match[str]) -> bool:
    """Whether "the two" has no noun behind it: "which of the two costs more?" has a verb there."""
    behind = re.match(r" (\w+)", query[found.end() :])
    return bool(found["of"] or found["them"]) or behind is None or is_common(behind[1])


def _told_last(turns: Sequence[TurnRecord]) -> tuple[str, ...]:
    """The two things that the last turn told, or those of which it asked for one: "when was the second built?"."""
    for turn in reversed(turns[-_TURNS:]):
        told = _told(turn)
        if told or not names_an_item(turn.query):
            return told
    return ()


def _told(turn: TurnRecord) -> tuple[str, ...]:
    """The two things that a turn compared or told one below the other; empty where these are more or fewer."""
    sides = compared(turn.search_query or turn.query)
    if sides is not None:
        return sides.sides if len(sides.sides) == 2 else ()
    things = list(dict.fromkeys(item_name(one) or one for one in listed(turn.answer)))
    return tuple(things) if len(things) == 2 else ()


def _subjects(turns: tuple[TurnRecord, ...]) -> Iterator[str]:
    """What each of the turns was about, the latest first, each once."""
    seen: set[str] = set()
    for turn in islice(reversed(turns), _TURNS):
        subject = _subject(turn)
        if subject and subject.casefold() not in seen:
            seen.add(subject.casefold())
            yield subject


def _subject(turn: TurnRecord) -> str:
    """The row that a turn asked for, the name in code or the last thing that it names; empty where it names none."""
    asked = content_stems(f"{turn.query} {turn.search_query}")
    rows = list(dict.fromkeys(told_rows(turn.answer)))
    if len(rows) == 1 and asked & content_stems(rows[0]):
        return rows[0]
    names = [word for word in words(turn.query) if is_name_in_code(word)]
    if names:
        return names[-1]
    return " ".join(content(fragment_of(turn.query))) or " ".join(last_phrase(turn.query))


def _with(query: str, found: re.Match[str], one: str, other: str) -> str:
    """The message with both names: in place of what points where it tells what is between them, else behind it."""
    spanish = found["spanish"] is not None
    if found["between"] or not found["of"]:
        joined = f"{one} {'y' if spanish else 'and'} {other}"
        return f"{query[: found.start()]}{found['of'] or ''}{found['between'] or ''}{joined}{query[found.end() :]}"
    bare = f"{query[: found.start()].rstrip()}{query[found.end() :]}".rstrip(" ?.!")
    return f"{bare}, {one} {'o' if spanish else 'or'} {other}?"
