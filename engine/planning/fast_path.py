"""What needs no plan and no search: noise, greetings, and arithmetic."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from engine.domain import Plan, PlanMode
from engine.planning.tools.calculator.arithmetic import MAX_CHARS, CannotCalculate
from engine.planning.tools.calculator.tool import arithmetic


class Fast(StrEnum):
    """Why a message is answered at once: the reason of its plan."""

    NOISE = "noise"
    GREETING = "greeting"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True, slots=True)
class FastAnswer:
    """A message that is answered at once.

    Attributes:
        result: For arithmetic, the expression with its value; empty otherwise.
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
_SPACES = re.compile(r"\s+")


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
    except CannotCalculate:
        return None  # the calculator says what is wrong with it, or it was no arithmetic after all
    return FastAnswer(Fast.ARITHMETIC, result) if result else None


def _words(text: str) -> str:
    """Letters and digits in lower case, single spaces between them: empty for punctuation and pictures alone."""
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in unicodedata.normalize("NFKC", text))
    return _SPACES.sub(" ", kept).strip().lower()
