"""What the commands that fill the index share: one run, its progress, and what it says at its end."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import print_json, run
from engine.errors import InvalidInput
from engine.retrieval.port import Index, IndexReport, LeftOut, Progress, ProgressBar, Retriever
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.retrieval.ingestion.isolation import IsolatedReader
    from engine.retrieval.ingestion.reading import Documents

#: Rows of the closing table; the others are counted. `--json` has all.
_MOST_ROWS = 40
_COUNTS = ("added", "updated", "unchanged", "removed", "passages")


class StoppedError(Exception):
    """Ctrl-C was pressed; what was complete is kept."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How the index is filled.

    Attributes:
        if_empty: Only when it has no passages.
        rebuild: From nothing.
        strict: Exit with 1 when something was left out.
        follow_links: Follow symbolic links within folders.
        without: What leaves the index before: files and folders, whether they are still there or not.
    """

    if_empty: bool = False
    rebuild: bool = False
    strict: bool = False
    follow_links: bool = False
    without: tuple[Path, ...] = ()


def filling_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that go to `Filling` as they are."""
    for option in (
        click.option(
            "--without",
            multiple=True,
            type=click.Path(path_type=Path),
            help="What is in the index of this file or folder leaves it. May be given several times.",
        ),
        click.option("--follow-links", is_flag=True, help="Read what symbolic links within folders lead to."),
        click.option("--strict", is_flag=True, help="Exit with 1 when something was left out."),
    ):
        command = option(command)
    return command


def fill(settings: Settings, paths: tuple[Path, ...], how: Filling, *, as_json: bool) -> None:
    """Runs a command that fills the index, and says what became of it.

    Raises:
        click.exceptions.Exit: With 1 for something left out where that is not allowed, with 130 after Ctrl-C.
    """
    try:
        report = put_in(settings, paths, how)
    except StoppedError:
        click.echo("stopped; what was indexed until now is kept, and the same command carries on", err=True)
        raise click.exceptions.Exit(130) from None
    if as_json:
        print_json(report and as_dict(report))
    elif report is None:
        click.echo("the index has passages already: nothing to do", err=True)
    else:
        say(report)
    if report and report.left_out and how.strict:
        raise click.exceptions.Exit(1)


def put_in(settings: Settings, paths: tuple[Path, ...], how: Filling) -> IndexReport | None:
    """Indexes files and folders.

    Returns:
        What was done; None when the index was not empty and should have been.

    Raises:
        InvalidInput: A path does not exist, and the index has nothing of it either.
        StoppedError: Ctrl-C was pressed.
    """
    from engine.retrieval.ingestion.isolation import IsolatedReader

    with IsolatedReader() as reader:
        return _put_in(settings, paths, how, reader)


def _put_in(settings: Settings, paths: tuple[Path, ...], how: Filling, reader: IsolatedReader) -> IndexReport | None:
    from engine import bootstrap

    embedder = bootstrap.build_embedder(settings)
    # One that is asked belongs to the event loop that asked it; the one that is filled needs none.
    if how.if_empty and run(_counted(bootstrap.open_index(settings, embedder, rebuild=how.rebuild))):
        return None
    target = bootstrap.open_index(settings, embedder, rebuild=how.rebuild)
    try:
        documents, roots = _what_and_where(target, paths, how, reader)
        with stoppable() as stop, shown(documents.size) as bar:

            def progress(now: Progress) -> None:
                bar(now)
                stop()

            return target.index(documents, roots=roots, progress=progress)
    finally:
        run(target.close())


def _what_and_where(
    target: Index, paths: tuple[Path, ...], how: Filling, reader: IsolatedReader
) -> tuple[Documents, list[str]]:
    """The documents to put in, and the roots whose other documents leave."""
    from engine.retrieval.ingestion.indexing import under
    from engine.retrieval.ingestion.reading import Documents, gone_beside, index_roots, named_from

    stored = [] if how.rebuild else target.documents()
    known = [document.source for document in stored]
    for path in paths:
        if not path.exists() and not any(map(under(index_roots([path])), known)):
            raise InvalidInput("path", f"{path} does not exist")
    roots = [*index_roots([*paths, *how.without]), *gone_beside(paths, known)]
    there = [path for path in paths if path.exists()]
    return Documents(there, follow_links=how.follow_links, read=reader, folders=named_from(stored)), roots


async def _counted(source: Retriever) -> int:
    try:
        return await source.count()
    finally:
        await source.close()


def as_dict(report: IndexReport) -> dict[str, Any]:
    """A report for `--json`: the counts, and each thing that was left out with its reason."""
    problems = [{"path": left_out.path, "reason": left_out.reason} for left_out in report.left_out]
    return {**_counts(report), "left_out": len(problems), "problems": problems}


def _counts(report: IndexReport) -> dict[str, int]:
    return {name: getattr(report, name) for name in _COUNTS}


def say(report: IndexReport) -> None:
    """Prints a report for people: a table of what was left out, and the counts."""
    for line in table(report.left_out):
        click.echo(line, err=True)
    counts = {**_counts(report), "left out": len(report.left_out)}
    click.echo(", ".join(f"{count} {name}" for name, count in counts.items()), err=True)


def table(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """The lines of the closing table; none when nothing was left out."""
    if left_out:
        width = min(max(len(row.path) for row in left_out[:_MOST_ROWS]), 70)
        yield "left out:"
        for row in left_out[:_MOST_ROWS]:
            kept = "; what the index has of it stays" if row.keeps else ""
            yield f"  {row.path:<{width}}  {row.reason}{kept}"
        if len(left_out) > _MOST_ROWS:
            yield f"  ... and {len(left_out) - _MOST_ROWS} more (--json names all)"


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Ctrl-C ends the run at the next border between two writes; a second one at once.

    Yields:
        What raises `StoppedError` there.
    """
    pressed = False

    def remember(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def stop() -> None:
        if pressed:
            raise StoppedError

    former: Any = None
    with suppress(ValueError):  # only the main thread may
        former = signal.signal(signal.SIGINT, remember)
    try:
        yield stop
    finally:
        if former is not None:
            signal.signal(signal.SIGINT, former)


@contextmanager
def shown(size: int) -> Iterator[ProgressBar]:
    """A bar with rate and time left on a terminal, and nothing elsewhere.

    Args:
        size: Bytes of all that will be read.
    """
    if not sys.stderr.isatty():
        yield lambda _progress: None
        return
    from tqdm import tqdm

    # A terminal that does not say how large it is gets the usual 80 columns; tqdm would show nothing.
    columns, rows = shutil.get_terminal_size()
    form = {"unit": "B", "unit_scale": True, "desc": "indexing", "leave": False}
    with tqdm(total=size, file=sys.stderr, ncols=columns, nrows=rows, **form) as bar:

        def show(now: Progress) -> None:
            bar.set_postfix_str(f"{now.documents} documents, {now.passages} passages", refresh=False)
            bar.update(now.size - bar.n)

        yield show
