"""Completion of commands, options and file names by the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM = "assistance-engine"
#: The variable by which click's scripts ask the program for what could come next.
VARIABLE = "_ASSISTANCE_ENGINE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in a shell, such as: eval "$(... completion bash)"."""
    from engine.cli import cli

    made = get_completion_class(shell)
    assert made is not None  # noqa: S101  # click has one for each of the choices
    click.echo(made(cli, {}, PROGRAM, VARIABLE).source())
