"""The prepare graph: classify, relate and plan, then search, ask tools, remember, or none of it, then compose.

It prepares; the answer engine streams beside it, because a token through a graph costs about 0.1 ms of CPU.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

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
        Action.NONE: "compose",
    },
    QueryType.CODE_GENERATION: {
        Action.FRESH: "retrieve",
        Action.REWRITE: "retrieve",
        Action.HISTORY: "remember",
        Action.NONE: "compose",
    },
    QueryType.CONVERSATIONAL: {Action.HISTORY: "remember", Action.NONE: "compose"},
    QueryType.PLATFORM: {Action.NONE: "compose"},
}

PrepareGraph = CompiledStateGraph[Any, Any, Any, Any]


async def path(state: AgentState) -> str:
    """The node after relate: none where everything is said, the tools where the plan needs them.

    A coroutine, because the graph runs what is none in a worker thread.
    """
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
    graph = StateGraph(AgentState)
    graph.add_node("classify", nodes.classify)
    graph.add_node("relate", _telling(nodes.relate))
    graph.add_node("retrieve", _telling(nodes.retrieve))
    graph.add_node("look_up", _telling(nodes.look_up))
    graph.add_node("remember", _telling(nodes.remember))
    graph.add_node("compose", nodes.compose)
    graph.add_edge(START, "classify")
    graph.add_edge("classify", "relate")
    graph.add_conditional_edges("relate", path, ["retrieve", "look_up", "remember", "compose", END])
    graph.add_edge("retrieve", "compose")
    graph.add_edge("look_up", "compose")
    graph.add_edge("remember", "compose")
    graph.add_edge("compose", END)
    return graph.compile()


def build_second_pass(nodes: Nodes) -> PrepareGraph:
    """The graph of a second pass: looks up what the evaluation wanted, and composes anew.

    Input: the state of the first pass with other `wanted`. Output and events as those of `build_prepare_graph`.
    """
    graph = StateGraph(AgentState)
    graph.add_node("look_up", _telling(nodes.look_up))
    graph.add_node("compose", nodes.compose)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "compose")
    graph.add_edge("compose", END)
    return graph.compile()


def _telling(node: Callable[[AgentState, Tell], Awaitable[AgentState]]) -> Any:
    """A step that is given what events are told to."""

    async def run(state: AgentState, runtime: Runtime[Any]) -> AgentState:
        return await node(state, runtime.context)

    return run
