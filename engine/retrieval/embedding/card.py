"""What the bundled embedding model's `card.json` says about the files beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ConfigurationError
from engine.retrieval.embedding.graphs import MEND

CARD = "card.json"


@dataclass(frozen=True, slots=True)
class Card:
    """The card.

    Attributes:
        id: Name of the model and of its number format; vectors under different ids do not compare.
        dimensions: Length of a vector.
        max_tokens: Tokens of a passage that are read, the two special ones included; the rest is cut off.
        max_query_tokens: The same of a query.
        query: What stands before a query.
        passage: What stands before a passage.
        unrelated: The cosine of a query and a passage that have nothing to do with each other.
        sizes: Bytes of each file.
        sha256: Digest in hex of each file.
        intents: Number of logits that the layers fitted to the types give.
        relations: Number of logits that those fitted to the relations of messages give.
        names: There are layers that were adapted to names of figures.
        answers: There is a head that tells whether a sentence answers a question.
    """

    id: str
    dimensions: int
    max_tokens: int
    max_query_tokens: int
    query: str
    passage: str
    unrelated: float
    sizes: dict[str, int]
    sha256: dict[str, str]
    intents: int
    relations: int
    names: bool
    answers: bool

    @classmethod
    def read(cls, path: Path) -> Card:
        """Reads what the scripts of scripts/tuning have written.

        Raises:
            ConfigurationError: It is missing, unreadable or no card.
        """
        try:
            card = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                id=str(card["id"]),
                dimensions=int(card["dimensions"]),
                max_tokens=int(card["max_tokens"]),
                max_query_tokens=int(card["max_query_tokens"]),
                query=str(card["prefixes"]["query"]),
                passage=str(card["prefixes"]["passage"]),
                unrelated=float(card["unrelated_cosine"]),
                sizes={str(name): int(size) for name, size in card["bytes"].items()},
                sha256={str(name): str(digest) for name, digest in card["sha256"].items()},
                intents=len(card.get("types", {}).get("outputs", ())),
                relations=len(card.get("relations", {}).get("outputs", ())),
                names="names" in card,
                answers="answers" in card,
            )
        except OSError as error:
            raise ConfigurationError(f"{path}: the embedding model's card cannot be read; {MEND}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigurationError(f"{path}: not a card of an embedding model; {MEND}") from error
