"""A game at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = "Type a key, then Enter: + and - change, b goes back, m is the menu, 2+ is seat 2's +."
ENTER_THROWS = "Enter alone presses OK for the seat that is asked, and throws its dice. Ctrl-D quits."
ENTER_TAKES = "Enter alone presses OK for the seat that is asked. Ctrl-D quits."
ENTER_RUNS = "Enter alone presses OK for the seat that is lit, such as (seat1). Ctrl-C stops the table."
SIMULATED_PLAYERS = 'Simulated players throw and press; with panel.driver = "keyboard" you press.'
HOW_TO_THROW = "Press Enter to throw the dice."
YOU_LEFT = "you left"
NO_MORE_PHOTOGRAPHS = "no more photographs"
ENDED = "the game was ended"
BY_HAND = " (entered by hand)"
NO_DICE = "no dice"


def under_cup(seat: str, faces: Sequence[int]) -> str:
    """What lies under somebody's own cup."""
    return f"    (under {seat}'s cup: {' '.join(map(str, sorted(faces)))})"


ENTER = {
    "throw": "throws the dice",
    "reveal": "lifts the cup",
    "act": "takes the choice",
    "over": "ends",
    "menu": "is OK",
}
CHOICES = ("act", "menu")


def keys(asked: str) -> Mapping[str, str]:
    """What each key of the whole terminal does while a throw, a reveal, an act or a menu is asked for."""
    walk = {"+ -": "change it", "Backspace": "goes back"} if asked in CHOICES else {}
    others = {"m": "menu", "1-8": "next key is that seat's", ":": "a fault", "Ctrl-D": "leaves"}
    return {"Enter": ENTER[asked], **walk, **others}
