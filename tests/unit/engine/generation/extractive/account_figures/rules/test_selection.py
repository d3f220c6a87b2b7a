from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.questions import Operations, about
from engine.generation.extractive.account_figures.asking.synonyms import opposite, same, subjects_in, uncovered
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.rules.selection import Selected, Selection
from engine.generation.extractive.account_figures.vocabulary import subjects
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)


class Near(Embedder):
    """An embedder for which the texts of one group are alike, and all others are alike among themselves."""

    id = "near"
    dimensions = 384  # as many as the heads read

    def __init__(self, *group: str) -> None:
        self._group = group

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.eye(2, self.dimensions, dtype=np.float32)[[int(text not in self._group) for text in texts]]


def choose(query: str, context: str, *group: str) -> Selected:
    embedder = Near(*group) if group else encoder()
    operations = Operations(encoder())
    return Selection(operations, embedder).choose(operations.read(query, TODAY), measures_of(read_figures(context)))


def label(selected: Selected) -> str:
    return selected.measure.label if selected.measure else ""


@pytest.mark.parametrize(
    ("query", "context", "chosen"),
    [
        ("how many stamps do I have?", '{"cards": 3, "stamps": 4}', "stamps"),
        ("how many stamps do I have?", '{"stamps": 4, "cards": 3}', "stamps"),
        ("¿cuántas facturas tengo?", '{"tickets": 3, "invoices": 4}', "invoices"),
        ("¿cuántos pedidos hay?", '{"visits": 3, "orders": 4}', "orders"),
        ("how much storage is used?", '{"almacenamiento": 3, "usuarios": 4}', "almacenamiento"),
        ("how many inbound calls?", '{"inbound_calls": 3, "outbound_calls": 4}', "inbound calls"),
    ],
)
def test_words_that_both_have_decide_in_either_order_and_language(query: str, context: str, chosen: str) -> None:
    selected = choose(query, context)
    assert label(selected) == chosen
    assert selected.rivals == ()


def test_meaning_decides_where_no_word_does() -> None:
    query = "how crowded is my attic?"
    assert label(choose(query, '{"loft_boxes": 3, "ladders": 4}', query, "loft boxes")) == "loft boxes"
    assert label(choose(query, '{"loft_boxes": 3, "ladders": 4}', query, "ladders")) == "ladders"


def test_a_question_nearer_to_something_else_is_about_nothing_there() -> None:
    query = "how hot is it?"
    assert choose(query, '{"boxes": 3, "ladders": 4}', query, "temperature").measure is None


def test_names_that_are_as_near_are_rivals() -> None:
    selected = choose("how many calls?", '{"inbound_calls": 3, "outbound_calls": 4}')
    assert {label(selected), *(rival.label for rival in selected.rivals)} == {"inbound calls", "outbound calls"}


class TestSubjects:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("monthly invoices", "mis facturas"),
            ("storage", "el espacio"),
            ("sick days", "días de enfermedad"),
            ("orders", "los pedidos"),
            ("bandwidth", "ancho de banda"),
        ],
    )
    def test_one_thing_has_names_in_both_languages(self, one: str, other: str) -> None:
        assert subjects_in(one) & subjects_in(other)

    @pytest.mark.parametrize(("one", "other"), [("invoices", "orders"), ("seats", "storage"), ("", "orders")])
    def test_different_things_share_none(self, one: str, other: str) -> None:
        assert not subjects_in(one) & subjects_in(other)

    def test_a_longer_name_hides_a_shorter_one(self) -> None:
        assert subjects_in("text messages") != subjects_in("messages")
        assert not subjects_in("text messages") & subjects_in("messages")

    def test_every_subject_has_a_name(self) -> None:
        assert all(names and all(names) for names in subjects())
        assert len(subjects()) >= 100


class TestQuestion:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("how many stamps do I have left?", {"stamp"}),
            ("¿cuántos sellos me quedan?", {"sello"}),
            ("and how many are left?", set()),
            ("how many did I use last month?", set()),
            ("what percentage is used?", set()),
        ],
    )
    def test_what_it_is_about(self, text: str, words: set[str]) -> None:
        assert about(text) == words

    @pytest.mark.parametrize("text", ["calls on 3 november", "calls last month", "next calls in May"])
    def test_numbers_periods_and_days_are_no_words_of_it(self, text: str) -> None:
        assert about(text) == {"call"}

    @pytest.mark.parametrize(
        ("text", "day"),
        [
            ("calls on 3 November", date(2026, 11, 3)),
            ("calls on 2026-05-01", date(2026, 5, 1)),
            ("calls yesterday", date(2027, 3, 9)),
            ("llamadas del 2 de enero", date(2027, 1, 2)),
        ],
    )
    def test_a_day_without_a_year_is_the_last_one(self, text: str, day: date) -> None:
        found = Operations(encoder()).read(text, TODAY).day
        assert found is not None
        assert found.day == day

    def test_a_day_that_no_calendar_has_is_none(self) -> None:
        assert Operations(encoder()).read("calls on 31 February", TODAY).day is None


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("parcels lost", "parcels", ["lost"]),
        ("recargué", "recargas", []),
        ("suspended", "suspendidas", []),
        ("facturas", "invoices", []),
        ("contacts", "contracts", ["contacts"]),
        ("boats", "", ["boats"]),
    ],
)
def test_words_that_a_name_does_not_say(text: str, name: str, left: list[str]) -> None:
    assert uncovered(text, name) == left


def test_a_thing_of_several_words_is_read_in_its_question() -> None:
    assert uncovered("pasos", "two factor", within="verificación en dos pasos") == []


@pytest.mark.parametrize(
    ("word", "other"), [("active", "suspended"), ("failed", "succeeded"), ("pagadas", "unpaid"), ("cerrados", "open")]
)
def test_a_state_has_an_opposite(word: str, other: str) -> None:
    assert other in opposite(word)[1]
    assert other not in opposite(word)[0]
    assert opposite("boats") == ([], [])


class TestForms:
    @pytest.mark.parametrize(
        ("one", "other", "alike"),
        [
            ("lamp", "lamp", True),
            ("lamp", "lampshad", True),
            ("invoic", "invoicing", True),
            ("renov", "renovacion", True),
            ("lamp", "lane", False),
            ("cat", "cats", False),
            ("deliver", "delay", False),
        ],
    )
    def test_stems_of_one_word_are_alike(self, one: str, other: str, alike: bool) -> None:
        assert same(one, other) is alike
        assert same(other, one) is alike
