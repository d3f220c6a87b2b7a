"""Answers without a model: sentences and code quoted from the material at hand, each with its mark."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from functools import partial

from classifier.decision import QueryType
from classifier.dialogue_act.acts import REWRITINGS, DialogueAct
from classifier.embedder import Embedder
from engine.domain import Evidence, Origin, Passage, Relation
from engine.generation.extractive import reformulation
from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.candidates import (
    Candidate,
    candidates,
    lacks_code,
    rows_asked_for,
    rows_compared,
    rows_of_a_code,
    unsaid_subject,
)
from engine.generation.extractive.compared_sides import compared_in, nothing_about, with_both_sides
from engine.generation.extractive.document_questions import (
    answered_by_the_document,
    defined_by_the_document,
    is_defined,
    lacks_the_number,
    told_of_a_section,
    with_the_date,
    with_what_follows,
)
from engine.generation.extractive.list_items import narrowed
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.generation.extractive.row_arithmetic.lacking import lacked_by_rows
from engine.generation.extractive.sentence_selection import Weighed, goes_with, leading_block
from engine.generation.extractive.shown_code.answering import ShownCode
from engine.generation.extractive.weighing import (
    message_of,
    of_the_last_answers_documents,
    plain,
    question_of,
    unsaid,
    weigh,
    weighed_for,
)
from engine.generation.port import EXTRACTIVE, Done, Prompt, Token
from engine.text import messages
from engine.text.formats import sentences_asked, summary_wished
from engine.text.language import Language
from engine.text.questions.numbered_headings import asks_for_a_section, unnumbered
from engine.text.questions.stated_figures import price_of_so_many
from engine.text.quotation import examples_of, own_name
from engine.text.sentences import MARK, units
from engine.text.words import folded, gives_a_reason

_SENTENCES = 4
#: Sentences of a summary that asks for no number of them.
_SUMMARY = 2
#: Sentences beside code, which speaks for itself; further ones only of the passages of these.
_SENTENCES_WITH_CODE = 2
_FURTHER_WITH_CODE = 1
#: Sentences of one section that are told where nothing answers, and sections that are named.
_NEAREST = 2
_SECTIONS = 3
#: Characters of a tool's result that are quoted.
_TOLD_CHARS = 1_200
#: Letters that two forms of a word share at least, and those of an ending.
_BEGINNING, _ENDING = 6, 2


class ExtractiveAnswerer:
    """Quotes. Fulfils `ChatModel`; its answers never hold a statement that is not in the material.

    Args:
        embedder: Weighs sentences against the question; called in a worker thread.
        figures: Answers about accounts; one of its own when none is given.
        rows: Answers from the rows of documents; the same.
    """

    name = EXTRACTIVE
    pace = None
    busy = False

    def __init__(
        self, embedder: Embedder, figures: AccountFigures | None = None, rows: RowArithmetic | None = None
    ) -> None:
        self._embedder = embedder
        self._account = figures or AccountFigures(embedder)
        self._shown_code = ShownCode(embedder)
        self._row_arithmetic = rows or RowArithmetic(embedder)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`: a line at a time. All are there at once, and each piece costs the filters behind."""
        for line in (await self._answer(prompt)).splitlines(keepends=True):
            yield Token(line)
        yield Done()

    async def ping(self) -> None:
        """See `ChatModel.ping`: there is nothing outside to ask."""

    async def close(self) -> None:
        """See `ChatModel.close`: nothing is held."""

    async def _answer(self, prompt: Prompt) -> str:
        if prompt.calculation is not None:
            return reformulation.figured(prompt.calculation, prompt.spoken)
        if prompt.relation is Relation.HISTORY_RECALL:
            return reformulation.recall(prompt)
        if (wished := reformulation.language_alone(prompt)) is not None:
            again = partial(reformulation.in_another_language, prompt, wished, self._account.answer)
            return await asyncio.to_thread(again) or await self._by_type(prompt)
        return await self._by_type(prompt)

    async def _by_type(self, prompt: Prompt) -> str:
        if prompt.type is QueryType.CONVERSATIONAL:
            # "Which functions are there?" sounds like asking what the assistant can do.
            if prompt.act is DialogueAct.ABILITIES and (
                seen := await asyncio.to_thread(self._shown_code.parts, prompt)
            ):
                return seen
            longer = prompt.history and prompt.act is DialogueAct.LONGER
            return await asyncio.to_thread(self._longer, prompt) if longer else reformulation.converse(prompt)
        rewritten = prompt.act in REWRITINGS and not prompt.more and prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
        if rewritten and prompt.history and not prompt.editor:
            return messages.NEEDS_MODEL[prompt.spoken]
        if prompt.type is QueryType.PLATFORM:
            return await asyncio.to_thread(self._figures, prompt)
        return await asyncio.to_thread(self._quote, prompt)

    def _figures(self, prompt: Prompt) -> str:
        """What the request's figures say to the question, or that it brings none along."""
        before = [exchange.query for exchange in prompt.history]
        told = self._account.answer(
            prompt.query, prompt.extra_context, prompt.user_info, before=before, language=prompt.spoken
        )
        return told or messages.NO_FIGURES[prompt.spoken]

    def _quote(self, prompt: Prompt) -> str:
        """What is seen of code that is shown; else what the tools said, and what the documents say to each part."""
        if about_code := self._shown_code.answer(prompt):
            return about_code
        if prompt.whole:
            prompt = replace(prompt, query=prompt.question, question="", relation=Relation.NEW_TOPIC_INFORMATIONAL)
        told = [piece for piece in prompt.evidence if piece.origin is Origin.TOOL]
        read = replace(prompt, evidence=tuple(piece for piece in prompt.evidence if piece.origin is not Origin.TOOL))
        if not told and (calculated := self._calculated(prompt)) and not is_defined(prompt.query, prompt.evidence):
            return calculated
        if not told and len(prompt.parts) < 2:
            return self._quoted(prompt)
        parts = prompt.parts or (prompt.query,)
        quoted = [self._quoted(replace(read, query=part, parts=())) for part in parts] if read.evidence else []
        return "\n\n".join(dict.fromkeys([*map(_told, told), *quoted]))

    def _quoted(self, prompt: Prompt) -> str:
        language = prompt.spoken
        among = candidates(prompt.evidence, prompt.question or prompt.query)
        follows = prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
        lacks = prompt.type is QueryType.RETRIEVAL and lacks_code(prompt.query, among)
        if not among or not prompt.answerable or lacks:
            near = bool(follows and prompt.near and among)
            return _rows_named(prompt, sure=near) or self._nothing_found(prompt, () if lacks else among)
        if told := self._at_once(prompt, among):
            return told
        weighed = weighed_for(prompt, among, self._embedder)
        question, message = question_of(prompt), message_of(prompt)
        compares = compared_in(prompt.query, question)
        wants_code = prompt.type is QueryType.CODE_GENERATION
        prose = _beside_code(weighed) if wants_code else weighed.sentences(_most(prompt))
        code = weighed.block(prose)
        if not wants_code:
            prose, code = _fitted(weighed, prose, code, message or question)
        if not (prose or code) or (not wants_code and lacks_the_number(message or question, prose)):
            return self._nothing_found(prompt, among if prose else ())
        prose = prose if wants_code else with_what_follows(message or question, prose, among)
        prose = with_both_sides(compares, with_the_date(question, prose, among), weighed, self._embedder)
        quoted = _with_price(prompt, prose, question) or _said(_in_reading_order(prose), question)
        lacking = nothing_about(compares, among, self._embedder, language)
        lacked = lacked_by_rows(prompt.query, prose, among, self._row_arithmetic.embedder, language)
        said = " ".join(filter(None, [*_taken_for(prompt, language), lacked, quoted, lacking]))
        if prompt.more and prose:
            return messages.NOTHING_MORE[language].format(answer=said)
        shown = [f"{c.text}\n\n[{c.number}]" for c in code if wants_code or not prose or c.number == prose[0].number]
        if wants_code or not prose:
            return "\n\n".join([*shown, said]).strip()
        return "\n\n".join([said, *(f"{messages.EXAMPLE[language]}\n\n{block}" for block in shown)])

    def _nothing_found(self, prompt: Prompt, among: Sequence[Candidate]) -> str:
        """That nothing answers, and what comes nearest to it where that may be about what is asked; nothing is cited.

        Of the questions that documents answer and that are taken for others, what comes nearest answers two in five.
        """
        language = prompt.spoken
        nothing = messages.NOTHING_FOUND[language]
        if not prompt.near:
            return nothing
        passages = {piece.number: piece.passage for piece in prompt.evidence}
        said = weighed_for(prompt, among, self._embedder).sentences(_SENTENCES) if among else []
        if said:
            named = _called(passages[said[0].number], language)
            beside = [one for one in said if one.number == said[0].number][:_NEAREST]
            text = "".join(f"\n\n{one.text}\n" if "\n" in one.text else f" {_sentence(one.text)}" for one in beside)
            return f"{nothing} {messages.NEAREST_SAID[language].format(section=named)}{text.rstrip()}"
        called = list(dict.fromkeys(filter(None, (_called(passage, language) for passage in passages.values()))))
        sections = messages.NEAREST[language].format(sections=", ".join(called[:_SECTIONS]))
        return f"{nothing} {sections}" if called else nothing

    def _at_once(self, prompt: Prompt, among: Sequence[Candidate]) -> str:
        """What is told without weighing: the document's own answer to the question, rows, more of the last answer."""
        example = prompt.act is DialogueAct.EXAMPLE
        asks = prompt.type is QueryType.RETRIEVAL and not prompt.more and not example
        passages = [piece.passage for piece in prompt.evidence]
        if asks and asks_for_a_section(prompt.query, passages):
            return _said(told_of_a_section(prompt.query, among)[:_SENTENCES], prompt.query)
        question = prompt.question or prompt.query
        if asks and (asked := answered_by_the_document(question, among) or defined_by_the_document(question, among)):
            return " ".join([*_taken_for(prompt, prompt.spoken), _said(asked[:_SENTENCES], prompt.query)])
        return ("" if example else _rows_named(prompt)) or self._continued(prompt, among)

    def _calculated(self, prompt: Prompt) -> str:
        """What rows that the message names come to, or which of them is more; empty where that is not asked for."""
        # "Telescopes with goto" sounds like code, which no table of telescopes has.
        if prompt.type is not QueryType.RETRIEVAL and any("```" in piece.passage.text for piece in prompt.evidence):
            return ""
        follows = prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
        before, last = ([one.query for one in prompt.history], prompt.previous_answer) if follows else ([], "")
        return self._row_arithmetic.answer(
            prompt.query, prompt.evidence, prompt.spoken, before, last, answerable=prompt.answerable
        )

    def _continued(self, prompt: Prompt, among: Sequence[Candidate]) -> str:
        """What has not been said yet, where the message asks for that; empty where it does not, or all has been."""
        if prompt.act is DialogueAct.EXAMPLE and prompt.history:
            return self._example(prompt, among, prompt.spoken)
        return self._more(prompt, among) if prompt.more else ""

    def _example(self, prompt: Prompt, among: Sequence[Candidate], language: Language) -> str:
        """A block of code of the first thing told of last that has any: one that no answer has shown, if there is."""
        passages = {piece.number: piece.passage for piece in prompt.evidence}
        marked = [int(mark) for mark in MARK.findall(prompt.previous_answer) if int(mark) in passages]
        shown = any(unit.code for exchange in prompt.history for unit in units(exchange.answer))
        nothing = (messages.NO_OTHER_EXAMPLE if shown else messages.NO_EXAMPLE)[language]
        for thing in dict.fromkeys([*marked, *([] if marked else [among[0].number])]):
            theirs = {passage.id for passage in examples_of(passages[thing], passages.values())}
            blocks = [one for one in among if one.code and passages[one.number].id in theirs]
            if blocks:
                left = [one for one in unsaid(blocks, prompt) if one.code]
                question, first = prompt.question or prompt.query, [one for one in among if one.number == thing]
                best = weigh(question, left or blocks, self._embedder, language=language).block(first)[0]
                return f"{messages.EXAMPLE[language] if left else nothing}\n\n{best.text}\n\n[{best.number}]"
        return nothing

    def _more(self, prompt: Prompt, among: Sequence[Candidate]) -> str:
        """What no answer has said yet of what was shown; empty when that says nothing.

        More of a thing, and the reason for it, stand beside it: the passage that was quoted first is asked first, then
        its document. A reason may be in the very sentence that was quoted.
        """
        question, left = prompt.question or prompt.query, unsaid(among, prompt)
        first = [int(mark) for mark in MARK.findall(prompt.previous_answer)[:1]]
        if prompt.act is DialogueAct.WHY:
            last = plain(prompt.previous_answer)
            quoted = [one for one in among if not one.code and one.number in first and plain(one.text) in last]
            beside = [one for one in left if not one.code and one.number in first]
            if reasons := [one for one in (*quoted, *beside) if gives_a_reason(one.text)]:
                return _said(reasons[:1], question)
        for numbers in (first, of_the_last_answers_documents(prompt), {one.number for one in left}):
            found = self._sentences(question, [one for one in left if one.number in numbers], prompt.spoken)
            if found:
                return _said(_in_reading_order(found), question)
        return ""

    def _sentences(self, question: str, among: Sequence[Candidate], language: Language) -> list[Candidate]:
        return weigh(question, among, self._embedder, language=language).sentences(_SENTENCES) if among else []

    def _longer(self, prompt: Prompt) -> str:
        """The last answer with more sentences of the passages that it was made from."""
        answer = prompt.previous_answer
        left = unsaid(candidates(prompt.evidence), prompt)
        more = self._sentences(prompt.history[-1].query, left, prompt.spoken)
        if not more:
            return messages.NOTHING_MORE[prompt.spoken].format(answer=answer)
        return f"{answer}\n\n{_said(_in_reading_order(more), prompt.history[-1].query)}"


