"""What candidates and ranking take from the rest of the room: values, names, questions, how values are written."""

from __future__ import annotations

from engine.generation.extractive.account_figures.asking.heads import FigureHeads
from engine.generation.extractive.account_figures.asking.questions import (
    BETWEEN_ENDS,
    MORE_THAN,
    Operations,
    Question,
    bare_words,
    counts_what_costs,
    is_cardinal,
    months_between,
    months_in,
    needed,
)
from engine.generation.extractive.account_figures.asking.synonyms import (
    denies,
    names_called,
    opposite,
    opposite_stems,
    same,
    stem_of,
    subjects_in,
    uncovered,
)
from engine.generation.extractive.account_figures.composing import labelled, only_names, shown, yes_or_no
from engine.generation.extractive.account_figures.figure import (
    TIMES,
    Amount,
    Day,
    Figure,
    Value,
    amounts_in,
    day_of,
    is_price,
    without_amounts,
)
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, PERCENT, PLAIN, TOTAL, USED
from engine.generation.extractive.account_figures.rules.rows import stretch
from engine.generation.extractive.account_figures.vocabulary import (
    Period,
    country_names,
    is_calendar_name,
    is_period,
    period_in,
    period_of_words,
    role_of,
    roles,
    stems_of,
    subjects,
    vocabulary,
    without_periods,
    words_without_period,
)
from engine.text.dates import find_dates, fold, months, weekdays
from engine.text.language import Language, language_of
from engine.text.numbers import in_language, shown_percent
from engine.text.words import COMMON

# fmt: off
__all__ = [
    "BETWEEN_ENDS",
    "COMMON",
    "LEFT",
    "LIMIT",
    "MORE_THAN",
    "PERCENT",
    "PLAIN",
    "TIMES",
    "TOTAL",
    "USED",
    "Amount",
    "Day",
    "Figure",
    "FigureHeads",
    "Language",
    "Operations",
    "Period",
    "Question",
    "Value",
    "amounts_in",
    "bare_words",
    "country_names",
    "counts_what_costs",
    "day_of",
    "denies",
    "find_dates",
    "fold",
    "in_language",
    "is_calendar_name",
    "is_cardinal",
    "is_period",
    "is_price",
    "labelled",
    "language_of",
    "months",
    "months_between",
    "months_in",
    "names_called",
    "needed",
    "only_names",
    "opposite",
    "opposite_stems",
    "period_in",
    "period_of_words",
    "role_of",
    "roles",
    "same",
    "shown",
    "shown_percent",
    "stem_of",
    "stems_of",
    "stretch",
    "subjects",
    "subjects_in",
    "uncovered",
    "vocabulary",
    "weekdays",
    "without_amounts",
    "without_periods",
    "words_without_period",
    "yes_or_no",
]
# fmt: on
