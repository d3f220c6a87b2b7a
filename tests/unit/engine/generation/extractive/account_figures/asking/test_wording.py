from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.asking.heads import SHIPPED, FigureHeads
from engine.generation.extractive.account_figures.asking.wording import in_words_of, names_of, respelt
from engine.generation.extractive.account_figures.composing import Account
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.text.language import language_of
from tests.account_cases import encoder

HARBOUR = (
    '{"mailboxes": 4, "shipments": {"delivered": 9, "idle": 2}, "berths": [{"name": "North", "state": "flooded"}],'
    ' "pool_m3": 7, "nurses": 3, "towers": 5, "shepherds": 6}'
)


def account(context: str) -> Account:
    return Account.of(measures_of(read_figures(context)))


def reworded(text: str, context: str = HARBOUR) -> str:
    heads = FigureHeads.load(SHIPPED, encoder().id)
    return in_words_of(text, language_of(text), account(context), heads, encoder())


def test_a_context_is_known_by_names_words_units_and_what_rows_say() -> None:
    names = names_of(account(HARBOUR))
    assert {"mailboxes", "shipments delivered", "delivered", "flooded", "m³"} <= set(names)
    assert "North" not in names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("¿cuántas torres tengo?", "towers"),
        ("¿cuántos pastores hay?", "shepherds"),
        ("how many sheqherds do I have?", "shepherds"),
    ],
)
def test_what_is_called_otherwise_takes_the_name_of_the_context(text: str, words: str) -> None:
    assert words in reworded(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("how many zeppelins do I own?", "zeppelins"),
        ("how many doctors are there?", "doctors"),
        ("how many are active?", "active"),
        ("what about the South berth?", "South"),
    ],
)
def test_what_the_context_has_not_keeps_its_name(text: str, kept: str) -> None:
    assert kept in reworded(text)


def test_words_that_belong_to_the_asking_are_left_out() -> None:
    assert reworded("¿cuántos mailboxes juntamos?") == "¿cuántos mailboxes ?"


def test_a_question_in_the_words_of_the_context_stays() -> None:
    assert reworded("how many mailboxes do I have?") == "how many mailboxes do I have?"
    assert reworded("how many?", "") == "how many?"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("how much remaning quota?", "how much remaining quota?"),
        ("¿cuántas me qedan?", "¿cuántas me quedan?"),
        ("how many members are there?", "how many members are there?"),
    ],
)
def test_words_for_what_is_left_are_respelt(text: str, right: str) -> None:
    assert respelt(text) == right


@pytest.mark.parametrize(
    ("text", "dropped", "kept"),
    [
        ("how many shepherds have we interviewed?", "interviewed", "shepherds"),
        ("how many shepherds accross the valley?", "accross", "valley"),
        ("how many shipments have we cancelled?", "zzz", "cancelled"),
    ],
)
def test_a_verb_is_known_by_its_place_unless_it_tells_a_state(text: str, dropped: str, kept: str) -> None:
    assert dropped not in reworded(text)
    assert kept in reworded(text)
