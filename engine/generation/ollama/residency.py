"""Whether Ollama has a model, and has it in memory; and loading it once for everybody who waits.

Loading is apart from answering so that each can have its own limit of time: a cold model may take two minutes to its
first word, a loaded one that is silent for half a minute has failed.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
from ollama import ResponseError

from engine.errors import DependencyUnavailable
from engine.generation.ollama.pace import ReadingPace

_NOT_FOUND, _FULL = 404, 503
#: A model that answered so many seconds ago is taken to be in memory still: no server is asked to unload so soon.
_TRUSTED = 60.0
#: Seconds between two looks at a model that is being taken out of memory.
_LOOKING = 0.1
#: What a model reads when it is loaded, so that its pace is known before the first question. About 80 tokens.
_SAMPLE = """A reader sees a sentence word by word, and knows how long a page will take once the first lines are read. \
The same is true of a program that reads: the length of the text and the pace of its first part say when it is done. \
Numbers such as 12, 45.7 and 2026 take longer than words, and so do names in code: openFile(path, mode) == None."""


@dataclass(frozen=True, slots=True)
class OllamaLimits:
    """How long things may take, in seconds, and how long a model stays in memory.

    Attributes:
        connect: Until the server takes a connection, or answers a probe.
        load: Until a cold model is in memory.
        silence: Between two pieces of an answer, and before its first on top of the time that the prompt is read for.
        first_word: That a prompt may be read for; what is less needed is left out of longer ones.
        keep_alive: How long the model stays in memory unused, as Ollama writes it: `30m`, `-1` for ever.
    """

    connect: float = 5.0
    load: float = 120.0
    silence: float = 30.0
    first_word: float = 20.0
    keep_alive: str = "30m"

    @property
    def keeping(self) -> str | int:
        """`keep_alive` as the server takes it: a number of seconds is no text."""
        return int(self.keep_alive) if self.keep_alive.removeprefix("-").isdecimal() else self.keep_alive


class SilentTooLong(httpx.ReadTimeout):
    """A model has sent nothing for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__("")
        self.seconds = seconds


