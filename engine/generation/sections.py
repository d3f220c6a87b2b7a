"""The named sections of a prompt: how they are written, and how a model's echo of them is kept from the reader.

Small models go on writing the prompt instead of an answer: they close a section that was open, open the next one and
copy or invent what stands in it. None of that is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.text.material import without_template_tokens

#: Every section that a prompt may have.
NAMES = (
    "evidence",
    "conversation",
    "calculation",
    "previous_answer",
    "platform_data",
    "user",
    "editor",
    "selection",
    "question",
)
#: Those whose names stand in code of other people's as well.
_COMMON = frozenset({"user", "editor", "selection", "question"})
_ANY = "|".join(NAMES)
_LESS, _MORE = "[<＜﹤]", "[>＞﹥]"
_NAMED = rf"(?P<{{}}>{_ANY})(?![\w-])"
#: A mark of a section: with blanks anywhere where its end is there, with anything behind the name, or without its end.
_MARK = re.compile(
    rf"{_LESS}(?:\s{{1,8}}(?P<a>/?)\s{{0,8}}{_NAMED.format('b')}\s{{0,8}}{_MORE}"
    rf"|(?:(?P<c>/)\s{{0,8}})?{_NAMED.format('d')}(?:(?:\s{{0,8}}|[^<>＜＞\n]{{0,80}}){_MORE})?)",
    re.IGNORECASE,
)
#: What may become a mark when more text comes, with the white space before it.
_UNDECIDED = re.compile(
    rf"\s*(?:{_LESS}\s{{0,8}}/?\s{{0,8}}(?:[a-z_]{{0,16}}\s{{0,8}}|(?:{_ANY})(?![\w-])(?:\s{{0,8}}|[^<>＜＞\n]{{0,80}})))?\Z",
    re.IGNORECASE,
)
#: The beginning of a mark that an answer ends with.
_CUT = re.compile(rf"\s*{_LESS}\s*/?\s*(?P<name>[a-z_]{{2,}})\s*\Z", re.IGNORECASE)
_OPENING = re.compile(rf"{_LESS}(?=\s*/?\s*(?:{_ANY})\b)", re.IGNORECASE)
_ESCAPED = re.compile(rf"&lt;\s*/?\s*({_ANY})\b", re.IGNORECASE)
_SIGN = re.compile(_LESS)
_FENCE = "```"


def section(name: str, content: str) -> str:
    """A section of a prompt; nothing where it is empty. It cannot be closed, nor another one opened, from inside.

    Args:
        name: One of `NAMES`.
        content: Material: marks of sections and tokens of chat templates are broken up in it.
    """
    content = without_template_tokens(_OPENING.sub("&lt;", content))
    return f"<{name}>\n{content}\n</{name}>" if content.strip() else ""


class EchoFilter:
    """An answer, piece by piece, without marks of the prompt's sections and without what stands between them.

    The result does not depend on where the pieces were cut. What follows an opening mark is kept back until the next
    mark, and dropped then; at the answer's end it is shown where nothing else was said and it is no copy. Names that
    the material itself holds as elements are left alone, as in a question about XML; so are common words in
    fenced code that was asked for.

    Args:
        prompt: The message with the sections that the model was given.
        coding: Code was asked for.
    """

    def __init__(self, prompt: str = "", *, coding: bool = False) -> None:
        self._prompt = prompt
        self._own = {found.casefold() for found in _ESCAPED.findall(prompt)}
        self._given = {name for name in NAMES if f"<{name}>" in prompt}
        self._coding = coding
        self._held = ""
        self._kept: list[str] | None = None  # of the section that is open
        self._said = False
        self._blank = ""  # white space that is shown when text comes behind it
        self._dropped = False  # a mark, behind the last text
        self._line, self._fenced = "", False
        self._fenced_before = False  # the section that is open

    def feed(self, text: str) -> str:
        """What may be shown once `text` has come."""
        text = self._held + text
        undecided = _UNDECIDED.search(text) if _SIGN.search(text) else None  # in most pieces no mark begins
        cut = undecided.start() if undecided else len(text.rstrip())
        self._held = text[cut:]
        return self._decided(text[:cut])

    def flush(self) -> str:
        """The rest, when no more text comes."""
        rest, self._held = self._held, ""
        cut = _CUT.search(rest)
        if cut is not None and any(name.startswith(cut["name"].casefold()) for name in self._filtered()):
            rest = rest[: cut.start()]
        shown = self._decided(rest)
        if self._kept is None or self._said:
            return shown if self._dropped else shown + self._blank
        kept = "".join(self._kept).strip()
        return "" if _words(kept) in _words(self._prompt) else kept

    def _decided(self, text: str) -> str:
        """The part of `text`, in which every mark is whole, that may be shown."""
        out: list[str] = []
        at = followed = 0
        for mark in _MARK.finditer(text):
            self._follow(text[followed : mark.start()])
            followed = mark.start()
            name = (mark["b"] or mark["d"]).casefold()
            if name in self._filtered():
                out.append(self._shown(text[at : mark.start()]))
                self._pass(name, closing=bool(mark["a"] or mark["c"]))
                at = followed = mark.end()
        self._follow(text[followed:])
        out.append(self._shown(text[at:]))
        return "".join(out)

    def _pass(self, name: str, *, closing: bool) -> None:
        """Goes over a mark."""
        if self._kept is not None:
            self._fenced = self._fenced_before
        self._kept = None if closing or name not in self._given else []
        self._fenced_before = self._fenced
        self._dropped = True

    def _shown(self, text: str) -> str:
        """What of `text` may be shown now: white space waits for what comes behind it."""
        if self._kept is not None:
            self._kept.append(text)
            return ""
        begins = len(text) - len(text.lstrip())
        self._blank += text[:begins]
        body = text[begins:].rstrip()
        if not body:
            return ""
        if self._dropped:
            self._blank = "" if not self._said else "\n\n" if "\n" in self._blank else self._blank[:1]
        shown = self._blank + body
        self._blank, self._dropped, self._said = text[begins + len(body) :], False, True
        return shown

    def _filtered(self) -> Collection[str]:
        """The names whose marks go, where the text now stands."""
        left = self._own | _COMMON if self._coding and self._fenced else self._own
        return [name for name in NAMES if name not in left]

    def _follow(self, text: str) -> None:
        """Keeps count of the fences of code."""
        *whole, self._line = (self._line + text).split("\n")
        for line in whole:
            self._fenced ^= line.lstrip().startswith(_FENCE)


def _words(text: str) -> str:
    return " ".join(text.split())
