"""The list of games: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games import six_by_6
from games.errors import UnknownGame

if TYPE_CHECKING:
    from games.game import Game

GAMES: dict[str, Game[Any, Any]] = {
    game.name: game
    for game in (
        six_by_6.GAME,
    )
}  # fmt: skip


def find(name: str) -> Game[Any, Any]:
    """The game of that name, or UnknownGame."""
    if name not in GAMES:
        raise UnknownGame(f"the games are {', '.join(GAMES)}")
    return GAMES[name]
