"""What a stored message loses before it may become training data: names, addresses, numbers and keys.

Patterns, not a model: they take what is recognisable by its form or by the words before it. A name that nothing
introduces stays, which is why exports are files for their owner alone and never hold answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from classifier.text import DIGIT

#: What stands in the place of what was taken. Lower case: these are words to the n-grams.
NAME, MAIL, KEY, IBAN = "[name]", "[mail]", "[key]", "[iban]"
#: Digits together, and digits in all with separators between, from which a number may name someone.
LONG_RUN, LONG_NUMBER = 4, 7
#: A long word is a key when it mixes cases and has so many digits: identifiers of programs hardly ever do.
_KEY_DIGITS = 3

_CREDENTIALS = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{1,200}:[^\s/@]{1,200}@", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63}){1,5}")
#: Keys that say what they are: of well-known services, JSON web tokens, and what follows "Bearer".
_MARKED = re.compile(
    r"\b(?:sk|pk|rk)[-_][\w-]{8,}|\b(?:gh[oprsu]|github_pat|glpat|hf|npm|pypi|xox[abeprs]|whsec)[-_][\w-]{8,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?"
    r"|(?<=[Bb]earer )[\w.~+/-]{8,}=*"
)
_INTRODUCES_A_KEY = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pin|secret|(?:access[ _-]?|auth[ _-]?)?token|api[ _-]?key|access[ _-]?key"
    r"|contrase[nñ]a|clave|credential)"
)
#: "password: x", "clave es x", "api_key=x"; the value is judged apart.
_ASSIGNED = re.compile(
    rf"(?P<word>\b{_INTRODUCES_A_KEY}[\"']?\s{{0,3}}(?:[=:]|\bis\b|\bes\b)\s{{0,3}})"
    r"(?P<value>\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|[^\s,;&\"']{3,200})",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){3,7}(?:[ -]?[A-Z0-9]{1,3})?\b")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{16,}(?![0-9a-zA-Z])", re.IGNORECASE)
_LONG_WORD = re.compile(r"(?<![\w/+-])(?:[\w-]{20,}|[A-Za-z0-9+/]{40,}={0,2})(?![\w/+])")
_NUMBER = re.compile(r"\+?\d(?:[ ().\-/]{0,2}\d)+")
_RUN = re.compile(rf"\d{{{LONG_RUN},}}")

_UPPER, _LOWER = "A-ZÁÉÍÓÚÜÑÇ", "a-záéíóúüñçàèìòùâêîôûäëïöß'’"
_CAPITALISED = rf"[{_UPPER}][{_LOWER}]+(?:-[{_UPPER}][{_LOWER}]+)?"
_FULL_NAME = rf"{_CAPITALISED}(?: (?:(?:de|del|la|las|los|van|von|da|di) ){{0,2}}{_CAPITALISED}){{0,3}}"
#: Words that follow "my name is" without being a name.
_NO_NAME = (
    r"(?!(?:not|no|in|on|at|the|a|an|wrong|missing|misspel\w*|incorrect|different|shown|called|too|being|still|already"
    r"|never|used|so|el|la|un|una|mal|incorrect[oa]|muy|en|igual|demasiado|cómo|como)\b)"
)
#: After these a name is taken however it is written, one word of it where it has no capital.
_STRONG = re.compile(
    r"(?P<words>\b(?i:my (?:full )?name is|my name['’]s|i am called|i['’]m called|the name['’]s|me llamo|me llaman"
    rf"|mi nombre(?: completo)? es|llámame|llamame)[:,]?\s+){_NO_NAME}(?:{_FULL_NAME}|[^\W\d_]+)"
)
#: After these only words with a capital are.
_WEAK = re.compile(
    r"(?P<words>(?:\b(?i:i['’]m|i am|this is|call me|soy|habla|aquí|regards|cheers|sincerely|saludos|un saludo"
    r"|atentamente|dear|estimad[oa]|mr|mrs|ms|sr|sra|don|doña)\b[.,:]?\s+))"
    rf"(?!(?:The|A|An|El|La|Un|Una|It|This|That|Not|English|Spanish|German|French|Support|Team|Equipo|Mr|Mrs|Ms|Sr|Sra|Don|Doña)\b){_FULL_NAME}\b"
)


def scrub(text: str) -> str:
    """`text` without what names or unlocks anyone; what is ordinary stays as it was. Idempotent."""
    for step in _STEPS:
        text = step(text)
    return text


def _assigned(match: re.Match[str]) -> str:
    """A value beside a word such as "password": quoted ones and those with a digit go, plain words stay."""
    value = match["value"]
    secret = value[0] in "\"'" or bool(DIGIT.search(value))
    return f"{match['word']}{KEY}" if secret and KEY not in value else match[0]


def _long_word(match: re.Match[str]) -> str:
    """A long word as a key, when it is made as keys are."""
    word = match[0]
    mixed = word != word.lower() and word != word.upper()
    return KEY if mixed and len(DIGIT.findall(word)) >= _KEY_DIGITS else word


def _number(match: re.Match[str]) -> str:
    """A number: all its digits as 0 where there are many, else only those that stand together."""
    number = match[0]
    return (
        DIGIT.sub("0", number)
        if len(DIGIT.findall(number)) >= LONG_NUMBER
        else _RUN.sub(lambda run: "0" * len(run[0]), number)
    )


_STEPS: tuple[Callable[[str], str], ...] = (
    lambda text: _CREDENTIALS.sub(rf"\g<scheme>{KEY}@", text),
    lambda text: _MAIL.sub(MAIL, text),
    lambda text: _MARKED.sub(KEY, text),
    lambda text: _ASSIGNED.sub(_assigned, text),
    lambda text: _IBAN.sub(IBAN, text),
    lambda text: _UUID.sub(KEY, text),
    lambda text: _HEX.sub(KEY, text),
    lambda text: _LONG_WORD.sub(_long_word, text),
    lambda text: _STRONG.sub(rf"\g<words>{NAME}", text),
    lambda text: _WEAK.sub(rf"\g<words>{NAME}", text),
    lambda text: _NUMBER.sub(_number, text),
)
