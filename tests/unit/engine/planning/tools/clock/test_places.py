from __future__ import annotations

from datetime import datetime

import pytest

from engine.planning.tools.clock.places import zones_in

NOON = datetime.fromisoformat("2026-11-21T12:00:00+00:00")


def offsets(text: str) -> list[str]:
    return [NOON.astimezone(zone).strftime("%z") for _, zone in zones_in(text)]


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("time in Tokyo", "+0900"),
        ("東京現在幾點", "+0900"),
        ("hora en Tokio", "+0900"),
        ("Hong Kong", "+0800"),
        ("香港", "+0800"),
        ("New York", "-0500"),
        ("Nueva York", "-0500"),
        ("紐約", "-0500"),
        ("Los Angeles", "-0800"),
        ("San Francisco", "-0800"),
        ("London", "+0000"),
        ("倫敦", "+0000"),
        ("Madrid", "+0100"),
        ("Barcelona", "+0100"),
        ("India", "+0530"),
        ("Asia/Kathmandu", "+0545"),
        ("America/Argentina/Buenos_Aires", "-0300"),
        ("UTC", "+0000"),
        ("UTC+5:30", "+0530"),
        ("GMT-3", "-0300"),
        ("Sydney", "+1100"),
        ("México", "-0600"),
    ],
)
def test_a_place_has_its_zone(text: str, offset: str) -> None:
    assert offsets(text) == [offset]


def test_places_stand_in_the_order_of_the_text() -> None:
    assert [name for name, _ in zones_in("from Sydney to London and 東京")] == ["Sydney", "London", "東京"]


@pytest.mark.parametrize(
    "text",
    ["", "what time is it", "days until Christmas", "York", "a romance", "parisian", "the north", "Europe/Atlantis"],
)
def test_other_words_are_no_places(text: str) -> None:
    assert zones_in(text) == []


def test_a_place_is_named_once_even_when_its_name_holds_another() -> None:
    assert len(zones_in("New York")) == 1
    assert len(zones_in("America/New_York")) == 1
