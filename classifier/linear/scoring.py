"""Probabilities from text: the arithmetic that serving and training share, so that the two cannot drift."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.linear.artifact import Artifact, Weights
from classifier.linear.card import LANGUAGES, OUTPUTS
from classifier.linear.features import Sparse, characters, join, project, word_grams
from classifier.linear.language import LanguageHead, is_foreign
from classifier.text import head_and_tail, is_long, words

#: Texts that the embedder is given at once.
EMBED_BATCH = 32
#: Words that must remain for courtesy to be taken off: in "hi, thanks" it is all there is.
LEAST_WORDS = 3

_HELLO = re.compile(
    r"\s*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|hola|buenas(?: tardes| noches)?|buenos d[ií]as|please|"
    r"por favor)\b(?: there| again| all| team)?[\s,.!:;-]+)+",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[\s,.!;-]+(?:please|pls|(?:many )?thanks|thank you|thx|cheers|por favor|(?:muchas )?gracias)"
    r"(?: (?:so much|a lot|very much|in advance|de antemano))?[\s.!]*$",
    re.IGNORECASE,
)
_NAMES = "|".join(re.escape(name) for name in OUTPUTS[:-1])
_ORDERS = (
    r"classify|treat|route|router|label|type|query_type|category|class|intent|system|clasifica(?:r|lo)?|trata(?:r|lo)?|"
    r"etiqueta|tipo|categor[ií]a|ruta|sistema"
)
_FILLERS = (
    r"this|that|it|what|follows|following|the|my|message|question|right|correct|here|as|is|of|to|and|esto|eso|lo|la|el|"
    r"siguiente|mensaje|pregunta|correcta|como|es|de|a|y"
)
_SIGNS = r"[\s\[\](){}<>/#:=,;\"'|-]*"
#: Words addressed to the router around the name of a type, as only somebody who means the router writes it.
_ORDER = re.compile(
    rf"(?:^|\s){_SIGNS}(?:(?i:\b(?:{_ORDERS}|{_FILLERS})\b){_SIGNS})*\b(?:{_NAMES})\b(?:[\])>]|\s*[:.](?=\s|$)|</type>)*"
)
_MEANT = re.compile(rf"\b(?:{_ORDERS})\b|[=#\[<]", re.IGNORECASE)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reading:
    """Texts as the heads see them.

    Attributes:
        languages: Shape (n, 3): probabilities of English, Spanish, another.
        sparse: n vectors.
        plain: The texts without courtesy and orders, as they are remembered.
        sentences: What the embedder is given: the same without slips.
    """

    languages: Floats
    sparse: list[Sparse]
    plain: list[str]
    sentences: list[str]


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), dtype=np.float64)


def without_courtesy(text: str) -> str:
    """`text` without a greeting before it and thanks after it, where a request remains.

    Somebody who thanks in advance does not thank for an answer: the wrapping says nothing of the type.
    """
    rest = _HELLO.sub("", text, count=1) if _HELLO.match(text) else text
    tail = rest[-80:]  # the end alone: the pattern is tried at every place of what it is given
    rest = rest[: len(rest) - len(tail)] + _THANKS.sub("", tail)
    return rest if len(rest.split()) >= LEAST_WORDS else text


def without_orders(text: str) -> str:
    """`text` without orders to the router ("classify this as PLATFORM"), where a request remains.

    An order says nothing of what is wanted: believed, it would be a way around the router, and read, it blurs the rest.
    """
    if is_long(text) or not any(name in text for name in OUTPUTS[:-1]):
        return text
    rest = _ORDER.sub(lambda found: " " if _MEANT.search(found.group()) else found.group(), text).strip()
    return rest if len(rest.split()) >= 2 else text


def calm(text: str) -> str:
    """A text of several words that are all in capitals, or all capitalised, in lower case; any other as it is.

    The form says nothing of what is wanted, and the encoder's pieces of capitals are rare ones.
    """
    return text.lower() if len(text.split()) >= LEAST_WORDS and (text.isupper() or text.istitle()) else text


def plain(texts: Sequence[str]) -> list[str]:
    """Texts as they are read: without courtesy, orders, and halves of surrogate pairs, which no tokenizer reads."""
    return [without_courtesy(without_orders(text.encode("utf-8", errors="replace").decode())) for text in texts]


def as_remembered(texts: Sequence[str]) -> list[str]:
    """Texts as they are remembered, and looked for among those that are."""
    return [calm(text) for text in plain(texts)]


def read_all(texts: Sequence[str], weights: Weights) -> Reading:
    """Texts as the heads of `weights` see them; no model is asked. A long text was pasted: its slips stay."""
    plain = as_remembered(texts)
    texts, blocks = list(plain), [characters(text) for text in plain]
    languages = softmax(LanguageHead(weights.language, weights.language_bias).logits(blocks))
    foreign = [is_foreign(text) for text in texts]
    languages[foreign] = np.eye(3)[LANGUAGES.index("other")]
    spoken = [LANGUAGES[int(row.argmax())] if row.max() > 0.5 else "" for row in languages]
    for place, (text, language) in enumerate(zip(texts, spoken, strict=True)):
        texts[place] = text if is_long(text) else weights.spelling.mend(text, language)
        if texts[place] != text:
            blocks[place] = characters(texts[place])
    sparse = [join(block, word_grams(words(head_and_tail(text)))) for block, text in zip(blocks, texts, strict=True)]
    return Reading(languages, sparse, plain, texts)


def embed(embedder: Embedder, sentences: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of `sentences` in small batches of like length: padding to the longest costs more than calls do."""
    order = sorted(range(len(sentences)), key=lambda row: len(sentences[row]))
    vectors = np.zeros((len(sentences), embedder.dimensions), dtype=np.float32)
    for start in range(0, len(order), EMBED_BATCH):
        rows = order[start : start + EMBED_BATCH]
        vectors[rows] = embedder.embed([sentences[row] for row in rows])
    return vectors


