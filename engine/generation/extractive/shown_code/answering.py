"""What can be said without a model of code that is shown: lines quoted, Python outlined, commands as documented.

Nothing here is guessed: a statement comes from the code itself, from Python's parser, or from a passage with its mark.
What only a model can do is said in one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from classifier.decision import QueryType
from classifier.dialogue_act.acts import REWRITINGS
from classifier.embedder import Embedder
from engine.domain import Evidence
from engine.generation.extractive.candidates import Candidate, candidates
from engine.generation.extractive.shown_code.python_outline import (
    Outline,
    broken_at,
    enclosing,
    outline,
    parsed,
    statement,
)
from engine.generation.extractive.shown_code.wish import Wish, Wishes
from engine.generation.extractive.weighing import weigh
from engine.generation.port import Prompt
from engine.text import messages
from engine.text.language import Language
from engine.text.lines import Lines, lines_named, quoted
from engine.text.quotation import own_name

_WORD = re.compile(r"\w+")
#: A name that is called.
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
#: Definitions that are told of, and names in a row.
_MOST = 6
_NAMES = 12


class ShownCode:
    """Answers questions about the code of a prompt.

    Args:
        embedder: Tells what is wanted, and which sentence defines a command; may block.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._wishes = Wishes(embedder)

    def answer(self, prompt: Prompt) -> str:
        """What is seen of the code shown, or that a change of it needs a model.

        Returns:
            Empty where the message is not about code that is shown, or the documents are asked.
        """
        shown = prompt.selected_text if prompt.selected_text.strip() else prompt.editor_content
        named = lines_named(prompt.query)
        about = prompt.type in (QueryType.CODE_GENERATION, QueryType.RETRIEVAL) and (prompt.editor or named is not None)
        if not shown.strip() or not about:
            return ""
        wish, language = self._wish(prompt, shown), prompt.spoken
        if wish is Wish.CHANGE:
            return messages.CODE_NEEDS_MODEL[language]
        if named is not None:
            return self._lines(prompt, named, language)
        return "" if wish is Wish.DOCUMENTS else self._whole(prompt, shown, language)

    def _wish(self, prompt: Prompt, shown: str) -> Wish:
        if prompt.act in REWRITINGS:
            return Wish.CHANGE
        words = set(_WORD.findall(prompt.query.casefold())) - set(_WORD.findall(shown.casefold()))
        headings = {_heading(piece) for piece in prompt.evidence}
        return Wish.DOCUMENTS if words & headings else self._wishes.of(prompt.query)

    def _lines(self, prompt: Prompt, named: Lines, language: Language) -> str:
        """The lines named, of the file where it is open and of the selection otherwise."""
        code = prompt.editor_content if prompt.editor_content.strip() else prompt.selected_text
        count = len(code.splitlines())
        if named.last > count:
            return messages.NO_LINE[language].format(count=count, place=named.last)
        head = messages.LINE if named.first == named.last else messages.LINES
        block = f"```\n{quoted(code, named)}\n```"
        said = self._commands(prompt.evidence, named.of(code), language) or _statements(code, named, language)
        title = head[language].format(place=named.first, last=named.last)
        return "\n\n".join(piece for piece in (title, block, " ".join(said), messages.CODE_SEEN[language]) if piece)

    def _whole(self, prompt: Prompt, shown: str, language: Language) -> str:
        said = self._commands(prompt.evidence, shown, language)
        if not said:
            tree = parsed(shown)
            said = [_told(seen, language) for seen in outline(tree)[:_MOST]] if tree is not None else []
        told = "\n\n".join(piece for piece in said if piece)
        if told:
            return f"{told}\n\n{messages.CODE_SEEN[language]}"
        broken = broken_at(shown)
        if broken is None:
            return messages.CODE_UNREAD[language]
        return messages.CODE_BROKEN[language].format(place=broken[0], problem=broken[1])

    def _commands(self, evidence: Sequence[Evidence], code: str, language: Language) -> list[str]:
        """The sentence that defines each command which the code calls and a passage is headed with, in order."""
        called = dict.fromkeys(_CALLED.findall(code))
        found = (self._definition(name, evidence, language) for name in called)
        return [f"{one.text} [{one.number}]" for one in found if one is not None]

    def _definition(self, name: str, evidence: Sequence[Evidence], language: Language) -> Candidate | None:
        headed = [piece for piece in evidence if _heading(piece) == name.casefold()]
        among = [candidate for candidate in candidates(headed) if not candidate.code]
        if not among:
            return None
        question = {Language.ENGLISH: f"What is {name}?", Language.SPANISH: f"¿Qué es {name}?"}[language]
        return next(iter(weigh(question, among, self._embedder).sentences(1)), None)


def _heading(piece: Evidence) -> str:
    """What a passage's own section is called, folded."""
    return own_name(piece.passage.heading).casefold()


def _statements(code: str, named: Lines, language: Language) -> list[str]:
    """What Python's parser sees on the lines named; nothing where the file is no Python."""
    tree = parsed(code)
    if tree is None:
        return []
    places = range(named.first, named.last + 1)
    seen = [found for found in (statement(tree, place) for place in places) if found is not None]
    around = enclosing(tree, named.first)
    stands = [messages.LINE_IN[language].format(signature=f"`{around}`")] if around and seen else []
    return [*(_told(one, language) for one in seen[:_MOST]), *stands]


def _told(seen: Outline, language: Language) -> str:
    """What a definition or statement is and does, as far as a parser tells."""
    kinds = {"function": messages.FUNCTION, "class": messages.CLASS}
    said = [kinds[seen.kind][language].format(signature=f"`{seen.signature}`")] if seen.kind in kinds else []
    said += [messages.DOCSTRING[language].format(text=seen.docstring)] if seen.docstring else []
    rows = (
        (messages.METHODS, seen.methods),
        (messages.CALLS, seen.calls),
        (messages.ASSIGNS, seen.assigned),
        (messages.RETURNS, seen.returned),
    )
    said += [template[language].format(names=_row(names)) for template, names in rows if names]
    return " ".join(said)


def _row(names: Iterable[str]) -> str:
    listed = [f"`{name}`" for name in names]
    return ", ".join(listed[:_NAMES]) + (" …" if len(listed) > _NAMES else "")
