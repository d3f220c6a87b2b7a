"""What a node of a syntax tree defines, and under which name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from engine.retrieval.ingestion.code.languages import BODIED, BY_VALUE, DEFINING_VALUES, Language

if TYPE_CHECKING:
    from tree_sitter import Node

#: Characters of a name in a heading path.
_NAME_CHARS = 80
#: Declarators within declarators that are looked into for a name, and wrappers for what they define.
_DEPTH = 8
_TYPE_NAME = re.compile(r"[^\W\d][\w:.]*")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_NAMES = ("identifier", "object_reference")


def definition_in(nodes: Iterable[Node], language: Language) -> Node | None:
    """The one definition among `nodes`, which belong together; None where there is none, or more than one."""
    found = [one for node in nodes for one in _definitions(node, language, _DEPTH)]
    return found[0] if len(found) == 1 else None


def names_of(definition: Node, language: Language) -> tuple[str, ...]:
    """The path of a definition in what it stands in: its name, behind that of its type where both stand there."""
    field = language.definitions[definition.type]
    named = definition.child_by_field_name(field)
    if named is None:  # SQL calls no field so
        named = next((child for child in definition.named_children if child.type in _NAMES), None)
    if named is None:
        return ()
    if field == "declarator":
        return _declared(named)
    if field == "type":
        return _type_name(named)
    receiver = definition.child_by_field_name("receiver")
    of_type = _type_name(receiver.named_children[0]) if receiver is not None and receiver.named_children else ()
    return (*of_type, _text(named))


def _definitions(node: Node, language: Language, depth: int) -> Iterator[Node]:
    if not node.is_named:
        return  # a keyword may have the name of what it begins
    if node.type in language.definitions and _defines(node):
        yield node
    elif depth and node.type in language.wrappers:
        for child in node.named_children:
            yield from _definitions(child, language, depth - 1)


def _defines(node: Node) -> bool:
    if node.type in BODIED:
        return node.child_by_field_name("body") is not None
    if node.type in BY_VALUE:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        return value is not None and value.type in DEFINING_VALUES
    return True


def _declared(declarator: Node) -> tuple[str, ...]:
    """The name in a declarator of C; in C++ behind the names of its type and namespace, without template arguments."""
    for _ in range(_DEPTH):
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type.endswith("_declarator") and declarator.named_children:
            inner = declarator.named_children[-1]
        if inner is None:
            break
        declarator = inner
    text = _text(declarator)
    if declarator.type != "qualified_identifier" or "operator" in text:
        return (text,) if text else ()
    return tuple(part for part in _TEMPLATE_ARGUMENTS.sub("", text).split("::") if part)


def _type_name(node: Node) -> tuple[str, ...]:
    """The name of a type without its arguments, of Go's receivers and of what Rust implements."""
    named = node.child_by_field_name("type") if node.type == "parameter_declaration" else node
    found = _TYPE_NAME.search(_text(named)) if named is not None else None
    return (found[0],) if found else ()


def _text(node: Node) -> str:
    text = (node.text or b"")[: 4 * _NAME_CHARS].decode("utf-8", "ignore")
    return " ".join(text.strip("\"'`").split())[:_NAME_CHARS].replace(" > ", ">")
