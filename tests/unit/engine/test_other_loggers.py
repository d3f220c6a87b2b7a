"""What libraries print by themselves: none of it may quote what they work on."""

from __future__ import annotations

import subprocess
import sys

import pytest

CANARY = "canary-5177"

_BEGIN = """
import asyncio, gc, logging, threading, warnings
early = logging.getLogger("early.library")
early.addHandler(logging.StreamHandler())
early.propagate = False
from engine import telemetry
telemetry.configure_logging("text", "debug")
canary = "canary-" + "5177"
def fail():
    raise ValueError(canary)
"""

CASES = {
    "a warning": "logging.getLogger('some.library').warning(canary)",
    "a warning with arguments": "logging.getLogger('some.library').warning('%s', canary)",
    "an info of the root": "logging.info(canary)",
    "a library that brought its own handler": "early.warning(canary)",
    "warnings.warn": "warnings.warn(canary)",
    "sqlglot's own": """
import sqlglot
sqlglot.parse(f"ALTER THING '{canary}' SOMEHOW", read="sqlite")
""",
    "the database tool": """
from engine.planning.tools.sql.readonly import RefusedSql, checked
for sql in (f"EXPLAIN '{canary}'", f"SELECT '{canary}' FROM", f"ALTER THING '{canary}' SOMEHOW", f"CALL x('{canary}')"):
    try:
        checked(sql, "sqlite", frozenset({"t"}), 5)
    except RefusedSql:
        pass
""",
}

_CAUGHT = """
try:
    fail()
except ValueError:
    """

_NEVER_AWAITED = """
async def main():
    task = asyncio.create_task(asyncio.to_thread(fail))
    while not task.done():
        await asyncio.sleep(0)
    del task
asyncio.run(main())
gc.collect()
"""

_FINALISER = """
class X:
    __del__ = lambda self: fail()
X()
gc.collect()
"""

_THREAD = """
thread = threading.Thread(target=fail)
thread.start()
thread.join()
"""

ERRORS = {
    "an error": ("logging.getLogger('some.library').error(canary)", "[library] some.library logged an error"),
    "an exception": (_CAUGHT + "logging.getLogger('some.library').exception(canary)", "kind=ValueError"),
    "a message that does not fit": ("logging.getLogger('some.library').error('%d %d', canary)", "some.library"),
    "a task that nobody awaits": (_NEVER_AWAITED, "[library] asyncio logged an error"),
    "a thread": (_THREAD, "[engine] an error that nobody caught"),
    "a finaliser": (_FINALISER, "[engine] an error that nobody caught"),
    "our own with exc_info": (_CAUGHT + "telemetry.logger().error('ours', exc_info=True)", "kind=ValueError"),
}


def stderr_of(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", _BEGIN + code], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("name", CASES)
def test_what_a_library_says_is_dropped(name: str) -> None:
    assert stderr_of(CASES[name]) == ""


@pytest.mark.parametrize("name", ERRORS)
def test_of_an_error_it_is_said_who_and_where_and_no_word_more(name: str) -> None:
    code, told = ERRORS[name]
    printed = stderr_of(code)
    assert told in printed
    assert CANARY not in printed
