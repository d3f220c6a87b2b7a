"""What a message refers to, decided once a turn, before the first token.

`relation.read` says from the words alone what a message asks of the conversation. Here it is held against what is
stored: whether the turn that is asked about exists, whether the passages shown so far cover a follow-up, whether the
figures said so far answer it; what does not hold is searched for, by a query that stands alone. The steps after it take
the `Resolution` and ask none of this again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from classifier.decision import Decision, QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.conversation.followup import coverage
from engine.conversation.followup.dependence import LITTLE, Dependence, may_stand
from engine.conversation.followup.history_recall import find, from_start, summed_up
from engine.conversation.followup.ordinals import Item
from engine.conversation.followup.query_rewriting.rules import Rewrite, carry_over, correct, other_readings
from engine.conversation.followup.relation import BY_WORDS, Reading, read, relate, relate_topic
from engine.conversation.history import answered
from engine.conversation.store.port import Conversation, Said, SessionStore, TurnRecord
from engine.domain import Action, Evidence, Origin, Part, Recall, Relation, Turn
from engine.text.lines import lines_named
from engine.text.questions.stated_figures import Calculation, Figure
from engine.text.words import content

#: Passages of earlier turns that an answer is given at most.
PASSAGES = 8
#: Characters of the code that is shown which a search uses beside the question.
_SELECTION_CHARS = 400
#: Turns that a recall reads where the last ones do not settle it, and how many times as many where these do not either.
_READ, _FURTHER = 64, 8


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a message refers to, and so what its answer is made from.

    Attributes:
        relation: As on the receipt.
        action: HISTORY when no search is needed; never one that searches for a type that must not.
        search_query: What to search for, by rules; empty when nothing is searched.
        carried_from: Sequence numbers of the turns whose words the search query carries, ascending.
        otherwise: What else the message may mean, to be searched for where nothing answers the search query.
        may_stand: The message may be a question of its own, though the search query has words of earlier turns.
        document: The one that it goes on from, which is looked through apart.
        turns: The turns that the generator is told, oldest first; None: the window as it is.
        numbers: Session numbers of the evidence that it is given, best first.
        recall: What is to be said again.
        calculation: Figures said before, put together.
        question: What sentences are ranked against, where the message itself says too little.
        more: It asks for more than has been said.
        whole: The search query, or `question`, is the message put in full: an item in place of what means it.
        confidence: How sure it is of the relation, 0 to 1.
        reason: What said so.
    """

    relation: Relation | None
    action: Action
    search_query: str = ""
    carried_from: tuple[int, ...] = ()
    otherwise: tuple[str, ...] = ()
    may_stand: bool = False
    document: str = ""
    turns: tuple[TurnRecord, ...] | None = None
    numbers: tuple[int, ...] = ()
    recall: Recall | None = None
    calculation: Calculation | None = None
    question: str = ""
    more: bool = False
    whole: bool = False
    confidence: float = 1.0
    reason: str = BY_WORDS


async def resolve(turn: Turn, decision: Decision, conversation: Conversation, store: SessionStore) -> Resolution:
    """What `turn` refers to in its conversation, and what to search for where that does not answer it.

    Raises:
        DependencyUnavailable: The store cannot be asked.
    """
    reading = read(turn.query, conversation, decision)
    found = await _resolved(reading, turn, decision, conversation, store)
    if found.relation is None:
        return found
    return replace(found, confidence=reading.confidence, reason=str(reading.reason))


async def _resolved(
    reading: Reading, turn: Turn, decision: Decision, conversation: Conversation, store: SessionStore
) -> Resolution:
    """What a reading comes to, held against what is stored."""
    relation, action = relate(reading, decision.type, conversation)
    if relation is Relation.HISTORY_RECALL and reading.recall is not None:
        recalled = await _recalled(reading.recall, turn, conversation, store)
        if recalled.turns or not decision.type.searches:
            return recalled
        relation, action = relate_topic(reading, decision.type, conversation)
    if action is Action.HISTORY:
        if reading.calculation is not None:
            calculation = _in_session_numbers(reading.calculation, conversation)
            return Resolution(relation, action, numbers=calculation.numbers, calculation=calculation)
        return _reformulated(reading.act, conversation, relation)
    searched = _searched(turn, decision, conversation, reading, Resolution(relation, action))
    if action is not Action.REWRITE or decision.editor:
        return searched
    if reading.dependence is Dependence.INCOMPLETE:
        named = reading.item is None or reading.item.alone  # of an item of a list there is more elsewhere
        if named and (covered := await _covered(reading, turn, conversation, store)):
            return covered
        searched = replace(searched, more=reading.more and named)
    return replace(searched, document=await _document_before(turn, conversation, store))


