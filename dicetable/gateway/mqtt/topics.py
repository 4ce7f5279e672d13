"""The topics of a table; all begin with its own."""

from __future__ import annotations


def availability(topic: str) -> str:
    """`online` while gateway and table are there, else `offline`; retained."""
    return f"{topic}/availability"


def state(topic: str) -> str:
    """How the table stands, JSON; retained."""
    return f"{topic}/state"


def event(topic: str, kind: str) -> str:
    """What happens, JSON; never retained."""
    return f"{topic}/event/{kind}"


def pause(topic: str) -> str:
    """`ON` pauses the game, `OFF` goes on with it."""
    return f"{topic}/pause/set"


def message(topic: str) -> str:
    """A text for the screen."""
    return f"{topic}/message/set"


def device(prefix: str, topic: str) -> str:
    """Where Home Assistant looks for the discovery message; retained."""
    return f"{prefix}/device/dicetable_{topic}/config"
