"""The board of the evening: who has won how often since the table last stood idle for hours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.requests import JsonObject

EVENING_S: Final = 6 * 3600.0
"""The board is cleared once the ledger has been silent for this long."""
MOST_NAMES: Final = 5


class Board:
    """Counts games, dice and wins from the table's events, in the order of the ledger."""

    def __init__(self) -> None:
        self.games = self.dice = 0
        self.wins: Counter[str] = Counter()

    def follow(self, events: Iterable[JsonObject]) -> None:
        """Counts what happened."""
        for event in events:
            if event["event"] == "throw":
                self.dice += len(event["dice"])
            elif event["event"] == "game_over":
                self.games += 1
                self.wins.update(event["winners"])

    def to_json(self) -> JsonObject | None:
        """The board; None until a game is over."""
        if not self.games:
            return None
        best = sorted(self.wins.items(), key=lambda each: -each[1])[:MOST_NAMES]
        return {
            "games": self.games,
            "dice": self.dice,
            "wins": [{"name": name, "wins": wins} for name, wins in best],
        }