def _with_price(prompt: Prompt, prose: Sequence[Candidate], question: str) -> str:
    """The best sentence with what so many come to where it states the price of one; empty where it does not."""
    titles = {piece.number: piece.passage.title for piece in prompt.evidence}
    topic, quoted = " ".join(f"{titles[one.number]} {one.heading}" for one in prose[:1]), _said(prose[:1], question)
    found = price_of_so_many(prompt.query, topic, quoted)
    return "" if found is None else f"{quoted} {reformulation.figured(found, prompt.spoken)}"


def _rows_named(prompt: Prompt, *, sure: bool = True) -> str:
    """The rows that the message names by a code or compares.

    Where nothing is sure, those that it names by a code and says nothing else, or whose names are what it compares.
    """
    if prompt.type is not QueryType.RETRIEVAL or not (sure or prompt.near or prompt.whole):
        return ""
    if not sure:
        near = rows_of_a_code(prompt.query, prompt.evidence) or rows_compared(prompt.query, prompt.evidence)
        return _said(near, prompt.query)
    follows = prompt.history and prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
    before, going_on = (prompt.history[-1].query, of_the_last_answers_documents(prompt)) if follows else ("", ())
    return _said(rows_asked_for(prompt.query, prompt.evidence, before, going_on), prompt.query)


