"""The ledger: its troubles, and the output of `dicetable ledger`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FULL = "The disk is full: nothing can be saved, the game waits."
READ_ONLY = "The disk cannot be written to: the game waits."
NEWER = "The ledger was written by a newer version of dicetable."
FOREIGN = "The folder of the ledger belongs to another user: the game waits."
NOT_A_FILE_REMEDY = "put the real file in its place, or choose another folder; nothing was changed"
NOT_A_FOLDER_REMEDY = "name another folder under [ledger], or remove what is there; nothing was changed"
NO_HEAD = "ledger.head is missing or damaged: rows cut off the end of the ledger would not be noticed"
NOT_PROVEN = "This finds accidents, not forgery: whoever can write the file can compute a new chain."
IN_USE = "Another program writes to the ledger."
IN_USE_REMEDY = "stop the other dicetable, or use another state folder"
REPAIRED_REMEDY = "you can play on; see `dicetable ledger verify`"

RUNNING = "in progress"
CLOSED = {"over": "over", "ended": "ended"}
PICTURE = "picture"
NOTHING_TO_DOWNGRADE = "there is no ledger yet: nothing to do"
EPOCHS = {"repair": "a repair", "restore": "a restore", "roll-back": "a roll-back", "upgrade": "an upgrade"}


def full_remedy(folder: str) -> str:
    """How to go on after the disk was full."""
    return f"make room on the disk that holds {folder}"


def read_only_remedy(folder: str) -> str:
    """How to go on after the disk was found read-only."""
    return f"make {folder} writable for the table's user; a worn card becomes read-only: replace it"


def newer_remedy(error: str) -> str:
    """How to go on with a ledger that this version cannot read; `error` names both schemas."""
    return f"upgrade, or roll back with `make roll-back-service`; nothing was changed ({error})"


def foreign_remedy(folder: str, owner: str) -> str:
    """How to go on where another user owns the folder."""
    return f"{folder} belongs to {owner}: chown it to the table's user, or start the table as {owner}"


def not_a_file(path: str) -> str:
    """A link, a pipe or a folder lies where a file of the ledger belongs."""
    return f"{path} is not a plain file."


def not_a_folder(path: str) -> str:
    """Something else has the name of the ledger's folder, or of one above it."""
    return f"{path} is not a folder: the game waits."


def failed(error: str) -> str:
    """Any other fault of the disk."""
    return f"The game cannot be saved ({error}): it waits."


def failed_remedy(path: str) -> str:
    """What to look at."""
    return f"check the disk that holds {path}"


def repaired(lost: int) -> str:
    """The ledger was damaged; `lost` entries of it are known to be gone."""
    what = f"its last {lost} entries are lost" if lost else "everything readable was kept"
    return f"The ledger was damaged: {what}."


def opened(game: str, seats: Sequence[str], options: Mapping[str, object]) -> str:
    """A match begins."""
    chosen = "".join(f", {name} {value}" for name, value in options.items())
    return f"{game}: {', '.join(seats)}{chosen}"


def decided(seat: str, action: str, *, by_table: bool) -> str:
    """A seat acted."""
    return f"{seat}: {action}{' (the table, for a seat that sits out)' if by_table else ''}"


def thrown(dice: str, *, by_hand: bool) -> str:
    """Dice were taken."""
    return f"thrown {dice}{' (entered by hand)' if by_hand else ''}"


def confirmed(die: str, by: int | str, proposed: int | None) -> str:
    """The value of a die was confirmed by a seat of the panel, or by "nobody"."""
    who = by if by == "nobody" else f"seat {by}"
    return f"; {die} confirmed by {who}{'' if proposed is None else f', proposed {proposed}'}"


def revealed(seat: str, dice: str) -> str:
    """A seat's dice of a reveal."""
    return f"{seat} reveals {dice}"


def corrected(revision: int, dice: str) -> str:
    """A throw was corrected."""
    return f"the throw of r{revision} really showed {dice}"


def sat(name: str, how: str) -> str:
    """Somebody sits down, sits out or leaves."""
    return f"{name} {how.replace('_', ' ')}"


def nameless(player: str) -> str:
    """A player whose name was erased; `player` are a few digits that tell him from others."""
    return f"player {player}"


def epoch(number: int, why: str, lost: Sequence[tuple[int, int]]) -> str:
    """A new epoch of the ledger begins."""
    ranges = ", ".join(rows(first, last) for first, last in lost)
    return f"epoch {number} begins after {EPOCHS[why]}{f'; lost: {ranges}' if ranges else ''}"


def rows(first: int, last: int) -> str:
    """A range of rows."""
    return f"row {first}" if first == last else f"rows {first} to {last}"


def lost(first: int, last: int, epoch_row: int, date: str) -> str:
    """Rows are lost; `epoch_row`, of that date, says so."""
    verb = "is" if first == last else "are"
    return f"{rows(first, last)} {verb} lost: row {epoch_row} of {date} says so"


def reused(number: int, where: str) -> str:
    """A number was used twice."""
    return f"number {number} was used twice: another row of this number was written {where}"


def erased(name: str, kept: int) -> str:
    """A name was erased; `kept` rows of the chain hold it and cannot be changed."""
    if not kept:
        return f"{name!r} is erased: no row contains it"
    what = "1 row" if kept == 1 else f"{kept} rows"
    return f"{name!r} is erased, but not from {what} of earlier releases: no name can be erased from these"


def still_in(path: str) -> str:
    """Another file holds an erased name."""
    return f"{path} still contains the name: delete this file if you do not need it"


def no_such_player(name: str) -> str:
    """Nobody has the name that was to be erased."""
    return f"there is no player {name!r} in the ledger: `dicetable ledger list` shows the names"


def downgraded(schema: int) -> str:
    """The ledger has the form that an earlier release reads."""
    return f"the ledger has schema {schema}"


def restored(kept: int, aside: str) -> str:
    """A copy of the ledger took its place."""
    return f"{kept} rows of the copy are now the ledger; the previous one is in {aside}"
