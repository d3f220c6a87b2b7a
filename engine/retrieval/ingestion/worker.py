"""The process that reads files one at a time, for `IsolatedReader`: what a file makes it do ends with it.

A line of JSON comes in, `{"path", "name"}`, and one goes out: a document with its passages, or why there is none.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.errors import ENDINGS
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.limits import UnusableError
from engine.retrieval.ingestion.reading import read_file
from engine.retrieval.port import Document

#: The attributes of a document that are passed on; its text is in its passages.
FIELDS = ("name", "title", "kind", "source", "digest", "size", "modified")


def main() -> None:
    """Answers until its input ends. Arguments: seconds of processor time a file, and bytes of memory."""
    seconds, memory = float(sys.argv[-2]), int(sys.argv[-1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a library prints must not come between the answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        _load()
        _limit_memory(memory)
        for line in sys.stdin.buffer:
            try:
                wanted = json.loads(line)
            except (ValueError, RecursionError):
                return  # not from the one who started this
            # Processor time: a busy machine is no reason to leave a file out. The signal ends the process, in whatever
            # library it is.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer = answer_of(Path(wanted["path"]), wanted["name"], memory)
            signal.setitimer(signal.ITIMER_PROF, 0)
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()


def answer_of(path: Path, name: str, memory: int) -> dict[str, Any]:
    """What is said of one file."""
    try:
        document = read_file(path, name)
        passages = [(p.passage.id, p.passage.heading, p.passage.text, p.searchable) for p in chunk(document)]
    except UnusableError as error:
        return {"reason": str(error), "keeps": error.keeps}
    except MemoryError:
        return {"reason": f"needs more than {memory // 1_000_000} MB of memory to be read", "keeps": True}
    except ENDINGS:
        raise
    except BaseException:  # noqa: BLE001  # a library's panic too; the next file is read all the same
        # Some libraries have an error of their own for memory that they do not get.
        reason = f"is damaged, or needs more than {memory // 1_000_000} MB of memory: its reader failed"
        return {"reason": reason, "keeps": True}
    return {"document": {field: getattr(document, field) for field in FIELDS}, "passages": passages}


def _load() -> None:
    """Loads what every file needs, so that none pays for it."""
    for kind in ("markdown", "text", "code"):
        chunk(Document("", "", "word " * 300, kind, "", ""))


def _limit_memory(memory: int) -> None:
    """Beyond what is mapped now, where the system can."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
