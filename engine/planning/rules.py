"""Planning without a model: a question is taken apart where it says itself that it has parts.

Parts are found at question marks, full stops and conjunctions. A part becomes a subquery of its own when it asks for
something that another look-up answers; one that leans on the part before it is looked up together with it. In doubt
there is one subquery: the search for a whole question finds more than the search for half of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from engine.domain import Complexity, Plan, PlanMode, Subquery
from engine.planning.asked import HAN
from engine.planning.cues import tool_cue, tool_for
from engine.planning.plan import MAX_SUBQUERIES, mode_for
from engine.planning.tools.port import MAX_QUERY_CHARS
from engine.text.words import plain_words

_I = re.IGNORECASE
_ASKS = (
    r"what|how|why|when|where|who|which|is|are|does|do|can|could|should|qué|que|cómo|como|cuál|cuáles|cuánto|cuánta|"
    r"cuántos|cuántas|cuándo|dónde|quién|por qué|para qué|give me|tell me|show me|list|compare|find|dame|dime|muéstrame"
)
#: Where a question may fall apart. The words after it stay with the part that they begin.
_BORDER = re.compile(
    r"(?<=[?？。；;])\s*(?=\S)|(?<=[.!])\s+(?=[A-ZÁÉÍÓÚÑ¿¡])|\n+"
    r"|[,，]?\s+(?:and also|and then|and|also|as well as|y también|y además|y|e|además)\s+"
    rf"(?=¿?(?:{_ASKS})\b)"
    r"|[,，、]?\s*(?:並且|并且|以及|並請|并请|並|并(?=[^且])|還有(?![幾几多])|另外|同時|同时)(?=\S)"
    r"|(?<=[^\d])[：:](?=\s*包[含括])",
    _I,
)
_QUESTION = re.compile(rf"[?？]|^\W*(?:{_ASKS})\b|什麼|什么|多少|幾|几|如何|怎麼|怎么|怎樣|誰|谁|哪|是否|嗎|吗", _I)
#: Words that stand for something in the part before.
_LEANS = re.compile(
    r"\b(it|its|they|them|their|that one|this one|he|she|his|her|there|se|su|sus|lo|la|los|las|ello|esto|eso)\b"
    r"|他|她|它|其|該|这些|這些|上述|兩者|两者|相比|(?:比較|比较|對比|对比)[這这那]?[二兩两三四五六七八九十\d]+[部個个位項项種种款本首家間间條条]",
    _I,
)
_DOCUMENTED = re.compile(
    r"\b(code|function|endpoint|api|program|script|query|class|método|función|código|programa)\b", _I
)
_CREATIVE = re.compile(
    r"\b(write|compose|make up|invent)\b.{0,30}\b(sentence|poem|haiku|story|joke|slogan|toast|wish|verse|limerick)\b"
    r"|\btell me a joke\b"
    r"|\b(escribe|escríbeme|redacta|inventa|compón)\b.{0,30}\b(frase|poema|cuento|chiste|verso|brindis)\b"
    r"|(寫|写|作|編|编)(一)?(句|首|段|個|个|則|则|篇).{0,24}(話|话|詩|诗|故事|祝福|標語|标语|笑話|笑话|句子)",
    _I,
)
#: A name in code, in quotes or with digits: something to search for.
_NAME = re.compile(r"\b[a-z]+[A-Z]\w*|\b\w*[_\d]\w*|[`\"“「《]|\b[A-Z]{2,}\b")
#: At so few words a part has left its subject out.
_FEW = 4
#: Where these words speak of nothing before them: "what time is it".
_SELF_CONTAINED = ("time", "calculator", "database")
#: A longer message is a text with a question in it, or code: it is not taken apart.
_LONG = 1_000
_EDGES = " \t\n,，、：:"
#: A topic that is carried into a part which leans on it, in characters.
_TOPIC = 80
_SHOWN = 80


def plan_by_rules(query: str, offered: Collection[str], *, search_query: str = "") -> Plan:
    """The plan for `query` over the tools of those names.

    Args:
        search_query: The question as it is searched for in the documents, where that is not `query`: with what the
            conversation adds to it.
    """
    if _CREATIVE.search(query) and not _DOCUMENTED.search(query):
        return Plan(PlanMode.DIRECT_LLM, "creative")
    parts = _merged(_parts(query), query) if len(query) <= _LONG else [_Part(0, 0, query, tool_cue(query[:_LONG]))]
    subqueries = _subqueries(parts, offered, search_query if len(parts) < 2 else "")
    if not subqueries:
        return Plan(PlanMode.DIRECT_LLM, "no_tool")
    several = len(subqueries) > 1
    reason = "several_parts" if several else "one_part"
    return Plan(mode_for(len(subqueries)), reason, Complexity.COMPLEX if several else Complexity.SIMPLE, subqueries)


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the question, from `start` to `end`, with the tool that its words speak of."""

    start: int
    end: int
    text: str
    cue: str


def _parts(query: str) -> list[_Part]:
    """The pieces between borders that have a word in them."""
    borders = [(match.start(), match.end()) for match in _BORDER.finditer(query)]
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(query)]
    pieces = ((start, end, query[start:end].strip(_EDGES)) for start, end in zip(starts, ends, strict=True))
    return [_Part(start, end, text, tool_cue(text)) for start, end, text in pieces if plain_words(text)]


def _merged(parts: list[_Part], query: str) -> list[_Part]:
    """The parts that are looked up each on its own."""
    kept: list[_Part] = []
    for part in parts:
        if kept and not _stands_alone(part, kept[-1]):
            before = kept.pop()
            text = query[before.start : part.end].strip(_EDGES)
            part = _Part(before.start, part.end, text, before.cue or part.cue)  # noqa: PLW2901  # the two as one
        kept.append(part)
    return kept


def _stands_alone(part: _Part, before: _Part) -> bool:
    """Whether `part` needs a look-up of its own, beside the one for the part before it."""
    if part.cue:
        return bool(before.cue) or _QUESTION.search(before.text) is not None
    if _LEANS.search(part.text) or not _says_enough(part.text):
        return False
    if before.cue:  # a question for the documents, or a remark on the weather?
        return re.match(rf"\W*(?:{_ASKS})\b", part.text, _I) is not None
    return _QUESTION.search(part.text) is not None and _QUESTION.search(before.text) is not None


def _says_enough(text: str) -> bool:
    """Whether a part can be searched for without the others: it has words enough, or names something."""
    words = len(text.split()) + sum(map(len, HAN.findall(text))) // 2
    return words > _FEW or _NAME.search(text) is not None


def _subqueries(parts: list[_Part], offered: Collection[str], search_query: str) -> tuple[Subquery, ...]:
    found: list[Subquery] = []
    topic = ""
    for part in parts[:MAX_SUBQUERIES]:
        tool = tool_for(part.cue, offered)
        if tool:
            asked = search_query if tool == "kb" and search_query else part.text
            leans = bool(topic) and part.cue not in _SELF_CONTAINED and _LEANS.search(part.text) is not None
            asked = f"{topic} {asked}" if leans else asked
            found.append(
                Subquery(f"q{len(found) + 1}", part.text[:_SHOWN], asked[:MAX_QUERY_CHARS], tool, 2 if leans else 1)
            )
        topic = topic or part.text[:_TOPIC].strip("?？。. ")
    return tuple(found)
