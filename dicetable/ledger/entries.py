"""What the table writes down before it does or shows anything: entries, their JSON, and where they go.

The state of the table is the fold of its entries, so that it can be cut off at any instant and come back.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config

from games.dice import Die, Kind
from games.house import Strength
from vision.reading import Box

STRICT = ConfigDict(extra="ignore", strict=True)
"""A field that is not known is of a later version."""

PanelSeat: TypeAlias = Annotated[int, Field(ge=1, le=8)]
"""A seat of the panel, 1 … 8."""

PanelSeats: TypeAlias = Annotated[tuple[PanelSeat, ...], Field(max_length=8)]

HouseSeats: TypeAlias = Annotated[tuple[tuple[PanelSeat, Strength], ...], Field(max_length=7)]
"""The panel's seats at which the house plays, and how well."""

Millimetres: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]

PositionMm: TypeAlias = tuple[Millimetres, Millimetres]
"""The place x, y in the plane of the tray, rounded to tenths of a millimetre."""

DieId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
"""An enrolled die."""


@dataclass(frozen=True, slots=True)
class LyingDie:
    """A die that lay in the tray, as it was seen.

    Attributes:
        kind, value: None where they could not be read.
        box: in the picture, pixels.
        position_mm: centre of its top face; None without a calibrated tray.
        die_id: which enrolled die it is; None if it is none or not known.
    """

    kind: Kind | None
    value: int | None
    box: Box
    position_mm: PositionMm | None = None
    die_id: DieId | None = None


DiceInTray: TypeAlias = Annotated[tuple[LyingDie, ...], Field(max_length=500)] | None
"""All dice in the tray; None if the tray could not be seen."""

ThrownDice: TypeAlias = Annotated[tuple[Die, ...], Field(min_length=1, max_length=500)]


@dataclass(frozen=True, slots=True)
class DieDetails:
    """Facts about an accepted die beyond its kind and value.

    Attributes:
        position_mm: centre of its top face; None without a calibrated tray.
        die_id: which enrolled die it is; None if it is none or not known.
        confirmed_by: the panel's seat whose OK accepted the value, "nobody" where there was no other seat to
            ask; None if the reading was sure.
        proposed: the value that the table proposed for confirmation; None if the reading was sure.
        vouched_by: the panel's seat that vouched for a die that was not seen to roll, "nobody" if it counted
            without; None if it was seen to roll, or the table does not look at how dice come.
    """

    position_mm: PositionMm | None = None
    die_id: DieId | None = None
    confirmed_by: PanelSeat | Literal["nobody"] | None = None
    proposed: int | None = None
    vouched_by: PanelSeat | Literal["nobody"] | None = None


Details: TypeAlias = Annotated[tuple[DieDetails, ...], Field(max_length=500)]
"""One for each of `dice`, in their order; empty if nothing more is known of any."""

Numbers: TypeAlias = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(max_length=500)]
"""Which of `lying` each of `dice` is, from 0; empty if the dice were not read."""


def check_dice(
    dice: tuple[Die, ...], lying: DiceInTray, numbers: tuple[int, ...], details: tuple[DieDetails, ...]
) -> None:
    if details and len(details) != len(dice):
        raise ValueError(f"details of {len(details)} dice for {len(dice)}")
    if numbers and (len(numbers) != len(dice) or max(numbers) >= len(lying or ())):
        raise ValueError(f"numbers {numbers} of {len(lying or ())} dice in the tray, for {len(dice)}")


@dataclass(frozen=True, slots=True)
class Opened:
    """A game begins.

    Attributes:
        game, seats, options, seed: as `games.match.Match.new` takes them; `seats` are names.
        draws: what the seed gave, as the match's opening has it.
        panel_seats: the panel's seat of each of `seats`.
        lying: the dice that lay in the tray before anybody threw.
        frames_by: who brought the pictures, if that was another process than the eye: the table trusted it.
        house_rules: the name under which the house has these options; None if it has none.
        house: the seats for which the table decides and other players throw.
    """

    game: str
    seats: Annotated[tuple[str, ...], Field(max_length=8)]
    options: dict[str, Any]
    seed: int
    draws: Annotated[tuple[int, ...], Field(max_length=100)]
    panel_seats: PanelSeats
    lying: DiceInTray
    frames_by: Literal["gateway"] | None = None
    house_rules: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    house: HouseSeats = ()
    entry: Literal["opened"] = "opened"

    @property
    def house_by_name(self) -> dict[str, Strength]:
        """How well the house plays at each of its seats, by their names."""
        names = dict(zip(self.panel_seats, self.seats, strict=False)) if self.house else {}
        return {names[seat]: strength for seat, strength in self.house if seat in names}


@dataclass(frozen=True, slots=True)
class Decided:
    """A seat acted; `by_table` if it is the house's, or sits out and the table acted for it."""

    seat: str
    action: dict[str, Any]
    by_table: bool = False
    entry: Literal["decided"] = "decided"