def _searched(
    turn: Turn, decision: Decision, conversation: Conversation, reading: Reading, resolution: Resolution
) -> Resolution:
    """`resolution` with what to search for.

    The question as asked, with the lines that it names or the beginning of the selection when it is about code that is
    shown, or with the words of earlier turns that it lacks.
    """
    if not resolution.action.searches:
        return resolution
    shown, named = turn.selected_text or turn.editor_content, lines_named(turn.query)
    if named is not None and (line := named.of(turn.editor_content or turn.selected_text)).strip():
        return replace(resolution, search_query=f"{turn.query}\n{line[:_SELECTION_CHARS]}")
    if decision.editor and shown.strip():
        return replace(resolution, search_query=f"{turn.query}\n{shown[:_SELECTION_CHARS]}")
    if decision.type is QueryType.RETRIEVAL and (topic := summed_up(turn.query)):
        # No passage says that it is to be summed up.
        return replace(resolution, search_query=topic, otherwise=(turn.query,), question=topic)
    if resolution.action is Action.REWRITE and reading.dependence is Dependence.INCOMPLETE:
        rewrite = _rewritten(reading, conversation)
        corrects = reading.act is DialogueAct.CORRECTION
        otherwise = () if corrects else other_readings(reading.query, conversation)
        whole = reading.item is not None and rewrite.query == reading.item.query
        return replace(
            resolution,
            search_query=rewrite.query,
            carried_from=rewrite.carried_from,
            otherwise=otherwise,
            may_stand=reading.query in otherwise and may_stand(reading.query),
            whole=whole,
        )
    return replace(resolution, search_query=turn.query)


async def _document_before(turn: Turn, conversation: Conversation, store: SessionStore) -> str:
    """The document that the last answer with sources quoted first; empty where no answer has any."""
    cited = next((one.cited[0] for one in reversed(conversation.recent) if one.cited), None)
    if cited is None:
        return ""
    return next((one.passage.document for one in await store.evidence(turn.principal, turn.session_id, [cited])), "")


def _in_session_numbers(calculation: Calculation, conversation: Conversation) -> Calculation:
    """`calculation` with the session's numbers of the passages that its figures came from."""
    cited = {
        (turn.sequence, place): number for turn in conversation.recent for place, number in enumerate(turn.cited, 1)
    }

    def numbered(figure: Figure) -> Figure:
        return replace(figure, number=cited.get((figure.sequence, figure.number), 0))

    return replace(calculation, share=numbered(calculation.share), amount=numbered(calculation.amount))


async def _recalled(recall: Recall, turn: Turn, conversation: Conversation, store: SessionStore) -> Resolution:
    """The turns that are asked about; without any where there are none."""
    found = await _remembered(recall, turn, conversation, store)
    if not found and recall.part is not Part.ITEM and not recall.about:
        recall = replace(recall, place=0)  # there is no seventh question: all are told
        found = await _remembered(recall, turn, conversation, store)
    return Resolution(Relation.HISTORY_RECALL, Action.HISTORY, turns=found, numbers=_cited(found), recall=recall)


async def _remembered(
    recall: Recall, turn: Turn, conversation: Conversation, store: SessionStore
) -> tuple[TurnRecord, ...]:
    """The turns that `find` finds in the session, of which no more is read than it needs."""
    recent = {one.sequence: one for one in conversation.recent}
    earlier = min(recent, default=1) - 1
    first = from_start(recall)
    reach = earlier if recall.about else min(earlier, _READ) if first else 0
    while True:
        after, before = (0, reach + 1) if first else (earlier - reach, earlier + 1)
        told = await store.told(turn.principal, turn.session_id, after=after, before=before) if reach else []
        whole = reach == earlier
        if whole or not first:
            told = [*told, *map(Said.of, recent.values())]
        if (found := find(recall, told, whole=whole)) is not None:
            break
        reach = min(earlier, max(_READ, _FURTHER * reach))
    unread = [one.sequence for one in found if one.sequence not in recent]
    more = await store.turns(turn.principal, turn.session_id, unread) if unread else []
    recent |= {one.sequence: one for one in more}
    return tuple(recent[one.sequence] for one in found if one.sequence in recent)


