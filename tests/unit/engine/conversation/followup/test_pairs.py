from __future__ import annotations

from dataclasses import replace

import pytest

from classifier.decision import Layer, QueryType
from engine.conversation.followup.pairs import pair_meant
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Outcome

TURN = TurnRecord("t", "ana", "s", "", "", QueryType.RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, 1)


def said(query: str, answer: str, searched: str = "") -> TurnRecord:
    return replace(TURN, query=query, answer=answer, search_query=searched)


def meant(query: str, *turns: TurnRecord) -> str:
    found = pair_meant(query, Conversation(turns=len(turns), recent=turns))
    return "" if found is None else found.query


KILNS = (
    said("how hot does the Ember get?", "Ember — Heat: 900. [1]"),
    said("and the Flare?", "Flare — Heat: 1200. [1]", "and the Flare? how hot does the Ember get"),
)
CALLS = (said("What does openFile do?", "It opens a file [1]."), said("and readFile?", "It reads a line [2]."))
PRECIOS = (
    said("¿cuánto cuesta pulir un suelo?", "El suelo cuesta 30 €. [1]"),
    said("¿y un mármol?", "Son 45 €. [1]"),
)
TWO = (said("Which kilns are there?", "- Ember: small [1].\n- Flare: large [1]."),)
THREE = (said("Which kilns are there?", "- Ember\n- Flare\n- Glow [1]"),)
BOLD = (said("Which kilns are there?", "- **The Ember** heats in an hour.\n- **The Flare** heats in two. [1]"),)
ASKED_OF_ONE = (*BOLD, said("when was the second one made?", "It was made in 1987. [1]", "when was the Flare made?"))
COMPARED = (*CALLS, said("which of the two is older?", "I found nothing.", "which is older, openFile or readFile?"))


@pytest.mark.parametrize(
    ("query", "turns", "whole"),
    [
        ("which of those two is larger?", KILNS, "which is larger, Ember or Flare?"),
        ("what is the difference between the two?", KILNS, "what is the difference between Ember and Flare?"),
        ("do both need gas?", KILNS, "do Ember and Flare need gas?"),
        ("what's the difference between them", CALLS, "what's the difference between openFile and readFile"),
        ("¿qué diferencia hay entre ambas?", CALLS, "¿qué diferencia hay entre openFile y readFile?"),
        ("¿cuál de los dos sale más caro?", PRECIOS, "¿cuál sale más caro, suelo o mármol?"),
        ("which of the two is better for bread?", TWO, "which is better for bread, Ember or Flare?"),
        ("which of the two is older?", BOLD, "which is older, The Ember or The Flare?"),
        ("which of the two is older?", ASKED_OF_ONE, "which is older, The Ember or The Flare?"),
        ("are both of them free?", COMPARED, "are openFile and readFile free?"),
    ],
)
def test_the_two_are_named(query: str, turns: tuple[TurnRecord, ...], whole: str) -> None:
    assert meant(query, *turns) == whole


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("which of the two is larger?", ()),
        ("which of the two is larger?", KILNS[:1]),
        ("which of the two is larger, Glow or Flare?", KILNS),  # it names them
        ("do both parents sign?", KILNS),  # of a noun of its own
        ("how hot is it?", KILNS),
        ("¿cierra a las dos?", KILNS),  # an hour
        ("is it open between two and four?", KILNS),
        ("which of them is the largest?", THREE),
    ],
)
def test_what_does_not_mean_two_things_that_were_told(query: str, turns: tuple[TurnRecord, ...]) -> None:
    assert meant(query, *turns) == ""
