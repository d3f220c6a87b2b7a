"""Answers from the conversation itself, without a model: recall, lists, shorter forms, courtesies.

Nothing here adds a fact: what is said comes from the stored turns, with its marks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from classifier.dialogue_act.acts import DialogueAct
from engine.domain import Part, Recall
from engine.generation.port import Prompt
from engine.text import messages
from engine.text.formats import items, sentences_asked
from engine.text.language import Language, language_wished
from engine.text.questions.stated_figures import Calculation
from engine.text.sentences import ONLY_MARKS, Unit, units
from engine.text.words import content, content_stems, stem

_OF_ITSELF = {
    DialogueAct.ABILITIES: messages.ABILITIES,
    DialogueAct.USER_IDENTITY: messages.USER_IDENTITY,
}
#: The end of a question, quoted or not, with its marks.
_ASKS = re.compile(r"[?？][\"'»”)]*(?:\s*\[\d+\])*$")
#: How an answer begins that nothing answers.
_NOTHING_FOUND = tuple(messages.NOTHING_FOUND.values())
#: What is said aside.
_BRACKETS = re.compile(r"\s\([^()]*\)")
#: A clause at the end of a sentence that says more of it; in the middle of one, what it is about would go with it.
_HANGING = re.compile(
    r"(?:;|\s[-–—]|,\s(?:which|who|whose|where|so|but|because|since|although|while|"
    r"que|quien(?:es)?|cuy[oa]s?|donde|(?:lo|el|las?|los) (?:que|cual(?:es)?)|as[ií] que|pero|porque|ya que|aunque|"
    r"mientras))\s[^,;]*$",
    re.IGNORECASE,
)
#: Words that a clause has at least.
_CLAUSE_WORDS = 3
#: What leads in the steps behind it in their first line.
_LED_IN = re.compile(r"^([^\n]*?\S:) (?=1[.)] .+\n\s*2[.)] )", re.MULTILINE)
#: How an item of a list begins, and the words of the longest one that is a name: more are a sentence.
_ITEM, _NAME_WORDS = "- ", 6
#: An item that does one thing: behind a semicolon there may be another.
_STEP = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s[^;\n]+$")
#: Documents that are named where it is asked what there is.
_DOCUMENTS = 10
#: Columns of a table that a row has at most.
_COLUMNS = 8
#: A toast is a greeting at the beginning of a conversation and thanks behind an answer.
_THANKS_AS_A_GREETING = re.compile(r"\W*cheers\b", re.IGNORECASE)
_HEARD = (DialogueAct.ACKNOWLEDGEMENT, DialogueAct.AFFIRMATION, DialogueAct.NEGATION)


def language_alone(prompt: Prompt) -> Language | None:
    """The language that a message names and nothing else, where figures may be told in it: "and in Spanish?"."""
    if not prompt.history or not prompt.extra_context.strip():
        return None
    alone = prompt.act is DialogueAct.TRANSLATE or len(list(content(prompt.query))) <= 1
    return language_wished(prompt.query) if alone else None


def in_another_language(prompt: Prompt, wished: Language, account: Callable[..., str]) -> str:
    """The last answer in a language; empty where it did not tell figures, which need no model for that. Blocks.

    Args:
        account: Answers a question from contexts, see `AccountFigures.answer`.
    """
    *earlier, last = [exchange.query for exchange in prompt.history]
    again = partial(account, last, prompt.extra_context, prompt.user_info, before=earlier)
    told = any(again(language=one) == prompt.previous_answer for one in Language)
    return again(language=wished) if told else ""


def converse(prompt: Prompt) -> str:
    """The answer to a message about the conversation, with the session's numbers in its marks."""
    act, language = prompt.act, prompt.spoken
    if act is DialogueAct.GREETING and prompt.history and _THANKS_AS_A_GREETING.match(prompt.query):
        act = DialogueAct.THANKS
    if act in messages.COURTESIES:
        return messages.COURTESIES[act][language]
    if act in _OF_ITSELF:
        return f"{_OF_ITSELF[act][language]} {_documents(prompt) if act is DialogueAct.ABILITIES else ''}".rstrip()
    if act is DialogueAct.QUESTION_COUNT:
        count = prompt.asked
        return (messages.ONE_QUESTION if count == 1 else messages.QUESTION_COUNT)[language].format(count=count)
    if not prompt.history:
        return (messages.NOTHING_ASKED if act in _HEARD else messages.NO_HISTORY)[language]
    if act in _FORMS:
        refused = prompt.previous_answer.startswith(_NOTHING_FOUND)  # a refusal has no other form
        return prompt.previous_answer if refused else _FORMS[act](prompt.previous_answer, prompt.query)
    replies = {**dict.fromkeys(_HEARD, messages.ACKNOWLEDGED), DialogueAct.DISAGREEMENT: messages.DISAGREEMENT}
    return replies.get(act, messages.NEEDS_MODEL)[language]


