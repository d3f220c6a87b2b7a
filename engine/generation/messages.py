"""The messages a model reads: a system prompt by type, and one user message made of named sections.

Each section is there only when it has something in it. A section cannot be closed from inside: `<` of its own tags is
escaped in the material, and tokens of chat templates are broken up, so that a passage or a widget's figures cannot pass
for the engine's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine import metrics
from engine.domain import Evidence, Exchange, Message, Origin, PromptReceipt
from engine.generation.extractive.reformulation import figured
from engine.generation.port import Pace, Prompt, text_of
from engine.generation.prompts import DOUBTFUL, SYSTEM_PROMPTS
from engine.generation.sections import section

#: Characters of text per token, on the low side for English, Spanish and code (measured on Qwen's vocabulary: 3.2-4.2).
CHARS_PER_TOKEN = 3
#: A text of fewer characters goes as a whole instead of being halved again.
_SMALL = 200
#: Characters of earlier answers that a recall may take.
_RECALLED_CHARS = 4000


def build_final_messages(
    prompt: Prompt, *, history_turns: int, history_answer_chars: int, budget_tokens: int, pace: Pace | None = None
) -> Prompt:
    """`prompt` with its messages, within a budget, so that the server never cuts the context silently.

    Over budget, the oldest history goes first, then the worst passages, then the ends of the editor's file, the
    platform's figures and the previous answer. The question and the system prompt always stay. Where the model reads
    slowly, history but the last pair and passages but the best go until its first word comes in time. Evidence is what
    is left of it.

    Args:
        history_turns: Question-answer pairs to show.
        history_answer_chars: Characters after which an earlier answer is cut.
        budget_tokens: Tokens the messages may take, estimated at three characters each.
        pace: Of the model that is going to read them.
    """
    if prompt.recall is not None:  # exactly what is asked for, and in full where it is one turn
        history_turns = len(prompt.history)
        history_answer_chars = max(_RECALLED_CHARS // max(history_turns, 1), _SMALL)
    system = SYSTEM_PROMPTS[prompt.type]
    room = max(budget_tokens * CHARS_PER_TOKEN - len(system) - len(prompt.query), 0)
    whole = replace(prompt, history=_cut_history(prompt.history, history_turns, history_answer_chars))
    reworks = prompt.type is QueryType.CONVERSATIONAL and prompt.recall is None
    previous = prompt.previous_answer if reworks else ""
    shown, over = whole, 0
    while (over := len(_user_message(shown, previous)) - room) > 0 and (shrunk := _shrink(shown)) is not None:
        shown = shrunk
    if over > 0:
        previous = previous[: max(len(previous) - over, 0)]
    shown = _in_time(shown, system, previous, pace)
    metrics.EVIDENCE_CUT.inc(len(prompt.evidence) - len(shown.evidence))
    messages = _messages(shown, system, previous)
    receipt = _receipt(whole, shown, messages, pace)
    return replace(prompt, messages=messages, evidence=shown.evidence, receipt=receipt)


def _messages(prompt: Prompt, system: str, previous: str) -> tuple[Message, ...]:
    return Message("system", system), Message("user", _user_message(prompt, previous))


def _in_time(prompt: Prompt, system: str, previous: str, pace: Pace | None) -> Prompt:
    """The prompt with as many passages and earlier turns as can be read before the first word has to come."""
    while pace is not None and (pace.seconds(text_of(_messages(prompt, system, previous))) or 0) > pace.first_word:
        if len(prompt.history) > 1 and prompt.recall is None:
            prompt = replace(prompt, history=prompt.history[1:])
        elif len(prompt.evidence) > 1 and _passages(prompt):
            prompt = replace(prompt, evidence=prompt.evidence[:-1])
        else:
            break
    return prompt


def _receipt(whole: Prompt, shown: Prompt, messages: Sequence[Message], pace: Pace | None) -> PromptReceipt:
    """How much there is to read, and what of `whole` is not in `shown`."""
    text = text_of(messages)
    return PromptReceipt(
        len(text) // CHARS_PER_TOKEN,
        round((pace.seconds(text) if pace is not None else None) or 0.0, 1),
        len(whole.evidence) - len(shown.evidence),
        len(whole.history) - len(shown.history),
        _own(whole) - _own(shown),
    )


def _own(prompt: Prompt) -> int:
    """Characters of the request's own texts that its type's messages hold."""
    coding = len(prompt.editor_content) + len(prompt.selected_text)
    told = len(prompt.extra_context)
    return told + {QueryType.CODE_GENERATION: coding, QueryType.PLATFORM: len(prompt.user_info)}.get(prompt.type, 0)


def _cut_history(history: Sequence[Exchange], turns: int, chars: int) -> tuple[Exchange, ...]:
    last = history[-turns:] if turns else ()
    return tuple(replace(e, answer=_cut(e.answer, chars)) for e in last)


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[:chars].rstrip() + " …"


def _shrink(prompt: Prompt) -> Prompt | None:
    """The prompt without its least important part, or None when only the question is left."""
    if prompt.history and len(prompt.history) > 1:
        return replace(prompt, history=prompt.history[1:])
    if len(prompt.evidence) > 1:
        return replace(prompt, evidence=prompt.evidence[:-1])
    for name in ("editor_content", "extra_context", "user_info", "selected_text"):
        text: str = getattr(prompt, name)
        if text:
            return replace(prompt, **{name: text[: len(text) // 2 if len(text) > _SMALL else 0]})  # type: ignore[arg-type]
    if prompt.history:
        return replace(prompt, history=())
    return replace(prompt, evidence=()) if prompt.evidence else None


def _user_message(prompt: Prompt, previous_answer: str) -> str:
    """The sections. What the server has read last comes first, as it need not be read again.

    That is the conversation where passages are new, and the passages where they are those of the turn before.
    """
    platform = prompt.type is QueryType.PLATFORM
    evidence = section("evidence", _passages(prompt))
    conversation = section("conversation", _conversation(prompt, previous_answer))
    remembered = bool(prompt.evidence) and all(piece.origin is Origin.LEDGER for piece in prompt.evidence)
    sections = [
        *((evidence, conversation) if remembered else (conversation, evidence)),
        section("calculation", _calculation(prompt)),
        section("previous_answer", previous_answer),
        section("platform_data", prompt.extra_context),
        section("user", prompt.user_info if platform else ""),
        section("editor", prompt.editor_content if prompt.type is QueryType.CODE_GENERATION else ""),
        section("selection", prompt.selected_text if prompt.type is QueryType.CODE_GENERATION else ""),
        "" if prompt.answerable else DOUBTFUL,
        section("question", prompt.query),
    ]
    return "\n\n".join(part for part in sections if part)


def _passages(prompt: Prompt) -> str:
    """The passages that are read: none where nothing is added to what was said."""
    reworks = prompt.type is QueryType.CONVERSATIONAL and prompt.act is not DialogueAct.LONGER
    unread = prompt.type is QueryType.PLATFORM or reworks
    return "" if unread else "\n\n".join(_passage(piece) for piece in prompt.evidence)


def _conversation(prompt: Prompt, previous_answer: str) -> str:
    """The earlier turns; the last answer stands in full in a section of its own where it is reworked."""
    turns = list(prompt.history)
    if previous_answer and turns:
        turns[-1] = replace(turns[-1], answer="(the previous answer)")
    return "\n\n".join(_turn(exchange, prompt) for exchange in turns)


def _turn(exchange: Exchange, prompt: Prompt) -> str:
    placed = f"Turn {exchange.sequence}\n" if prompt.recall is not None and exchange.sequence else ""
    return f"{placed}User: {exchange.query}\nAssistant: {exchange.answer}"


def _calculation(prompt: Prompt) -> str:
    """What the figures come to, exactly: small models multiply badly."""
    return "" if prompt.calculation is None else figured(prompt.calculation, prompt.spoken)


def _passage(piece: Evidence) -> str:
    passage = piece.passage
    where = " > ".join(part for part in (passage.title, passage.heading) if part)
    return f"[{piece.number}] {where}\n{passage.text}"
