from __future__ import annotations

import re

import pytest

from engine import errors
from engine.errors import DependencyUnavailable, EngineError, InvalidInput, Overloaded

TREE = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, EngineError)}


def test_the_docstring_draws_the_tree() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or "")) | {"EngineError"}
    assert drawn == set(TREE)


@pytest.mark.parametrize("name", sorted(set(TREE) - {"EngineError"}))
def test_the_docstring_says_which_are_worth_a_retry(name: str) -> None:
    (line,) = re.findall(rf"── {name} .*", errors.__doc__ or "")
    says = re.search(r"(?<!never )retry", line) is not None
    assert TREE[name].retryable is says


def test_invalid_input_names_the_field() -> None:
    error = InvalidInput("query", "is empty")
    assert error.field == "query"
    assert str(error) == "query: is empty"


def test_overloaded_says_when_to_come_back() -> None:
    assert Overloaded("full", 1.5).retry_after == 1.5


def test_a_dependency_is_named() -> None:
    error = DependencyUnavailable("ollama", "nothing listens")
    assert error.dependency == "ollama"
    assert str(error) == "ollama: nothing listens"
