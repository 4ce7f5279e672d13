"""How often somebody may ask: token buckets, one for each name, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_NAMES: Final = 500
"""Names that are remembered; of more, those that asked longest ago are forgotten."""


class Limit:
    """Lets each name through `burst` times at once, and then once every `every_s` seconds."""

    def __init__(self, now_s: Callable[[], float], burst: int, every_s: float) -> None:
        self.now_s = now_s
        self.burst = burst
        self.every_s = every_s
        self.left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str) -> bool:
        """Whether this name may ask once more now; if so, that counts."""
        now_s = self.now_s()
        left, since_s = self.left.pop(name, (float(self.burst), now_s))
        left = min(float(self.burst), left + (now_s - since_s) / self.every_s)
        allowed = left >= 1.0
        self.left[name] = (left - 1.0 if allowed else left, now_s)
        while len(self.left) > MOST_NAMES:
            self.left.popitem(last=False)
        return allowed
