"""What can be said without a model of code that is shown: lines and names, Python outlined, commands as documented.

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
from engine.generation.extractive.shown_code.named_things import inventory, named_in
from engine.generation.extractive.shown_code.python_outline import (
    Outline,
    broken_at,
    enclosing,
    outline,
    parsed,
    python_tree,
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
        shown, named = _shown(prompt), lines_named(prompt.query)
        if not shown.strip() or prompt.type not in (QueryType.CODE_GENERATION, QueryType.RETRIEVAL):
            return ""
        wish, language = self._wish(prompt, shown), prompt.spoken
        about = prompt.editor or named is not None
        if wish is Wish.CHANGE and (about or prompt.type is QueryType.CODE_GENERATION):
            return messages.CODE_NEEDS_MODEL[language]
        if named is not None:
            return self._lines(prompt, named, language)
        return self._named(prompt, wish, _file(prompt), language) or self._seen(prompt, wish, shown, language)

    def parts(self, prompt: Prompt) -> str:
        """What the code shown consists of; empty where that is not asked for, or none is shown."""
        shown = _shown(prompt)
        wished = shown.strip() and self._wishes.of(prompt.query) is Wish.PARTS
        return _parts(shown, prompt.spoken) if wished else ""

    def _seen(self, prompt: Prompt, wish: Wish, shown: str, language: Language) -> str:
        """What is seen of the code as a whole; empty where the documents are asked, or it is not meant."""
        if wish is Wish.PARTS:
            return _parts(shown, language)
        if wish is Wish.FAULTS:
            return _faults(shown, language)
        meant = prompt.editor and wish is not Wish.DOCUMENTS
        return self._whole(prompt, shown, language) if meant else ""

    def _wish(self, prompt: Prompt, shown: str) -> Wish:
        if prompt.act in REWRITINGS:
            return Wish.CHANGE
        words = set(_WORD.findall(prompt.query)) - set(_WORD.findall(shown))
        return Wish.DOCUMENTS if words & _documented(prompt.evidence) else self._wishes.of(prompt.query)

    def _named(self, prompt: Prompt, wish: Wish, code: str, language: Language) -> str:
        """What is seen of a name of the code that the message is about; empty where it is about none, or its faults."""
        found = named_in(prompt.query, code, _documented(prompt.evidence))
        if found is None or (wish is Wish.FAULTS and found.definitions):
            return ""
        said = [_told(one, language) for one in found.definitions[:_MOST]]
        if found.signatures and not said:
            said = [messages.PARAMETER[language].format(name=found.name, names=_row(found.signatures))]
        stands = messages.STANDS if len(found.lines) > 1 else messages.STANDS_ONCE
        said.append(stands[language].format(name=found.name, places=", ".join(map(str, found.lines[:_NAMES]))))
        lines = code.splitlines()
        width = len(str(found.lines[-1]))
        block = "\n".join(f"{place:{width}}  {lines[place - 1]}" for place in found.lines[:_NAMES])
        return f"{' '.join(said)}\n\n```\n{block}\n```"

    def _lines(self, prompt: Prompt, named: Lines, language: Language) -> str:
        """The lines named, of the file where it is open and of the selection otherwise."""
        code = _file(prompt)
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
        return _broken(shown, language) or messages.CODE_UNREAD[language]

    def _commands(self, evidence: Sequence[Evidence], code: str, language: Language) -> list[str]:
        """The sentence that defines each command which the code calls and a passage is headed with, in order."""
        called = dict.fromkeys(_CALLED.findall(code))
        found = (self._definition(name, evidence, language) for name in called)
        told = [(name, one) for name, one in zip(called, found, strict=True) if one is not None]
        return [f"{'' if name in one.text else f'`{name}`: '}{one.text} [{one.number}]" for name, one in told]

    def _definition(self, name: str, evidence: Sequence[Evidence], language: Language) -> Candidate | None:
        headed = [piece for piece in evidence if _heading(piece) == name.casefold()]
        among = [candidate for candidate in candidates(headed) if not candidate.code]
        if not among:
            return None
        question = {Language.ENGLISH: f"What is {name}?", Language.SPANISH: f"¿Qué es {name}?"}[language]
        return next(iter(weigh(question, among, self._embedder).sentences(1)), None)


def _shown(prompt: Prompt) -> str:
    """The code that a message is about: what is selected, else the file."""
    return prompt.selected_text if prompt.selected_text.strip() else prompt.editor_content


def _file(prompt: Prompt) -> str:
    """The whole file where it is open, else what is selected of it."""
    return prompt.editor_content if prompt.editor_content.strip() else prompt.selected_text


def _broken(code: str, language: Language) -> str:
    """Where Python's parser stops; empty where it does not."""
    broken = broken_at(code)
    return "" if broken is None else messages.CODE_BROKEN[language].format(place=broken[0], problem=broken[1])


def _faults(code: str, language: Language) -> str:
    """What a parser tells of faults, and that more needs a model."""
    if broken := _broken(code, language):
        return broken
    return (messages.FAULTS_NEED_MODEL if python_tree(code) is None else messages.CODE_READ)[language]


def _parts(code: str, language: Language) -> str:
    """What the code consists of."""
    seen = inventory(code)
    rows = (
        (messages.IMPORTS, seen.imports),
        (messages.DEFINES, seen.defines),
        (messages.CALLS, seen.calls),
        (messages.ASSIGNS if seen.python else messages.GIVEN, seen.names),
    )
    said = [template[language].format(names=_row(names)) for template, names in rows if names]
    return " ".join([messages.COUNTED_LINES[language].format(count=seen.lines), *said])


def _documented(evidence: Iterable[Evidence]) -> set[str]:
    """What the sections of the passages are called, as they are written."""
    return {own_name(piece.passage.heading) for piece in evidence}


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
