"""A game at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.catalogue import tr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = tr("Type a key, then Enter: + and - change, b goes back, m is the menu, 2+ is seat 2's +.")
ENTER_THROWS = tr("Enter alone presses OK for the seat that is asked, and throws its dice. Ctrl-D quits.")
ENTER_TAKES = tr("Enter alone presses OK for the seat that is asked. Ctrl-D quits.")
ENTER_RUNS = tr("Enter alone presses OK for the seat that is lit, such as (seat1). Ctrl-C stops the table.")
SIMULATED_PLAYERS = tr('Simulated players throw and press; with panel.driver = "keyboard" you press.')
HOW_TO_THROW = tr("Press Enter to throw the dice.")
YOU_LEFT = tr("you left")
NO_MORE_PHOTOGRAPHS = tr("no more photographs")
ENDED = tr("the game was ended")
BY_HAND = tr(" (entered by hand)")
VOUCHED = tr(" (vouched for)")
NOT_SEEN = tr(" (not seen to roll)")
NO_DICE = tr("no dice")


def under_cup(seat: str, faces: Sequence[int]) -> str:
    """What lies under somebody's own cup."""
    return tr("    (under {seat}'s cup: {faces})").format(seat=seat, faces=" ".join(map(str, sorted(faces))))


ENTER = {
    "throw": tr("throws the dice"),
    "reveal": tr("lifts the cup"),
    "act": tr("takes the choice"),
    "over": tr("ends"),
    "menu": tr("is OK"),
}
CHOICES = ("act", "menu")
CHANGES = {"+ -": tr("change it"), "Backspace": tr("goes back")}
ALWAYS = {
    "m": tr("menu"),
    "1-8": tr("next key is that seat's"),
    ":": tr("a fault"),
    "Ctrl-D": tr("leaves"),
}


def keys(asked: str) -> Mapping[str, str]:
    """What each key of the whole terminal does while a throw, a reveal, an act or a menu is asked for."""
    return {"Enter": ENTER[asked], **(CHANGES if asked in CHOICES else {}), **ALWAYS}
