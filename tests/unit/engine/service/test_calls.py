from __future__ import annotations

import pytest

from engine.service.access import Access
from engine.service.calls import caller_of, open_call


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ipv4:10.0.0.7:40001", "ipv4:10.0.0.7:40002", True),
        ("ipv4:10.0.0.7:40001", "ipv4:10.0.0.8:40001", False),
        ("ipv6:[2001:db8::7]:40001", "ipv6:[2001:db8::7]:40002", True),
        ("10.0.0.7:40001", "10.0.0.7:40002", True),
        # All programs of the machine have its loopback address: each connection counts for itself there.
        ("ipv4:127.0.0.1:40001", "ipv4:127.0.0.1:40002", False),
        ("ipv6:%5B::1%5D:40001", "ipv6:%5B::1%5D:40002", False),
    ],
)
def test_calls_are_counted_by_address_and_on_loopback_by_connection(one: str, other: str, same: bool) -> None:
    assert (caller_of(one) == caller_of(other)) is same


async def test_a_call_knows_whom_it_is_counted_for() -> None:
    assert open_call(Access(), "AskAgent", (), None, "ipv4:10.0.0.7:40001").caller == caller_of("ipv4:10.0.0.7:40001")
    assert open_call(Access(), "AskAgent", (), None).caller == ""
