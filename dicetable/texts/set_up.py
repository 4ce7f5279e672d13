"""Between games: choosing one, and who plays."""

from __future__ import annotations

from typing import Any

ATTRACT = ("     DICE TABLE     ", "", "  Press any button  ", "      to play       ")
LAST_WON = "Last winners:"

CHOOSE_GAME = "Which game?"
WHO_PLAYS = "Who plays? Press OK"

START = "START"
NAMES = "Names"
NO_LIMIT = "no end"
BY_CHANCE = "by chance"

LETTER = "-/+ letter, OK next"
NAME_DONE = "END"
SAME_NAME = "Somebody has that name already."


def seats_needed(fewest: int, most: int, there: int) -> str:
    """How many can play, and how many do."""
    return f"{there} in, {fewest} to {most} play"


def players(fewest: int, most: int) -> str:
    """How many can play."""
    return f"{fewest} to {most} players"


def not_enough(fewest: int, most: int) -> str:
    """Too few seats have joined, or too many."""
    return f"This game is for {fewest} to {most} players."


def option_value(option: str, value: Any) -> str:
    """The value of an option; there is none where it is by chance, or without end."""
    if value is None:
        return BY_CHANCE if option == "first" else NO_LIMIT
    return str(value)


def goes_on(place: int) -> str:
    """Who goes on once all are there."""
    return f"Seat {place} OK: go on"


def seat_name(place: int) -> str:
    """Who sits there if nobody gave a name."""
    return f"Seat {place}"


def name_of(place: int) -> str:
    """Over the letters of a name."""
    return f"Name of seat {place}"
