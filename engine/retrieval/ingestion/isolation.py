"""Reading files in a process of their own, within limits of time and memory."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine.domain import Passage
from engine.retrieval.ingestion.limits import MOST_MEMORY, MOST_SECONDS, UnusableError
from engine.retrieval.port import Chunk, Document

#: Times the processor time that a file may wait on the whole, as for a disk that does not answer.
_PATIENCE = 10
_ROOT = str(Path(__file__).parents[3])
_PROGRAM = (
    *(sys.executable, "-P", "-c"),
    "import sys; sys.path.append(sys.argv[1]); from engine.retrieval.ingestion.worker import main; main()",
    _ROOT,
)
#: What the process is told of this one's environment: no keys.
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPYCACHEPREFIX")


class IsolatedReader:
    """Reads and cuts files in another process, which is ended and made anew when one takes too much. A `FileReader`.

    So a damaged or hostile file costs its own passages: what it makes a library do (run on, take all memory, end the
    process) is over with that process. The documents have no text, but their passages.

    Args:
        seconds: Of processor time that a file may take.
        memory: Bytes that reading may take beside the libraries.
        program: What is run; `seconds` and `memory` are put behind it.
    """

    def __init__(
        self, *, seconds: float = MOST_SECONDS, memory: int = MOST_MEMORY, program: Sequence[str] = _PROGRAM
    ) -> None:
        self._seconds = seconds
        self._command = [*program, str(seconds), str(memory)]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __call__(self, file: Path, name: str) -> Document:
        """The document in a file, cut into passages.

        Raises:
            UnusableError: There is none, it cannot be read, or it takes too much.
        """
        answer = self._ask({"path": str(file), "name": name})
        if "document" not in answer:
            raise UnusableError(str(answer["reason"]), keeps=bool(answer["keeps"]))
        fields = answer["document"]
        chunks = tuple(
            Chunk(Passage(identity, fields["name"], fields["title"], heading, text), searchable)
            for identity, heading, text, searchable in answer["passages"]
        )
        return Document(**fields, text="", chunks=chunks)

    def close(self) -> None:
        """Ends the process. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _ask(self, wanted: dict[str, str]) -> Any:
        process = self._running()
        answers, questions = process.stdout, process.stdin
        assert answers is not None  # noqa: S101  # it is a pipe, as is the other
        assert questions is not None  # noqa: S101
        try:
            questions.write(json.dumps(wanted).encode() + b"\n")
            questions.flush()
            return json.loads(self._line(answers.fileno()))
        except TimeoutError:
            self.close()
            raise self._too_long() from None
        except (OSError, ValueError, RecursionError):  # it has ended, perhaps in the middle of its answer
            code = process.wait()
            self.close()
            if code == -signal.SIGPROF:
                raise self._too_long() from None
            raise UnusableError("is damaged or needs too much memory: its reader broke off", keeps=True) from None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
            self._process = subprocess.Popen(  # noqa: S603  # this interpreter with our own module
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # Each thread of the library takes address space, which counts.
                env={**environment, "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C is for this process alone
            )
        return self._process

    def _line(self, descriptor: int) -> bytes:
        """The next line of the answers."""
        until = time.monotonic() + self._seconds * _PATIENCE
        parts: list[bytes] = []
        while not (parts and parts[-1].endswith(b"\n")):
            ready, _, _ = select.select([descriptor], [], [], max(until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            part = os.read(descriptor, 1 << 20)
            if not part:
                raise BrokenPipeError
            parts.append(part)
        return b"".join(parts)

    def _too_long(self) -> UnusableError:
        return UnusableError(f"takes more than {self._seconds:g} s to be read", keeps=True)
