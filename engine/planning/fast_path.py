"""What needs no plan and no search: noise, greetings, sums, quantities with units, dates and times."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from engine.domain import Plan, PlanMode
from engine.planning.tools.calculator.arithmetic import MAX_CHARS, CannotCalculate
from engine.planning.tools.calculator.tool import arithmetic
from engine.planning.tools.calculator.units import convert, is_conversion
from engine.planning.tools.clock.questions import clock_answer
from engine.text import messages
from engine.text.language import language_of


class Fast(StrEnum):
    """Why a message is answered at once: the reason of its plan."""

    NOISE = "noise"
    GREETING = "greeting"
    ARITHMETIC = "arithmetic"
    UNITS = "units"
    CLOCK = "clock"

    @property
    def computes(self) -> bool:
        """Whether the answer is calculated, so that it is the same for whoever asks."""
        return self not in (Fast.NOISE, Fast.GREETING)


@dataclass(frozen=True, slots=True)
class FastAnswer:
    """A message that is answered at once.

    Attributes:
        result: What was calculated, or why it cannot be, in the question's language; empty for noise and greetings.
    """

    kind: Fast
    result: str = ""

    @property
    def plan(self) -> Plan:
        """The plan for the receipt: nothing is looked up."""
        return Plan(PlanMode.DIRECT_LLM, str(self.kind))


_GREETINGS = frozenset(
    """
    hi|hello|hello there|hi there|hey|hey there|good morning|good afternoon|good evening|good night|greetings|howdy
    how are you|hi how are you|hello how are you|thanks|thank you|thank you very much|thanks a lot|many thanks|bye
    goodbye|good bye|see you|see you later|hola|buenas|buenos días|buenos dias|buenas tardes|buenas noches|qué tal
    que tal|hola qué tal|hola que tal|cómo estás|como estas|gracias|muchas gracias|adiós|adios|hasta luego
    hasta mañana|你好|您好|嗨|哈囉|哈啰|早安|早上好|午安|下午好|晚安|晚上好
    謝謝|谢谢|謝謝你|谢谢你|多謝|多谢|再見|再见|拜拜|你好嗎|你好吗
    """.strip()
    .replace("\n", "|")
    .split("|")
)
_GREETED = frozenset(greeting.strip() for greeting in _GREETINGS)
_LONGEST = max(map(len, _GREETED))
#: Where one calculation ends and the next begins.
_BORDER = re.compile(r"[?;？；\n]+|[,.]\s+|\s+(?:and|y|e)\s+", re.IGNORECASE)
#: What joins one to the one before it.
_JOINING = re.compile(r"^\W*(?:(?:and|y|e|also|también|además)\b\s*)+", re.IGNORECASE)
#: Calculations of one message.
_PARTS = 6


def fast_path(query: str) -> FastAnswer | None:
    """How `query` is answered at once; None when it has to be thought about.

    The whole message must be of one kind: "hello, what is addVar?" is a question.
    """
    words = _words(query[: MAX_CHARS + 1])
    if not words:
        return FastAnswer(Fast.NOISE) if len(query) <= MAX_CHARS else None
    if len(words) <= _LONGEST and words in _GREETED:
        return FastAnswer(Fast.GREETING)
    try:
        result = arithmetic(query)
    except CannotCalculate as problem:
        result = _refused(problem, query)
    return FastAnswer(Fast.ARITHMETIC, result) if result else None


def warm_up() -> None:
    """Makes what the first question that may be for units or for the clock would wait for, about 0.2 s."""
    is_conversion("3 km in miles")
    for asked in ("what time is it in Lima?", "how many days until Christmas?"):
        clock_answer(asked, datetime.now(UTC))


async def computed(query: str, now: Callable[[], datetime]) -> FastAnswer | None:
    """The same for quantities with units, for questions for the clock, and for several of these at a time.

    The whole message must be that: "how many days until the licence expires?" is a question about documents.

    Args:
        now: The time, with the zone of questions that name none.
    """
    if not 1 < len(query) <= MAX_CHARS:
        return None
    if found := await _computed(query, now):
        return found
    parts = [part for piece in _BORDER.split(query) if _words(part := _JOINING.sub("", piece))]
    answers: list[FastAnswer] = []
    for part in parts if 1 < len(parts) <= _PARTS else ():
        answer = fast_path(part) or await _computed(part, now)
        if answer is None or not answer.kind.computes:
            return None
        answers.append(answer)
    return FastAnswer(answers[0].kind, "\n\n".join(answer.result for answer in answers)) if answers else None


async def _computed(query: str, now: Callable[[], datetime]) -> FastAnswer | None:
    """A quantity with units, or what the clock is asked, where `query` is nothing else."""
    try:
        if is_conversion(query):  # in a thread, because the first one loads the unit library for a second
            return FastAnswer(Fast.UNITS, await asyncio.to_thread(convert, query))
        told = clock_answer(query, now())
    except CannotCalculate as problem:
        refused = _refused(problem, query)
        return FastAnswer(Fast.UNITS, refused) if refused else None
    except (ValueError, OverflowError):
        return None
    return FastAnswer(Fast.CLOCK, told) if told else None


def _refused(problem: CannotCalculate, query: str) -> str:
    """Why arithmetic has no result; empty where it was none after all."""
    said = messages.NO_RESULT.get(str(problem))
    return said[language_of(query)] if said else ""


def _words(text: str) -> str:
    """Letters and digits in lower case, single spaces between them: empty for punctuation and pictures alone."""
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in unicodedata.normalize("NFKC", text))
    return " ".join(kept.split()).lower()
