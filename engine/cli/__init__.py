"""The commands. Each module holds those of one subject; what they share is in `common`.

Exit codes: 0 done, 2 bad usage or input, 3 a dependency is unavailable, 1 anything else.
"""

from __future__ import annotations

import sys

import click

from engine.cli import completion, doctor, keys, mcp, serve, sessions, train
from engine.cli.asking import ask, chat, classify
from engine.cli.evaluation import evaluate, evaluate_retrieval, evaluate_router
from engine.cli.indexing import documents, index
from engine.errors import (
    ConfigurationError,
    DependencyUnavailable,
    EngineError,
    InvalidInput,
    NotFound,
    PermissionDenied,
    Unauthenticated,
)

_BAD_INPUT = (InvalidInput, NotFound, ConfigurationError, PermissionDenied, Unauthenticated)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="assistance-engine")
def cli() -> None:
    """A conversational RAG service: routed, cited, streamed answers."""


for _command in (
    serve.serve,
    mcp.mcp,
    ask.ask,
    chat.chat,
    classify.classify,
    classify.plan,
    index.index,
    documents.documents,
    index.search,
    sessions.sessions,
    keys.keys,
    train.labels,
    train.train,
    train.replay,
    evaluate.evaluate,
    evaluate_router.evaluate_router,
    evaluate_retrieval.evaluate_retrieval,
    doctor.doctor,
    completion.completion,
    serve.health,
):
    cli.add_command(_command)


def main() -> None:
    """Runs the command line and exits with the code of what happened."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except EngineError as error:
        hint = "; set ENGINE_TOKEN to one" if isinstance(error, Unauthenticated) else ""
        click.echo(f"error: {error}{hint}", err=True)
        code = 2 if isinstance(error, _BAD_INPUT) else 3 if isinstance(error, DependencyUnavailable) else 1
    sys.exit(code if isinstance(code, int) else 0)
