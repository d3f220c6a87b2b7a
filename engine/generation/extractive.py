"""Answers without a model: sentences and code quoted from the material at hand, each with its mark."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from classifier.decision import Embedder, QueryType
from engine.domain import Relation
from engine.generation import rework, wording
from engine.generation.port import Done, Prompt, Token
from engine.generation.sentences import units
from engine.generation.weighing import Candidate, candidates, weigh, words_of
from engine.language import language_of

_SENTENCES = 4
#: Sentences beside code, which speaks for itself.
_SENTENCES_WITH_CODE = 2
#: Characters of the selection that are read with the question.
_SELECTION_CHARS = 400
#: How a widget says what form it wants; no statement about the account.
_RULE = re.compile(r"\W*(rules?|reglas?|exactly|exactamente|provide|proporciona)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d")


class ExtractiveAnswerer:
    """Quotes. Fulfils `ChatModel`; its answers never hold a statement that is not in the material.

    Args:
        embedder: Weighs sentences against the question; called in a worker thread.
        gloss: A question in a language that the embedder does not read, word by word in one that it does; empty where
            there is nothing to add.
    """

    name = "extractive"

    def __init__(self, embedder: Embedder, gloss: Callable[[str], str] | None = None) -> None:
        self._embedder = embedder
        self._gloss = gloss

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`: one token per word."""
        text = await self._answer(prompt)
        for piece in re.findall(r"\S*\s*", text):
            if piece:
                yield Token(piece)
        yield Done()

    async def ping(self) -> None:
        """See `ChatModel.ping`: there is nothing outside to ask."""

    async def close(self) -> None:
        """See `ChatModel.close`: nothing is held."""

    async def _answer(self, prompt: Prompt) -> str:
        if prompt.relation is Relation.HISTORY_RECALL:
            return rework.recall(prompt)
        if prompt.type is QueryType.CONVERSATIONAL:
            return rework.converse(prompt)
        if prompt.type is QueryType.PLATFORM:
            return figures(prompt)
        return await asyncio.to_thread(self._quote, prompt)

    def _quote(self, prompt: Prompt) -> str:
        language = language_of(prompt.query)
        among = candidates(prompt.evidence)
        if not among:
            return wording.NOTHING_FOUND[language]
        question = f"{prompt.query}\n{prompt.selected_text[:_SELECTION_CHARS]}".strip()
        procedural = prompt.relation is Relation.NEW_TOPIC_PROCEDURAL
        weighed = weigh(question, among, self._embedder, gloss=self._gloss, procedural=procedural)
        wants_code = prompt.type is QueryType.CODE_GENERATION
        prose = weighed.sentences(_SENTENCES_WITH_CODE if wants_code else _SENTENCES)
        code = weighed.block(prose)
        if not prose and not (wants_code and code):
            return wording.NOTHING_FOUND[language]
        said = _said(_in_reading_order(prose))
        shown = [f"{c.text}\n\n[{c.number}]" for c in code if wants_code or _near(c, prose)]
        if wants_code:
            return "\n\n".join([*shown, said]).strip()
        return "\n\n".join([said, *(f"{wording.EXAMPLE[language]}\n\n{block}" for block in shown)])


def figures(prompt: Prompt) -> str:
    """The statements about the account that the request brings along and the question asks for."""
    language = language_of(prompt.query)
    known = [*_statements(prompt.extra_context), *_statements(prompt.user_info)]
    if not known:
        told = [s for s in _statements(prompt.query) if _FIGURE.search(s) and not _is_rule(s)]
        if not told:
            return wording.NO_FIGURES[language]
        percent = re.search(r"(\d{1,3}(?:[.,]\d+)?)\s?%", told[0])
        left = 100 - float(percent.group(1).replace(",", ".")) if percent else -1.0
        usage = re.search(r"usage|used|uso|usado|consum", told[0], re.IGNORECASE)
        more = [wording.LEFT[language].format(left=f"{left:g}")] if usage and left >= 0 else []
        return " ".join([*(_sentence(s) for s in told[:3]), *more])
    asked = words_of(prompt.query)
    weighed = sorted(range(len(known)), key=lambda i: (-len(asked & words_of(known[i])), i))
    best = len(asked & words_of(known[weighed[0]]))
    chosen = [i for i in weighed if len(asked & words_of(known[i])) == best][:5] if best else weighed[:5]
    return " ".join(_sentence(known[i]) for i in sorted(chosen))


def _is_rule(statement: str) -> bool:
    return _RULE.match(statement) is not None


def _statements(text: str) -> list[str]:
    """The statements of a text, or of JSON as `name: value`."""
    try:
        parsed = json.loads(text)
        return _flatten("", parsed) if isinstance(parsed, dict | list) else [text.strip()]
    except (ValueError, RecursionError):  # no JSON, or nested too deep to be figures
        return [unit.text for unit in units(text) if not unit.code]


def _flatten(path: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, inner in value.items() for line in _flatten(f"{path} {key}".strip(), inner)]
    if isinstance(value, list):
        return [line for inner in value for line in _flatten(path, inner)]
    return [f"{path.replace('_', ' ')}: {value}".strip(": ")]


def _said(quoted: Sequence[Candidate]) -> str:
    """Running text, each sentence with its mark; steps stand in a paragraph of their own."""
    text = ""
    for candidate in quoted:
        steps = "\n" in candidate.text
        gap = "" if not text else "\n\n" if steps or text.endswith("\n") else " "
        text = f"{text.rstrip()}{gap}{_sentence(candidate.text)} [{candidate.number}]" + ("\n" if steps else "")
    return text.strip()


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", "。")) else text.rstrip(" :;,") + "."


def _in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """The best first, as it is the answer; the others as they are read, those of its passage before the rest."""
    if not chosen:
        return []
    best = chosen[0]
    return [best, *sorted(chosen[1:], key=lambda c: (c.number != best.number, c.place))]


def _near(code: Candidate, prose: Sequence[Candidate]) -> bool:
    """Whether a code block stands in a passage that is quoted."""
    return any(code.number == c.number for c in prose)
