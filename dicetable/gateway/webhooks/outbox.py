"""What waits to be delivered to one address: bounded in number, time and tries. Pure; time is given."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MOST: Final = 100
FIRST_RETRY_S: Final = 1.0
LAST_RETRY_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """One body on its way; `id` is the same at each try."""

    id: str
    body: bytes
    until_s: float
    """After this it is of no use any more."""


@dataclass(slots=True)
class WebhookOutbox:
    """Deliveries in order: the oldest is tried again and again, with growing pauses, until it is too old.

    Attributes:
        dropped: deliveries that were given up, or had to make room.
        next_s: the first is not to be tried before.
    """

    waiting: deque[Delivery] = field(default_factory=deque)
    delivered: int = 0
    dropped: int = 0
    next_s: float = float("-inf")
    pause_s: float = 0.0

    def put(self, delivery: Delivery) -> None:
        """One more; the oldest makes room for it if there are too many."""
        if len(self.waiting) >= MOST:
            self.waiting.popleft()
            self.dropped += 1
        self.waiting.append(delivery)

    def due(self, now_s: float) -> Delivery | None:
        """What is to be tried now; None if nothing is."""
        while self.waiting and self.waiting[0].until_s <= now_s:
            self.waiting.popleft()
            self.dropped += 1
        return self.waiting[0] if self.waiting and self.next_s <= now_s else None

    def until_due_s(self, now_s: float) -> float | None:
        """How long nothing can be due; None if nothing waits."""
        return max(0.0, self.next_s - now_s) if self.waiting else None

    def arrived(self, delivery: Delivery) -> None:
        """It was taken."""
        self.delivered += 1
        self.remove(delivery)
        self.next_s, self.pause_s = float("-inf"), 0.0

    def refused(self, delivery: Delivery) -> None:
        """It was refused for good."""
        self.dropped += 1
        self.remove(delivery)

    def failed(self, now_s: float) -> None:
        """Nobody took it; it is tried again after a pause."""
        self.pause_s = min(max(2 * self.pause_s, FIRST_RETRY_S), LAST_RETRY_S)
        self.next_s = now_s + self.pause_s

    def remove(self, delivery: Delivery) -> None:
        """It waits no more, if it still did."""
        if self.waiting and self.waiting[0] is delivery:
            self.waiting.popleft()
