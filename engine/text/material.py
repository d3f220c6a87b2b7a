"""What others wrote, made harmless: questions, passages, results of tools, and what a model writes.

None of it may reach a terminal, a page or a model with a meaning of its own: characters that nobody sees or that move
what is seen, images that a page would fetch, marks that cite, and the tokens that part a model's messages.

Sources: Unicode Standard Annex 9 (bidirectional controls) and 44 (general categories Cc and Cf); Unicode Technical
Standard 51 (joiners and variation selectors in emoji); ECMA-48 (control sequences); OWASP Top 10 for LLM Applications,
LLM01 (prompt injection) and LLM05 (improper output handling).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from engine.domain import Passage

#: A terminal's control sequences: CSI, OSC and the other strings, and two-character escapes.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]{0,256}(?:\x07|\x9c|\x1b\\)"
    r"|\x1b[ -/]{0,8}[0-~]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
#: Controls but tab and newline; formats but the joiners; letters and marks that show nothing.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
#: A joiner is a part of emoji and of some scripts between two of their signs; a variation selector behind one.
_JOINER = re.compile("(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d])")
_SELECTOR = re.compile("(?<![#*0-9\x80-\ufdff\ufe10-\U0010ffff])[\ufe00-\ufe0f]")
_SUSPECT = re.compile(f"{_BREAKS.pattern}|{_UNSEEN.pattern}|[\x1b\x9b\u200c\u200d\ufe00-\ufe0f\ud800-\udfff]")
#: What may become something else when more text comes: an open sequence, half a pair, a line's end, a joiner.
_UNDECIDED = re.compile(
    r"(?:(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}|\x1b[\]PX^_][^\x07\x1b\x9c\n]{0,256}\x1b?|\x1b[ -/]{0,8}"
    r"|[\r\ud800-\udbff\u200c\u200d])\Z"
)

#: Fenced code and code spans: what stands in them is shown as it is. A fence that is not closed makes no code.
_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,300}\])")
#: Elements that fetch something, or run it, where they are shown.
_FETCHES = re.compile(
    r"<(?=(?:img|image|picture|source|video|audio|track|iframe|frame|object|embed|svg|link|style|script|meta|base|input)\b)",
    re.IGNORECASE,
)
#: A number in brackets, as citations are written; behind a word without a blank it is an index.
_MARK = re.compile(r"\[(\s*\d{1,6}(?:\s*[,;]\s*\d{1,6})*\s*)\]")
_HEADER = re.compile(r"^([ \t]*)\[(\d{1,6})\](?=[ \t]+\S)", re.MULTILINE)
_INDEXED = re.compile(r"(?<![\w`])([A-Za-z_][\w.]{0,100}(?:\[\s*\d{1,6}\s*\])+)")
#: The beginnings of the tokens that part messages in the templates of chat models (ChatML, Llama, Mistral, Gemma, Phi,
#: DeepSeek and the like).
_TOKEN = re.compile(
    r"<(?=[|｜][^\s|｜<>](?:[^|｜<>\n]{0,62}[^\s|｜<>])?[|｜]>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response|function_call)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\])",
    re.IGNORECASE,
)


def encodable(text: str) -> str:
    """Text that UTF-8 has, and so protobuf can carry: lone surrogates, as JSON may have, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def seen(text: str) -> str:
    """`text` without what cannot be seen or moves what is seen: controls, formats, terminal sequences.

    Line ends become newlines. Joiners and variation selectors stay where emoji and scripts need them. Halves of
    surrogate pairs are put together; one that is alone becomes a replacement character.
    """
    if _SUSPECT.search(text) is None:
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _UNSEEN.sub("", _BREAKS.sub("\n", _ANSI.sub("", text)))
    return _SELECTOR.sub("", _JOINER.sub("", text))


class SeenStream:
    """`seen` for text that comes in pieces: the result does not depend on where they were cut."""

    def __init__(self) -> None:
        self._held = ""
        self._last = ""

    def feed(self, text: str) -> str:
        """What is decided once `text` has come."""
        if not self._held and self._last.isascii() and text.isascii() and text.isprintable():
            self._last = text[-1:] or self._last  # as most pieces are: nothing in it is looked for
            return text
        text = self._held + text
        open_ = _UNDECIDED.search(text)
        cut = open_.start() if open_ else len(text)
        self._held = text[cut:]
        return self._cleaned(text[:cut])

    def flush(self) -> str:
        """The rest, when no more text comes."""
        text, self._held = self._held, ""
        return self._cleaned(text)

    def _cleaned(self, text: str) -> str:
        # Whether a joiner or a selector is needed depends on the sign before it.
        cleaned = seen(self._last + text)[len(self._last) :]
        self._last = (self._last + cleaned)[-1:]
        return cleaned


def without_images(prose: str) -> str:
    """Text outside code with its images as their descriptions, and no element that fetches or runs anything.

    An image whose description cannot be told stays as a link, which nothing follows by itself.
    """
    if "![" in prose:
        prose = _IMAGE.sub(r"\1", prose).replace("![", "[")
    return _FETCHES.sub("&lt;", prose)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """`text` with everything that is not Markdown code changed."""
    return "".join(part if place % 2 else change(part) for place, part in enumerate(_CODE.split(text)))


def harmless(text: str) -> str:
    """A document's or a tool's text as it may be shown: seen, and without images."""
    text = seen(text)
    return outside_code(text, without_images) if "![" in text or "<" in text else text


def quotable(passage: Passage) -> Passage:
    """A passage as a generator reads it: nothing in it looks like a citation or like the head of another passage."""
    title, heading = (" ".join(without_marks(name).split()) for name in (passage.title, passage.heading))
    return _with(passage, passage.document, title, heading, without_marks(passage.text))


def harmless_passage(passage: Passage) -> Passage:
    """A passage as it may be shown and stored."""
    title, heading, text = harmless(passage.title), harmless(passage.heading), harmless(passage.text)
    return _with(passage, seen(passage.document), title, heading, text)


def _with(passage: Passage, document: str, title: str, heading: str, text: str) -> Passage:
    """`passage` with these in place of its own, as most of them are already."""
    if (document, title, heading, text) == (passage.document, passage.title, passage.heading, passage.text):
        return passage
    return replace(passage, document=document, title=title, heading=heading, text=text)


def without_marks(text: str) -> str:
    """Material to be quoted: numbers in brackets that are its own cannot be taken for citations.

    An index of code that stands in prose becomes a code span; any other number in brackets gets round ones, and so does
    one that a line begins with, in code too: that is how passages are numbered.
    """
    if "[" not in text:
        return text
    text = _HEADER.sub(r"\1(\2)", text)
    return outside_code(text, lambda prose: outside_code(_INDEXED.sub(r"`\1`", prose), _round))


def _round(prose: str) -> str:
    return _MARK.sub(r"(\1)", prose)


def without_template_tokens(text: str) -> str:
    """Text that a model reads, with the tokens of chat templates broken up by a blank: they are text, not messages."""
    return _TOKEN.sub(lambda found: f"{found.group()} ", text)