def _documents(prompt: Prompt) -> str:
    """What is indexed, by its names; empty where that is not known, or nothing is."""
    names = ", ".join(prompt.documents[:_DOCUMENTS])
    told = messages.DOCUMENTS if len(prompt.documents) <= _DOCUMENTS else messages.DOCUMENTS_SOME
    return told[prompt.spoken].format(names=names, count=len(prompt.documents)) if names else ""


def recall(prompt: Prompt) -> str:
    """What was asked or said before: quoted, with the marks of earlier answers."""
    language = prompt.spoken
    asked = prompt.recall or Recall(Part.TOPICS)
    if not prompt.history:
        return (messages.NOT_SAID if prompt.recall else messages.NO_HISTORY)[language]
    last = prompt.history[-1]
    if asked.part is Part.ITEM:
        return _item(last.answer, asked.place or 1, language)
    if asked.part is Part.ANSWER:
        if asked.count != 1:
            return _answers(prompt, asked)
        by_place = asked.place in (0, -1) and not asked.about
        said = messages.LAST_ANSWER if by_place else messages.ANSWER_TO
        begins_with_code = any(unit.code for unit in units(last.answer)[:1])
        answer = f"\n\n{last.answer}" if begins_with_code else last.answer
        return said[language].format(query=last.query, answer=answer)
    if asked.place or (asked.part is Part.QUESTION and asked.about):  # one is meant, whoever said it
        return _QUESTIONS.get(0 if asked.about else asked.place, messages.NTH_QUESTION)[language].format(
            query=last.query, place=asked.place
        )
    questions = "\n".join(f"{place}. {exchange.query}" for place, exchange in enumerate(prompt.history, start=1))
    return f"{messages.QUESTIONS[language]}\n{questions}"


def _answers(prompt: Prompt, asked: Recall) -> str:
    """Several answers, in the form that is wished; of those about something what they say of it."""
    if prompt.act not in _FORMS:
        framed = messages.ANSWER_TO[prompt.spoken]
        return "\n\n".join(framed.format(query=one.query, answer=one.answer) for one in prompt.history)
    wanted = {stem(word) for word in asked.about}
    told = [text for one in prompt.history for text in _told_of(one.answer, wanted)]
    return _FORMS[prompt.act]("\n\n".join(dict.fromkeys(told)), prompt.query)


def _told_of(answer: str, wanted: set[str]) -> list[str]:
    """The pieces of an answer that say one of the words; all of one whose question alone does."""
    pieces = [unit.text for unit in _pieces(answer)]
    return [text for text in pieces if content_stems(text) & wanted] or pieces


def _item(answer: str, place: int, language: Language) -> str:
    item = items(answer)[place - 1 if place > 0 else place]
    return (messages.ITEM if place > 0 else messages.LAST_ITEM)[language].format(place=place, item=item)


def figured(found: Calculation, language: Language) -> str:
    """What figures of the conversation come to, with the marks of the passages they came from."""
    amount, share = found.amount, found.share
    whole, exact = amount.like(found.limit), amount.like(found.limit, places=2)
    parts = messages.PARTS[language].format(share=share.text, amount=amount.text, limit=exact)
    marks = "".join(f" [{number}]" for number in found.numbers)
    if found.counted:
        total = amount.like(found.limit, places=0 if found.limit.denominator == 1 else 2)
        return f"{share.text} × {amount.text} = {total}.{marks}"
    if found.income is None:
        return messages.COMES_TO[language].format(limit=whole, parts=parts) + marks
    income = found.income.text
    if found.income.yearly > 1:
        yearly = found.income.like(found.yearly_income, places=0 if found.yearly_income.denominator == 1 else 2)
        income = messages.IN_A_YEAR[language].format(amount=income, times=found.income.yearly, yearly=yearly)
    exactly = found.yearly_income == found.limit
    judged = messages.EXACTLY if exactly else messages.WITHIN if found.within else messages.ABOVE
    return judged[language].format(income=income, limit=whole, parts=parts) + marks


