"""What is made at the start of a service is kept from the garbage collector, and nothing after that."""

import gc
from collections.abc import Iterator

import pytest

from engine.cli.common import uncollected


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def seen_by_the_collector(thing: object) -> bool:
    return any(one is thing for one in gc.get_objects())


def test_the_collector_does_not_look_at_what_was_made_within() -> None:
    with uncollected():
        assert not gc.isenabled()
        within: list[list[str]] = [[]]
    after: list[list[str]] = [[]]
    assert gc.isenabled()
    assert not seen_by_the_collector(within)
    assert seen_by_the_collector(after)


def test_a_start_that_fails_leaves_the_collector_on() -> None:
    with pytest.raises(OSError, match="no"), uncollected():
        raise OSError("no")
    assert gc.isenabled()
