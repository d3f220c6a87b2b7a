"""A few sentences on how an account stands, as dashboards ask for them: what is used, what is left, what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.calculation import Usage, usage_of
from engine.generation.extractive.account_figures.composing import Account, of_entry, said
from engine.generation.extractive.account_figures.figure import amounts_in
from engine.generation.extractive.account_figures.measures import Measure, measures_of
from engine.generation.extractive.account_figures.reading.bounded import within_bounds
from engine.generation.extractive.account_figures.reading.sentences import sentence_figures
from engine.text.formats import sentences_asked
from engine.text.language import Language, language_of
from engine.text.numbers import shown_percent
from engine.text.sentences import units
from engine.text.words import asks_something

#: Values that a summary reads out at most, and sentences that it has.
_MOST = 5
#: How a widget says what form it wants; no statement about the account.
_RULE = re.compile(
    r"\W*(rules?|reglas?|exactly|exactamente|provide|proporciona|give|dame|please|por favor)\b", re.IGNORECASE
)
#: A question for figures tells none, whatever date or number stands in it.
_ASKS = re.compile(
    r"\W*(how|what|when|where|which|who|why|cu[aá]nt[oa]s?|qu[eé]|cu[aá]ndo|d[oó]nde|cu[aá]l|c[oó]mo)\b", re.IGNORECASE
)
#: A request behind a statement: ", provide a recommendation".
_REQUEST = re.compile(r",\s+(?=[^\W\d_]+\s)(?![^,]*\d)[^,]*$")


def told_insight(query: str) -> str:
    """What follows from figures that the message itself states; empty where it states none.

    So it is where nothing follows and the message asks a question: what it states itself does not answer that.
    """
    language = language_of(query)
    statements = [unit.text for unit in units(query) if not unit.code]
    told = [s for s in statements if amounts_in(s, language) and not _RULE.match(s) and not _ASKS.match(s)]
    if not told:
        return ""
    texts = [_ended(_REQUEST.sub("", statement)) for statement in told]
    figures = within_bounds(sentence_figures(" ".join(told), language), query)
    usage = _usage(measures_of(figures), told[0])
    if usage is None and (asks_something(query) or query.rstrip().endswith("?")):
        return ""
    return _of_length(texts, _following(usage, language), sentences_asked(query))


def _usage(measures: Sequence[Measure], statement: str) -> Usage | None:
    found = [usage for measure in measures if (usage := usage_of(measure)) is not None and usage.share is not None]
    used = re.search(r"us(?:ed|age)|consum|us(?:o|ado|ada)\b|gastad", statement, re.IGNORECASE)
    return found[0] if found and used else None


def account_insight(question: Question, account: Account) -> str:
    """How an account stands: the measures that have a limit, those named if any is, or first values where none has."""
    language, wanted = question.language, sentences_asked(question.text)
    used = [
        (m, u) for m in account.measures if (u := usage_of(m, account.limit_for(m))) is not None and u.share is not None
    ]
    if not used:
        texts = [of_entry(m.entries[0], m, language) for m in account.measures if m.entries[0].figure.value is not None]
        return " ".join(texts[: wanted or _MOST])
    used = [(m, u) for m, u in used if m.stems & question.words] or used
    used.sort(key=lambda one: -(one[1].share or 0))
    texts = [said(question, "percent", measure, account) for measure, _ in used]
    return _of_length(texts[: _MOST if not wanted else 1], _following(used[0][1], language), wanted)


def _following(usage: Usage | None, language: Language) -> list[str]:
    """What is left, and what that suggests."""
    if usage is None or usage.share is None:
        return []
    left = max(100 - usage.share, Fraction(0))
    advice = next(
        (text for share, text in phrases.ADVICE[language] if usage.share >= share), phrases.ADVICE[language][-1][1]
    )
    return [phrases.LEAVES[language].format(left=shown_percent(left, language)), advice]


def _of_length(texts: list[str], following: list[str], wanted: int) -> str:
    """Statements with what follows from them, in as many sentences as were asked for as far as there are so many."""
    if not wanted:
        return " ".join([*texts[:1], *following[:1], *texts[1:_MOST], *following[1:]])  # what is left is of the first
    kept = texts[: max(wanted - len(following), 1)]
    return " ".join([*kept, *following, *texts[len(kept) :]][:wanted])


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", "。")) else text.rstrip(" :;,") + "."
