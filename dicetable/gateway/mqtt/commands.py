"""What the broker may ask for where the config allows it: pause, play on, a message on the screen."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from dicetable.gateway.link import BusyError
from dicetable.gateway.mqtt import topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.gateway.link import TableLink

LONGEST_MESSAGE: Final = 200
KINDS: Final = {"ON": "operator_pause", "OFF": "operator_resume"}
"""What the table is asked for, by the payload of the topic."""

log = logging.getLogger(__name__)


class Commands:
    """Carries out what comes in. `show` puts a text on every screen; an empty one takes it away."""

    def __init__(self, control: TableLink, show: Callable[[str], None]) -> None:
        self.control = control
        self.show = show

    async def take(self, topic: str, own: str, payload: bytes) -> None:
        """One message; `own` is what all topics of this table begin with."""
        text = payload.decode(errors="replace").strip()
        if topic == topics.message(own):
            self.show("".join(c if c.isprintable() else " " for c in text)[:LONGEST_MESSAGE])
        elif topic == topics.pause(own) and text.upper() in KINDS:
            await self.ask(KINDS[text.upper()])
        else:
            log.warning("command=refused topic=%r payload=%r", topic[:100], text[:40])

    async def ask(self, kind: str) -> None:
        """Asks the table."""
        try:
            answer = await self.control.ask(kind, {})
        except BusyError:
            log.warning("command=%s why='the table does not answer'", kind)
            return
        if not answer.accepted:
            log.warning("command=%s why=%r", kind, answer.sentence)
