"""The bundled embedding model, run with ONNX Runtime on the CPU."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.errors import ConfigurationError
from engine.retrieval.embedding.answer_head import SENTENCE_TOKENS, Read
from engine.retrieval.embedding.cache import KeptStates, text_digest
from engine.retrieval.embedding.card import CARD, Card
from engine.retrieval.embedding.graphs import (
    MEND,
    Input,
    Parts,
    States,
    Together,
    read_answer_head,
    read_tokenizer,
    read_words,
    session,
)

#: Threads when none are asked for: the machine's cores, at most this many, so that indexing leaves room for serving.
DEFAULT_THREADS = 4

#: Tokens whose lower half is kept: of queries for whatever reads them next, 6 MB, and in half precision of sentences
#: for the next question, 18 MB; of 384 numbers each.
MOST_BEGUN, MOST_SAID = 4_096, 24_576

#: Tokens of a message that are read together with earlier questions, and of each of these.
MESSAGE_TOKENS, EARLIER_TOKENS = 96, 48

_Given = TypeVar("_Given")

_WORDS, _TOKENIZER = "words.q4", "tokenizer.json"
_LOWER, _UPPER, _TYPE, _RELATION = "lower.onnx", "upper.onnx", "type.onnx", "relation.onnx"
_NAMES = "names.onnx"
_ANSWERS = "answers.npz"
_OFFSET, _MEAN = "language_offset.npy", "query_mean.npy"


class OnnxEmbedder(Embedder):
    """Turns texts into unit vectors with multilingual-e5-small in int8, offline, on the CPU.

    Every text is its own run of the graph, and `threads` texts run at the same time on one core each: dynamic int8
    takes one scale per activation tensor, so in a padded batch a text's vector would depend on its batch mates. Alone,
    a text has the same vector to the last bit, whatever is embedded with it and however many threads there are.
    Another kind of processor gives slightly other vectors.

    The model reads queries and passages behind different prefixes. Thread-safe. Nothing is read before `id`,
    `dimensions`, `warm_up` or an embedding is asked for; the first embedding warms up by itself when nobody did.

    Args:
        folder: Holds `words.q4`, `lower.onnx`, `upper.onnx`, `tokenizer.json` and `card.json` as
            `scripts/tuning/convert_e5.py` writes them; `type.onnx`, `relation.onnx`, `names.onnx` and `answers.npz` as
            `tune_intent.py`, `tune_relations.py`, `tune_names.py` and `tune_answers.py` there do.
        threads: Texts embedded at the same time. 0: as many as the machine has cores, at most `DEFAULT_THREADS`.

    Source:
        Wang et al. 2024, Multilingual E5 Text Embeddings (arXiv:2402.05672), for the prefixes, mean pooling and unit
        length.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads or min(os.cpu_count() or 1, DEFAULT_THREADS)
        self._lock = threading.Lock()
        self._parts: Parts | None = None
        self._begun = KeptStates(MOST_BEGUN)
        self._said = KeptStates(MOST_SAID)

    @property
    def id(self) -> str:
        """Name of the model and its number format, from the card.

        Raises:
            ConfigurationError: The card is missing or unreadable.
        """
        return self._card.id

    @property
    def dimensions(self) -> int:
        """Length of a vector, from the card.

        Raises:
            ConfigurationError: The card is missing or unreadable.
        """
        return self._card.dimensions

    @property
    def unrelated(self) -> float:
        """The cosine of a query and a passage that have nothing to do with each other, from the card."""
        return self._card.unrelated

    @cached_property
    def language_offset(self) -> NDArray[np.float32] | None:
        """See `Embedder`; None where the card names no such file.

        Raises:
            ConfigurationError: The file is missing, or not what the card says.
        """
        return self._read_vector(_OFFSET, "the offset of the languages")

    @cached_property
    def query_mean(self) -> NDArray[np.float32] | None:
        """See `Embedder`; None where the card names no such file. Raises as `language_offset` does."""
        return self._read_vector(_MEAN, "the mean of queries")

    @property
    def intent_id(self) -> str:
        """`id`, and which layers are fitted to the types. Raises as `id` does."""
        return self._fitted_id("types", _TYPE)

    @property
    def intents(self) -> int:
        """Number of logits that `intents_of` gives. Raises as `id` does."""
        return self._card.intents

    @property
    def relation_id(self) -> str:
        """`id`, and which layers are fitted to the relations. Raises as `id` does."""
        return self._fitted_id("relations", _RELATION)

    @property
    def relations(self) -> int:
        """Number of logits that `relations_of` gives. Raises as `id` does."""
        return self._card.relations

    def warm_up(self) -> None:
        """Loads the tokenizer and the graph and embeds a word, so that the first query does not wait. Idempotent.

        Raises:
            ConfigurationError: A file is missing, has another size than the card says, or cannot be loaded.
        """
        self.intents_of(["warm"])
        self.embed(["warm"])
        _ = self.language_offset, self.query_mean
        if self.relations:
            self.relations_of("warm", ())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of passages, in their order.

        Args:
            texts: Any Unicode text. What lies beyond the card's `max_tokens` is not read; the empty string has a
                vector as well (that of the prefix).

        Returns:
            Array of shape `[len(texts), dimensions]`, rows of Euclidean length 1: their dot product is the cosine.

        Raises:
            ConfigurationError: The model was not loaded yet and cannot be, as in `warm_up`.
        """
        return self._each(self._passages(texts), self.dimensions, Parts.vector)

    def embed_with_states(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32] | None]]:
        """See `Embedder`: a text of more tokens than are read of a sentence has none. Raises as `embed`."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        read: list[NDArray[np.float32] | None] = [None] * len(texts)

        def fill(row: int, parts: Parts, states: States) -> None:
            vectors[row] = parts.vector(states)
            read[row] = states[0] if states.shape[1] <= SENTENCE_TOKENS else None

        self._read_each(self._passages(texts), fill)
        return vectors, read

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`, for texts that are to find passages; `max_query_tokens` of them are read."""
        return self._each(self._queries(texts), self.dimensions, Parts.vector, keep=len(texts) == 1)

    @property
    def name_id(self) -> str:
        """`id`, and which layers are adapted to names. Raises as `id` does."""
        return self._fitted_id("names", _NAMES)

    def embed_names(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`: all are read as queries, in small letters. Raises as `embed` does."""
        return self._each(self._queries([text.casefold() for text in texts]), self.dimensions, Parts.name_vector)

    def embed_pooled(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`: of a text that comes alone the lower half is kept. Raises as `embed` does."""
        return self._each(self._queries(texts), 3 * self.dimensions, Parts.pooled, keep=len(texts) == 1)

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`; raises as `embed` does."""
        return self._load().words.vectors(words)

    def intents_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """What the layers fitted to the types make of messages, in their order.

        A message is read as a query. The lower half of the layers is run, and the fitted ones in place of the upper
        half. Of a text that comes alone the lower half is kept, for what reads it next.

        Returns:
            Logits, array of shape `[len(texts), intents]`.

        Raises:
            ConfigurationError: As in `embed`, or there are no fitted layers.
        """
        return self._each(self._queries(texts), self.intents, Parts.logits, keep=len(texts) == 1)

    def relations_of(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        """What the layers fitted to the relations make of a message after the questions before it, oldest first.

        The lower half is run once a text and kept; the fitted layers read the states of all together.

        Returns:
            Logits, array of shape `[relations]`.

        Raises:
            ConfigurationError: As in `embed`, or there are no fitted layers.
        """
        return self._load().relation_logits(self.together(text, earlier))

    def together(self, text: str, earlier: Sequence[str]) -> Together:
        """A message and the questions before it, the latest first, up to the middle; for fitting layers too."""
        message, *before = (self._states(given, keep=True) for given in self._queries([text, *reversed(earlier)]))
        return Together.of([message[:, :MESSAGE_TOKENS], *(states[:, :EARLIER_TOKENS] for states in before)])

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32] | None:
        """See `Embedder`: by the lower half of the layers, which is kept of each text. None without such a head.

        Raises:
            ConfigurationError: As in `embed`.
        """
        head = self._load().answers
        if head is None:
            return None
        (query,) = self._queries([question])
        return head.logits(Read.of(self._states(query, keep=True)[0], self._said_states(sentences, states or {})))

    def states_of(self, text: str, *, query: bool = True) -> States:
        """What the lower half makes of a query, or of a sentence: shape `[1, tokens, width]`; for fitting on it."""
        return self._load().states(self._queries([text])[0] if query else self._sentence(text))

    def _sentence(self, text: str) -> Input:
        return replace(self._passages([text])[0], most=SENTENCE_TOKENS)

    def _fitted_id(self, to: str, name: str) -> str:
        return f"{self._card.id}+{to}-{self._card.sha256.get(name, 'none')[:8]}"

    def _passages(self, texts: Sequence[str]) -> list[Input]:
        return [Input(self._card.passage + _encodable(text), self._card.max_tokens) for text in texts]

    def _queries(self, texts: Sequence[str]) -> list[Input]:
        return [Input(self._card.query + _encodable(text), self._card.max_query_tokens) for text in texts]

    def _each(
        self,
        inputs: Sequence[Input],
        width: int,
        finish: Callable[[Parts, States], NDArray[np.float32]],
        *,
        keep: bool = False,
    ) -> NDArray[np.float32]:
        """What `finish` makes of each text's states, on as many cores as there are threads; shape `[n, width]`."""
        found = np.empty((len(inputs), width), dtype=np.float32)

        def fill(row: int, parts: Parts, states: States) -> None:
            found[row] = finish(parts, states)

        self._read_each(inputs, fill, keep=keep)
        return found

    def _read_each(
        self, inputs: Sequence[Input], work: Callable[[int, Parts, States], None], *, keep: bool = False
    ) -> None:
        """Does the work with each text's place and states, the longest first."""
        if not inputs:
            return
        parts = self._load()
        rows = sorted(range(len(inputs)), key=lambda row: -len(inputs[row].text))
        self._beside(lambda row: work(row, parts, self._states(inputs[row], keep=keep)), rows)

    def _beside(self, work: Callable[[_Given], object], of: Sequence[_Given]) -> None:
        """Does the work of each side by side, on as many cores as there are threads."""
        if len(of) <= 1 or self._threads == 1:
            for one in of:
                work(one)
            return
        with ThreadPoolExecutor(min(self._threads, len(of)), thread_name_prefix="embed") as pool:
            for _ in pool.map(work, of):
                pass

    def _states(self, given: Input, *, keep: bool) -> States:
        """What the lower half makes of a text, or made of it if that is still kept."""
        key = text_digest(f"{given.most} {given.text}")
        known = self._begun.get(key)
        states: States = self._load().states(given) if known is None else known
        if keep:
            self._begun.keep(key, states)
        return states

    def _said_states(
        self, sentences: Sequence[str], known: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """The same of a passage's sentences, each of shape `[tokens, width]`: those that are `known`, the others read.

        These are kept in half precision, and are read so also when they are new.
        """
        others = self._new_states([one for one in sentences if one not in known])
        return [known[one] if one in known else others[one] for one in sentences]

    def _new_states(self, sentences: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        keys = [text_digest(one) for one in sentences]
        said = {key: kept for key in keys if (kept := self._said.get(key)) is not None}
        new = {key: one for key, one in zip(keys, sentences, strict=True) if key not in said}

        def read(key: bytes) -> None:
            said[key] = self._load().states(self._sentence(new[key])).astype(np.float16)

        self._beside(read, list(new))
        for key in keys:
            self._said.keep(key, said[key])
        return {one: said[key][0].astype(np.float32) for one, key in zip(sentences, keys, strict=True)}

    @cached_property
    def _card(self) -> Card:
        return Card.read(self._folder / CARD)

    def _sized(self, name: str) -> Path:
        """The path of a file that is there and as long as the card says."""
        path = self._folder / name
        if not path.is_file():
            raise ConfigurationError(f"{path}: this file of the embedding model is missing; {MEND}")
        found, expected = path.stat().st_size, self._card.sizes.get(name)
        if found != expected:
            raise ConfigurationError(f"{path}: {found} bytes where {CARD} says {expected}; {MEND}")
        return path

    def _read_vector(self, name: str, what: str) -> NDArray[np.float32] | None:
        if name not in self._card.sizes:
            return None
        path = self._sized(name)
        try:
            vector: NDArray[np.float32] = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ConfigurationError(f"{path}: {what} cannot be read; {MEND}") from error
        if vector.dtype != np.float32 or vector.shape != (self.dimensions,) or not np.isfinite(vector).all():
            raise ConfigurationError(f"{path}: no vector of {self.dimensions} float32 numbers; {MEND}")
        return vector

    def _load(self) -> Parts:
        """The tokenizer, the word table and the graphs, loaded by whoever comes first."""
        if self._parts is None:
            with self._lock:
                if self._parts is None:
                    fitted = {_TYPE: self._card.intents, _RELATION: self._card.relations, _NAMES: self._card.names}
                    graphs = (_LOWER, _UPPER, *(name for name, outputs in fitted.items() if outputs))
                    # What is missing is told before anything is loaded, which takes most of a second.
                    heads = (_ANSWERS,) if self._card.answers else ()
                    paths = {name: self._sized(name) for name in (_WORDS, _TOKENIZER, *graphs, *heads)}
                    tokenizer = read_tokenizer(paths[_TOKENIZER], paths[_TOKENIZER].stat().st_mtime_ns)
                    tokenizer.enable_truncation(self._card.max_tokens)
                    table = read_words(paths[_WORDS], tokenizer, self._card.dimensions)
                    runs = {name: session(paths[name]) for name in graphs}
                    answers = read_answer_head(paths[_ANSWERS]) if heads else None
                    types, relations, names = (runs.get(name) for name in (_TYPE, _RELATION, _NAMES))
                    self._parts = Parts(tokenizer, table, runs[_LOWER], runs[_UPPER], types, relations, names, answers)
        return self._parts


def _encodable(text: str) -> str:
    """Lone surrogates, which the tokenizer refuses, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
