import re

import pytest

from classifier.reasons import DEFAULT_MARK, Reason, default_reason
from classifier.relation.relations import RelationReason

#: An interface: logs, metrics and receipts are matched by these.
CODES = {
    "declared", "prefix", "no_prefix", "confident", "remembered", "low_confidence", "close_call", "out_of_scope", "other_language",
    "no_words", "reference_to_code", "reference_to_conversation", "reference_for_more", "reference_to_figures",
    "correction", "dialogue_act", "without_figures", "documented", "figures_in_hand", "follow_up",
    "model", "malformed", "timeout", "unavailable", "error", "no_layer",
}  # fmt: skip


def test_codes_stay_as_they_are() -> None:
    assert {str(reason) for reason in Reason} == CODES


@pytest.mark.parametrize("reason", list(Reason))
def test_a_code_is_a_plain_word(reason: Reason) -> None:
    assert re.fullmatch(r"[a-z_]+", reason)


def test_codes_of_relations_stay_as_they_are() -> None:
    assert {str(reason) for reason in RelationReason} == {
        "relation_head", "act_head", "relation_words",
    }  # fmt: skip


def test_the_default_keeps_the_last_code() -> None:
    assert default_reason(Reason.TIMEOUT) == "default:timeout"
    assert default_reason(Reason.TIMEOUT).removeprefix(DEFAULT_MARK) == Reason.TIMEOUT
