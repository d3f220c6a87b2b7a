"""The planner's parts: tools as configured, and who plans and judges. A piece of the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING

from engine.planning.evaluate import ModelEvaluator, RuleEvaluator
from engine.planning.planner import ModelPlanner, RulePlanner
from engine.planning.structured import SECONDS
from engine.planning.tools.calculator.tool import Calculator
from engine.planning.tools.clock.tool import Clock
from engine.planning.tools.config import read_tools_file
from engine.planning.tools.port import KnowledgeBase, Searcher, Tool, Tools
from engine.planning.workflow import Workflow
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.generation.ollama.served import Served


def build_tools(settings: Settings, retriever: Searcher) -> Tools:
    """The documents, the calculator, the clock, and what TOOLS_FILE and ENGINE_TOOLS_DATABASE_URL add.

    Nothing is connected yet: a server that is down now costs its own part of an answer, not the start.

    Raises:
        ConfigurationError: TOOLS_FILE holds no tools; the message names the place.
    """
    tools: list[Tool] = [
        KnowledgeBase(retriever, passages=settings.engine_search_results),
        Calculator(),
        Clock(lambda: datetime.now().astimezone()),
    ]
    if settings.engine_tools_database_url is not None:
        from engine.planning.tools.sql.tool import Database

        tools.append(Database(settings.engine_tools_database_url.get_secret_value()))
    if settings.tools_file is not None:
        from engine.planning.tools.mcp.tool import mcp_tools

        tools += mcp_tools(read_tools_file(settings.tools_file))
    return Tools(tools)


def build_workflow(
    settings: Settings, retriever: Searcher, served: Served | None
) -> tuple[Workflow, Callable[[], Awaitable[None]]]:
    """Planning, by the main model where one is configured, and what closes it."""
    tools = build_tools(settings, retriever)
    if served is None:
        return Workflow(RulePlanner(), RuleEvaluator(), tools), tools.close
    from engine.generation.ollama.chat import OllamaStructured

    model = OllamaStructured(served.model(settings.ollama_model_name or settings.light_model), within=SECONDS)

    async def close() -> None:
        await tools.close()
        await model.close()

    return Workflow(ModelPlanner(model), ModelEvaluator(model), tools), close


async def check_tools(settings: Settings) -> None:
    """Asks the servers of TOOLS_FILE for their tools; raises `DependencyUnavailable` naming what does not hold."""
    if settings.tools_file is not None:
        from engine.planning.tools.mcp.check import check_servers

        await check_servers(read_tools_file(settings.tools_file))
