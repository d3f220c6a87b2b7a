"""The calculator: arithmetic, percentages and units, by rules and exact numbers; nothing is ever executed."""

from __future__ import annotations

import asyncio

from engine.planning.tools.calculator.arithmetic import CannotCalculate, calculate
from engine.planning.tools.calculator.reading import expression_of, is_sum
from engine.planning.tools.calculator.writing import written
from engine.planning.tools.port import QueryTool, ToolResult


class Calculator(QueryTool):
    """Arithmetic in digits or words (English, Spanish, Chinese), percentages and units. Fulfils `Tool`."""

    name = "calculator"
    description = (
        "Exact arithmetic, percentages and unit conversion. Query: the calculation with all its numbers, such as "
        "`64000 * 15 %`, `15 % of 240` or `5 miles in km`."
    )
    seconds = 5.0

    async def answer(self, query: str) -> ToolResult:
        """`expression = value`."""
        try:
            found = arithmetic(query, wanted=True)
            return ToolResult(text=found or await asyncio.to_thread(_units, query))
        except CannotCalculate as problem:
            return ToolResult(error=str(problem))


def arithmetic(text: str, *, wanted: bool = False) -> str:
    """`expression = value` in the language of `text` where that is nothing but arithmetic; empty otherwise.

    Args:
        wanted: It is known to be meant as a calculation: a number alone counts too.

    Raises:
        CannotCalculate: It is arithmetic that cannot be done, or whose numbers are too large.
    """
    expression = expression_of(text, wanted=wanted)
    if expression is None or not (wanted or is_sum(expression)):
        return ""
    return written(expression, calculate(expression), text)


def _units(text: str) -> str:
    """A quantity; in a thread, because the first one loads the unit library for a second."""
    from engine.planning.tools.calculator.units import convert

    return convert(text)