def _fitted(
    weighed: Weighed, prose: list[Candidate], code: list[Candidate], question: str
) -> tuple[list[Candidate], list[Candidate]]:
    """The sentences and the block that are quoted where nothing says that code is wanted.

    A command that is asked for stands alone, an example that shows something else is left out, and of steps there are
    all, or the one that is asked for.
    """
    if block := leading_block(weighed, prose):
        return [], [block]
    shown = [one for one in code if goes_with(weighed, one, prose, question)]
    return [narrowed(question, one) for one in prose], shown


def _most(prompt: Prompt) -> int:
    """How many sentences answer: as many as are asked for, fewer in a summary."""
    wished = summary_wished(prompt.query)
    return min(sentences_asked(prompt.query) or (_SENTENCES if wished is None else _SUMMARY), _SENTENCES)


def _beside_code(weighed: Weighed) -> list[Candidate]:
    """The sentences that are told beside code."""
    chosen = weighed.sentences(_SENTENCES_WITH_CODE + _FURTHER_WITH_CODE)
    cited = {one.number for one in chosen[:_SENTENCES_WITH_CODE]}
    return [one for place, one in enumerate(chosen) if place < _SENTENCES_WITH_CODE or one.number in cited]


def _called(passage: Passage, language: Language) -> str:
    """A section in quotes, with its document where that has another title; empty where it has no name."""
    section, document = own_name(passage.heading) or passage.title, passage.title
    quoted = messages.SECTION[language].format(name=section) if section else ""
    return f"{quoted} ({document})" if document not in ("", section) else quoted


