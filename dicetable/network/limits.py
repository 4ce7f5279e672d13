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
        return self.wait_s(name, 0.0) == 0.0

    def wait_s(self, name: str, longest_s: float) -> float:
        """How long until this name may ask once more; that counts, unless it is longer than `longest_s`."""
        left = self.left_of(name)
        wait_s = max(0.0, 1.0 - left) * self.every_s
        self.left.pop(name, None)
        self.left[name] = (left - 1.0 if wait_s <= longest_s else left, self.now_s())
        while len(self.left) > MOST_NAMES:
            self.left.popitem(last=False)
        return wait_s

    def left_of(self, name: str) -> float:
        """How often this name may ask now."""
        now_s = self.now_s()
        left, since_s = self.left.get(name, (float(self.burst), now_s))
        return min(float(self.burst), left + (now_s - since_s) / self.every_s)