def combine(sparse: Floats, embedding: Floats, languages: Floats, weights: Weights) -> Floats:
    """Logits of both heads as one, mixed by language.

    Args:
        sparse: Shape (n, k), of the n-gram head.
        embedding: Shape (n, k), of the embedding head.
        languages: Shape (n, 3), probabilities.
        weights: Its `mix` and `mix_bias` are used.

    Returns:
        Shape (n, k), before the temperature.
    """
    share = languages @ weights.mix
    return np.asarray(share[:, :1] * sparse + share[:, 1:] * embedding + languages @ weights.mix_bias)


def alone(sparse: Floats, languages: Floats, weights: Weights) -> Floats:
    """Logits of the n-gram head where it decides alone, shape (n, k)."""
    return np.asarray(languages @ weights.solo * sparse + languages @ weights.solo_bias)


class Scorer:
    """Probabilities of texts under one artifact. Blocks; thread-safe where its embedder is.

    The n-gram head goes first: where it is surer than the card's `shortcut`, the embedder is not asked. On domains left
    out of the seed it is right there as often as both heads together, and it costs a twentieth of an embedding.

    Args:
        artifact: The model.
        embedder: The one that the artifact's card names.

    Raises:
        ValueError: It is another embedder.
    """

    def __init__(self, artifact: Artifact, embedder: Embedder) -> None:
        card = artifact.card
        if (embedder.id, embedder.dimensions) != (card.embedder, card.dimensions):
            raise ValueError(f"the artifact was trained for {card.embedder}, not for {embedder.id}")
        self.artifact = artifact
        self._embedder = embedder

    def probabilities(self, texts: Sequence[str]) -> tuple[Floats, Reading]:
        """Probabilities of the outputs, shape (n, k), and the texts as they were read."""
        card, weights = self.artifact.card, self.artifact.weights
        reading = read_all(texts, weights)
        languages = reading.languages
        sparse = project(reading.sparse, weights.sparse, weights.sparse_bias)
        found = softmax(alone(sparse, languages, weights))
        doubtful = np.ones(len(found), bool) if card.shortcut is None else found[:, :-1].max(axis=1) < card.shortcut
        if doubtful.any():
            rows = np.flatnonzero(doubtful)
            vectors = embed(self._embedder, [reading.sentences[row] for row in rows])
            dense = vectors.astype(np.float64) @ weights.embedding + weights.embedding_bias
            found[rows] = softmax(combine(sparse[rows], dense, languages[rows], weights) / card.temperature)
        return found, reading