def _taken_for(prompt: Prompt, language: Language) -> list[str]:
    """What the query misspells, and what it was taken for, a sentence each; another form of a word is no slip."""
    pairs = [(written, name) for written, name in prompt.corrections if not _another_form(written, name)]
    return [messages.TAKEN_FOR[language].format(written=written, name=name) for written, name in pairs]


def _another_form(written: str, name: str) -> bool:
    """Whether a word that is not written as names in code are differs from another in its ending only."""
    least = max(_BEGINNING, min(len(written), len(name)) - _ENDING)
    return (name[1:].islower() or name.isupper()) and folded(written)[:least] == folded(name)[:least]


def _told(piece: Evidence) -> str:
    """A tool's result with its mark; the end of a long one is in the source."""
    text = piece.passage.text.strip()
    kept = text if len(text) <= _TOLD_CHARS else f"{text[:_TOLD_CHARS].rstrip()} …"
    return f"{kept} [{piece.number}]"


def _said(quoted: Sequence[Candidate], question: str) -> str:
    """Running text, each sentence with its mark; steps stand in a paragraph of their own.

    A sentence that does not say what it is about is led in by its heading.
    """
    text, about = "", ""
    for candidate in quoted:
        steps = "\n" in candidate.text
        gap = "" if not text else "\n\n" if steps or text.endswith("\n") else " "
        subject = unsaid_subject(candidate, question)
        led_in = _led_in(subject, apart=steps) if subject != about else ""
        about = subject if candidate.introduced else candidate.heading
        mark = f"\n\n[{candidate.number}]" if candidate.text.endswith("|") else f" [{candidate.number}]"
        text = f"{text.rstrip()}{gap}{led_in}{_sentence(candidate.text)}{mark}" + ("\n" if steps else "")
    return text.strip()


def _led_in(subject: str, *, apart: bool = False) -> str:
    """A heading in front of a sentence; above steps and tables, whose first line it would be taken for a part of."""
    subject = unnumbered(subject) if apart else subject
    if not subject:
        return ""
    return f"{subject}{'' if subject.endswith(('?', '!', '.', ':')) else ':'}" + ("\n\n" if apart else " ")


def _sentence(text: str) -> str:
    text = text.strip()
    ends = "\n" in text or text.endswith((".", "!", "?", "…", "。"))
    return text if ends else text.rstrip(" :;,") + "."


def _in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """The best first, as it is the answer; the others as they are read, those of its passage before the rest."""
    return [*chosen[:1], *sorted(chosen[1:], key=lambda c: (c.number != chosen[0].number, c.place))]
