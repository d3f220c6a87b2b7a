"""JSON documents as Markdown that people read: every object of a list or table under its own heading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Keys whose value names an object, the best first.
_NAME_KEYS = ("name", "title", "command", "id", "key", "label", "term", "question")
#: Keys whose value needs no label: it is the object's text.
_TEXT_KEYS = frozenset({"description", "summary", "text", "content", "doc", "details", "body", "answer"})
#: Keys whose value is code even when it is one line.
_CODE_KEYS = frozenset({"example", "examples", "code", "usage", "snippet", "syntax", "signature"})
_DEEPEST_HEADING = 6
#: Several words with a stop behind them.
_SENTENCE = re.compile(r"\S+(?:\s+\S+){2,}[.!?…]")
#: Characters of the longest name.
_NAME_CHARS = 60


def json_to_markdown(text: str) -> tuple[str, str]:
    """Turns a JSON document into Markdown.

    An object of a list of objects, and an object of an object of objects, is a record: a heading with its name, its
    description as a paragraph, its examples as code, sentences as a list, its other fields one a line. What lies around
    the records gives the headings above them. A field that is null says nothing and is left out.

    Returns:
        (title, Markdown); the title is the document's own name, empty when it has none.

    Raises:
        ValueError: It is not JSON, or nested too deeply to be read.
    """
    try:
        value = json.loads(text)
        lines = list(_container(value, 2) if _is_container(value) else _record(value))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    title = _name_of(value, ("title", "name")) if isinstance(value, Mapping) else ""
    return title, "\n".join(lines).strip() + "\n"


def _is_records(value: Any) -> bool:
    """Whether `value` is a list or table of objects."""
    members = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return bool(members) and all(isinstance(member, Mapping) and member for member in members)


def _is_container(value: Any) -> bool:
    if _is_records(value):
        return True
    return isinstance(value, Mapping) and any(_is_container(member) for member in value.values())


def _container(value: Any, level: int) -> Iterator[str]:
    """Something with records in it: its plain fields first, then each part under its heading."""
    if isinstance(value, list):
        key = _naming_key(value)
        yield from _records([_named(member, place, key) for place, member in enumerate(value, 1)], level)
    elif _is_records(value):
        yield from _records(list(value.items()), level)
    else:
        parts = {key: member for key, member in value.items() if _is_container(member)}
        yield from _record({key: member for key, member in value.items() if key not in parts})
        for key, member in parts.items():
            yield from _heading(_label(key), level)
            yield from _container(member, level + 1)


def _records(named: Sequence[tuple[str, Any]], level: int) -> Iterator[str]:
    for name, member in named:
        yield from _heading(name, level)
        if _is_container(member) and not any(isinstance(member.get(key), str) for key in (*_NAME_KEYS, *_TEXT_KEYS)):
            yield from _container(member, level + 1)
        else:
            yield from _record(_without_name(name, member))


def _heading(name: str, level: int) -> Iterator[str]:
    text = " ".join(name.split())
    # In code marks nothing of a name is markup; the mark itself cannot stand there.
    yield from ("", f"{'#' * min(level, _DEEPEST_HEADING)} `{text.replace('`', chr(39))}`" if text else "", "")


def _record(value: Any) -> Iterator[str]:
    """An object's fields: texts as paragraphs, then a line for each plain field, then lists and code."""
    if not isinstance(value, Mapping):
        yield from _field("", value)
        return
    texts = {key: member for key, member in value.items() if key in _TEXT_KEYS and isinstance(member, str)}
    for member in texts.values():
        yield from (*_paragraph(member), "")
    for key, member in value.items():
        if key not in texts and member is not None:
            yield from _field(key, member)


def _field(key: str, value: Any) -> Iterator[str]:
    label = f"{_label(key)}: " if key else ""
    if isinstance(value, str) and (key in _CODE_KEYS or "\n" in value.strip()):
        yield from (label.rstrip(), *_fenced(value), "")
    elif isinstance(value, list) and key in _CODE_KEYS and value and all(isinstance(part, str) for part in value):
        yield from (label.rstrip(), *_fenced("\n".join(value)), "")
    elif _is_records(value):
        members = value.items() if isinstance(value, Mapping) else ((_name_of(part), part) for part in value)
        yield label.rstrip()
        yield from (f"- {_one_line(name, part)}" for name, part in members)
        yield ""
    elif _is_sentences(value):
        yield from (label.rstrip(), *(f"- {' '.join(part.split())}" for part in value), "")
    else:
        yield from (f"{label}{_inline(value)}", "")


def _is_sentences(value: Any) -> bool:
    """Whether a list is of texts that each end as a sentence does."""
    texts = value if isinstance(value, list) and len(value) > 1 else []
    return bool(texts) and all(isinstance(one, str) and _SENTENCE.fullmatch(one.strip()) for one in texts)


def _one_line(name: str, value: Mapping[str, Any]) -> str:
    """A small object in a line: `name (type): description; other: value`."""
    rest = _without_name(name, value)
    kind = rest.pop("type", None)
    texts = [rest.pop(key) for key in list(rest) if key in _TEXT_KEYS and isinstance(rest[key], str)]
    head = f"{name} ({_inline(kind)})" if kind is not None else name
    tail = "; ".join([*(" ".join(text.split()) for text in texts), *(f"{k}: {_inline(v)}" for k, v in rest.items())])
    return ": ".join(part for part in (head, tail) if part)


def _inline(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Mapping():
            return "; ".join(f"{key}: {_inline(member)}" for key, member in value.items()) or "none"
        case list():
            return ", ".join(_inline(member) for member in value) or "none"
        case _:
            return " ".join(str(value).split())


def _name_of(value: Any, keys: Sequence[str] = _NAME_KEYS) -> str:
    found = (value[key] for key in keys if isinstance(value.get(key), str | int) and str(value[key]).strip())
    return str(next(found, ""))


def _naming_key(members: Sequence[Mapping[str, Any]]) -> str:
    """The first field that tells the objects of a list apart, as the first column of a table does; else empty."""
    for key in members[0]:
        values = [member.get(key) for member in members]
        short = all(isinstance(one, str | int) and not isinstance(one, bool) for one in values)
        told = [str(one).strip() for one in values]
        if short and len(set(told)) == len(told) > 1 and all(0 < len(one) <= _NAME_CHARS for one in told):
            return key
    return ""


def _named(member: Mapping[str, Any], place: int, key: str) -> tuple[str, Mapping[str, Any]]:
    """An object of a list with its name, which a number says with what it is the number of: "Code 404"."""
    if (name := _name_of(member)) or not key or key in _TEXT_KEYS:
        return name or f"{place}", member
    value = member[key]
    name = f"{_label(key)} {value}" if isinstance(value, int) else str(value)
    return name, {other: part for other, part in member.items() if other != key}


def _without_name(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """An object without the field that names it, which stands in front already."""
    return {key: part for key, part in value.items() if not (key in _NAME_KEYS and str(part) == name)}


def _label(key: str) -> str:
    words = " ".join(str(key).replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _paragraph(text: str) -> Iterator[str]:
    """A text's lines; one that Markdown would take for a heading or a fence is told not to be."""
    for line in text.strip().splitlines():
        stripped = line.strip()
        yield f"\\{stripped}" if stripped.startswith(("#", "```", "~~~", "===", "---")) else stripped


def _fenced(code: str) -> tuple[str, str, str]:
    mark = "```"
    while mark in code:
        mark += "`"
    return mark, code.strip("\n"), mark
