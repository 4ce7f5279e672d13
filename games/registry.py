"""The list of games: one line each."""

from dataclasses import replace
from importlib import import_module
from typing import Any

from games import sharp
from games.errors import UnknownGame
from games.game import Game, Sharp


def game(module: str, player: Sharp | None = None) -> Game[Any, Any]:
    """The game of a module in this package; `player` is the module of its sharp player, if it has one."""
    rules: Game[Any, Any] = import_module(f"games.{module}").GAME
    return rules if player is None else replace(rules, sharp=player)


GAMES: dict[str, Game[Any, Any]] = {
    rules.name: rules
    for rules in (
        game("six_shooter", sharp.SIX_SHOOTER),
        game("liars_dice", sharp.LIARS_DICE),
        game("sixes", sharp.SIXES),
        game("six_by_6"),
        game("money_shot", sharp.MONEY_SHOT),
        game("rolls"),
        game("ten_thousand"),
        game("yacht"),
        game("ship_captain_crew"),
        game("mexico"),
        game("mia"),
        game("midnight"),
        game("shut_the_box"),
        game("bar_dice"),
    )
}
FAIRNESS: Game[Any, Any] = game("fairness")
"""A test of dice: it runs as a game does, but is not among the games that people can play."""


def add(game: Game[Any, Any]) -> None:
    """Adds a game from outside to the list. Raises ValueError if its name is taken."""
    if game.name in (*GAMES, FAIRNESS.name, "each"):  # `simulate --game each` plays all of them
        raise ValueError(game.name)
    GAMES[game.name] = game


def find(name: str) -> Game[Any, Any]:
    if name == FAIRNESS.name:
        return FAIRNESS
    if name not in GAMES:
        raise UnknownGame(f"the games are {', '.join(GAMES)}")
    return GAMES[name]
