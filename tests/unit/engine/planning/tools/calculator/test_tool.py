from __future__ import annotations

import subprocess
import sys

import pytest

from engine.planning.tools.calculator.arithmetic import CannotCalculate
from engine.planning.tools.calculator.tool import Calculator, arithmetic


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("92041 * 85 %", "92,041 × 85% = 78,234.85"),
        ("1024 減去 768 等於多少？", "1024 - 768 = 256"),
        ("sqrt(2)", "√2 ≈ 1.41421356237"),
        ("42", "42 = 42"),
        ("5 miles in km", "5 miles = 8.04672 kilometers"),
    ],
)
async def test_it_says_what_was_calculated_and_the_result(query: str, text: str) -> None:
    result = await Calculator().call({"query": query})
    assert (result.text, result.error) == (text, "")


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("1/0", "it divides by zero"),
        ("9**9**9", "its numbers are too large"),
        ("what is addVar?", "it is not a quantity that can be read"),
        ("5 km in kg", "its units do not go together"),
    ],
)
async def test_what_it_cannot_do_is_said_without_the_query(query: str, error: str) -> None:
    result = await Calculator().call({"query": query})
    assert (result.text, result.error) == ("", error)


def test_arithmetic_is_empty_for_other_texts_and_for_a_number_alone() -> None:
    assert arithmetic("What is addVar?") == ""
    assert arithmetic("what is 42") == ""
    assert arithmetic("what is 42", wanted=True) == "42 = 42"


def test_arithmetic_that_cannot_be_done_is_an_error() -> None:
    with pytest.raises(CannotCalculate):
        arithmetic("1 / 0 + 1")


def test_arithmetic_without_units_does_not_load_the_unit_library() -> None:
    code = (
        "import sys\nfrom engine.planning.tools.calculator.tool import arithmetic\n"
        "assert arithmetic('92041 * 85 %') and arithmetic('十二乘以七') and arithmetic('two plus two')\n"
        "print([m for m in ('pint', 'mcp', 'sqlglot', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
