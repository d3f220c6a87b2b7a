"""The card of an artifact: what it is, how it was made, what it scored."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from classifier.decision import QueryType
from classifier.linear.features import RECIPE_VERSION

#: The format that this package writes, and the only one it reads.
FORMAT_VERSION = 2
#: The reject class: what is none of the four types.
REJECT = "OUT_OF_SCOPE"
#: The model's outputs, in the order of its columns.
OUTPUTS = (*(str(kind) for kind in QueryType), REJECT)
#: The outputs of the language head, in order.
LANGUAGES = ("en", "es", "other")

_SHA256 = re.compile(r"[0-9a-f]{64}")


class CardError(ValueError):
    """The card is unusable; the message says why, in words that follow the file's name."""


@dataclass(frozen=True, slots=True)
class Card:
    """What an artifact says of itself.

    Attributes:
        embedder: Id of the embedder whose vectors its head was fitted on.
        dimensions: Length of those vectors.
        temperature: Logits are divided by it before the softmax, so that probabilities mean what they say.
        thresholds: By type, the probability below which layer 2 abstains.
        margin: The least distance between the best and the second best probability.
        reject_threshold: The probability of the reject class from which a message is out of scope.
        shortcut: The probability from which n-grams decide alone, without the embedder; None: never.
        training_sha256: Of the rows it was fitted on.
        rows: How many they were.
        scores: Figures of held-out rows, by split, language and source.
        date: Day of the training, ISO 8601; empty where the training was told none.
        versions: Of the libraries that fitted it.
        weights_sha256: Of the arrays beside it.
        classes: The outputs, in order.
        recipe: Version of the n-gram recipe.
        format: Version of this format.
    """

    embedder: str
    dimensions: int
    temperature: float
    thresholds: dict[str, float]
    margin: float
    reject_threshold: float
    training_sha256: str
    rows: int
    shortcut: float | None = None
    scores: dict[str, Any] = field(default_factory=dict)
    date: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    weights_sha256: str = ""
    classes: tuple[str, ...] = OUTPUTS
    recipe: int = RECIPE_VERSION
    format: int = FORMAT_VERSION

    def with_digest(self, sha256: str) -> Card:
        """This card, naming the arrays it is to stand beside."""
        return dataclasses.replace(self, weights_sha256=sha256)

    def to_json(self) -> bytes:
        """The card as JSON, the same bytes for the same card."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, sort_keys=True, indent=1).encode()

    @classmethod
    def from_json(cls, content: bytes) -> Card:
        """The card that `content` holds.

        Raises:
            CardError: It is not a card, is of a later format, or a value is out of its range.
        """
        try:
            document = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise CardError("its card is not JSON") from error
        if not isinstance(document, dict):
            raise CardError("its card is not an object")
        if document.get("format") != FORMAT_VERSION:
            raise CardError(
                f"is of format {document.get('format')}, this version reads {FORMAT_VERSION}; "
                "train one with `assistance-engine train`"
            )
        known = {entry.name for entry in dataclasses.fields(cls)}
        missing = sorted(known - document.keys())
        if missing or document.keys() - known:
            raise CardError(f"its card lacks {', '.join(missing) or 'nothing, but holds what no card holds'}")
        card = cls(**{**document, "classes": tuple(document["classes"])})
        card._check()
        return card

    def check_embedder(self, embedders: Mapping[str, int] | None) -> None:
        """Whether its embedder is among those at hand, with the same dimensions.

        Raises:
            CardError: It is not.
        """
        if embedders is None:
            return
        if self.embedder not in embedders:
            at_hand = ", ".join(sorted(embedders)) or "none"
            raise CardError(
                f"was trained for the embedder {self.embedder}, at hand is {at_hand}; "
                "train one for that with `assistance-engine train`"
            )
        if embedders[self.embedder] != self.dimensions:
            raise CardError(
                f"was trained on {self.dimensions} dimensions, {self.embedder} has {embedders[self.embedder]}"
            )

    def _check(self) -> None:
        """Raises CardError when a value is of another kind or out of its range."""
        if self.classes != OUTPUTS:
            raise CardError(f"its classes are {', '.join(map(str, self.classes))}, not {', '.join(OUTPUTS)}")
        if self.recipe != RECIPE_VERSION:
            raise CardError(f"its n-grams are of recipe {self.recipe}, this version makes {RECIPE_VERSION}")
        if not isinstance(self.embedder, str) or type(self.dimensions) is not int or not 0 < self.dimensions <= 65536:
            raise CardError("its card names no embedder with dimensions")
        if not isinstance(self.weights_sha256, str) or not _SHA256.fullmatch(self.weights_sha256):
            raise CardError("its card has no sha256 of the weights")
        if not isinstance(self.thresholds, dict) or set(self.thresholds) != set(OUTPUTS) - {REJECT}:
            raise CardError("its card has no threshold for each type")
        shortcut = [] if self.shortcut is None else [self.shortcut]
        shares = [*self.thresholds.values(), self.margin, self.reject_threshold, *shortcut]
        if not all(_number(share) and 0.0 <= share <= 1.01 for share in shares):
            raise CardError("a threshold in its card is not between 0 and 1")
        if not _number(self.temperature) or self.temperature <= 0:
            raise CardError("the temperature in its card is not above 0")


def _number(value: object) -> bool:
    """Whether `value` is a finite number, which True is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
