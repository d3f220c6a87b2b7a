"""Forgetting a session for good, also while one of its turns is being made."""

from __future__ import annotations

from collections.abc import Hashable

from engine.conversation.store.locks import Leases
from engine.conversation.store.port import SessionStore
from engine.errors import NotFound


def session_key(principal: str, session_id: str) -> Hashable:
    """What the turns of a session hold a lease on."""
    return (principal, "session", session_id)


async def forget(store: SessionStore, leases: Leases, principal: str, session_id: str, *, wait: float) -> int:
    """Forgets a session; how many turns it had.

    A turn that is running in it is not stored: its session is gone when it ends. A session whose first turn is running
    has nothing to be marked by, so that turn is waited for.

    Args:
        leases: Those that the turns of the session are kept in order by.
        wait: Seconds to wait for a first turn.

    Raises:
        NotFound: There is no such session.
        SessionBusy: Its first turn is still running after `wait`.
    """
    try:
        return await store.delete(principal, session_id)
    except NotFound:
        async with leases.lease(session_key(principal, session_id), wait=wait):
            return await store.delete(principal, session_id)
