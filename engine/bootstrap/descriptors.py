"""Open files: as many as the system allows, and enough of them kept from connections for the engine's own work."""

from __future__ import annotations

import sys
from contextlib import suppress

from engine.service.limits import ServerLimits
from engine.settings import Settings

if sys.platform != "win32":
    import resource

#: For the index, the session store, models and what libraries open. An engine that only serves has some sixty.
OWN = 160
#: Connections of each address, at least and at most; and addresses.
_LEAST, _MOST = 16, 4096
_ADDRESSES = 2
#: Open files asked for where the system sets no limit.
_PLENTY = 65_536


def allowed_files() -> int:
    """How many files may be open, after the soft limit has been raised as far as the hard one allows."""
    if sys.platform == "win32":
        return _PLENTY
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _PLENTY if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    now = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _PLENTY if now == resource.RLIM_INFINITY else now


def server_limits(settings: Settings) -> ServerLimits:
    """What connections and readers of each server are held to."""
    return ServerLimits(settings.engine_connections or connections(allowed_files()), settings.engine_stall_seconds)


def connections(files: int) -> int:
    """How many connections each address may hold where so many files may be open.

    Without a bound, idle connections would take every file, and the next turn could open neither index nor store.
    """
    return min(max((files - OWN) // _ADDRESSES, _LEAST), _MOST)
