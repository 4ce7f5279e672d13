"""The list of games: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games import liars_dice, money_shot, six_by_6, six_shooter, sixes
from games.errors import UnknownGame

if TYPE_CHECKING:
    from games.game import Game

GAMES: dict[str, Game[Any, Any]] = {
    game.GAME.name: game.GAME
    for game in (
        six_shooter,
        liars_dice,
        sixes,
        six_by_6,
        money_shot,
    )
}


def find(name: str) -> Game[Any, Any]:
    """The game of that name, or UnknownGame."""
    if name not in GAMES:
        raise UnknownGame(f"the games are {', '.join(GAMES)}")
    return GAMES[name]
