"""Over a module that stands in for sentence-transformers; where it is installed, over a small model of its format too."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import ConfigurationError
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.sentence_transformers import TransformersEmbedder
from engine.testing import HashedWordsEmbedder


class Model:
    """Takes the place of a SentenceTransformer: a vector says whether it is a query's, and how long the text is."""

    def __init__(self, limit: int | None = 512) -> None:
        self.max_seq_length = limit
        self.batches: list[tuple[str, list[str]]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.started = threading.Event()

    def __getitem__(self, place: int) -> Any:
        return types.SimpleNamespace(
            auto_model=types.SimpleNamespace(config=types.SimpleNamespace(_commit_hash="abcdef0123456789"))
        )

    def get_embedding_dimension(self) -> int:
        return 2

    def encode_query(self, texts: list[str], **options: Any) -> NDArray[np.float64]:
        return self._encode("query", texts, options)

    def encode_document(self, texts: list[str], **options: Any) -> NDArray[np.float64]:
        return self._encode("document", texts, options)

    def _encode(self, role: str, texts: list[str], options: dict[str, Any]) -> NDArray[np.float64]:
        assert options["normalize_embeddings"]
        self.started.set()
        self.gate.wait()
        self.batches.append((role, texts))
        if "boom" in texts:
            raise RuntimeError("canary-5177")
        angles = np.array([len(text) + (0.5 if role == "query" else 0.0) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def embedder(model: Model) -> Iterator[TransformersEmbedder]:
    made = TransformersEmbedder("BAAI/bge-m3", load=lambda _name, _device: model)
    yield made
    made.close()
    made.close()


def test_vectors_are_of_length_one_in_the_order_given(embedder: TransformersEmbedder) -> None:
    vectors = embedder.embed(["a", "bb", "ccc"])
    assert vectors.shape == (3, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors[2], embedder.embed(["ccc"])[0])
    assert embedder.embed([]).shape == (0, 2)


def test_the_id_names_the_model_and_its_revision(embedder: TransformersEmbedder) -> None:
    assert embedder.id == "BAAI/bge-m3@abcdef012345"


def test_queries_and_passages_are_read_each_in_their_own_way(embedder: TransformersEmbedder, model: Model) -> None:
    memo = MemoEmbedder(embedder)
    query, passage = memo.embed_queries(["word"]), memo.embed(["word"])
    assert not np.allclose(query, passage)
    assert np.array_equal(memo.embed_queries(["word"]), query)
    assert [role for role, _ in model.batches] == ["query", "document"]


def test_an_embedder_without_two_ways_is_asked_in_its_one() -> None:
    inner = HashedWordsEmbedder()
    memo = MemoEmbedder(inner)
    for _ in range(2):
        assert np.array_equal(memo.embed_queries(["word"]), memo.embed(["word"]))
    assert inner.embedded == ["word"] * 2  # once as a query, once as a passage
    assert np.array_equal(inner.embed_queries(["word"]), inner.embed(["word"]))


def test_callers_that_come_together_share_a_batch(embedder: TransformersEmbedder, model: Model) -> None:
    model.gate.clear()
    with ThreadPoolExecutor(9) as callers:
        first = callers.submit(embedder.embed, ["first"])
        model.started.wait()
        others = [callers.submit(embedder.embed, ["x" * n]) for n in range(1, 8)]
        queries = callers.submit(embedder.embed_queries, ["q"])
        while embedder._queue.qsize() < 8:
            pass
        model.gate.set()
        for n, other in enumerate(others, 1):
            assert np.allclose(other.result(), [[np.cos(n), np.sin(n)]])
        assert first.result().shape == queries.result().shape == (1, 2)
    assert [(role, len(texts)) for role, texts in model.batches] == [("document", 1), ("document", 7), ("query", 1)]


def test_a_text_that_breaks_the_model_breaks_its_own_call(embedder: TransformersEmbedder) -> None:
    with pytest.raises(RuntimeError):
        embedder.embed(["boom"])
    assert embedder.embed(["fine"]).shape == (1, 2)


def test_what_is_no_unicode_is_read_as_a_question_mark(embedder: TransformersEmbedder, model: Model) -> None:
    embedder.embed(["a\ud800b"])
    assert model.batches == [("document", ["a?b"])]


@pytest.mark.parametrize(("limit", "used"), [(512, 512), (None, 8192), (10**30, 8192)])
def test_there_is_always_a_limit_of_tokens(limit: int | None, used: int) -> None:
    model = Model(limit)
    made = TransformersEmbedder("m", load=lambda _name, _device: model)
    made.warm_up()
    assert model.max_seq_length == used
    made.close()


@pytest.mark.parametrize(("asked", "given"), [("auto", None), ("cpu", "cpu"), ("cuda:1", "cuda:1")])
def test_the_device_is_passed_on(asked: str, given: str | None, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    def make(name: str, **options: Any) -> Model:
        calls.append((name, options))
        return model

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = make  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    made = TransformersEmbedder("m", asked)
    assert calls == []
    made.warm_up()
    made.warm_up()
    assert calls == [("m", {"device": given, "trust_remote_code": False})]
    made.close()


def test_without_the_extra_the_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError) as raised:
        TransformersEmbedder("BAAI/bge-m3").warm_up()
    assert str(raised.value) == (
        "EMBEDDING_MODEL: BAAI/bge-m3 needs sentence-transformers; run pip install 'assistance-engine[transformers]'"
    )


def test_a_model_that_is_not_there_is_said_without_the_librarys_words() -> None:
    def fail(name: str, device: str | None) -> Any:
        raise OSError("canary-5177")

    with pytest.raises(
        ConfigurationError, match=r"EMBEDDING_MODEL: nobody/nothing cannot be loaded \(OSError\)"
    ) as raised:
        TransformersEmbedder("nobody/nothing", load=fail).warm_up()
    assert "canary" not in str(raised.value)


def test_a_folders_revision_is_what_is_in_it(tmp_path: Path, model: Model) -> None:
    def id_of() -> str:
        made = TransformersEmbedder(str(tmp_path), load=lambda _name, _device: model)
        try:
            return made.id
        finally:
            made.close()

    (tmp_path / "config.json").write_text("{}", "utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"1")
    first = id_of()
    assert first == id_of()
    (tmp_path / "model.safetensors").write_bytes(b"2")
    second = id_of()
    (tmp_path / "config.json").write_text("{ }", "utf-8")
    assert len({first, second, id_of()}) == 3


needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="the extra `transformers` is not installed"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, str]], Path]:
    """Makes a model of random weights in the library's file format, with the prompts that it is to have."""

    def make(prompts: dict[str, str]) -> Path:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.models import Pooling, Transformer
        from tokenizers import Tokenizer, models, pre_tokenizers, processors
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

        folder = tmp_path_factory.mktemp("model")
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", *(f"w{n}" for n in range(100))]
        raw = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
        raw.pre_tokenizer = pre_tokenizers.Whitespace()
        raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=raw,
            pad_token="[PAD]",
            unk_token="[UNK]",
            cls_token="[CLS]",
            sep_token="[SEP]",
            model_max_length=32,
        )
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=32,
        )
        BertModel(config).save_pretrained(folder / "bert")
        tokenizer.save_pretrained(folder / "bert")
        body = Transformer(str(folder / "bert"), max_seq_length=32)
        model = SentenceTransformer(modules=[body, Pooling(16)], prompts=prompts)
        model.save(str(folder / "model"))
        return folder / "model"

    return make


@needs_library
@pytest.mark.filterwarnings("ignore")
def test_a_real_model_with_prefixes(small: Callable[[dict[str, str]], Path]) -> None:
    folder = small({"query": "query: ", "document": "passage: "})
    assert (
        json.loads((folder / "config_sentence_transformers.json").read_text("utf-8"))["prompts"]["query"] == "query: "
    )
    made = TransformersEmbedder(str(folder), "cpu")
    texts = ["w1 w2 w3", "w1", "w4 " * 1000, "\ud800", ""]
    passages, queries = made.embed(texts), made.embed_queries(texts)
    assert passages.shape == queries.shape == (5, 16)
    assert passages.dtype == np.float32
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-5)
    assert not np.allclose(passages[0], queries[0], atol=1e-3)
    alone = made.embed(texts[:1])
    assert np.allclose(alone[0], passages[0], atol=1e-5)
    made.close()


@needs_library
@pytest.mark.filterwarnings("ignore")
def test_a_real_model_without_prefixes_reads_both_alike(small: Callable[[dict[str, str]], Path]) -> None:
    made = TransformersEmbedder(str(small({})), "cpu")
    assert np.allclose(made.embed(["w1 w2"]), made.embed_queries(["w1 w2"]), atol=1e-6)
    made.close()
