"""Made questions about made accounts, each with the right answer: what the ranking of account figures is fitted to.

What is asked by one name stands in the context by another one (`figure_kinds`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from scripts.fitting.account.figure_kinds import Kind, Made, Named, kinds, singular, ways

#: Names for what is used, its limit, and the period before, by language.
_USED = {"en": ("used", "consumed", "so far", "taken"), "es": ("usado", "consumido", "gastado", "llevado")}
_LIMIT = {
    "en": ("limit", "included", "quota", "max", "allowance"),
    "es": ("limite", "incluido", "cuota", "tope", "contratado"),
}
_BEFORE = {"en": ("last month", "previous month", "prev"), "es": ("mes anterior", "mes pasado", "anterior")}
_UNITS = {
    "m": ("eur", "usd", "gbp", ""),
    "%": ("pct", "%"),
    "GB": ("gb",),
    "kg": ("kg",),
    "km": ("km",),
    "kWh": ("kwh",),
    "min": ("min",),
    "h": ("h", "hours"),
}
#: Share of the counts that a price is told for.
_PRICED = 0.5


class Maker:
    """Makes contexts and questions.

    Args:
        seed: Of what is drawn.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._ways = ways()
        self._kinds, self._singles = kinds("kinds.txt"), kinds("singles.txt")

    def made(self, count: int) -> Iterator[Made]:
        """`count` contexts with their questions."""
        for _ in range(count):
            single = self._random.random() < 0.4
            kind = self._random.choice(self._singles if single else self._kinds)
            yield (self._single(kind) if single else self._table(kind))

    def _ask(self, operation: str, **slots: Any) -> tuple[str, str]:
        language = self._random.choice(("en", "es"))
        said = {
            name: (
                self._name(value, language)
                if isinstance(value, Named)
                else self._random.choice(value[language])
                if isinstance(value, dict)
                else value
            )
            for name, value in slots.items()
        }
        if "c" in slots:
            said["s"] = singular(said["c"], language)
        text = self._random.choice(self._ways[operation, language]).format(**said)
        if self._random.random() < 0.12:
            text = self._misspelt(text)
        return (text[:1].upper() + text[1:] if self._random.random() < 0.3 else text), language

    def _name(self, measure: Named, language: str) -> str:
        return self._random.choice(measure.names[language])

    def _misspelt(self, text: str) -> str:
        places = [
            at
            for at in range(2, len(text) - 1)
            if text[at].isalpha() and text[at + 1].isalpha() and text[at - 1].islower()
        ]
        if not places:
            return text
        at = self._random.choice(places)
        return (
            text[:at] + text[at + 1 :]
            if self._random.random() < 0.5
            else text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        )

    def _number(self, unit: str) -> float | int:
        pick = self._random
        if unit in ("%", "C", "h", "kg", "min"):
            return round(pick.uniform(3, 96), 1) if pick.random() < 0.6 else pick.randint(3, 96)
        if unit == "m":
            return round(pick.uniform(20, 9000), 2) if pick.random() < 0.6 else pick.randint(20, 9000)
        return pick.randint(2, pick.choice((40, 900, 20000)))

    def _date(self) -> str:
        return f"202{self._random.choice('67')}-{self._random.randint(1, 12):02}-{self._random.randint(1, 28):02}"

    def _key(self, measure: Named, language: str, style: str) -> str:
        name = measure.names[language][0] if self._random.random() < 0.75 else self._name(measure, language)
        units = _UNITS.get(measure.unit, ("",))
        unit = self._random.choice((*units, "")) if style != "table" or measure.unit != "n" else ""
        if style in ("json", "csv"):
            return "_".join([*name.split(), *([unit] if unit and unit != "%" else [])])
        return f"{name} ({unit})" if unit else name

    def _table(self, kind: Kind) -> Made:
        pick = self._random
        language, style = pick.choice(("en", "es")), pick.choice(("json", "csv", "table", "json"))
        rows = kind.rows[: pick.randint(3, len(kind.rows))]
        pick.shuffle(rows)
        measures = pick.sample(kind.measures, min(len(kind.measures), pick.randint(2, 5)))
        others = [one for one in kind.measures if one not in measures]
        columns = {id(m): self._column(m, rows) for m in measures}
        keys = {id(m): self._key(m, language, style) for m in measures}
        container = pick.choice(kind.container[language])
        context = self._written(
            kind,
            style,
            singular(container, language),
            container,
            rows,
            [(keys[id(m)], columns[id(m)]) for m in measures],
        )
        asked: list[tuple[str, str, str, str]] = []
        for m in measures:
            asked += self._of_column(kind, m, rows, columns[id(m)], keys[id(m)])
        numbers = [m for m in measures if m.unit not in "tdf"]
        for m in measures:
            if m.texts and numbers:
                asked += self._by_text(kind, m, rows, columns[id(m)], numbers[0], columns[id(numbers[0])])
        asked += self._of_two(measures, rows, columns, keys)
        asked.append((self._ask("count", c=kind.container)[0], "count", str(len(rows)), ""))
        asked += self._absent(kind, measures, others, rows)
        return Made(kind.name, context, pick.sample(asked, min(len(asked), 14)))

    def _column(self, m: Named, rows: list[str]) -> list[Any]:
        if m.unit == "t":
            return [
                self._random.choice(m.texts) if len(set(m.texts)) < len(m.texts) else m.texts[at % len(m.texts)]
                for at in range(len(rows))
            ]
        if m.unit in "df" and m.unit:
            return [self._date() if m.unit == "d" else self._random.random() < 0.5 for _ in rows]
        found: list[Any] = []
        while len(found) < len(rows):
            one = self._number(m.unit)
            found += [one] if one not in found else []
        return found

    def _written(
        self, kind: Kind, style: str, one: str, container: str, rows: list[str], columns: list[tuple[str, list[Any]]]
    ) -> str:
        key = "_".join(one.split())
        if style == "json":
            if self._random.random() < 0.3:
                inner: Any = {row: {name: values[at] for name, values in columns} for at, row in enumerate(rows)}
            else:
                inner = [{key: row, **{name: values[at] for name, values in columns}} for at, row in enumerate(rows)]
            return json.dumps(
                {"account": kind.name, "_".join(container.split()): inner} if self._random.random() < 0.7 else inner,
                ensure_ascii=False,
            )
        lines = [[one if style == "table" else key, *(name for name, _ in columns)]]
        lines += [
            [
                row,
                *(
                    str(values[at]).lower() if isinstance(values[at], bool) else str(values[at])
                    for _, values in columns
                ),
            ]
            for at, row in enumerate(rows)
        ]
        if style == "csv":
            return "\n".join(",".join(line) for line in lines)
        lines.insert(1, ["---"] * len(lines[0]))
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _of_column(
        self, kind: Kind, m: Named, rows: list[str], values: list[Any], key: str
    ) -> Iterator[tuple[str, str, str, str]]:
        pick, container = self._random, kind.container
        at = pick.randrange(len(rows))
        row, value = rows[at], values[at]
        if m.unit == "t":
            yield self._ask("text_cell", m=m, r=row)[0], "text", value, key
            if values.count(value) == 1:
                yield self._ask("who_of", m=m, x=value, c=container)[0], "list", row, key
        elif m.unit == "f":
            yield self._ask("flag_cell", m=m, r=row)[0], "flag", "Yes" if value else "No", key
            for operation, wanted in (("count_flag", True), ("count_not_flag", False)):
                if 0 < values.count(wanted) < len(values):
                    yield self._ask(operation, m=m, c=container)[0], "count", str(values.count(wanted)), key
        elif m.unit == "d":
            yield self._ask("date_cell", m=m, r=row)[0], "date", value, key
            if values.count(min(values)) == 1:
                yield self._ask("first", m=m, c=container)[0], "lowest", rows[values.index(min(values))], key
        else:
            yield from self._of_numbers(kind, m, rows, values, key)

    def _of_numbers(
        self, kind: Kind, m: Named, rows: list[str], values: list[Any], key: str
    ) -> Iterator[tuple[str, str, str, str]]:
        pick, container = self._random, kind.container
        at, other = pick.sample(range(len(rows)), 2)
        most, least = rows[values.index(max(values))], rows[values.index(min(values))]
        for _ in range(2):
            yield self._ask("cell", m=m, r=rows[at])[0], "value", str(values[at]), key
        total = round(sum(values), 2)
        if m.unit not in ("%", "C"):
            yield (
                self._ask("sum", m=m, c=container)[0],
                "sum",
                f"{total:g}" if total == int(total) and total < 1e6 else str(total),
                key,
            )
            yield self._ask("share", m=m, r=rows[at])[0], "share", rows[at], key
        yield self._ask("average", m=m, c=container)[0], "average", str(round(total / len(values), 2)), key
        yield self._ask("highest", m=m, c=container)[0], "highest", most, key
        yield self._ask("lowest", m=m, c=container)[0], "lowest", least, key
        if m.most:
            yield self._ask("adjective", a=m.most, c=container)[0], "highest", most, key
        if m.least:
            yield self._ask("adjective", a=m.least, c=container)[0], "lowest", least, key
        order = sorted(values)
        bound = int((order[0] + order[-1]) / 2)
        if order[0] < bound < order[-1] and bound not in values:
            above = [row for row, value in zip(rows, values, strict=True) if value > bound]
            yield self._ask("above", m=m, c=container, n=bound)[0], "count", str(len(above)), key
            yield self._ask("below", m=m, c=container, n=bound)[0], "count", str(len(rows) - len(above)), key
            yield self._ask("list_above", m=m, c=container, n=bound)[0], "list", above[0], key
        difference = round(abs(values[at] - values[other]), 2)
        yield (
            self._ask("difference", m=m, r=rows[at], r2=rows[other])[0],
            "difference",
            f"{difference:g}" if difference < 1e6 and difference == int(difference) else str(difference),
            key,
        )

    def _of_two(
        self, measures: list[Named], rows: list[str], columns: dict[int, list[Any]], keys: dict[int, str]
    ) -> Iterator[tuple[str, str, str, str]]:
        """How much of one count there is for each of another, and what share of it, in a row."""
        counts = [m for m in measures if m.unit == "n"]
        if len(counts) < 2:
            return
        m, other = self._random.sample(counts, 2)
        at = self._random.randrange(len(rows))
        a, b = Fraction(columns[id(m)][at]), Fraction(columns[id(other)][at])
        yield self._ask("per", m=m, o=other, r=rows[at])[0], "per", _plain(float(round(a / b, 2))), keys[id(m)]
        if a < b:
            share = _plain(round(float(a / b * 100), 2))
            yield self._ask("rate", m=m, o=other, r=rows[at])[0], "rate", share, keys[id(m)]

    def _by_text(
        self, kind: Kind, m: Named, rows: list[str], values: list[Any], number: Named, numbers: list[Any]
    ) -> Iterator[tuple[str, str, str, str]]:
        text = self._random.choice(values)
        places = [at for at, value in enumerate(values) if value == text]
        if len(set(values)) > 1:
            yield self._ask("count_text", m=m, x=text, c=kind.container)[0], "count", str(len(places)), ""
            yield self._ask("list_text", m=m, x=text, c=kind.container)[0], "list", rows[places[0]], ""
        if len(places) > 1:
            total = round(sum(numbers[at] for at in places), 2)
            yield (
                self._ask("sum_text", m=m, x=text, c=kind.container, o=number)[0],
                "sum",
                f"{total:g}" if total == int(total) and total < 1e6 else str(total),
                "",
            )

    def _absent(
        self, kind: Kind, measures: list[Named], others: list[Named], rows: list[str]
    ) -> Iterator[tuple[str, str, str, str]]:
        """Questions that the context does not answer: another measure, another row, another time, why and how."""
        pick = self._random
        numbers = [m for m in measures if m.unit not in "tdf"]
        strange = self._strange(kind, self._kinds, "tdf")
        foreign = [row for other in pick.sample(self._kinds, 2) if other is not kind for row in other.rows]
        for m in [*pick.sample(others, min(1, len(others))), *pick.sample(strange, 2)]:
            operation = pick.choice(("cell", "sum", "highest", "value")) if m.unit not in "tdf" else "text_cell"
            yield self._ask(operation, m=m, r=pick.choice(rows), c=kind.container)[0], "", "", ""
        if numbers:
            m = pick.choice(numbers)
            missing = [row for row in kind.rows if row not in rows] or foreign
            yield self._ask("cell", m=m, r=pick.choice([*missing, *foreign[:1]]))[0], "", "", ""
            time = pick.choice(("2019", "2023", "August 2024", "marzo de 2022"))
            yield self._ask("when_not", m=m, t=time)[0], "", "", ""
            yield self._ask("none", m=m)[0], "", "", ""

    def _strange(self, kind: Kind, kinds: list[Kind], units: str) -> list[Named]:
        """Measures of up to three kinds beside `kind`, but for those of the given units."""
        others = [other for other in self._random.sample(kinds, 3) if other is not kind]
        return [m for other in others for m in other.measures if m.unit not in units]

    def _single(self, kind: Kind) -> Made:
        pick = self._random
        language, style = pick.choice(("en", "es")), pick.choice(("json", "lines", "nested"))
        measures = pick.sample(kind.measures, min(len(kind.measures), pick.randint(3, 6)))
        others = [one for one in kind.measures if one not in measures]
        data: dict[str, Any] = {}
        asked: list[tuple[str, str, str, str]] = []
        for m in measures:
            known = set(data)
            asked += self._of_one(m, data, language, style)
            told = next((value for name, value in data.items() if name not in known), None)
            if m.unit == "n" and pick.random() < _PRICED:
                count = int(next(iter(told.values())) if isinstance(told, dict) else told or 0)
                asked += self._priced(m, count, data, language)
        numbers = [m for m in measures if m.unit not in "tdf"]
        strange = self._strange(kind, self._singles, "tf")
        for m in [*pick.sample(others, min(2, len(others))), *pick.sample(strange, 2)]:
            operation = {"t": "text", "d": "date", "f": "flag"}.get(
                m.unit, pick.choice(("value", "left", "value", "compare"))
            )
            asked.append((self._ask(operation, m=m)[0], "", "", ""))
        if numbers:
            m, time = pick.choice(numbers), pick.choice(("2019", "2021", "August 2024", "marzo de 2022"))
            asked.append((self._ask("when_not", m=m, t=time)[0], "", "", ""))
            asked.append((self._ask("none", m=pick.choice(numbers))[0], "", "", ""))
        context = (
            json.dumps(data, ensure_ascii=False)
            if style != "lines"
            else "\n".join(
                f"{key.replace('_', ' ')}: {'yes' if value is True else 'no' if value is False else value}"
                for key, value in data.items()
            )
        )
        return Made(kind.name, context, pick.sample(asked, min(len(asked), 12)))

    def _of_one(self, m: Named, data: dict[str, Any], language: str, style: str) -> Iterator[tuple[str, str, str, str]]:
        pick = self._random
        key = self._key(m, language, "json")
        if m.unit in ("t", "d", "f"):
            value: Any = m.texts[0] if m.unit == "t" else self._date() if m.unit == "d" else pick.random() < 0.5
            data[key] = value
            operation = {"t": "text", "d": "date", "f": "flag"}[m.unit]
            yield (
                self._ask(operation, m=m)[0],
                operation,
                ("Yes" if value else "No") if m.unit == "f" else str(value),
                key,
            )
            return
        used, limit, before = self._number(m.unit), self._number(m.unit), self._number(m.unit)
        if isinstance(used, float) != isinstance(limit, float):
            limit = int(limit) + 3
        parts: dict[str, Any] = {"": used}
        if "limit" in m.marks and pick.random() < 0.8:
            limit = max(limit, used) if pick.random() < 0.8 else limit
            parts = {pick.choice(_USED[language]): used, pick.choice(_LIMIT[language]): limit}
            rest = round(limit - used, 2)
            if rest >= 0:
                yield self._ask("left", m=m)[0], "left", _plain(rest), key
                yield self._ask("left", m=m)[0], "left", _plain(rest), key
            if limit:
                yield self._ask("percent", m=m)[0], "percent", "%", key
            yield self._ask("limit", m=m)[0], "limit", _plain(limit), key
            yield self._ask("over", m=m)[0], "over", "Yes" if used > limit else "No", key
            wanted = pick.choice((2, 3, 5, 50))
            yield self._ask("enough", m=m, n=wanted)[0], "enough", "Yes" if rest >= wanted else "No", key
        elif "limit" in m.marks:
            yield self._ask("left", m=m)[0], "", "", ""
        if "before" in m.marks and pick.random() < 0.6:
            parts[pick.choice(_BEFORE[language])] = before
            yield self._ask("compare", m=m)[0], "compare", _plain(round(abs(used - before), 2)), key
        elif "before" in m.marks:
            yield self._ask("compare", m=m)[0], "", "", ""
        yield self._ask("value", m=m)[0], "value", _plain(used), key
        if style == "nested" and len(parts) > 1:
            data[key] = {(name or "actual").replace(" ", "_"): value for name, value in parts.items()}
        else:
            data.update({f"{key}_{name}".replace(" ", "_").rstrip("_"): value for name, value in parts.items()})

    def _priced(self, m: Named, count: int, data: dict[str, Any], language: str) -> Iterator[tuple[str, str, str, str]]:
        """A price for each of what is counted, with what some of them cost, and all."""
        pick = self._random
        words = {"en": ("price per", "cost per extra", "rate per"), "es": ("precio por", "tarifa por", "coste por")}
        key = f"{pick.choice(words[language])} {singular(self._name(m, language), language)}".replace(" ", "_")
        price, wanted = Fraction(pick.randint(2, 9000), pick.choice((1, 10, 100))), pick.choice((2, 6, 15, 40, 250))
        data[f"{key}_eur"] = float(price)
        yield self._ask("cost", m=m, n=wanted)[0], "cost", _plain(float(price * wanted)), ""
        yield self._ask("price", m=m)[0], "value", _plain(float(price)), key
        yield self._ask("cost_all", m=m)[0], "cost", _plain(float(price * count)), ""


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)
