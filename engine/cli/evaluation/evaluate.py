"""A golden set through the whole pipeline, from the command line."""

from __future__ import annotations

import uuid
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from classifier.decision import QueryType
from engine.cli.common import TYPES, json_option, print_json, run, settings_for_command
from engine.errors import ConfigurationError
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.evaluation.dialogues import Conversations, Heard
    from engine.evaluation.golden import Measured, Report


@click.command()
@click.option("--golden", type=click.Path(path_type=Path), help="JSON lines of cases. Default: ENGINE_GOLDEN_SET.")
@click.option(
    "--conversations",
    type=click.Path(path_type=Path),
    help="JSON lines of golden conversations. Default: conversations.jsonl beside the golden set, when all of it runs.",
)
@click.option("--type", "type_", type=TYPES, help="Only cases of this type.")
@click.option("--language", default="", help="Only cases in this language, such as es.")
@click.option("--limit", default=0, type=click.IntRange(0), help="At most this many cases; 0: all.")
@json_option
def evaluate(
    golden: Path | None,
    conversations: Path | None,
    type_: str | None,
    language: str,
    limit: int,
    as_json: bool,
) -> None:
    """Run a golden set, and golden conversations, through the real pipeline in this process and report."""
    from engine.evaluation import dialogues
    from engine.evaluation.golden import read_golden_set, select, summarise

    settings = settings_for_command()
    path = golden or settings.engine_golden_set
    beside = path.parent / "conversations.jsonl"
    if conversations is None and beside.is_file() and not (type_ or language or limit):
        conversations = beside
    spoken = dialogues.read_dialogues(conversations) if conversations else []
    chosen = select(
        read_golden_set(path),
        type_=QueryType(type_.upper()) if type_ else None,
        language=language,
        limit=limit,
    )
    measured, heard = run(_measured(settings, chosen, spoken))
    report, talk = summarise(measured), dialogues.summarise(heard)
    if as_json:
        spoken_of = {"conversations": asdict(talk)} if heard else {}
        print_json({**asdict(report), "cases": [{**asdict(one), "case": one.case.id} for one in measured], **spoken_of})
    else:
        click.echo(table(report))
        click.echo(conversation_table(talk) if heard else "", nl=bool(heard))


async def _measured(settings: Settings, cases: Any, spoken: Any) -> tuple[list[Measured], list[Heard]]:
    from engine import bootstrap
    from engine.evaluation.dialogues import converse
    from engine.evaluation.golden import evaluate as run_cases

    async with bootstrap.engine(settings) as engine:
        if not await engine.retriever.count():
            raise ConfigurationError("the index holds no passages: run assistance-engine index PATH first")
        parts: dict[str, Any] = {"new_id": lambda: uuid.uuid4().hex}
        async with (
            aclosing(run_cases(cases, engine.answers, engine.store, **parts)) as results,
            aclosing(converse(spoken, engine.answers, engine.store, **parts)) as talks,
        ):
            return [result async for result in results], [talk async for talk in talks]


def table(report: Report) -> str:
    """The report as a Markdown table: one row for all, each type and each language."""
    from engine.evaluation.golden import Metrics

    return _table({"all": report.overall, **report.by_type, **report.by_language}, list(Metrics.__dataclass_fields__))


def conversation_table(talk: Conversations) -> str:
    """What the golden conversations showed as a Markdown table, with the messages that went wrong below it."""
    rows = _table({"conversations": talk.overall, **talk.by_language}, list(type(talk.overall).__dataclass_fields__))
    return "\n".join(["", rows, *(f"- {line}" for line in talk.wrong)])


def _table(rows: dict[str, Any], names: list[str]) -> str:
    lines = ["| | " + " | ".join(name.replace("_", " ") for name in names) + " |", "| --- " * (len(names) + 1) + "|"]
    for label, metrics in rows.items():
        values = [getattr(metrics, name) for name in names]
        cells = [
            str(v) if isinstance(v, int) else f"{v:.1f}" if n.endswith("_ms") else f"{v:.3f}"
            for n, v in zip(names, values, strict=True)
        ]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
