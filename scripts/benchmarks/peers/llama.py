"""The bundled encoder and a scripted model as LlamaIndex takes them."""

# mypy: disable-error-code="misc, untyped-decorator"
from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.llms.custom import CustomLLM

from engine.retrieval.embedding.onnx import OnnxEmbedder


class Bundled(BaseEmbedding):
    """The engine's encoder."""

    _encoder: OnnxEmbedder = PrivateAttr()

    def __init__(self, encoder: OnnxEmbedder) -> None:
        super().__init__(model_name="multilingual-e5-small")
        self._encoder = encoder

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._encoder.embed_queries([query])[0].tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._encoder.embed(texts).tolist()
        return vectors


class Scripted(CustomLLM):
    """Says the same words to everything."""

    words: list[str]

    @property
    def metadata(self) -> LLMMetadata:
        """What it is taken to be."""
        return LLMMetadata(model_name="scripted", context_window=8_192)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        """The words at once."""
        del prompt, formatted
        return CompletionResponse(text="".join(self.words))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:
        """The words one by one."""
        del prompt, formatted
        said = ""
        for word in self.words:
            said += word
            yield CompletionResponse(text=said, delta=word)
