"""A hybrid pipeline with a conversation in its prompt, as Haystack builds one."""

# mypy: disable-error-code="misc, untyped-decorator"
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from engine.retrieval.embedding.onnx import OnnxEmbedder

_TEMPLATE = """Answer from these passages.
{% for document in documents %}{{ document.content }}
{% endfor %}
{% for message in said %}{{ message.role }}: {{ message.text }}
{% endfor %}
Question: {{ query }}"""


@component
class Bundled:
    """The engine's encoder for questions."""

    def __init__(self, encoder: OnnxEmbedder) -> None:
        self._encoder = encoder

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        """The vector of a question."""
        return {"embedding": self._encoder.embed_queries([text])[0].tolist()}


@component
class Scripted:
    """Says the same words to everything."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """One reply."""
        del messages
        return {"replies": [ChatMessage.from_assistant("".join(self._words))]}


def pipeline(texts: Sequence[str], encoder: OnnxEmbedder, words: Sequence[str], k: int) -> Any:
    """Words and vectors, joined by reciprocal ranks, then the prompt, then the model."""
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    vectors = encoder.embed(texts)
    store.write_documents(
        [Document(content=text, embedding=row.tolist()) for text, row in zip(texts, vectors, strict=True)]
    )
    made = Pipeline()
    made.add_component("embed", Bundled(encoder))
    made.add_component("near", InMemoryEmbeddingRetriever(store, top_k=k))
    made.add_component("words", InMemoryBM25Retriever(store, top_k=k))
    made.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=k))
    made.add_component("prompt", ChatPromptBuilder([ChatMessage.from_user(_TEMPLATE)], required_variables="*"))
    made.add_component("model", Scripted(words))
    for sender, receiver in (
        ("embed.embedding", "near.query_embedding"),
        ("near.documents", "join.documents"),
        ("words.documents", "join.documents"),
        ("join.documents", "prompt.documents"),
        ("prompt.prompt", "model.messages"),
    ):
        made.connect(sender, receiver)
    return made
