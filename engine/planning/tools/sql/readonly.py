"""Which SQL may be asked: one SELECT, made of the kinds of expression listed here, over the tables that are offered.

The text is parsed, held against the lists, and written anew from what was understood: what runs is never the text that
came, so comments, stacked statements and a server's own ways of reading do not matter. Kinds and functions that are
not listed are refused, whatever they are.

Source:
    OWASP, "SQL Injection Prevention Cheat Sheet": allow-lists before escaping. The PostgreSQL and SQLite manuals for
    what reads files, sleeps or makes rows out of nothing, which is why no table function is listed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

#: Characters of a statement, joins of it, and its levels of nesting.
MAX_SQL_CHARS = 2_000
_MAX_JOINS = 6
_MAX_DEPTH = 60
_NAME = re.compile(r"[^\W\d][\w .-]{0,62}")

_CLAUSES: tuple[type[exp.Expr], ...] = (
    exp.Select, exp.From, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct,
    exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Literal, exp.Null,
    exp.Boolean, exp.Subquery, exp.With, exp.CTE, exp.Union, exp.Intersect, exp.Except, exp.Paren, exp.Tuple,
    exp.Window, exp.Fetch,
)  # fmt: skip
_OPERATORS: tuple[type[exp.Expr], ...] = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like,
    exp.ILike, exp.Exists, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe, exp.Case, exp.If, exp.Cast,
    exp.DataType, exp.Interval, exp.Var, exp.Escape,
)  # fmt: skip
_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Round, exp.Abs, exp.Floor, exp.Ceil, exp.Lower, exp.Upper,
    exp.Length, exp.Trim, exp.Substring, exp.Coalesce, exp.Nullif, exp.Concat, exp.Date, exp.Extract, exp.TimeToStr,
    exp.TimestampTrunc, exp.TsOrDsToTimestamp, exp.TsOrDsToDate, exp.CurrentDate, exp.CurrentTimestamp, exp.RowNumber,
    exp.Rank, exp.DenseRank, exp.Lag, exp.Lead,
)  # fmt: skip
_ALLOWED = frozenset((*_CLAUSES, *_OPERATORS, *_FUNCTIONS))


class RefusedSql(ValueError):
    """The statement may not be asked; the text says why, without the statement's words."""


@lru_cache(maxsize=128)
def checked(sql: str, dialect: str, tables: Collection[str], rows: int) -> str:
    """`sql` as it may be run, with at most `rows` rows.

    Args:
        dialect: sqlglot's name of it: `sqlite` or `postgres`.
        tables: Names of the tables that may be read, in lower case; hashable.

    Raises:
        RefusedSql: It is anything but one harmless SELECT over these tables.
    """
    statement = _parsed(sql, dialect)
    ctes = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
    for node in statement.walk():
        if type(node) not in _ALLOWED:
            raise RefusedSql("it uses something that is not allowed; only plain SELECT statements are")
        if node.depth > _MAX_DEPTH:
            raise RefusedSql("it is nested too deeply")
        _check(node, tables, ctes)
    if len(list(statement.find_all(exp.Join))) > _MAX_JOINS:
        raise RefusedSql(f"it joins more than {_MAX_JOINS} times")
    return _limited(statement, rows).sql(dialect=dialect, comments=False)


def _limited(statement: exp.Query, rows: int) -> exp.Query:
    """The statement with at most `rows` rows; its own smaller limit stays, and so does its order."""
    own = statement.args.get("limit")
    if own is None:
        return statement.limit(rows)
    count = own.expression if isinstance(own, exp.Limit) else None
    if not (isinstance(count, exp.Literal) and count.is_int):
        raise RefusedSql("its limit is not a number")
    return statement.limit(min(rows, int(count.name)))


def _parsed(sql: str, dialect: str) -> exp.Query:
    if len(sql) > MAX_SQL_CHARS:
        raise RefusedSql(f"it is longer than {MAX_SQL_CHARS} characters")
    if "\0" in sql:
        raise RefusedSql("it cannot be read as SQL")
    try:
        statements = [one for one in sqlglot.parse(sql, read=dialect) if one is not None]
    except (SqlglotError, RecursionError):
        raise RefusedSql("it cannot be read as SQL") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Select | exp.SetOperation):
        raise RefusedSql("it is not one SELECT statement")
    return statements[0]


def _check(node: exp.Expr, tables: Collection[str], ctes: set[str]) -> None:
    """What a listed kind may still not do."""
    if isinstance(node, exp.Table):
        _check_table(node, tables, ctes)
    elif isinstance(node, exp.With) and node.args.get("recursive"):
        raise RefusedSql("it is recursive")
    elif isinstance(node, exp.Join) and not (node.args.get("on") or node.args.get("using")):
        raise RefusedSql("it joins without a condition, which multiplies rows")
    elif isinstance(node, exp.Identifier) and _NAME.fullmatch(node.name) is None:
        raise RefusedSql("it names something that is no table or column")
    elif isinstance(node, exp.Literal) and len(node.name) > 500:
        raise RefusedSql("it holds too long a value")


def _check_table(table: exp.Table, tables: Collection[str], ctes: set[str]) -> None:
    if not isinstance(table.this, exp.Identifier):
        raise RefusedSql("it reads from a function")
    known = table.name.lower() in tables or table.name.lower() in ctes
    if not known or table.args.get("db") or table.args.get("catalog"):
        raise RefusedSql("it reads a table that is not offered")
