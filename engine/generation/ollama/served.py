"""Models of one Ollama server, each with what all who ask it share: whether it is in memory, and how full it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from engine import telemetry
from engine.errors import DependencyUnavailable, EngineError
from engine.generation.ollama.admission import Admission
from engine.generation.ollama.pace import ReadingPace
from engine.generation.ollama.patience import Heard, Patience
from engine.generation.ollama.residency import OllamaLimits, Residency, unavailable


class ServedModel:
    """One model on one server: the answerer, the labeller and the planner that use it share this.

    Args:
        name: Its name in Ollama, such as `qwen3:1.7b`.
        host: Where Ollama listens.
        num_ctx: Context window in tokens; sent each time, because the server's own default cuts silently at 4k, and
            the same for all, because with another one the server would load the model anew.
        limits: Of time.
        parallel: Requests that the server works on at a time.
    """

    def __init__(
        self, name: str, host: str, *, num_ctx: int, limits: OllamaLimits | None = None, parallel: int = 1
    ) -> None:
        self.name = name
        self.host = host
        self.num_ctx = num_ctx
        self.limits = limits or OllamaLimits()
        self.pace = ReadingPace(self.limits.first_word, parallel)
        self.residency = Residency(name, host, num_ctx=num_ctx, limits=self.limits, pace=self.pace)
        self._admission = Admission(name, parallel)
        self._patience = Patience(self.limits.silence)

    @property
    def busy(self) -> bool:
        """Whether one more request would wait in the server's queue."""
        return self._admission.full

    @asynccontextmanager
    async def asked(self, text: str = "", within: float | None = None) -> AsyncGenerator[Heard]:
        """For one request: admitted, with the model in memory, and with errors of the engine's own kind.

        Args:
            text: What the model is going to read.
            within: Seconds that its answer is of use in: it is not asked where it would read for longer.

        Raises:
            Overloaded: It has as many requests as it may have.
            DependencyUnavailable: It cannot be asked, or did not answer as it should.
        """
        if within is not None and (self.pace.seconds(text) or 0) > within:
            raise DependencyUnavailable("ollama", f"model {self.name} would read for longer than {within:g} s")
        with self._admission.admitted():
            await self.residency.warm()
            await self.residency.measure()
            heard = Heard(self.pace, self._patience, self.pace.begin(text))
            try:
                with self._patience.waiting(heard):
                    yield heard
            except EngineError as error:
                self.residency.lost(error)
                raise
            except Exception as error:
                self.residency.lost(error)
                raise unavailable(error, self.name, self.limits.silence) from error
            except BaseException:  # cancelled, or the rest of the stream is not wanted
                self.residency.left()
                raise
            self.residency.used()


class Served:
    """The models of one server, each made once.

    Args:
        host: Where Ollama listens.
        num_ctx: Context window of each.
        limits: Of time.
        parallel: Requests of one model that the server works on at a time.
    """

    def __init__(self, host: str, *, num_ctx: int, limits: OllamaLimits, parallel: int) -> None:
        self._host = host
        self._num_ctx = num_ctx
        self._limits = limits
        self._parallel = parallel
        self._models: dict[str, ServedModel] = {}

    def model(self, name: str) -> ServedModel:
        """The model of that name; the same one each time."""
        if name not in self._models:
            self._models[name] = ServedModel(
                name, self._host, num_ctx=self._num_ctx, limits=self._limits, parallel=self._parallel
            )
        return self._models[name]

    async def warm_up(self) -> None:
        """Has every model loaded, one after the other; one that cannot be is logged and left to the first question."""
        for model in tuple(self._models.values()):
            try:
                await model.residency.warm()
                await model.residency.measure()
            except EngineError as error:
                telemetry.logger().warning(telemetry.WARM_UP_FAILED.format(model=model.name), kind=type(error).__name__)
            else:
                telemetry.logger().info(telemetry.MODEL_READY.format(model=model.name))

    async def ping(self) -> None:
        """Returns when the server answers and has every model; raises `DependencyUnavailable` otherwise."""
        for model in self._models.values():
            await model.residency.available()

    async def close(self) -> None:
        """Gives back what it holds. Idempotent."""
        for model in self._models.values():
            await model.residency.close()