@dataclass(frozen=True, slots=True)
class Thrown:
    """The dice that the prompt asked for were taken: a throw, or all dice of a reveal at once.

    Attributes:
        dice: those that count.
        lying: all dice in the tray, old and new.
        numbers: which of `lying` each of `dice` is; empty if entered by hand, or by an earlier version.
        by_hand: entered at the panel instead of read.
        by: the panel's seats that entered and confirmed them.
        details: of each of `dice`, or empty.
    """

    dice: ThrownDice
    lying: DiceInTray
    numbers: Numbers = ()
    by_hand: bool = False
    by: PanelSeats = ()
    details: Details = ()
    entry: Literal["thrown"] = "thrown"

    def __post_init__(self) -> None:
        check_dice(self.dice, self.lying, self.numbers, self.details)


@dataclass(frozen=True, slots=True)
class Revealed:
    """One seat's dice of a reveal; the match takes them together with those of the other seats."""

    seat: str
    dice: ThrownDice
    lying: DiceInTray
    numbers: Numbers = ()
    details: Details = ()
    entry: Literal["revealed"] = "revealed"

    def __post_init__(self) -> None:
        check_dice(self.dice, self.lying, self.numbers, self.details)


@dataclass(frozen=True, slots=True)
class Corrected:
    """The throw that led to `revision` really showed `dice`, as the panel's seats in `by` confirm."""

    revision: int
    dice: ThrownDice
    by: PanelSeats
    entry: Literal["corrected"] = "corrected"


class Sitting(StrEnum):
    """Whether a player plays."""

    PLAYS = "plays"
    SITS_OUT = "sits_out"
    JOINS_NEXT = "joins_next"
    LEAVES = "leaves"


@dataclass(frozen=True, slots=True)
class Sat:
    """A player at a seat of the panel sits out, comes back, leaves, or joins the next game."""

    panel_seat: PanelSeat
    name: str
    how: Sitting
    entry: Literal["sat"] = "sat"


class Ending(StrEnum):
    """How a game was closed."""

    OVER = "over"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Closed:
    """The game is over, or was ended early."""

    why: Ending
    entry: Literal["closed"] = "closed"


class Cause(StrEnum):
    """Why a new epoch of the ledger begins."""

    REPAIR = "repair"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class OldHead:
    """The last row of an epoch: its number and its checksum, in hexadecimal digits."""

    number: int
    checksum: str


LostRows: TypeAlias = tuple[tuple[int, int], ...]
"""Numbers of rows, as ranges: the first and the last of each."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """A new epoch of the ledger begins. Only the ledger itself writes this, and no game changes by it.

    Attributes:
        epoch: its number. The first epoch of a ledger is 1 and has no such entry.
        why: the reason that the epoch before ended.
        head: the last row that is known to have been written before; None if none is known.
        lost: the rows that are known to be lost, and were not named by an earlier epoch.
    """

    epoch: Annotated[int, Field(ge=2)]
    why: Cause
    head: OldHead | None
    lost: LostRows = ()
    entry: Literal["epoch"] = "epoch"


@dataclass(frozen=True, slots=True)
class Later:
    """An entry of a kind that a later version added; this one ignores it."""

    entry: str


Entry: TypeAlias = Opened | Decided | Thrown | Revealed | Corrected | Sat | Closed | Epoch | Later


@dataclass
class JournalError(Exception):
    """An entry could not be made durable: `what` happened and the `remedy`. The entry does not count."""

    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what.removesuffix('.')}: {self.remedy}"


class BadEntry(ValueError):  # noqa: N818 - as the errors of games are
    """Bytes that are not an entry; the text says why."""


class Journal(Protocol):
    """Takes entries and makes them durable."""

    def append(self, entry: Entry, evidence: bytes = b"") -> int:
        """Returns the entry's number once it is durable; `evidence` is a small JPEG of the tray, or nothing.

        Raises:
            JournalError: it is not durable, and does not count.
        """


MOST_EVIDENCE: Final = 20
"""Pictures that a journal in memory holds."""


class MemoryJournal:
    """A journal in memory, for simulated tables and photographs; it ends with the program.

    It holds the evidence of the last MOST_EVIDENCE entries, by number.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.evidence: dict[int, bytes] = {}

    def append(self, entry: Entry, evidence: bytes = b"") -> int:
        self.entries.append(entry)
        if evidence:
            self.evidence[len(self.entries)] = evidence
            if len(self.evidence) > MOST_EVIDENCE:
                del self.evidence[min(self.evidence)]
        return len(self.entries)


@cache
def adapter() -> TypeAdapter[Entry]:
    entries = (Opened, Decided, Thrown, Revealed, Corrected, Sat, Closed, Epoch)
    for entry_type in (LyingDie, DieDetails, OldHead, *entries):
        with_config(STRICT)(entry_type)
    any_entry = Opened | Decided | Thrown | Revealed | Corrected | Sat | Closed | Epoch
    return TypeAdapter(Annotated[any_entry, Field(discriminator="entry")])


def dump(entry: Entry) -> bytes:
    """The entry as one line of JSON, without a line feed."""
    if isinstance(entry, Later):
        return json.dumps({"entry": entry.entry}).encode()
    return adapter().dump_json(entry)


def load(text: bytes) -> Entry:
    """Parses a line of JSON. Raises BadEntry."""
    try:
        return adapter().validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "union_tag_invalid":
            return Later(str(first["ctx"]["tag"]))
        where = ".".join(str(part) for part in first["loc"])
        raise BadEntry(f"{where or 'entry'}: {first['msg']}") from None
