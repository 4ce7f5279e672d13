"""Words for any game. A game's own words are in its `Words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.catalogue import tr
from games import words
from games.errors import UnknownGame
from games.registry import GAMES, find

if TYPE_CHECKING:
    from games.game import Event
    from games.match import Match

OPTIONS = {"first": tr("Who goes first")}
"""Options that any game may have."""


def title(game: str) -> str:
    """The title of a game; made from its name if the game no longer exists."""
    try:
        return find(game).title
    except UnknownGame:
        return words.titled(game)


def titles() -> list[str]:
    """The titles of all games, in the order of the registry."""
    return [game.title for game in GAMES.values()]


def option(game: str, name: str) -> str:
    """The title of an option of a game."""
    return OPTIONS.get(name) or GAMES[game].words.option(name)


def event(match: Match, event: Event) -> str:
    """What happened in a match, in one line."""
    if event["event"] == "corrected":
        dice = words.dice([(kind, face) for kind, face in event["dice"]])
        return tr("now {dice}").format(dice=dice)
    if event["event"] == "stopped":
        return tr("play on from here")
    return match.rules.words.event(event)
