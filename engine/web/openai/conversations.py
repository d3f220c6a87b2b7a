"""Which session a chat belongs to: its client sends the whole conversation each time, and names no session.

An answer is remembered with the conversation that led to it. The next request has both as its history, and goes on
with that session, as long as nothing else was said there. A history that is not known (another process answered it, or
the client wrote it, or changed it) becomes a session of its own first, turn by turn. No layer of the router stands
behind the types of such turns, so nothing is learned from them.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence

from classifier.decision import Layer, Query, QueryType
from engine.answering.ports import Router
from engine.conversation.history import WINDOW
from engine.conversation.store.port import SessionStore, TurnRecord
from engine.domain import Outcome
from engine.web.openai.forms import SOURCES, Exchanged

#: Conversations whose session is remembered.
_KNOWN = 10_000
#: Turns whose type matters for what comes next.
_ROUTED = 3
#: What a stored turn says about its type when a client told of it.
REASON = "client_history"


class Conversations:
    """Finds the session of a conversation.

    Args:
        now: Unix time, seconds.
        new_id: Makes ids of sessions and turns.
    """

    def __init__(
        self,
        store: SessionStore,
        router: Router,
        *,
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._store = store
        self._router = router
        self._now = now
        self._new_id = new_id
        self._known: OrderedDict[bytes, tuple[str, int]] = OrderedDict()

    async def session_of(self, principal: str, before: Sequence[Exchanged], *, platform: bool = True) -> str:
        """The session in which exactly `before` was said; a new one for a new conversation.

        Args:
            principal: Whose it is.
            before: Oldest first.
            platform: Whether the caller may speak as the platform.
        """
        if not before:
            return self._new_id()
        known = self._known.get(_digest(principal, before))
        if known is not None:
            session, turns = known
            if (await self._store.load(principal, session, turns=1)).turns == turns:
                return session
        return await self._made(principal, before[-WINDOW:], platform=platform)

    async def remember(self, principal: str, said: Sequence[Exchanged], session: str) -> None:
        """Keeps in mind that `said` is what the session has."""
        turns = (await self._store.load(principal, session, turns=1)).turns
        self._known[_digest(principal, said)] = (session, turns)
        if len(self._known) > _KNOWN:
            self._known.popitem(last=False)

    async def _made(self, principal: str, before: Sequence[Exchanged], *, platform: bool) -> str:
        """A new session in which `before` was said."""
        session = self._new_id()
        for place, one in enumerate(before, start=1):
            recent = place > len(before) - _ROUTED
            query = Query(one.query, platform=platform)
            type_ = (await self._router.decide(query)).type if recent else QueryType.RETRIEVAL
            record = TurnRecord(
                turn_id=self._new_id(),
                principal=principal,
                session_id=session,
                query=one.query,
                answer=one.answer.partition(SOURCES)[0],
                type=type_,
                layer=Layer.DEFAULT,
                reason=REASON,
                outcome=Outcome.COMPLETE,
                created_at=self._now(),
            )
            await self._store.append(record)
        return session


def _digest(principal: str, said: Sequence[Exchanged]) -> bytes:
    """Names a conversation; white space at the ends, which clients trim, does not count."""
    digest = hashlib.sha256(principal.encode("utf-8", "surrogatepass"))
    for one in said:
        for text in (one.query, one.answer):
            written = text.strip().encode("utf-8", "surrogatepass")
            digest.update(len(written).to_bytes(8, "big") + written)
    return digest.digest()
