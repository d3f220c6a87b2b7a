"""Kinds of accounts with the other names of their measures, and ways of asking: `figures/*.txt`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "figures"


@dataclass(frozen=True)
class Named:
    """A measure: its names by language, its unit, the names of its most and least, its texts."""

    names: dict[str, list[str]]
    unit: str
    most: dict[str, list[str]] = field(default_factory=dict)
    least: dict[str, list[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Kind:
    """A kind of account: a list of things with measures, or single values."""

    name: str
    container: dict[str, list[str]]
    rows: list[str]
    measures: list[Named]


@dataclass(frozen=True)
class Made:
    """A context with questions: text, operation, and what the answer says; no operation where it has none."""

    kind: str
    context: str
    questions: list[tuple[str, str, str, str]]


def _both(text: str) -> dict[str, list[str]]:
    english, _, spanish = text.partition("/")
    return {"en": [one.strip() for one in english.split(",")], "es": [one.strip() for one in spanish.split(",")]}


def _measure(text: str) -> Named:
    names, _, rest = text.rpartition(" : ")
    unit, *signs = rest.strip().split(" ")
    signed = " ".join(signs)
    marks = {word for word in signed.split() if word in ("limit", "before")}
    unit, _, texts = (
        unit.partition("=") if "=" in unit else (rest.strip().partition("=") if "=" in rest else (unit, "", ""))
    )
    if "~" in unit:
        marks.add("limit")
    found: dict[str, dict[str, list[str]]] = {}
    for sign in "+-":
        _, _, behind = signed.partition(
            f" {sign}" if f" {sign}" in signed else sign if signed.startswith(sign) else "\0"
        )
        if behind:
            found[sign] = _both(behind.split(" -")[0].split(" +")[0])
    return Named(
        _both(names),
        unit.strip().split("~")[0].strip("#"),
        found.get("+", {}),
        found.get("-", {}),
        [t for t in texts.split(";") if t],
        frozenset(marks),
    )


def kinds(name: str) -> list[Kind]:
    """The kinds of a file."""
    found = []
    for line in (HERE / name).read_text("utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if name == "kinds.txt":
            found.append(Kind(parts[0], _both(parts[1]), parts[2].split(";"), [_measure(one) for one in parts[3:]]))
        else:
            found.append(Kind(parts[0], {}, [], [_measure(one) for one in parts[1:]]))
    return found


def ways() -> dict[tuple[str, str], list[str]]:
    """The ways of asking, by operation and language."""
    found = {}
    for line in (HERE / "ways.txt").read_text("utf-8").splitlines():
        if not line.startswith("#") and line.strip():
            operation, language, asked = (part.strip() for part in line.split(" | ", 2))
            found[operation, language] = asked.split(";")
    return found


def singular(word: str, language: str) -> str:
    """One of several, as a rule."""
    head, *rest = word.split(" ")
    if language == "en":
        *rest, head = word.split(" ")
        head = f"{head[:-3]}y" if head.endswith("ies") else head.removesuffix("s")
        return " ".join([*rest, head])
    head = (
        f"{head[:-3]}z"
        if head.endswith("ces")
        else head[:-2]
        if head[-3:-2] in "lrndj" and head.endswith("es")
        else head.removesuffix("s")
    )
    return " ".join([head, *rest])
