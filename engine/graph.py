"""The prepare graph: classify, relate, then look up, remember, or neither, then compose.

It prepares; the answer engine streams beside it, because a token through a graph costs about 0.1 ms of CPU.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from classifier.decision import QueryType
from engine.domain import Action
from engine.nodes import Nodes
from engine.state import AgentState

#: The actions that a query type may take: what a node cannot reach, no rule can send it to. PLATFORM and
#: CONVERSATIONAL never search.
PATHS: dict[QueryType, dict[Action, str]] = {
    QueryType.RETRIEVAL: {
        Action.FRESH: "retrieve",
        Action.REWRITE: "retrieve",
        Action.HISTORY: "remember",
    },
    QueryType.CODE_GENERATION: {
        Action.FRESH: "retrieve",
        Action.REWRITE: "retrieve",
        Action.HISTORY: "remember",
    },
    QueryType.CONVERSATIONAL: {Action.HISTORY: "remember", Action.NONE: "compose"},
    QueryType.PLATFORM: {Action.NONE: "compose"},
}

PrepareGraph = CompiledStateGraph[Any, Any, Any, Any]


def path(state: AgentState) -> str:
    """The node after relate."""
    return PATHS[state["decision"].type][state["route"].action]


def build_prepare_graph(nodes: Nodes) -> PrepareGraph:
    """The graph over `nodes`.

    Input: an `AgentState` with `turn` and `conversation`. Output: the state with `prompt`. Custom stream: the events
    `Routed`, `Progress` and `Retrieved`, as they happen.
    """
    graph = StateGraph(AgentState)
    graph.add_node("classify", nodes.classify)
    graph.add_node("relate", nodes.relate)
    graph.add_node("retrieve", nodes.retrieve)
    graph.add_node("remember", nodes.remember)
    graph.add_node("compose", nodes.compose)
    graph.add_edge(START, "classify")
    graph.add_edge("classify", "relate")
    graph.add_conditional_edges("relate", path, ["retrieve", "remember", "compose"])
    graph.add_edge("retrieve", "compose")
    graph.add_edge("remember", "compose")
    graph.add_edge("compose", END)
    return graph.compile()
