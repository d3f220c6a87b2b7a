"""Citation marks in a streamed answer: `[3]` names a passage or it goes.

A generator cites by the session's numbers. The reader gets them renumbered in order of appearance, so that an answer
reads [1], [2] ...; marks that name nothing that was shown are dropped. Code is left alone: `items[1]` is no citation.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from engine.domain import Evidence
from engine.text.material import without_images

#: A whole mark: [1] or [1, 2]; [1][2] are two of them. No longer than what is held back for it.
_MARK = re.compile(r"\[(?=[\d\s,;]{1,40}\])\s*(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\s*\]")
#: What may still become a mark when more text comes.
_OPEN_MARK = re.compile(r"\[[\d\s,;]{0,40}\Z")
#: The same, or an image or an element of HTML.
_OPEN_MARKUP = re.compile(
    r"(?:\[[\d\s,;]{0,40}|!|!\[[^\[\]\n]{0,300}(?:\](?:\([^()\n]{0,2000}|\[[^\[\]\n]{0,300})?)?|<[A-Za-z]{0,9})\Z"
)
_FENCE = "```"
#: What marks, code, images and elements begin with, and the blank that goes with a mark that is dropped.
_SPECIAL = re.compile(r"[\[`!<]| \Z")


class MarkRewriter(ABC):
    """Finds marks in text that comes in pieces, outside code, and writes others in their place.

    Text that may be the beginning of a mark or of a code fence is held back until it is decided, so the result does
    not depend on where the pieces were cut. Subclasses say what a mark becomes.
    """

    #: What is held back until it is decided, at the end of text outside code.
    open = _OPEN_MARK

    def __init__(self) -> None:
        self._held = ""
        self._code_end = ""  # what closes the code we are in: its ticks, or nothing

    def feed(self, text: str) -> str:
        """What is decided once `text` has come."""
        if not (self._held or self._code_end or _SPECIAL.search(text)):
            return text
        return self._advance(self._held + text, final=False)

    def flush(self) -> str:
        """The rest, when no more text comes."""
        return self._advance(self._held, final=True)

    @abstractmethod
    def places(self, numbers: Sequence[int]) -> list[int] | None:
        """The numbers to write for a mark; empty: drop it; None: it is no mark, leave it."""

    def _advance(self, text: str, *, final: bool) -> str:
        out: list[str] = []
        while text:
            step = self._code if self._code_end else self._prose
            done, rest = step(text, final=final)
            if rest == text:
                break
            out.append(done)
            text = rest
        self._held = text
        return "".join(out)

    def _prose(self, text: str, *, final: bool) -> tuple[str, str]:
        """The decided beginning of text outside code, and the rest."""
        tick = text.find("`")
        if tick == 0:
            return self._open_code(text, final=final)
        prose, rest = (text, "") if tick < 0 else (text[:tick], text[tick:])
        if not final and not rest:
            held = self.open.search(prose)
            cut = held.start() if held else len(prose)
            cut = len(prose[:cut].rstrip(" "))  # a mark that is dropped takes the blank before it along
            prose, rest = prose[:cut], prose[cut:]
        return self._rewrite(self.shown(prose)), rest

    def shown(self, prose: str) -> str:
        """Decided text outside code as it may be shown; as it is, unless a subclass says otherwise."""
        return prose

    def _open_code(self, text: str, *, final: bool) -> tuple[str, str]:
        ticks = len(text) - len(text.lstrip("`"))
        if ticks == len(text) and not final:
            return "", text  # more may come: one tick or two may become a fence, and a fence may be longer
        # Two ticks are an empty span: nothing is inside.
        self._code_end = text[:ticks] if ticks >= len(_FENCE) else "`" if ticks == 1 else ""
        return text[:ticks], text[ticks:]

    def _code(self, text: str, *, final: bool) -> tuple[str, str]:
        """The decided beginning of text inside code, and the rest."""
        end = text.find(self._code_end)
        line_end = text.find("\n")
        if self._code_end == "`" and line_end >= 0 and (end < 0 or line_end < end):
            self._code_end = ""  # a span does not cross a line: it was a lone tick
            return text[: line_end + 1], text[line_end + 1 :]
        if end >= 0:
            stop = end + len(self._code_end)
            self._code_end = ""
            return text[:stop], text[stop:]
        decided = text if final else text.rstrip("`")
        return decided, text[len(decided) :]

    def _rewrite(self, prose: str) -> str:
        written: list[str] = []
        at = 0
        for mark in _MARK.finditer(prose):
            before, at = prose[at : mark.start()], mark.end()
            places = self.places([int(number) for number in re.findall(r"\d+", mark.group(1))])
            if places is None:
                written += [before, mark.group()]
            elif places:
                written += [before, *(f"[{place}]" for place in dict.fromkeys(places))]
            else:
                written.append(before.rstrip(" "))
        return "".join([*written, prose[at:]])


class CitationFilter(MarkRewriter):
    """The session's numbers in, the reader's numbers out, and no images. One per answer.

    Args:
        evidence: What the generator was shown.
    """

    open = _OPEN_MARKUP

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        super().__init__()
        self._shown = {piece.number: piece for piece in evidence}
        self._places: dict[int, int] = {}

    def shown(self, prose: str) -> str:
        """Without images and what else fetches something where it is shown."""
        return without_images(prose)

    @property
    def citations(self) -> tuple[Evidence, ...]:
        """The evidence cited so far, numbered as in the text, in order of appearance."""
        return tuple(replace(self._shown[number], number=place) for number, place in self._places.items())

    @property
    def cited(self) -> tuple[int, ...]:
        """The session's numbers of the citations, in the same order."""
        return tuple(self._places)

    def places(self, numbers: Sequence[int]) -> list[int] | None:
        """Those of `numbers` that name something, as the reader sees them; `[0]` never is a mark."""
        if 0 in numbers:
            return None
        return [self._places.setdefault(n, len(self._places) + 1) for n in numbers if n in self._shown]


class _Restorer(MarkRewriter):
    def __init__(self, cited: Sequence[int]) -> None:
        super().__init__()
        self._cited = dict(enumerate(cited, start=1))

    def places(self, numbers: Sequence[int]) -> list[int] | None:
        if 0 in numbers:
            return None
        return [self._cited[n] for n in numbers if n in self._cited]


def in_session_numbers(answer: str, cited: Sequence[int]) -> str:
    """An earlier answer, as its reader saw it, with the session's numbers in its marks again.

    Args:
        answer: With marks from 1 in order of appearance.
        cited: The session's numbers, in the same order.
    """
    restorer = _Restorer(cited)
    return restorer.feed(answer) + restorer.flush()
