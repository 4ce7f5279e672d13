"""What the displays that are paired show over their page for a while: codes, and what they are for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST: Final = 12


@dataclass(frozen=True, slots=True)
class Notice:
    """A line that says what it is, and a code."""

    title: str
    code: str
    until_s: float


class Board:
    """The notices; `news` is set, and replaced, whenever they change."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.notices: dict[str, Notice] = {}
        self.news = asyncio.Event()

    def show(self, name: str, notice: Notice) -> None:
        """Shows a notice; one of the same name goes away."""
        self.notices[name] = notice
        while len(self.notices) > MOST:
            del self.notices[next(iter(self.notices))]
        self.tell()

    def hide(self, name: str) -> None:
        """Takes a notice away."""
        if self.notices.pop(name, None) is not None:
            self.tell()

    def shown(self) -> list[dict[str, str]]:
        """What is to be seen now."""
        now_s = self.now_s()
        self.notices = {name: each for name, each in self.notices.items() if each.until_s > now_s}
        return [{"title": notice.title, "code": notice.code} for notice in self.notices.values()]

    def tell(self) -> None:
        """Wakes all who wait for news."""
        self.news.set()
        self.news = asyncio.Event()
