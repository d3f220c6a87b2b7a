"""Completion as a shell asks for it, and `--json` where a program may want it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from engine.cli import cli
from engine.cli.completion import PROGRAM, VARIABLE

SHELLS = ["bash", "zsh", "fish"]
#: Commands that serve until they are ended, and one whose result is a script.
NO_RESULT = {"serve", "mcp", "completion"}


def commands(group: click.Group = cli, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its whole name."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def completed(*words: str) -> set[str]:
    """What may come in place of the last of `words`, as bash asks for it."""
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": " ".join([PROGRAM, *words]), "COMP_CWORD": str(len(words))}
    shown = CliRunner().invoke(cli, prog_name=PROGRAM, env=asked).output
    return {line.split(",", 1)[1] for line in shown.splitlines()}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_the_program_by_its_name(shell: str) -> None:
    script = CliRunner().invoke(cli, ["completion", shell]).output
    assert f"{VARIABLE}={shell}_complete" in script
    assert re.search(rf"\b{PROGRAM}\b", script)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_of_its_shell(shell: str) -> None:
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"{shell} is not installed")
    script = CliRunner().invoke(cli, ["completion", shell]).output
    done = subprocess.run([program, "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_options_and_choices_are_completed() -> None:
    assert completed("sess") == {"sessions"}
    assert completed("sessions", "") == {"list", "show", "export", "delete"}
    assert {"--json", "--session", "--type"} <= completed("ask", "--")
    assert {name.casefold() for name in completed("ask", "--type", "C")} == {"code_generation", "conversational"}
    assert completed("search", "--half", "d") == {"dense"}


def test_an_unknown_shell_is_refused_with_those_that_there_are() -> None:
    done = CliRunner().invoke(cli, ["completion", "tcsh"])
    assert done.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in done.output


@pytest.mark.parametrize(("name", "command"), [pair for pair in commands() if pair[0] not in NO_RESULT])
def test_every_command_with_a_result_gives_it_as_json(name: str, command: click.Command) -> None:
    assert "--json" in {option for given in command.params for option in given.opts}, name
