"""Between games: choosing one, and who plays."""

from __future__ import annotations

from typing import Any

from dicetable.texts.catalogue import tr

ATTRACT = (tr("     DICE TABLE     "), "", tr("  Press any button  "), tr("      to play       "))
LAST_WON = tr("Last winners:")

CHOOSE_GAME = tr("Which game?")
WHO_PLAYS = tr("Who plays? Press OK")

START = tr("START")
NAMES = tr("Names")
NO_LIMIT = tr("no limit")
BY_CHANCE = tr("by chance")

LETTER = tr("-/+ letter, OK next")
NAME_DONE = tr("END")
SAME_NAME = tr("That name is taken.")


def seats_needed(fewest: int, most: int, there: int) -> str:
    """How many can play, and how many do."""
    return tr("{there} in, {fewest} to {most} play").format(there=there, fewest=fewest, most=most)


def players(fewest: int, most: int) -> str:
    """How many can play."""
    return tr("{fewest} to {most} players").format(fewest=fewest, most=most)


def not_enough(fewest: int, most: int) -> str:
    """Too few seats have joined, or too many."""
    return tr("This game is for {fewest} to {most} players.").format(fewest=fewest, most=most)


def option_value(option: str, value: Any) -> str:
    """The value of an option; there is none where it is by chance, or without end."""
    if value is None:
        return BY_CHANCE if option == "first" else NO_LIMIT
    return str(value)


def goes_on(seat: int) -> str:
    """Who goes on once all are there."""
    return tr("Seat {seat} OK: go on").format(seat=seat)


def seat_name(seat: int) -> str:
    """Who sits there if nobody gave a name."""
    return tr("Seat {seat}").format(seat=seat)


def name_of(seat: int) -> str:
    """Over the letters of a name."""
    return tr("Name of seat {seat}").format(seat=seat)
