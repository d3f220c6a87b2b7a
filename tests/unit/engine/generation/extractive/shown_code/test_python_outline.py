"""What Python's parser sees of a piece of Python."""

from __future__ import annotations

import pytest

from engine.generation.extractive.shown_code.python_outline import enclosing, outline, parsed, statement

CODE = '''
class Cart(Base):
    """Holds what is bought.

    More of it.
    """

    def add(self, item: Item, *, count: int = 1) -> None:
        self.items.append((item, count))

    async def price(self) -> int:
        found = sum(item.price for item, count in self.items)
        return round(found)
'''


def test_a_class_is_told_by_its_methods() -> None:
    tree = parsed(CODE)
    assert tree is not None
    (seen,) = outline(tree)
    assert (seen.kind, seen.signature, seen.methods) == ("class", "Cart(Base)", ("add", "price"))
    assert seen.docstring == "Holds what is bought."
    assert seen.calls == ()


def test_a_function_is_told_by_what_it_calls_sets_and_returns() -> None:
    tree = parsed("    def price(self, tax=2):\n        total = sum(self.rows)\n        return round(total * tax)\n")
    assert tree is not None
    (seen,) = outline(tree)
    assert seen.signature == "price(self, tax=2)"
    assert (seen.calls, seen.assigned) == (("sum", "round"), ("total",))
    assert seen.returned == ("round(total * tax)",)


def test_a_line_is_told_by_its_statement_and_where_it_stands() -> None:
    tree = parsed(CODE)
    assert tree is not None
    seen = statement(tree, 12)
    assert seen is not None
    assert (seen.assigned, seen.calls) == (("found",), ("sum",))
    assert enclosing(tree, 12) == "price(self) -> int"
    assert enclosing(tree, 1) == ""
    assert statement(tree, 5) is None
    definition = statement(tree, 8)
    assert definition is not None
    assert definition.kind == "function"


def test_statements_without_a_definition_are_one() -> None:
    tree = parsed("rows = load()\nfor row in rows:\n    show(row)\n")
    assert tree is not None
    (seen,) = outline(tree)
    assert (seen.kind, seen.calls, seen.assigned) == ("statements", ("load", "show"), ("rows", "row"))
    assert outline(parsed("") or tree) in ([], [seen])


@pytest.mark.parametrize("code", ["function f() {", "x = = 1", "(" * 5000, "a\0b"])
def test_what_is_no_python_has_no_tree(code: str) -> None:
    assert parsed(code) is None
