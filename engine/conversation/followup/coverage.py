"""Whether the passages that an earlier turn was shown cover a follow-up, so that it needs no search.

Only follow-ups that cannot be searched for as they are come here. One that asks for more on the same thing is covered
by what was shown for it. One that asks something is covered when a sentence of a passage that was cited for the same
thing has all of the words that it adds. The failing direction is to search.

Measured on the 76 such follow-ups of clapnq and fiqa, none of which asks for more, with the three best passages taken
as cited: 3 are said to be covered, and a judged passage is among those shown for all 3. Where the words may stand
anywhere in any passage shown, it is 25 and 11, while a search finds one for 16 of the 25.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.conversation.followup.dependence import QUERY_CHARS, points
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Action, Evidence, Outcome
from engine.text.quotation import examples_of
from engine.text.sentences import sentences_of_lines, units
from engine.text.words import asks_for_a_number, content_stems, has_digit

#: Words that passages have to say beyond the answers, for "more" to be asked of them a second time.
NEW_WORDS = 12
_I = re.IGNORECASE
#: Asks for a price or a reason, which is seldom said in the sentence that has the words.
_PRICE_OR_REASON = re.compile(r"\b(?:cost|price|pay|expensive|cheap|why|cuesta|precio|vale|paga\w*|por qu[eé])\b", _I)


def referent_of(conversation: Conversation) -> TurnRecord | None:
    """The turn that a follow-up refers to: the last one that was not mere talk, if it was about passages."""
    for turn in reversed(conversation.recent):
        if turn.cited or turn.type.searches:
            usable = turn.shown and turn.outcome is not Outcome.FAILED and turn.type.searches
            return turn if usable or (turn.cited and turn.shown) else None
        if turn.type.value == "PLATFORM":
            return None
    return None


def topic_of(conversation: Conversation, turn: TurnRecord) -> str:
    """What was searched for when the passages of `turn` were found."""
    before = [earlier for earlier in conversation.recent if earlier.sequence <= turn.sequence]
    return next((earlier.search_query for earlier in reversed(before) if earlier.search_query), turn.query)


def has_more(about: str, conversation: Conversation, turn: TurnRecord, evidence: Sequence[Evidence]) -> bool:
    """Whether `evidence` says more on `about` than the answers have.

    Args:
        about: The topic, or the one thing of it that is meant.
        conversation: What came before.
        turn: The one that the message refers to.
        evidence: All passages that turn was shown.
    """
    topic = content_stems(about)
    about_it = [piece for piece in evidence if topic & content_stems(_text(piece))]
    return bool(about_it) and (turn.action is not Action.HISTORY or _unsaid(conversation, about_it) >= NEW_WORDS)


def has_new_code(query: str, conversation: Conversation, turn: TurnRecord, evidence: Sequence[Evidence]) -> bool:
    """Whether `evidence` has code that no answer has shown for what `turn` told of; not where `query` names another."""
    topic = content_stems(topic_of(conversation, turn))
    if not evidence or content_stems(query) - topic:
        return False
    told = "\n".join(turn.answer for turn in conversation.recent)
    passages = examples_of(evidence[0].passage, (piece.passage for piece in evidence))
    blocks = (unit.text for passage in passages for unit in units(passage.text) if unit.code)
    return any(block.strip() not in told for block in blocks)


def covers(query: str, conversation: Conversation, turn: TurnRecord, evidence: Sequence[Evidence]) -> bool:
    """Whether `evidence` answers `query`.

    Args:
        query: A follow-up that names its topic by pointing at it, and asks something new.
        conversation: What came before it.
        turn: The one it refers to.
        evidence: All passages that turn was shown.
    """
    if not evidence or len(query) > QUERY_CHARS:
        return False
    topic = content_stems(topic_of(conversation, turn))
    added = content_stems(query)
    if not added or not points(query) or _PRICE_OR_REASON.search(query):
        return False
    needs_number = asks_for_a_number(query)
    cited = [piece for piece in evidence if piece.number in turn.cited]
    return any(_answers(piece, added, topic, needs_number=needs_number) for piece in cited)


def _answers(piece: Evidence, added: frozenset[str], topic: frozenset[str], *, needs_number: bool) -> bool:
    """Whether a sentence of a passage on the topic has all of the words."""
    passage = piece.passage
    named = bool(topic & content_stems(f"{passage.title} {passage.heading}"))
    for sentence in sentences_of_lines(passage.text):
        said = content_stems(sentence)
        if added <= said and (named or topic & said) and (not needs_number or has_digit(sentence)):
            return True
    return False


def _text(piece: Evidence) -> str:
    passage = piece.passage
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def _unsaid(conversation: Conversation, evidence: Iterable[Evidence]) -> int:
    """How many words the passages have that no answer has used yet."""
    told = content_stems("\n".join(turn.answer for turn in conversation.recent))
    return len(content_stems("\n".join(piece.passage.text for piece in evidence)) - told)