def _rewritten(reading: Reading, conversation: Conversation) -> Rewrite:
    """A message that says too little as a query: what it corrects put right, what it points at named."""
    corrected = correct(reading.query, conversation) if reading.act is DialogueAct.CORRECTION else None
    if corrected is not None and corrected.query != reading.query:
        return corrected
    item = reading.item
    if item is None:
        return carry_over(reading.query, conversation)
    if item.query and not reading.more:
        whole = item.alone or len(list(content(item.text))) > LITTLE
        return Rewrite(item.query, (item.sequence,)) if whole else carry_over(item.query, conversation)
    return Rewrite(f"{_topic_of(item, conversation)} {item.text}".strip(), (item.sequence,))


def _topic_of(item: Item, conversation: Conversation) -> str:
    """What was asked for when an item was told; empty where it says by itself what it is about."""
    told = next((turn for turn in conversation.recent if turn.sequence == item.sequence), None)
    return "" if item.alone or told is None else coverage.topic_of(conversation, told)


async def _covered(reading: Reading, turn: Turn, conversation: Conversation, store: SessionStore) -> Resolution | None:
    """A follow-up that the passages of the turn it refers to answer."""
    referent = coverage.referent_of(conversation)
    # What was shown for an answer that cites none of it did not answer; neither does more of it, or an example in it.
    if referent is None or not referent.cited or reading.act is DialogueAct.CORRECTION:
        return None
    numbers = tuple(dict.fromkeys((*referent.cited, *referent.shown)))
    evidence = await store.evidence(turn.principal, turn.session_id, numbers)
    topic = coverage.topic_of(conversation, referent) if reading.item is None else reading.item.text
    in_full = "" if reading.item is None or reading.more else reading.item.query
    if reading.act is DialogueAct.EXAMPLE:
        covered = coverage.has_new_code(turn.query, conversation, referent, evidence)
    elif reading.more:
        covered = coverage.has_more(topic, conversation, referent, evidence)
    else:
        covered = coverage.covers(in_full or turn.query, conversation, referent, evidence)
    if not covered:
        return None
    return Resolution(
        Relation.CONTEXTUAL_FOLLOW_UP,
        Action.HISTORY,
        numbers=numbers[:PASSAGES],
        question=in_full or (topic if reading.more else f"{turn.query} {topic}"),
        more=reading.more,
        whole=in_full != "",
    )


def _reformulated(act: DialogueAct, conversation: Conversation, relation: Relation | None) -> Resolution:
    """Talk: it is about the last answer that said something, not about a courtesy after it."""
    turns = answered(conversation)
    last = next((place for place in range(len(turns) - 1, -1, -1) if _says_something(turns[place])), len(turns) - 1)
    kept = turns[: last + 1]
    latest = kept[-1:]
    numbers = _cited(latest)
    if act is DialogueAct.LONGER:
        numbers = tuple(dict.fromkeys((*numbers, *(number for turn in latest for number in turn.shown))))
    return Resolution(relation, Action.HISTORY, turns=kept, numbers=numbers[:PASSAGES])


def _says_something(turn: TurnRecord) -> bool:
    topical = turn.type is not QueryType.CONVERSATIONAL and turn.relation is not Relation.HISTORY_RECALL
    return bool(turn.cited) or topical


def _cited(turns: Iterable[TurnRecord]) -> tuple[int, ...]:
    """The numbers that the turns cite, those of the last turn first."""
    latest_first = reversed(tuple(turns))
    return tuple(dict.fromkeys(number for turn in latest_first for number in turn.cited))[:PASSAGES]


async def evidence_of(turn: Turn, resolution: Resolution, store: SessionStore) -> tuple[Evidence, ...]:
    """The passages of `resolution`, as they were shown before."""
    if not resolution.numbers:
        return ()
    found = await store.evidence(turn.principal, turn.session_id, resolution.numbers)
    return tuple(Evidence(piece.number, piece.passage, Origin.LEDGER) for piece in found)
