"""What a session stores, and the Protocol of where it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from classifier.decision import Layer, QueryType
from engine.domain import Action, Evidence, Outcome, PlanMode, Rating, Relation, Usage


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn as it is stored: everything that history, intent lines, the ledger and the labels are derived from.

    Attributes:
        sequence: From 1, without gaps; 0 before it is stored.
        request_id: The caller's; empty when it gave none.
        fingerprint: Of what was asked under that id; empty where it is not known.
        shown: Numbers of the evidence given to the generator.
        cited: Numbers of the evidence that the answer cites, in order of appearance: the first is `[1]` in `answer`.
        corrected_type: What a person said the type should have been.
        corrected_relation: The same of its relation.
        rating: What a person thinks of the answer, and why in `rating_reason`; None: nobody said.
        extra_context: What the platform said of the account beside it, for the follow-ups; see `records.held`.
        timings: Milliseconds by stage.
        created_at: Unix seconds.
    """

    turn_id: str
    principal: str
    session_id: str
    query: str
    answer: str
    type: QueryType
    layer: Layer
    outcome: Outcome
    created_at: float
    sequence: int = 0
    request_id: str = ""
    fingerprint: str = ""
    confidence: float = 0.0
    runner_up: QueryType | None = None
    runner_up_confidence: float = 0.0
    reason: str = ""
    editor: bool = False
    artifact_id: str = ""
    relation: Relation | None = None
    action: Action = Action.NONE
    plan_mode: PlanMode = PlanMode.DIRECT_LLM
    search_query: str = ""
    searches: int = 0
    model: str = ""
    shown: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()
    usage: Usage = Usage()
    timings: dict[str, float] = field(default_factory=dict)
    corrected_type: QueryType | None = None
    corrected_relation: Relation | None = None
    relation_confidence: float = 0.0
    relation_reason: str = ""
    extra_context: str = ""
    rating: Rating | None = None
    rating_reason: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The part of a session that a turn needs.

    Attributes:
        recent: The last turns, oldest first.
        turns: How many turns the session has in all.
        last_number: The highest evidence number given out so far.
        created_at: When the session began, in Unix seconds; None: there is none yet.
    """

    recent: tuple[TurnRecord, ...] = ()
    turns: int = 0
    last_number: int = 0
    created_at: float | None = None


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list; `name` is empty where nobody gave it one."""

    session_id: str
    turns: int
    first_query: str
    created_at: float
    updated_at: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of sessions; `next_token` is empty on the last one."""

    sessions: tuple[SessionSummary, ...]
    next_token: str = ""


class Said(NamedTuple):
    """What was said in a turn: what a recall looks through, of all turns of a session.

    Attributes:
        cites: Whether the answer cites anything.
    """

    sequence: int
    query: str
    answer: str
    type: QueryType
    outcome: Outcome
    relation: Relation | None
    cites: bool

    @classmethod
    def of(cls, turn: TurnRecord) -> Said:
        """Of a turn that has been read whole."""
        cites = bool(turn.cited)
        return cls(turn.sequence, turn.query, turn.answer, turn.type, turn.outcome, turn.relation, cites)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session with its evidence by number; or a page of it, with what its turns cite.

    Attributes:
        more: Whether turns follow behind the last one here.
        name: What a person called it.
    """

    session_id: str
    turns: tuple[TurnRecord, ...]
    evidence: dict[int, Evidence]
    created_at: float
    updated_at: float
    more: bool = False
    name: str = ""


class SessionStore(Protocol):
    """Remembers turns.

    Promise: never blocks the event loop. What `append` has returned from survives kill -9. A read sees whole turns
    only. Everything is keyed by principal first: what belongs to another principal does not exist. Raises
    `DependencyUnavailable("database", ...)` when the store cannot be asked; a cancelled call may still take effect.
    """

    async def load(self, principal: str, session_id: str, *, turns: int) -> Conversation:
        """The last `turns` turns of a session; an empty conversation when there is none."""
        ...

    async def append(
        self, record: TurnRecord, new_evidence: Sequence[Evidence] = (), *, began: float | None = None
    ) -> TurnRecord:
        """Stores a turn behind the session's last one and returns it with its sequence. All of it or nothing.

        Args:
            record: The turn; its sequence is not looked at.
            new_evidence: What it shows and the session was not shown before, numbered. Where another turn has taken
                such a number meanwhile, or the passage has one by now, the turn is stored with its own.
            began: `Conversation.created_at` of the session that the turn continues; None: it is stored in any case.

        Raises:
            NotFound: The session that the turn continues has been forgotten since; nothing is stored.
        """
        ...

    async def known_numbers(self, principal: str, session_id: str, passage_ids: Sequence[str]) -> dict[str, int]:
        """The numbers of those passages that the session has been shown, by passage id."""
        ...

    async def evidence(self, principal: str, session_id: str, numbers: Sequence[int]) -> list[Evidence]:
        """Evidence by number, in the order asked; unknown numbers are left out."""
        ...

    async def first(self, principal: str, session_id: str) -> TurnRecord | None:
        """The first turn of a session."""
        ...

    async def told(self, principal: str, session_id: str, *, after: int, before: int) -> list[Said]:
        """What was said between the turns of the sequences `after` and `before`, oldest first."""
        ...

    async def turns(self, principal: str, session_id: str, sequences: Sequence[int]) -> list[TurnRecord]:
        """Those turns of a session that are there, oldest first."""
        ...

    async def find_request(self, principal: str, request_id: str) -> TurnRecord | None:
        """The turn that was stored for the caller's request id."""
        ...

    async def session(
        self, principal: str, session_id: str, *, size: int | None = None, after: int = 0
    ) -> StoredSession:
        """A session, oldest turn first. Raises `NotFound`.

        Args:
            size: Turns at most; None: all.
            after: The sequence of the last turn of the page before.
        """
        ...

    async def sessions(self, principal: str, *, size: int, token: str = "") -> SessionPage:
        """A page of sessions, the most recently used first. Raises `InvalidInput` for a token it did not make."""
        ...

    async def delete(self, principal: str, session_id: str) -> int:
        """Forgets a session; how many turns it had. Raises `NotFound`."""
        ...

    async def correct(
        self, principal: str, turn_id: str, type_: QueryType | None = None, relation: Relation | None = None
    ) -> TurnRecord:
        """Sets a turn's right type and relation as a person gave them; None stays as it is. Raises `NotFound`."""
        ...

    async def rate(self, principal: str, turn_id: str, rating: Rating | None, reason: str) -> TurnRecord:
        """Sets what a person thinks of a turn's answer; None takes it back. Raises `NotFound`."""
        ...

    async def rename(self, principal: str, session_id: str, name: str) -> None:
        """Gives a session a name; an empty one takes it back. Raises `NotFound`."""
        ...

    async def purge(self, before: float) -> int:
        """Forgets the sessions last used before `before` (Unix seconds); how many."""
        ...

    async def every_turn(self, *, size: int, after: TurnRecord | None = None) -> list[TurnRecord]:
        """The next `size` turns of all principals, for the operator's own work: labels and replays.

        In a fixed order in which the turns of one session follow each other by sequence.

        Args:
            after: The last turn of the page before; None begins. It need not be stored any more.
        """
        ...

    async def sessions_since(self, when: float) -> int:
        """How many sessions of all principals began after `when` (Unix seconds)."""
        ...

    async def ping(self) -> None:
        """Returns when the store can be asked."""
        ...

    async def close(self) -> None:
        """Gives back what it holds. Idempotent."""
        ...
