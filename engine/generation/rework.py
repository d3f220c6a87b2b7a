"""Answers from the conversation itself, without a model: recall, lists, shorter forms, courtesies.

Nothing here adds a fact: what is said comes from the stored turns, with its marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.generation import wording
from engine.generation.port import Prompt
from engine.generation.sentences import Unit, units
from engine.language import Language, language_of

_I = re.IGNORECASE
_FIRST = re.compile(r"\b(first|primer[ao]?)\b", _I)
_MY_QUESTIONS = re.compile(
    r"\b(my|i|me|we|mi|mis|he|yo|hemos|hablamos|hablado|pregunt[eé]|pregunta)\b.*|\b(talk|discuss|ask)\w*\b", _I
)
_YOUR_ANSWER = re.compile(r"\b(you|your) (say|said|tell|told|answer|mention)|\b(dijiste|respondiste|contestaste)\b", _I)
_RECALL = re.compile(
    r"\b(remember|recuerdas|acuerdas|recordás|asked|ask|question|questions|pregunt[eéó]|pregunta|preguntas|talk(ed)?|"
    r"hablamos|hablado|said|dijiste|told|mentioned|discussed)\b",
    _I,
)
_LIST = re.compile(r"\b(lists?|bullets?|bullet points|points|itemi[sz]e|lista|listado|viñetas|puntos|enumera\w*)\b", _I)
_TABLE = re.compile(r"\b(table|tabla|tabular|cuadro)\b", _I)
_SHORTER = re.compile(
    r"\b(short\w*|brief\w*|fewer words|less words|summar\w+|sum up|concise\w*|tl;?dr|condense|nutshell|one sentence|"
    r"menos palabras|m[aá]s cort[oa]|resum\w+|res[uú]m\w+|breve\w*|acort\w+|m[aá]s conciso|sint[eé]ti\w+|una frase)\b",
    _I,
)
_REPEAT = re.compile(r"\b(repeat|again|once more|repite|repit\w+|otra vez|de nuevo)\b", _I)
_THANKS = re.compile(r"\b(thanks?|thank you|thx|cheers|gracias|agradec\w+)\b", _I)
_GREETING = re.compile(r"^\W*(hi|hello|hey|good (morning|afternoon|evening)|hola|buen[oa]s?)\b", _I)
_FAREWELL = re.compile(r"\b(bye|goodbye|see you|adi[oó]s|hasta (luego|pronto|mañana)|chao|chau|nos vemos)\b", _I)
_ABILITIES = re.compile(
    r"\b(what can you|who are you|what are you|can you help|how can you help|qu[eé] puedes|qu[eé] sabes|qui[eé]n eres|"
    r"qu[eé] eres|en qu[eé] (me )?(puedes|ayudas)|are you (a )?(bot|human|robot|ai))\b",
    _I,
)


def converse(prompt: Prompt) -> str:
    """The answer to a message about the conversation, with the session's numbers in its marks."""
    query, language = prompt.query, language_of(prompt.query)
    if not prompt.history:
        return _courtesy(query, language) or wording.NO_HISTORY[language]
    if _RECALL.search(query) and not _THANKS.search(query):
        return recall(prompt)
    for pattern, form in _FORMS:
        if pattern.search(query):
            return form(prompt.previous_answer)
    return _courtesy(query, language) or wording.NEEDS_MODEL[language].format(answer=prompt.previous_answer)


def recall(prompt: Prompt) -> str:
    """What was asked or said before."""
    query, language = prompt.query, language_of(prompt.query)
    if not prompt.history:
        return wording.NO_HISTORY[language]
    if _YOUR_ANSWER.search(query):
        return wording.LAST_ANSWER[language].format(answer=prompt.previous_answer)
    if _FIRST.search(query):
        return wording.FIRST_QUESTION[language].format(query=prompt.first_query or prompt.history[0].query)
    if re.search(r"\b(last|previous|before that|[uú]ltima|anterior)\b", query, _I):
        return wording.LAST_QUESTION[language].format(query=prompt.history[-1].query)
    asked = "\n".join(f"{place}. {exchange.query}" for place, exchange in enumerate(prompt.history, start=1))
    return f"{wording.QUESTIONS[language]}\n{asked}"


def as_list(answer: str) -> str:
    """One item per sentence; code blocks stay as they are."""
    return "\n".join(unit.text if unit.code else f"- {unit.text}" for unit in units(answer))


def as_table(answer: str) -> str:
    """One numbered row per sentence."""
    pieces = units(answer)
    rows = [f"| {n} | {u.text.replace('|', chr(92) + '|')} |" for n, u in enumerate(_prose(pieces), start=1)]
    return "\n".join(["| # | |", "| --- | --- |", *rows, *(u.text for u in pieces if u.code)])


def shorter(answer: str) -> str:
    """The first half of the sentences, at least one; a lone long sentence ends at its first clause."""
    prose = _prose(units(answer))
    if not prose:
        return answer
    if len(prose) > 1:
        return " ".join(unit.text for unit in prose[: max(len(prose) // 2, 1)])
    text, mark = _split_mark(prose[0].text)
    clause = re.split(r"[;:,(]\s|\s[-–—]\s", text, maxsplit=1)[0].rstrip(" .,;:")
    return f"{clause}.{mark}"


def _prose(pieces: list[Unit]) -> list[Unit]:
    return [unit for unit in pieces if not unit.code]


def _split_mark(sentence: str) -> tuple[str, str]:
    marked = re.search(r"((?:\s*\[\d+\])+)\s*\.?\s*$", sentence)
    return (sentence[: marked.start()], marked.group(1)) if marked else (sentence, "")


def _courtesy(query: str, language: Language) -> str:
    courtesies = (
        (_THANKS, wording.THANKS),
        (_FAREWELL, wording.FAREWELL),
        (_ABILITIES, wording.ABILITIES),
        (_GREETING, wording.GREETING),
        (
            re.compile(r"^\W*(ok(ay)?|vale|perfect[oa]?|great|got it|entendido|genial|bien|good|nice)\b", _I),
            wording.ACKNOWLEDGED,
        ),
    )
    for pattern, words in courtesies:
        if pattern.search(query):
            return words[language]
    return ""


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_TABLE, as_table),
    (_LIST, as_list),
    (_SHORTER, shorter),
    (_REPEAT, str),
)
