"""What can become of the dice in the tray. Data only; `dicetable.throws.acceptance` decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from dicetable.ledger.entries import LyingDie
    from games.dice import Die, Kind
    from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing was thrown; `text` reminds people of what is awaited, if it is time to."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """Which dice of a reading count: the reading's time, and the numbers of the dice in it, from 0."""

    time_s: float
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """A throw beyond doubt.

    Attributes:
        dice: those that count, in the reading's order.
        baseline: all dice in the tray.
        evidence: a JPEG of the tray as it was read; empty if there is none.
        read_from: where `dice` stand in the reading; None if nobody read them.
        unseen: the numbers of the dice that count although they were not seen to roll.
        die_ids: which enrolled die each of `dice` is, if that is known; may be empty.
    """

    dice: tuple[Die, ...]
    baseline: tuple[LyingDie, ...]
    evidence: bytes = b""
    read_from: ReadFrom | None = None
    unseen: tuple[int, ...] = ()
    die_ids: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
    """A throw that another seat decides about, with one press.

    Some of its dice could not be read for sure or may not lie flat, or were not seen to roll.

    Attributes:
        dice: those that count, with their likeliest values; the value is None where none was read.
        baseline: all dice in the tray.
        unsure: the numbers of the dice whose values another seat has to confirm.
        ranks: for each of `dice`, its rank from the left among all dice in the tray, from 1.
        positions_mm: for each of `dice`, its position, if known.
        die_ids: which enrolled die each of `dice` is, if that is known.
        reading: all dice in the tray as they were read.
        read_from: where `dice` stand in the reading.
        evidence: a JPEG of the tray as it was read; empty if there is none.
        unseen: the numbers of the dice for which another seat has to vouch.
    """

    dice: tuple[tuple[Kind, int | None], ...]
    baseline: tuple[LyingDie, ...]
    unsure: tuple[int, ...]
    ranks: tuple[int, ...]
    positions_mm: tuple[tuple[float, float] | None, ...]
    die_ids: tuple[str | None, ...]
    reading: Reading
    read_from: ReadFrom
    evidence: bytes = b""
    unseen: tuple[int, ...] = ()

    @property
    def read(self) -> tuple[Die, ...]:
        """The dice that have a value: all of them, if none is unsure."""
        return tuple((kind, value) for kind, value in self.dice if value is not None)


@dataclass(frozen=True, slots=True)
class Rejected:
    """Dice that do not count; `text` says why and what to do. `reading` is all that lies in the tray."""

    text: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class Void:
    """A throw that has to be repeated whole.

    Attributes:
        text: why.
        reading: all that lies in the tray.
        fresh: the numbers of its dice in the reading.
        unread: the throw is fair, but the table cannot tell what a die shows, and has nothing to ask.
    """

    text: str
    reading: Reading
    fresh: tuple[int, ...] = ()
    unread: bool = False


Outcome: TypeAlias = Waiting | Accepted | NeedsConfirmation | Rejected | Void