def as_list(answer: str) -> str:
    """One item per sentence; code blocks and steps, which are a list, stay as they are."""
    pieces = ((unit.text, unit.code or "\n" in unit.text) for unit in _pieces(answer))
    return (
        "\n".join(f"\n{text}\n" if whole else f"- {text}" for text, whole in pieces)
        .strip("\n")
        .replace("\n\n\n", "\n\n")
    )


def as_table(answer: str) -> str:
    """A row for each sentence: with a column for each of its measures where it was a row of a table, else numbered."""
    pieces = _pieces(answer)
    records = [(record, unit.text) for unit in _prose(pieces) if (record := _record(unit.text)) is not None]
    columns = list(dict.fromkeys(name for record, _ in records for name in record))
    if len(records) < 2 or len(columns) > _COLUMNS:
        records, columns = [], ["#", ""]
    told = {text for _, text in records}
    rows = [[record.get(name, "") for name in columns] for record, _ in records]
    left = [unit.text for unit in _prose(pieces) if unit.text not in told]
    if not records:
        if len(left) > 1 and left[0].endswith(":"):  # "7 in all:"
            columns[1] = left.pop(0).rstrip(": ")
        rows, left = [[str(place), text] for place, text in enumerate(left, start=1)], []
    table = [columns, ["---"] * len(columns), *rows]
    written = [" ".join(["|", *(f"{cell.replace('|', chr(92) + '|')} |".lstrip() for cell in row)]) for row in table]
    return "\n".join([*written, *(f"\n{text}" for text in left), *(f"\n{u.text}" for u in pieces if u.code)])


def _record(sentence: str) -> dict[str, str] | None:
    """The cells of what was told as a row of a table, "Name - Height: 4 m; Routes: 12. [1]"; else None."""
    text, mark = _split_mark(sentence)
    name, dash, cells = text.rstrip(" .").partition(" — ")
    pairs = [cell.partition(": ") for cell in cells.split("; ")]
    if not dash or not all(column and colon and value for column, colon, value in pairs):
        return None
    return {"": f"{name}{mark}", **{column: value for column, _, value in pairs}}


