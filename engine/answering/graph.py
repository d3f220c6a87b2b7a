"""The prepare graph: classify, relate and plan; then search, ask tools or remember; compose.

It prepares; the answer engine streams beside it, because a token through a graph costs about 0.1 ms of CPU. A node
costs about 0.3 ms: the graph has one wherever the way is decided, and steps that always follow each other are one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from classifier.decision import QueryType
from engine.answering.nodes import Nodes
from engine.answering.state import AgentState, Tell
from engine.domain import Action

#: The actions that a query type may take: what a node cannot reach, no rule can send it to. PLATFORM and
#: CONVERSATIONAL never search.
PATHS: dict[QueryType, dict[Action, str]] = {
    QueryType.RETRIEVAL: {
        Action.FRESH: "retrieve",
        Action.REWRITE: "retrieve",
        Action.HISTORY: "remember",
        Action.NONE: END,
    },
    QueryType.CODE_GENERATION: {
        Action.FRESH: "retrieve",
        Action.REWRITE: "retrieve",
        Action.HISTORY: "remember",
        Action.NONE: END,
    },
    QueryType.CONVERSATIONAL: {Action.HISTORY: "remember", Action.NONE: END},
    QueryType.PLATFORM: {Action.NONE: END},
}

_Step = Callable[[AgentState, Tell], Awaitable[AgentState]]
PrepareGraph = CompiledStateGraph[Any, Any, Any, Any]


def path(state: AgentState) -> str:
    """The node after relate: none where nothing is looked up, the tools where the plan needs them."""
    if state["said"]:
        return END
    if state["wanted"]:
        return "look_up"
    return PATHS[state["decision"].type][state["route"].action]


def build_prepare_graph(nodes: Nodes) -> PrepareGraph:
    """The graph over `nodes`.

    Input: an `AgentState` with `turn` and `conversation`. Output: the state with `prompt`. Context: a `Tell`, called
    with the events `Routed`, `Progress` and `Retrieved` as they happen; the graph's own stream of events costs a task
    more for each step.
    """
    graph, compose = StateGraph(AgentState), _silent(nodes.compose)
    related = _steps(_silent(nodes.classify), nodes.relate)

    async def relate(state: AgentState, runtime: Runtime[Any]) -> Command[Any]:
        """Says itself where it goes on: for a conditional edge the graph would put the state together once more."""
        added = await related(state, runtime)
        way = path({**state, **added})
        if way == END and not added["said"]:
            added |= await nodes.compose({**state, **added})
        return Command(update=added, goto=way)

    following = {"retrieve": nodes.retrieve, "look_up": nodes.look_up, "remember": nodes.remember}
    graph.add_node("relate", relate, destinations=(*following, END))
    graph.add_edge(START, "relate")
    for name, step in following.items():
        graph.add_node(name, _steps(step, compose))
        graph.add_edge(name, END)
    return graph.compile()


def build_second_pass(nodes: Nodes) -> PrepareGraph:
    """The graph of a second pass: looks up what the evaluation wanted, and composes anew.

    Input: the state of the first pass with other `wanted`. Output and events as those of `build_prepare_graph`.
    """
    graph = StateGraph(AgentState)
    graph.add_node("look_up", _steps(nodes.look_up, _silent(nodes.compose)))
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", END)
    return graph.compile()


def _silent(step: Callable[[AgentState], Awaitable[AgentState]]) -> _Step:
    """A step that has nothing to tell."""

    async def run(state: AgentState, tell: Tell) -> AgentState:
        del tell
        return await step(state)

    return run


def _steps(*steps: _Step) -> Any:
    """One node of steps that follow each other whatever they find; each sees what those before it have added."""

    async def run(state: AgentState, runtime: Runtime[Any]) -> AgentState:
        added = AgentState()
        for step in steps:
            added |= await step({**state, **added}, runtime.context)
        return added

    return run
