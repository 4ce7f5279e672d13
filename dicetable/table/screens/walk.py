"""The one menu of every game: − and + walk through items and one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

LONG = 40
"""Only through longer lists do keys that are held go by more than one at a time."""


class Walk(Generic[T]):
    """A cursor over `items`, at least one."""

    def __init__(self, items: Sequence[T], at: int = 0) -> None:
        self.items = items
        self.at = at

    @property
    def current(self) -> T:
        """The item that is shown."""
        return self.items[self.at]

    @property
    def position(self) -> str:
        """`3/9`: which item is shown, and of how many."""
        return f"{self.at + 1}/{len(self.items)}"

    def step(self, by: int) -> None:
        """Goes on: a single step round the end, a larger one up to it."""
        count = len(self.items)
        if abs(by) == 1 or count <= LONG:
            self.at = (self.at + (1 if by > 0 else -1)) % count
        else:
            self.at = min(max(self.at + by, 0), count - 1)