def shorter(answer: str, wanted: int = 0) -> str:
    """The first sentences that make at most half of it, at least one; a lone one, or steps, without what is said aside.

    Args:
        answer: What was said.
        wanted: So many sentences instead, where it has more; 0: half.
    """
    if told := _in_a_line(answer):
        return told
    prose = _with_what_they_lead_in([unit.text for unit in _prose(_pieces(answer))])
    if not prose:
        return answer
    if 0 < wanted < len(prose):
        return _joined(prose[:wanted])
    if len(prose) == 1:
        lines = prose[0].split("\n")
        return "\n".join(_without_asides(line) if len(lines) == 1 or _STEP.match(line) else line for line in lines)
    kept = prose[: max(len(prose) // 2, 1)]
    while len(kept) > 1 and "\n" in kept[-1] and 2 * sum(map(len, kept)) > sum(map(len, prose)):
        kept.pop()  # steps are one piece, and may be most of the answer
    return _joined(kept)


def _in_a_line(answer: str) -> str:
    """The names of a list in one line with what leads it in, of rows without their cells; empty of a list of sentences.

    Half of the list would say that these are all.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    lead = "".join(line for line in lines[:1] if not line.startswith(_ITEM))
    items = lines[1:] if lead else lines
    names = [item.removeprefix(_ITEM) for item in items]
    names = [record[""] if (record := _record(name)) else name for name in names]
    listed = len(items) > 1 and all(item.startswith(_ITEM) for item in items) and (not lead or lead.endswith(":"))
    brief = all(len(name.split()) <= _NAME_WORDS and not name.endswith(".") for name in names)
    return f"{lead} {', '.join(names)}".strip() if listed and brief else ""


def _with_what_they_lead_in(pieces: Sequence[str]) -> list[str]:
    """The pieces, those that end in a colon in one with the next, which they say nothing without."""
    found: list[str] = []
    for piece in pieces:
        if found and found[-1].endswith(":"):
            found[-1] += f"\n{piece}" if "\n" in piece else f" {piece}"
        else:
            found.append(piece)
    return found


def _joined(pieces: Sequence[str]) -> str:
    """Running text; what has lines of its own, such as steps, stands in a paragraph of its own."""
    text = ""
    for piece in pieces:
        gap = "" if not text else "\n\n" if "\n" in piece or "\n" in text.rpartition("\n\n")[2] else " "
        text += gap + piece
    return text


def _without_asides(sentence: str) -> str:
    """A sentence without brackets and without the clause that hangs on its end: it stays one.

    Nothing is taken off by a comma alone: what stands before one may be a condition, "if it rains", or half of a list.
    """
    text, mark = _split_mark(sentence)
    if "\n" in text or _record(text) is not None:
        return sentence
    whole = _BRACKETS.sub("", text).rstrip(" .")
    kept = _HANGING.sub("", whole)
    return f"{kept if len(kept.split()) >= _CLAUSE_WORDS else whole}.{mark}"


def _pieces(answer: str) -> list[Unit]:
    """The pieces of an answer that state something of its subject.

    What only introduces its code, questions, and what a misspelt word was taken for do not.
    """
    found = _with_marks(units(_LED_IN.sub(r"\1\n", _unframed(answer))))
    introduces = (one.text.endswith(":") and after.code for one, after in itertools.pairwise(found))
    kept = [unit for unit, left_out in zip(found, [*introduces, False], strict=False) if not left_out]
    return [
        unit for unit in kept if unit.code or not (_ASKS.search(unit.text) or _TAKEN_FOR.fullmatch(unit.text))
    ] or kept


def _with_marks(found: Sequence[Unit]) -> list[Unit]:
    """The pieces, each row of a table with the marks that stand below it."""
    marked: list[Unit] = []
    for unit in found:
        if not marked or not ONLY_MARKS.match(unit.text):
            marked.append(unit)
            continue
        whole, end = marked[-1].whole, "." if marked[-1].whole else ""
        rows = [one for one in marked if one.whole == whole] if whole else marked[-1:]
        kept = marked[: len(marked) - len(rows)]
        marked = [*kept, *(replace(one, text=f"{one.text}{end} {unit.text}") for one in rows)]
    return marked


def _unframed(answer: str) -> str:
    """What was recalled, of an answer that recalls one."""
    found = next((match for frame in _FRAMES if (match := frame.fullmatch(answer))), None)
    return found["answer"] if found else answer


def _frame(template: str) -> re.Pattern[str]:
    """What a message with an earlier answer in it looks like."""
    written = re.escape(template).replace(r"\{query\}", ".*?").replace(r"\{answer\}", r"\s*(?P<answer>.*)")
    return re.compile(written, re.DOTALL)


def _prose(pieces: list[Unit]) -> list[Unit]:
    return [unit for unit in pieces if not unit.code]


def _split_mark(sentence: str) -> tuple[str, str]:
    marked = re.search(r"((?:\s*\[\d+\])+)\s*\.?\s*$", sentence)
    return (sentence[: marked.start()], marked.group(1)) if marked else (sentence, "")


#: Forms of an answer, of which a message may ask for so many sentences.
_FORMS: dict[DialogueAct, Callable[[str, str], str]] = {
    DialogueAct.TABLE: lambda answer, _: as_table(answer),
    DialogueAct.LIST: lambda answer, _: as_list(answer),
    DialogueAct.SHORTER: lambda answer, query: shorter(answer, sentences_asked(query)),
    DialogueAct.REPEAT: lambda answer, _: answer,
}
_TAKEN_FOR = re.compile(
    "|".join(
        re.escape(said).replace(r"\{written\}", ".*?").replace(r"\{name\}", ".*?")
        for said in messages.TAKEN_FOR.values()
    )
)
_FRAMES = [_frame(said[language]) for said in (messages.ANSWER_TO, messages.LAST_ANSWER) for language in Language]
_QUESTIONS = {
    0: messages.QUESTION_ABOUT,
    1: messages.FIRST_QUESTION,
    -1: messages.LAST_QUESTION,
    -2: messages.QUESTION_BEFORE_LAST,
}
