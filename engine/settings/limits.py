"""The variables of limits on callers and connections: a part of `engine.settings`."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class LimitSettings(BaseSettings):
    """How much one caller and one connection may take. Who a caller is, `docs/identity.md` says."""

    engine_caller_rate: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="Calls a minute of one caller, a minute's worth of which may come at once; the next is refused "
        "with RESOURCE_EXHAUSTED and a retry hint. 0: no limit",
    )
    engine_caller_turns: int = Field(
        0,
        ge=0,
        le=10_000,
        description="Turns of one caller that run or wait at a time; the next is refused with RESOURCE_EXHAUSTED. 0: "
        "as many as there are places",
    )
    engine_connections: int = Field(
        0,
        ge=0,
        le=100_000,
        description="Connections that each address holds at a time; the next is closed at once. 0: half of what the "
        "limit of open files leaves, at most 4096",
    )
    engine_stall_seconds: float = Field(
        30, gt=0, le=3600, description="How long a caller may leave its stream unread before it is ended, in seconds"
    )
