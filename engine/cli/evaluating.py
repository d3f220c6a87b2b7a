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
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.evaluation import Measured, Report


@click.command()
@click.option("--golden", type=click.Path(path_type=Path), help="JSON lines of cases. Default: ENGINE_GOLDEN_SET.")
@click.option("--type", "type_", type=TYPES, help="Only cases of this type.")
@click.option("--language", default="", help="Only cases in this language, such as es.")
@click.option("--limit", default=0, type=click.IntRange(0), help="At most this many cases; 0: all.")
@json_option
def evaluate(golden: Path | None, type_: str | None, language: str, limit: int, as_json: bool) -> None:
    """Run a golden set through the real pipeline in this process and report."""
    from engine.evaluation import read_golden_set, select, summarise

    settings = settings_for_command()
    chosen = select(
        read_golden_set(golden or settings.engine_golden_set),
        type_=QueryType(type_.upper()) if type_ else None,
        language=language,
        limit=limit,
    )
    measured = run(_measured(settings, chosen))
    report = summarise(measured)
    if as_json:
        print_json({**asdict(report), "cases": [_row(m) for m in measured]})
    else:
        click.echo(table(report))


async def _measured(settings: Settings, cases: Any) -> list[Measured]:
    from engine import bootstrap
    from engine.evaluation import evaluate as run_cases

    async with bootstrap.engine(settings) as engine:
        run_all = run_cases(cases, engine.answers, engine.store, new_id=lambda: uuid.uuid4().hex)
        async with aclosing(run_all) as results:
            return [result async for result in results]


def _row(measured: Measured) -> dict[str, Any]:
    return {**asdict(measured), "case": measured.case.id}


def table(report: Report) -> str:
    """The report as a Markdown table: one row for all, each type and each language."""
    from engine.evaluation import Metrics

    names = list(Metrics.__dataclass_fields__)
    rows = {"all": report.overall, **report.by_type, **report.by_language}
    lines = ["| | " + " | ".join(name.replace("_", " ") for name in names) + " |", "| --- " * (len(names) + 1) + "|"]
    for label, metrics in rows.items():
        values = [getattr(metrics, name) for name in names]
        cells = [
            str(v) if isinstance(v, int) else f"{v:.1f}" if n.endswith("_ms") else f"{v:.3f}"
            for n, v in zip(names, values, strict=True)
        ]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
