"""What is awaited, and from whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.counting import dice_count

if TYPE_CHECKING:
    from collections.abc import Sequence

GO_BACK = "hold OK to go back"
HINTS = ("-/+ change  OK takes", GO_BACK)
"""What the keys do in a menu, in turn."""
THINKS = "sits out: I decide"
EVERYBODY_AWAY = "All sit out: press OK to come back."
PLAY_AGAIN = "OK: play again"


def take(position: str) -> str:
    """Which choice is shown, such as 3/9, and what the keys do."""
    return f"{f'-/+ {position}':11} OK takes"


def to_throw(seat: str, count: int) -> str:
    """Who is to throw what."""
    return f"{seat}: throw {dice_count(count)}"


def to_reveal(seat: str, count: int) -> str:
    """Who lifts the cup."""
    return f"{seat}: show {dice_count(count)}"


def to_act(seat: str) -> str:
    """Whose turn it is."""
    return f"{seat}: your turn"


def won(winners: Sequence[str]) -> str:
    """The game is over."""
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}"


def throw_line(count: int, *, for_somebody: bool) -> str:
    """The dice to throw, without the name."""
    return f"THROW {count} for them" if for_somebody else f"THROW {dice_count(count)}"


def show_line(count: int) -> str:
    """The dice to reveal, without the name."""
    return f"LIFT CUP: {dice_count(count)}"


def still_to_show(count: int) -> str:
    """All dice of a reveal that have not been read."""
    return f"or all {count} at once"
