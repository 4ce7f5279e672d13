"""Every text that people at the table read, in one place, to be changed or translated together.

Panel lines hold twenty ASCII characters; sentences may be longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GAMES = {
    "six_shooter": "Six Shooter",
    "liars_dice": "Liar's Dice",
    "sixes": "Sixes",
    "six_by_6": "Six By 6",
    "money_shot": "Money Shot",
}

NO_DICE_DUE = "No dice are due now."
SET_ASIDE_MOVED = "A die that was set aside has moved: put it back as it lay, or take all of those out."
NOBODY_THERE = "Nobody answers at the keyboard: the game ends here."


def dice_count(count: int) -> str:
    """`one die`, `6 dice`."""
    return "one die" if count == 1 else f"{count} dice"


def are_due(count: int) -> str:
    """`one is due`, `6 are due`."""
    return "one is due" if count == 1 else f"{count} are due"


def wrong_count(seen: int, due: int) -> str:
    """More or fewer dice lie there than were to be thrown."""
    return f"I see {dice_count(seen) if seen else 'no dice'}, {are_due(due)}."


def wrong_kind(kind: str, due: Sequence[str]) -> str:
    """A die lies there that was not to be thrown."""
    return f"I see a {kind}; due are {', '.join(sorted(set(due)))}."


def leaning(kind: str | None) -> str:
    """A die leans on something."""
    return f"The {kind or 'die'} is leaning: throw it again."


def unsure(count: int, likely: Sequence[str]) -> str:
    """Dice that were seen but not surely read."""
    guess = f" (perhaps {', '.join(likely)})" if likely else ""
    return f"I cannot read {dice_count(count)} for sure{guess}: throw again, or move it into better light."


def to_throw(seat: str, count: int) -> str:
    """Who is to throw what."""
    return f"{seat}: throw {dice_count(count)}"


def to_reveal(count: int) -> str:
    """All lift their cups."""
    return f"Lift the cups: {dice_count(count)}"


def to_act(seat: str) -> str:
    """Whose turn it is."""
    return f"{seat}: your turn"


def won(winners: Sequence[str]) -> str:
    """The game is over."""
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}"


def six_by_6_turn(posted: int, carry: int) -> str:
    """How the turn stands."""
    return f"posted {posted}, carry {carry}"


def points(points: int) -> str:
    """A score."""
    return "1 point" if points == 1 else f"{points} points"


# The ledger

LEDGER_FULL = "The disk is full: nothing can be written down, the game waits."
LEDGER_READ_ONLY = "The disk cannot be written to: the game waits."
LEDGER_IN_USE = "Another program writes to the ledger."
LEDGER_IN_USE_REMEDY = "stop the other dicetable, or use another state folder"


def ledger_full_remedy(folder: str) -> str:
    """How to go on after the disk was full."""
    return f"make room on the disk that holds {folder}"


def ledger_read_only_remedy(folder: str) -> str:
    """How to go on after the disk was found read-only."""
    return f"see that {folder} is writable for the table's user; a worn card goes read-only: replace it"


def ledger_failed(error: str) -> str:
    """Any other fault of the disk."""
    return f"The game cannot be written down ({error}): it waits."


def ledger_failed_remedy(path: str) -> str:
    """What to look at."""
    return f"check the disk that holds {path}"


LEDGER_RUNNING = "played"
LEDGER_CLOSED = {"over": "over", "ended": "ended"}
LEDGER_PICTURE = "picture"


def ledger_opened(game: str, seats: Sequence[str], options: Mapping[str, object]) -> str:
    """A match begins."""
    chosen = "".join(f", {name} {value}" for name, value in options.items())
    return f"{game}: {', '.join(seats)}{chosen}"


def ledger_decided(seat: str, action: str, *, by_table: bool) -> str:
    """A seat acted."""
    return f"{seat}: {action}{' (the table, for a seat that sits out)' if by_table else ''}"


def ledger_thrown(dice: str, *, by_hand: bool) -> str:
    """Dice were taken."""
    return f"thrown {dice}{' (entered by hand)' if by_hand else ''}"


def ledger_revealed(seat: str, dice: str) -> str:
    """A seat's dice of a reveal."""
    return f"{seat} reveals {dice}"


def ledger_corrected(revision: int, dice: str) -> str:
    """A throw was corrected."""
    return f"the throw of r{revision} really showed {dice}"


def ledger_sat(name: str, how: str) -> str:
    """Somebody sits down, sits out or leaves."""
    return f"{name} {how.replace('_', ' ')}"


# The service

EYE_LOST = "The camera's program stopped and is starting again."
EYE_LOST_REMEDY = "wait a moment; if it stays, see `dicetable doctor`"


LEDGER_REPAIRED_REMEDY = "play on; later see `dicetable ledger verify`"


def ledger_repaired(lost: int) -> str:
    """The ledger was damaged; `lost` entries of it are known to be gone."""
    what = f"its last {lost} entries are lost" if lost else "all that could be read goes on"
    return f"The ledger was damaged: {what}."


# The camera over the tray

CAMERA_SILENT = "The camera gives no pictures."
CAMERA_SILENT_REMEDY = "check the camera's cable; `dicetable doctor` says more"

MARKER_SHEET = (
    "The markers of the dice table's tray. Print at 100 % (no fit to page).",
    "Cut along the grey lines and glue each flat into its corner of the tray,",
    "upright as the players at the near side read it.",
)
MARKER_CORNERS = ("far left", "far right", "near right", "near left")
MARKER_RULE = "This rule must measure 100 mm: if it does not, the printer has changed the size."
