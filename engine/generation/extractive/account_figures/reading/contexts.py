"""What a request says of the account, as typed figures: JSON, lines, tables, or sentences.

`docs/extra-context.md` is the published form.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import yaml

from engine.generation.extractive.account_figures.asking.synonyms import is_state
from engine.generation.extractive.account_figures.figure import (
    MOST_FIGURES,
    Amount,
    Day,
    Figure,
    Value,
    day_of,
    is_price,
    measured,
    unit_in,
    value_of,
    words_of_key,
)
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, USED
from engine.generation.extractive.account_figures.reading.identifiers import (
    with_codes,
    with_identifiers,
    without_totals,
)
from engine.generation.extractive.account_figures.reading.periods import by_period
from engine.generation.extractive.account_figures.reading.pieces import pieces
from engine.generation.extractive.account_figures.reading.sentences import sentence_figures, tells_by_kinds
from engine.generation.extractive.account_figures.reading.tables import line_figures
from engine.generation.extractive.account_figures.vocabulary import (
    YEAR,
    is_calendar_name,
    is_period,
    period_in,
    role_of,
)
from engine.text.dates import fold
from engine.text.language import Language, language_of
from engine.text.numbers import written_as
from engine.text.words import has_digit

_DEPTH = 40
#: Names of what is the value of the name before them.
_AMOUNTS = ("value", "amount", "valor", "importe", "cantidad", "monto")


def read_figures(context: str) -> list[Figure]:
    """The figures that `context` states; an empty list where it states none."""
    text = context.strip()
    if not text:
        return []
    language = written_as(text) or language_of(text)
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or nested too deep to be figures
        parsed = _of_yaml(text)
    if isinstance(parsed, dict | list):
        return with_identifiers(_first(_of_json((), parsed, language, _Row(), 0)))
    inside, rest = _json_inside(text)
    lines = [] if tells_by_kinds(rest, language) else line_figures(rest, language)
    said = lines or sentence_figures(rest, language)
    return with_identifiers(_first(itertools.chain(*(_of_json((), one, language, _Row(), 0) for one in inside), said)))


def _json_inside(text: str) -> tuple[list[Any], str]:
    """The objects and lists in JSON that stand in a text on lines of their own, and the text without them.

    Objects of one form, one a line, are a list of them.
    """
    found: list[Any] = []
    rest, at = [], 0
    for match in itertools.islice(_OPENING.finditer(text), MOST_FIGURES):
        if match.end() - 1 < at:
            continue
        try:
            parsed, end = json.JSONDecoder().raw_decode(text, match.end() - 1)
        except (ValueError, RecursionError):
            break
        line_end = text.find("\n", end)
        if parsed and text[end : line_end if line_end >= 0 else None].strip(" ;,") == "":
            rest.append(text[at : match.end() - 1])
            found, at = [*found, parsed], end
    alike = len(found) > 1 and all(isinstance(one, dict) and one.keys() & found[0].keys() for one in found)
    return ([found] if alike else found), "\n".join([*rest, text[at:]])


#: Where an object or a list in JSON may begin: `[{"` or `{"` at the start of a line or behind a colon.
_OPENING = re.compile(r"(?:^|:)[ \t]*(?:\{(?=\s*\")|\[(?=\s*[\[{\"\d]))", re.MULTILINE)


def _of_yaml(text: str) -> Any:
    """What YAML with records, years as keys, or mappings within a line says, as it is written; None for other text."""
    if not any(form.search(text) for form in (_RECORD, _YEAR_KEY, _FLOW)):
        return None
    try:
        found = yaml.load(text, yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    lists = [found] if isinstance(found, list) else list(found.values()) if isinstance(found, dict) else []
    lists += [inner for one in lists if isinstance(one, dict) for inner in one.values()]
    flows = _FLOW.search(text) is not None and len(lists) > 1
    years = any(isinstance(one, dict) and all(YEAR.fullmatch(str(key)) for key in one) for one in lists)
    records = any(_are(one, dict) and min(map(len, one)) > 1 for one in lists)
    return found if flows or years or records else None


#: A value by its year: `2024: 1500`.
_YEAR_KEY = re.compile(r"^[ \t]+[\"']?(?:19|20)\d\d[\"']?:[ \t]", re.MULTILINE)


#: A record in a list, as YAML has them: `- name: North`.
_RECORD = re.compile(r"^[ \t]*-[ \t]+(?:\{[ \t]*)?[\w\"'][^:\n]*:\s", re.MULTILINE)
#: Last words of names whose numbers count nothing.
_NUMBERED = (["id"], ["ID"], ["code"], ["codigo"], ["código"], ["zip"], ["iban"], ["last4"])
#: A mapping within one line: `boxes: {total: 22, taken: 17}`.
_FLOW = re.compile(r"[:-][ \t]+\{[ \t]*\w+:[ \t]")
_CURRENCY_KEYS = ("currency", "moneda", "divisa")
#: What there are so many of, in the plural, and what is money in the singular.
_COUNTED = re.compile(r"\b(?:payment|invoice|bill|charge|credit|refund|pago|factura|recibo|cargo|credito)s$")
_UNIT_KEYS = ("unit", "units", "unidad", "unidades")


def _first(figures: Iterator[Figure]) -> list[Figure]:
    read = [figure for _, figure in zip(range(MOST_FIGURES), figures, strict=False)]
    return with_codes(by_period(without_totals(read)))


class _Row(NamedTuple):
    """The row of a list that values stand in: what names it, its day, and the path of the list."""

    name: str = ""
    day: Day | None = None
    listed: tuple[str, ...] | None = None
    key: str = ""


def _of_json(path: tuple[str, ...], value: Any, language: Language, row: _Row, depth: int) -> Iterator[Figure]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        yield from _of_object(path, _with_records(value), language, row, depth)
    elif isinstance(value, list) and (named := _named_values(value)):
        for item in named:
            yield from _of_json(path, item, language, row, depth + 1)
    elif isinstance(value, list):
        numbered = _number_key(value)
        for place, item in enumerate(value, start=1):
            if isinstance(item, dict):
                key, name, day, rest = _row_name(item, language, numbered)
                yield from _of_json(path, rest, language, _Row(name or str(place), day, path, key), depth + 1)
            else:
                yield from _of_json(path, item, language, row if row.name else _Row(str(place), None, path), depth + 1)
    else:
        figure = _scalar(path, value, language, row)
        several = isinstance(figure.value, str) and has_digit(figure.value) and not _numbers_nothing(path)
        for piece in pieces(path, value, language) if several and isinstance(value, str) else [figure]:
            yield replace(piece, row=row.name, day=row.day, listed=row.listed, row_key=row.key)


def _of_object(
    path: tuple[str, ...], value: dict[str, Any], language: Language, row: _Row, depth: int
) -> Iterator[Figure]:
    units, keys = _sibling_units(value), {fold(str(key)) for key in value}
    rows = _keys_of_rows(value) if row == _Row() else frozenset()
    for key, inner in value.items():
        beside = (
            key == units.get("unit")
            or (inner is None and fold(str(key)) in _UNIT_KEYS)
            or (key in units.values() and not keys.isdisjoint(_AMOUNTS))
        )
        if beside and len(value) > 1 and path:
            continue
        key_day = _day_key(str(key))
        if key_day is not None or key in rows:
            yield from _of_json(path, inner, language, _Row(_row_of(str(key)), key_day, path), depth + 1)
            continue
        bare = fold(str(key)) in _AMOUNTS and len(path) > 0 and units
        name = () if bare else (words_of_key(str(key)),)
        for figure in _of_json((*path, *name), inner, language, row, depth + 1):
            yield _with_sibling(figure, value, units, direct=not isinstance(inner, dict | list), sum_=bool(bare))


def _keys_of_rows(value: dict[str, Any]) -> frozenset[str]:
    """The keys that name rows: all of them, where all are years, or those of objects of the same form."""
    if len(value) > 1 and all(YEAR.fullmatch(str(name)) for name in value):
        return frozenset(value)
    objects = {
        name: inner
        for name, inner in value.items()
        if isinstance(inner, dict) and not period_in(words_of_key(str(name)), strict=True)
    }
    forms = Counter(frozenset(inner) for inner in objects.values())
    return frozenset(
        name for name, inner in objects.items() if forms[frozenset(inner)] > 1 and _may_be_row(str(name), inner)
    )


def _may_be_row(key: str, inner: dict[str, Any]) -> bool:
    """Whether what an object says is of what its key names, and is no measure with its limit."""
    words = words_of_key(key).split()
    if role_of(key) or not words or is_period(words[-1]) or len(inner) < 2 or _has_amount(inner):
        return False
    if any(isinstance(one, dict) or _day_key(str(name)) for name, one in inner.items()):
        return False
    if all(YEAR.fullmatch(str(name)) or is_calendar_name(str(name)) for name in inner):
        return False
    return not any(role_of(word) in (USED, LIMIT, LEFT) for name in inner for word in words_of_key(str(name)).split())


def _has_amount(inner: dict[str, Any]) -> bool:
    """Whether an object is a number with its unit or currency."""
    return any(fold(str(name)) in _AMOUNTS for name in inner)


def _row_of(key: str) -> str:
    return key if key.isdigit() or _day_key(key) else words_of_key(key)


def _named_values(value: list[Any]) -> list[dict[str, Any]]:
    """A list of objects that each name a measure beside its value, as one object each; empty where it is none."""
    found: list[dict[str, Any]] = []
    for item in value:
        if not isinstance(item, dict) or len(item) < 2:
            return []
        keys = {fold(str(key)): key for key in item}
        amount = next((keys[name] for name in _AMOUNTS if name in keys), None)
        name = next(
            (key for key, inner in item.items() if isinstance(inner, str) and fold(str(key)) not in _UNIT_KEYS), None
        )
        others = [key for key in item if key not in (amount, name) and not isinstance(item[key], str)]
        if amount is None or name is None or others or next(iter(item)) != name or day_of(str(item[name])):
            return []
        period = next((str(item[key]) for key in item if key not in (amount, name) and is_period(str(item[key]))), "")
        rest = {key: item[key] for key in item if key == amount or fold(str(key)) in (*_UNIT_KEYS, *_CURRENCY_KEYS)}
        found.append({str(item[name]): {period: rest} if period else rest})
    names = [next(iter(one)) for one in found]
    return found if len({str(item.get("unit")) for item in value}) > 1 or len(set(names)) < len(names) else []


def _with_records(value: dict[str, Any]) -> dict[str, Any]:
    """An object that keeps a table as names of columns beside rows of values, with the rows as objects."""
    names = {key: inner for key, inner in value.items() if _are(inner, str)}
    rows = {key: inner for key, inner in value.items() if _are(inner, list)}
    for columns, head in names.items():
        for key, lines in rows.items():
            if all(len(line) == len(head) for line in lines):
                rest = {name: inner for name, inner in value.items() if name not in (columns, key)}
                return {**rest, key: [dict(zip(head, line, strict=True)) for line in lines]}
    return value


def _number_key(value: list[Any]) -> str:
    """The first key of objects that begin with a number each, where only that tells them apart; empty otherwise.

    Their first text is a state then, which others may be in as well.
    """
    if len(value) < 2 or not _are(value, dict) or len({next(iter(item), "") for item in value}) > 1:
        return ""
    key = next(iter(value[0]), "")
    numbers = [str(item[key]) for item in value]
    first = [
        next((text for text in item.values() if isinstance(text, str) and not text.isdigit()), "") for item in value
    ]
    told = all(map(str.isdigit, numbers)) and len(set(numbers)) == len(value)
    return key if told and any(map(is_state, first)) else ""


def _are(value: Any, kind: type) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(item, kind) for item in value)


def _sibling_units(value: dict[str, Any]) -> dict[str, str]:
    """The keys of an object that say the unit or the currency of its other values, by what they say."""
    keys = {fold(str(key)): str(key) for key in value}
    return {
        kind: keys[name]
        for kind, names in (
            ("unit", _UNIT_KEYS),
            ("currency", _CURRENCY_KEYS),
        )
        for name in names
        if name in keys and isinstance(value[keys[name]], str)
    }


def _with_sibling(figure: Figure, value: dict[str, Any], units: dict[str, str], *, direct: bool, sum_: bool) -> Figure:
    amount = figure.value
    if not isinstance(amount, Amount) or amount.unit or not units or not (direct or "currency" in units):
        return figure
    if "unit" in units and direct:
        return replace(figure, value=Amount(amount.value, str(value[units["unit"]])))
    priced = is_price(figure) and not _counts(figure, amount)
    if "currency" in units and (priced or sum_ or (direct and amount.value.denominator != 1)):
        return replace(figure, value=Amount(amount.value, str(value[units["currency"]])))
    return figure


def _counts(figure: Figure, amount: Amount) -> bool:
    """Whether it says how many payments or invoices there are, not what they come to."""
    return _COUNTED.search(fold(figure.name)) is not None and amount.value.denominator == 1


def _scalar(path: tuple[str, ...], value: Any, language: Language, row: _Row) -> Figure:
    names, unit = unit_in(path)
    unit = "" if _is_rate(path, names) else unit  # "precio_kwh" is no energy
    typed: Value
    if value is None or isinstance(value, bool):
        typed = value
    elif isinstance(value, int | float | str) and _numbers_nothing(path) and not day_of(str(value)):
        typed = str(value)
    elif isinstance(value, int | float):
        typed = Amount(Fraction(str(value)), unit) if value == value and abs(value) < 1e30 else None  # noqa: PLR0124
    else:
        typed = value_of(str(value), language)
    named = measured(path, typed).path if isinstance(typed, Amount) else names if typed is None else path
    if isinstance(typed, Amount):
        typed = measured(path, typed).value
    return Figure(named, typed, row.name, row.day, "", row.listed, row.key)


def _is_rate(path: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether a name is a price with what it is for behind it."""
    words = path[-1].split() if path else []
    return len(words) > 1 and names[-1:] == (" ".join(words[:-1]),) and is_price(Figure(names[-1:], None))


def _numbers_nothing(path: tuple[str, ...]) -> bool:
    return path[-1:] != () and path[-1].split()[-1:] in _NUMBERED


def _day_key(key: str) -> Day | None:
    found = day_of(key)
    return found if found is not None and any(c.isdigit() for c in key) else None


def _row_name(item: dict[str, Any], language: Language, numbered: str) -> tuple[str, str, Day | None, dict[str, Any]]:
    """The key and the text that name an object of a list (the first text, or its date), its day, and what is left.

    Args:
        numbered: The key of a number that names it; empty for none.
    """
    if len(item) < 2:
        return "", "", None, item
    texts = {key: value for key, value in item.items() if isinstance(value, str)}
    days = {key: found for key, value in texts.items() if (found := day_of(value)) is not None}
    if texts and (key := next(iter(texts))) in days:
        return words_of_key(key), texts[key], days[key], {name: inner for name, inner in item.items() if name != key}
    if numbered:
        texts = {numbered: str(item[numbered])}
    for key, value in texts.items():
        if key == numbered or not isinstance(value_of(value, language), Amount):
            day = next(iter(days.values())) if len(days) == 1 else None
            return words_of_key(key), value, day, {name: inner for name, inner in item.items() if name != key}
    return "", "", None, item
