"""Objects of one form that stand side by side, and keys with numbers, as the rows of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures.figure import Figure
from engine.generation.extractive.account_figures.vocabulary import is_calendar_name, period_of_words, role_of

#: A key that says of which of several it is by a number: `campaign2_clicks`.
_NUMBERED = re.compile(r"(?P<name>[^\W\d]+?)[ _]?(?P<n>\d{1,2}) (?P<rest>[^\d].*)")


def with_rows(figures: Sequence[Figure]) -> Iterator[Figure]:
    """Figures in which objects of one form that stand side by side, and numbered keys, are rows of a list."""
    forms: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for figure in figures:
        if not figure.row and len(figure.path) > 1:
            forms.setdefault(figure.path[:-2], {}).setdefault(figure.path[-2], set()).add(figure.path[-1])
    named = {f.path[-1]: f.value for f in figures if f.path and isinstance(f.value, str)}
    numbers: dict[tuple[str, ...], set[str]] = {}
    for figure in figures:
        if not figure.row and figure.path and (found := _NUMBERED.fullmatch(figure.path[-1])):
            numbers.setdefault((*figure.path[:-1], found["name"]), set()).add(found["n"])
    for figure in figures:
        *around, leaf = figure.path or ("",)
        numbered = _NUMBERED.fullmatch(leaf)
        alike = forms.get(figure.path[:-2], {})
        if figure.row:
            yield figure
        elif numbered and (rest := numbered["rest"].strip()) and len(numbers[*around, numbered["name"]]) > 1:
            row = str(named.get(f"{numbered['name']}{numbered['n']}", f"{numbered['name']} {numbered['n']}"))
            yield replace(
                figure, path=(*around, rest), row=row, listed=(*around, numbered["name"]), row_key=numbered["name"]
            )
        elif around and _is_record(around[-1], alike):
            yield replace(figure, path=(*around[:-1], leaf), row=around[-1], listed=tuple(around[:-1]))
        else:
            yield figure


def _is_record(name: str, alike: Mapping[str, set[str]]) -> bool:
    """Whether what a name has under it is a row: another one has the same, and not only what is used of a limit."""
    timed = {one for one in alike if period_of_words(one.split()) or any(role_of(word) for word in one.split())}
    leaves = alike.get(name, set())
    if len(alike) > 2 and all(map(is_calendar_name, alike)):  # of more than two months each is a row
        return all(form == leaves for form in alike.values())
    plain = any(not role_of(word) for leaf in leaves for word in leaf.split())
    forms = [form for one, form in alike.items() if one not in timed]
    return plain and name not in timed and len(leaves) > 1 and forms.count(leaves) > 1
