"""The list of games: one line each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from games import liars_dice, money_shot, sharp, six_by_6, six_shooter, sixes
from games.errors import UnknownGame

if TYPE_CHECKING:
    from games.game import Game

GAMES: dict[str, Game[Any, Any]] = {
    game.name: game
    for game in (
        replace(six_shooter.GAME, sharp=sharp.SIX_SHOOTER),
        replace(liars_dice.GAME, sharp=sharp.LIARS_DICE),
        replace(sixes.GAME, sharp=sharp.SIXES),
        six_by_6.GAME,
        replace(money_shot.GAME, sharp=sharp.MONEY_SHOT),
    )
}


def find(name: str) -> Game[Any, Any]:
    """The game of that name, or UnknownGame."""
    if name not in GAMES:
        raise UnknownGame(f"the games are {', '.join(GAMES)}")
    return GAMES[name]
