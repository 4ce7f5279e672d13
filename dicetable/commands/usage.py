"""Checks of command-line values."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.commands.complaint import complain

if TYPE_CHECKING:
    from collections.abc import Iterator


class GameNames:
    """The names of all games as choices of an argument, loaded only when needed.

    `also` are further choices. This way `dicetable --help` does not load the rules of any game.
    """

    def __init__(self, *also: str) -> None:
        self.also = also

    def __iter__(self) -> Iterator[str]:
        from games.registry import GAMES

        return iter((*GAMES, *self.also))

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)


def require(command: str, option: str, value: int, low: int, high: int) -> None:
    """Returns if low ≤ value ≤ high, else ends the program with a usage error."""
    if not low <= value <= high:
        complain(f"dicetable {command}: {option} {value}: must be from {low} to {high}")
        raise SystemExit(2)


def named_path(text: str) -> Path:
    """The path that an option names; an empty one is an error."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty: leave the option out, or name a file or folder")
    return Path(text)
