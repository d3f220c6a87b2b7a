"""The stable codes that say why a layer decided or abstained: an interface that logs, metrics and receipts share."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why an opinion is what it is."""

    DECLARED = "declared"
    """The caller said so, which ends the matter."""

    PREFIX = "prefix"
    """Layer 1: the message opens with a known platform opening."""
    NO_PREFIX = "no_prefix"
    """Layer 1 abstains: no known opening."""

    CONFIDENT = "confident"
    """Layer 2: the best type is above its threshold and clear of the runner-up."""
    REMEMBERED = "remembered"
    """Layer 2: people have said the type of a message that says nearly the same."""
    LOW_CONFIDENCE = "low_confidence"
    """Layer 2 abstains: the best type is below its threshold."""
    CLOSE_CALL = "close_call"
    """Layer 2 abstains: the best two are closer than the margin."""
    OUT_OF_SCOPE = "out_of_scope"
    """Layer 2 abstains: the reject class says that this is none of the four."""
    OTHER_LANGUAGE = "other_language"
    """Layer 2 abstains: neither English nor Spanish, in which it was trained, nor Chinese, which it reads."""
    NO_WORDS = "no_words"
    """Layer 2 abstains: there is not one letter to judge."""

    REFERENCE_TO_CODE = "reference_to_code"
    """Layer 2: the message points at code, and there is code to point at."""
    REFERENCE_TO_CONVERSATION = "reference_to_conversation"
    """Layer 2: the message points at the answer before it."""
    REFERENCE_FOR_MORE = "reference_for_more"
    """Layer 2: the message asks for more than was said, which may need another look at the documents."""
    REFERENCE_TO_FIGURES = "reference_to_figures"
    """Layer 2: the message points at the figures that the platform sent beside it."""
    CORRECTION = "correction"
    """Layer 2: the message names what was meant instead, and takes the type of what it corrects."""
    WITHOUT_FIGURES = "without_figures"
    """After the layers: not surely about the account, no figures at hand answer it, and documents do."""
    DOCUMENTED = "documented"
    """After the layers: talk by its words, but not clearly any that conversations have, and documents answer it."""
    FIGURES_IN_HAND = "figures_in_hand"
    """After the layers: it goes on from a question about the account, and the figures of that turn answer it; or it
    comes with figures that have an answer, and the documents have none."""
    DIALOGUE_ACT = "dialogue_act"
    """Layer 2: no type was sure, and the message is nothing but talk: a courtesy, or another form of the answer."""
    FOLLOW_UP = "follow_up"
    """Layer 2: talk or another type by its words, but it follows the question before it, and is of that one's type."""

    MODEL = "model"
    """Layer 3: the model answered with exactly one label."""
    MALFORMED = "malformed"
    """Layer 3 abstains: the model answered with something else than a label."""
    TIMEOUT = "timeout"
    """Layer 3 abstains: the model was late."""
    UNAVAILABLE = "unavailable"
    """Layer 3 abstains: the model could not be asked."""

    ERROR = "error"
    """A layer failed unexpectedly, which counts as abstaining."""
    NO_LAYER = "no_layer"
    """There was no layer to ask."""


#: What stands before the last abstention's code when the stated default was taken: `default:low_confidence`.
DEFAULT_MARK = "default:"


def default_reason(last: str) -> str:
    """The reason of the stated default, which keeps the code of the `last` abstention."""
    return f"{DEFAULT_MARK}{last}"
