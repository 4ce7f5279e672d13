"""The stage of a game: what decides it now, as data that a television draws large.

A game's `Words` may bring its own; without one the stage is made of the scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from games.dice import Die
from games.requests import JsonObject

NUMBER = re.compile(r"\d+(?:\+\d+)?")


@dataclass(frozen=True, slots=True)
class Seen:
    """The material for a stage: the public state, the seat whose turn it is, the match's options.

    `shown` are the dice that seats have shown so far, while a reveal goes on.
    """

    state: JsonObject
    asked: str | None
    options: Any
    shown: tuple[Die, ...] = ()

    def seat(self, name: str | None) -> JsonObject:
        """The part of a seat in the public state; empty if there is none."""
        parts: list[JsonObject] = self.state.get("seats", [])
        return next((part for part in parts if part["seat"] == name), {})


@dataclass(frozen=True, slots=True)
class SeatStage:
    """One seat on the stage: its number, at most seven characters, and the open dice that made it.

    `out`: it is out of the current hand. `note`: a word on its acts in the hand; its standing if None.
    """

    number: str
    dice: tuple[Die, ...] = ()
    out: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """What decides the game now.

    Attributes:
        number: the deciding number, at most seven characters; may be empty.
        caption: what it is, at most twenty characters.
        dice: the dice beside it.
        slots: places for dice; those without one are drawn empty.
        tokens: how many tokens lie beside the dice, and `token` what one is.
        beside: smaller numbers, each with its caption.
        owner: the seat whose number it is; empty if it is the whole table's.
        seats: by name; a seat that is not named shows its score.
    """

    number: str = ""
    caption: str = ""
    dice: tuple[Die, ...] = ()
    slots: int = 0
    tokens: int = 0
    token: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    owner: str = ""
    seats: Mapping[str, SeatStage] = field(default_factory=dict)


def parted(score: str) -> tuple[str, str]:
    """A score as its number and the rest: `12 chips` becomes `12` and `chips`."""
    found = NUMBER.search(score)
    if found is None:
        return "", score
    return found[0], " ".join((score[: found.start()] + score[found.end() :]).split())