class Residency:
    """One model on one server.

    Args:
        model: Its name in Ollama.
        host: Where Ollama listens.
        num_ctx: Context window it is to be loaded with; another one in a later request would load it anew.
        limits: Of time.
        clock: A monotonic clock, seconds.
        pace: Learns from the model's loading how fast it reads.
    """

    def __init__(
        self,
        model: str,
        host: str,
        *,
        num_ctx: int,
        limits: OllamaLimits,
        clock: Callable[[], float] = time.monotonic,
        pace: ReadingPace | None = None,
    ) -> None:
        self._model = model
        self._host = host
        self._num_ctx = num_ctx
        self._limits = limits
        self._clock = clock
        self.pace = pace or ReadingPace(limits.first_word)
        self._measured = False
        self._seen: float | None = None
        self._left = False
        self._stuck = False
        self._loading: asyncio.Task[None] | None = None
        self._client: httpx.AsyncClient | None = None

    def used(self) -> None:
        """The model has just answered, so it is in memory."""
        self._seen = self._clock()
        self._left = self._stuck = False

    def left(self) -> None:
        """Somebody has stopped waiting for the model's answer before its end."""
        self._left = True

    def lost(self, error: Exception) -> None:
        """The model has just failed: nothing is known of it."""
        self._seen = None
        # Ollama loses a slot of a model, for good, when a stream is left while a token waits to be sent
        # (ollama/ollama#17131, open; 9 of 150 left streams of a tiny model, 0.17.4).
        self._stuck |= self._left and isinstance(error, httpx.ReadTimeout)
        self._left = True

    @property
    def stuck(self) -> bool:
        """Whether the model was silent after an answer that was left or failed; it will be loaded anew."""
        return self._stuck

    async def warm(self) -> None:
        """Returns when the model is in memory. However many wait, it is loaded once, also when one stops waiting.

        Raises:
            DependencyUnavailable: The server cannot be reached, has no such model, or does not load it in time.
        """
        if self._seen is not None and self._clock() - self._seen < _TRUSTED:
            return
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(_look_at)
        await asyncio.shield(self._loading)

    async def available(self) -> None:
        """Returns when the server answers and has the model; raises `DependencyUnavailable` otherwise."""
        listed = await self._ask("GET", "/api/tags")
        if not any(_same(entry, self._model) for entry in _models(listed)):
            raise unavailable(ResponseError("", _NOT_FOUND), self._model, self._limits.connect)

    async def resident(self) -> bool:
        """Whether the model is in memory with this context window. Raises `DependencyUnavailable`."""
        loaded = await self._ask("GET", "/api/ps")
        return any(
            _same(entry, self._model) and entry.get("context_length", self._num_ctx) == self._num_ctx
            for entry in _models(loaded)
        )

    async def measure(self) -> None:
        """Has a model that was in memory before anything was known of it read a little, once, to know its pace."""
        if self._measured or self.pace.known:
            return
        self._measured = True
        with suppress(DependencyUnavailable):  # the question behind it fails with its own error, or waits for longer
            await self._read(self._limits.silence)

    async def close(self) -> None:
        """Stops waiting for a load that goes on. Idempotent."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])  # not awaited itself: a cancel of ours would look like its own end
        if self._client is not None:
            await self._client.aclose()

    async def _load(self) -> None:
        if self._stuck:
            self._left = self._stuck = False
            await self._unload()
        if not await self.resident():
            self._measured = True
            await self._read(self._limits.load)
        self._seen = self._clock()

    async def _read(self, within: float) -> None:
        """Has the model read the sample; it is loaded for that where it is not in memory."""
        sample = f"{uuid.uuid4()} {_SAMPLE}"  # text that the server cannot have read before
        wanted = {
            "model": self._model,
            "prompt": sample,
            "raw": True,
            "keep_alive": self._limits.keeping,
            "options": {"num_ctx": self._num_ctx, "num_predict": 1},
            "stream": False,
        }
        reading = self.pace.begin(sample)
        self.pace.learn(reading, await self._ask("POST", "/api/generate", wanted, within=within))

    async def _unload(self) -> None:
        """Has the model taken out of memory, and waits for it: a question before that would keep it there."""
        # Answers that others are being given are not cut: the server waits for them, and we for it, within the limit.
        await self._ask("POST", "/api/generate", {"model": self._model, "keep_alive": 0, "stream": False})
        end = self._clock() + self._limits.silence
        while await self.resident() and self._clock() < end:  # noqa: ASYNC110  # the server tells nobody
            await asyncio.sleep(_LOOKING)

    async def _ask(self, method: str, path: str, body: object = None, within: float | None = None) -> dict[str, Any]:
        """What the server answers; nothing where that is no JSON object."""
        limit = within or self._limits.connect
        try:
            if self._client is None or self._client.is_closed:  # made once: that takes longer than asking
                self._client = httpx.AsyncClient()
            timeout = httpx.Timeout(limit, connect=self._limits.connect)
            response = await self._client.request(method, f"{self._host}{path}", json=body, timeout=timeout)
            answer = response.json() if response.is_success else None
        except Exception as error:
            raise unavailable(error, self._model, limit) from error
        if response.is_error:
            raise unavailable(ResponseError("", response.status_code), self._model, limit)
        return answer if isinstance(answer, dict) else {}


def unavailable(error: Exception, model: str, silence: float) -> Exception:
    """The error that says what is wrong without the other side's words; errors of our own pass unchanged.

    Args:
        error: What a client of Ollama raised; there are five families.
        model: Whose answer it was.
        silence: Seconds that the client waited for a piece of it, where the error does not say.
    """
    silence = error.seconds if isinstance(error, SilentTooLong) else silence
    problem = {
        httpx.ConnectError: "nothing listens at OLLAMA_HOST; start it with `ollama serve`",
        httpx.ConnectTimeout: "OLLAMA_HOST does not accept connections",
        httpx.ReadTimeout: f"model {model} sent nothing for {silence:g} s",
        httpx.RemoteProtocolError: f"the answer of model {model} broke off",
        httpx.ReadError: f"the answer of model {model} broke off",
    }.get(httpx.ReadTimeout if isinstance(error, SilentTooLong) else type(error))  # type: ignore[arg-type]
    if isinstance(error, ResponseError):
        problem = {
            _NOT_FOUND: f"it has no model {model}; run `ollama pull {model}`",
            _FULL: f"its queue for model {model} is full; try again, or raise OLLAMA_MAX_QUEUE on the server",
        }.get(error.status_code, f"model {model} failed")
    if isinstance(error, httpx.HTTPError | ConnectionError | OSError) and problem is None:
        problem = "it cannot be reached at OLLAMA_HOST"
    if isinstance(error, ValueError | TypeError | KeyError | AttributeError):  # no JSON, no message in it, or no line
        problem = f"the answer of model {model} cannot be read"
    return error if problem is None else DependencyUnavailable("ollama", problem)


def _models(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The models that an answer lists, an empty list for one that lists none."""
    return [entry for entry in answer.get("models") or [] if isinstance(entry, dict)]


def _same(entry: dict[str, Any], model: str) -> bool:
    """Whether a server's entry is the model: a name without a tag means `latest`."""
    wanted = model if ":" in model.rpartition("/")[2] else f"{model}:latest"
    return wanted in (entry.get("name"), entry.get("model"))


def _look_at(task: asyncio.Task[None]) -> None:
    """Takes note of a load's failure, so that one nobody waits for any more is no surprise at the end."""
    if not task.cancelled():
        task.exception()
