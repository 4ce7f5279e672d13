"""When the eye's process is started, given up and started again. Pure: what happened and the time come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

STARTING_S: Final = 30.0
"""From its start to its first sign of life; loading the libraries on a slow card takes some seconds."""
FRAME_DEADLINE_S: Final = 3.0
"""Between two signs of life. The eye gives one between two dice, so this is about progress, not about speed:
a machine that takes half a minute for a frame of many dice is slow, and not stuck.

Time that the eye waited for a processor does not count: a busy machine is no hang.
"""
LONGEST_SILENCE_S: Final = 30.0
"""However busy the machine is, an eye that is silent for longer is killed."""
MOST_RESIDENT_BYTES: Final = 400 * 2**20
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 5.0
PROVEN_S: Final = 2.0
"""An eye that dies later than this after its first sign of life is restarted at once."""


@dataclass(slots=True)
class Supervision:
    """One child at a time.

    Attributes:
        restart_s: when the next child starts, while there is none.
        started_s: when the child was started; None while there is none.
        first_sign_s: its first sign of life.
        last_sign_s: its last.
        waited_s: how long the child had waited for a processor by then.
    """

    restart_s: float = float("-inf")
    started_s: float | None = None
    first_sign_s: float | None = None
    last_sign_s: float = 0.0
    waited_s: float = 0.0
    pause_s: float = 0.0

    def to_start(self, now_s: float) -> bool:
        """Whether to start a child now."""
        return self.started_s is None and now_s >= self.restart_s

    def started(self, now_s: float) -> None:
        """A child was started."""
        self.started_s, self.first_sign_s = now_s, None

    def sign(self, now_s: float, waited_s: float = 0.0) -> None:
        """The child gave a sign of life; it has waited so long for a processor since it was started."""
        self.last_sign_s, self.waited_s = now_s, waited_s
        if self.first_sign_s is None:
            self.first_sign_s = now_s

    def hangs(self, now_s: float, waited_s: float = 0.0) -> bool:
        """Whether the child has missed its deadline, not counting the time it waited for a processor."""
        if self.started_s is None:
            return False
        if self.first_sign_s is None:
            return now_s - self.started_s > STARTING_S
        silent_s = now_s - self.last_sign_s
        return silent_s - (waited_s - self.waited_s) > FRAME_DEADLINE_S or silent_s > LONGEST_SILENCE_S

    def grows(self, resident_bytes: int) -> bool:
        """Whether the child has grown beyond what an eye needs."""
        return resident_bytes > MOST_RESIDENT_BYTES

    def ended(self, now_s: float) -> None:
        """The child is gone: the next one starts at once, or after a pause if this one did not last."""
        proven = self.first_sign_s is not None and now_s - self.first_sign_s >= PROVEN_S
        self.pause_s = 0.0 if proven else min(max(2 * self.pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self.started_s = self.first_sign_s = None
        self.restart_s = now_s + self.pause_s
