"""Odds on the phone page, in words."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

MOST: Final = 8
"""Lines that are told at most."""
RACK: Final = tr("A rack in this turn")
MEAN_SCORE: Final = tr("Points of this turn, on average")
MEAN_THROWS: Final = tr("Throws of this turn, on average")


def bid(count: int, face: int) -> str:
    """Whether a bid holds."""
    return tr("At least {count} × {face} on the table").format(count=count, face=face)


def reads(value: int) -> str:
    """A call with three fresh dice."""
    return tr("Three fresh dice read {value} or more").format(value=value)


def beats(value: int) -> str:
    """More than a call."""
    return tr("A recast of all dice beats {value}").format(value=value)


def busts(kind: str) -> str:
    """One more die."""
    return tr("Bust with a {kind}").format(kind=kind)


def peak(value: int) -> str:
    """A new peak."""
    return tr("A peak over {value}").format(value=value)


def money_shot(value: int) -> str:
    """The highest face."""
    return tr("The money shot, a {value}").format(value=value)
