"""What is awaited, and from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.catalogue import ntr, tr
from dicetable.texts.counting import dice_count, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

GO_BACK = tr("hold OK to go back")
HINTS = (tr("-/+ change  OK takes"), GO_BACK)
"""What the keys do in a menu, in turn."""
THINKS = tr("sits out: I decide")
EVERYBODY_AWAY = tr("All sit out: press OK to come back.")
PLAY_AGAIN = tr("OK: play again")


def take(position: str) -> str:
    """Which choice is shown, such as 3/9, and what the keys do."""
    return tr("{walk:11} OK takes").format(walk=f"-/+ {position}")


def to_throw(seat: str, count: int) -> str:
    """Who is to throw what."""
    return tr("{seat}: throw {dice}").format(seat=seat, dice=dice_count(count))


def to_reveal(seat: str, count: int) -> str:
    """Who lifts the cup."""
    return tr("{seat}: show {dice}").format(seat=seat, dice=dice_count(count))


def to_act(seat: str) -> str:
    """Whose turn it is."""
    return tr("{seat}: your turn").format(seat=seat)


def turn_of(seat: str) -> str:
    """Whose turn it is, in twenty characters."""
    return tr("{seat}'s turn").format(seat=seat)


def throw_in_short(seat: str, count: int) -> str:
    """Who is to throw or show how many dice, in twenty characters."""
    return tr("{seat}: {dice}").format(seat=seat, dice=dice_count(count))


def threw(seat: str, dice: str) -> str:
    """Whose dice they are."""
    return tr("{seat}: {dice}").format(seat=seat, dice=dice)


def won(winners: Sequence[str]) -> str:
    """The game is over."""
    return ntr("{winners} wins", "{winners} win", len(winners)).format(winners=joined(winners))


def throw_line(count: int, *, for_somebody: bool) -> str:
    """The dice to throw, without the name."""
    if for_somebody:
        return tr("THROW {count} for them").format(count=count)
    return tr("THROW {dice}").format(dice=dice_count(count))


def show_line(count: int) -> str:
    """The dice to reveal, without the name."""
    return tr("LIFT CUP: {dice}").format(dice=dice_count(count))


def still_to_show(count: int) -> str:
    """All dice of a reveal that have not been read."""
    return tr("or all {count} at once").format(count=count)
