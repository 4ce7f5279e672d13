"""The ledger: why it is degraded, and the output of `dicetable ledger`."""

from collections.abc import Mapping, Sequence

from common.texts.catalogue import ntr, tr
from common.texts.games import STRENGTHS
from games.house import Strength

FULL = tr("The disk is full: nothing can be saved, the game waits.")
READ_ONLY = tr("The table can't write to the disk: the game waits.")
FOREIGN = tr("The ledger's folder belongs to another user: the game waits.")
NOT_MADE = tr("The table may not make the ledger's folder: the game waits.")
FAILING = tr("The disk is failing: the game waits.")
FAILING_REMEDY = tr("copy its files and replace it")
NOT_A_FILE_REMEDY = tr("put the real file back, or choose another folder; nothing was changed")
NOT_A_FOLDER_REMEDY = tr("name another folder under [ledger], or remove what is there; nothing was changed")
NO_HEAD = tr("ledger.head is missing or damaged: rows missing from the end of the ledger would go unnoticed")
NOT_PROVEN = tr("This finds accidents, not forgery: anyone who can write the file can compute a new chain.")
IN_USE = tr("Another program uses the ledger.")
IN_USE_REMEDY = tr("stop the other dicetable, or use another state folder")
REPAIRED_REMEDY = tr("you can play on; `dicetable ledger verify` shows what is missing")

RUNNING = tr("in progress")
CLOSED = {"over": tr("over"), "ended": tr("ended")}
PICTURE = tr("picture")
EPOCHS = {
    "repair": tr("a repair"),
    "restore": tr("a restore"),
}
SAT = {
    "plays": tr("{name} plays"),
    "sits_out": tr("{name} sits out"),
    "joins_next": tr("{name} joins next"),
    "leaves": tr("{name} leaves"),
}
"""The texts by the value of dicetable.ledger.entries.Sitting."""


def full_remedy(folder: str) -> str:
    return tr("make room on the disk that holds {folder}").format(folder=folder)


def read_only_remedy(folder: str) -> str:
    return tr(
        "make {folder} writable for the table's user; a worn-out card turns read-only: replace it"
    ).format(folder=folder)


def foreign_remedy(folder: str, owner: str) -> str:
    return tr(
        "{folder} belongs to {owner}: set `ledger.folder` to a folder of your own, "
        "or chown it to the table's user"
    ).format(folder=folder, owner=owner)


def not_made_remedy(above: str, owner: str) -> str:
    """The ledger's folder is missing, and the nearest one above is another user's."""
    return tr("{folder} belongs to {owner}: set `ledger.folder` to a folder of your own").format(
        folder=above, owner=owner
    )


def not_a_file(path: str) -> str:
    """A link, a pipe or a folder lies where a file of the ledger belongs."""
    return tr("{path} is not a plain file.").format(path=path)


def not_a_folder(path: str) -> str:
    return tr("{path} is not a folder: the game waits.").format(path=path)


def on_network(kind: str) -> str:
    return tr("The ledger is on a network drive ({kind}), where a power cut can destroy it.").format(
        kind=kind
    )


def on_network_remedy(folder: str) -> str:
    return tr("name a folder on a disk of this machine under [ledger] instead of {folder}").format(
        folder=folder
    )


def failed(error: str) -> str:
    return tr("The game cannot be saved ({error}): it waits.").format(error=error)


def failed_remedy(path: str) -> str:
    return tr("check the disk that holds {path}").format(path=path)


def repaired(lost: int | None) -> str:
    """The ledger was damaged; `lost` entries at its end are gone, None if that isn't known."""
    if lost is None:
        return tr("The ledger was damaged: its newest entries may be lost.")
    if not lost:
        return tr("The ledger was damaged: everything readable was kept.")
    return tr("The ledger was damaged: its last {lost} entries are lost.").format(lost=lost)


THROUGH_GATEWAY = tr("a phone was the camera, so the gateway had to be trusted")


def opened(
    game: str, seats: Sequence[str], options: Mapping[str, object], house: Mapping[str, Strength]
) -> str:
    """The game, its players and its options; `house` are the strengths of those that the house plays."""
    names = [f"{seat} ({STRENGTHS[house[seat]]})" if seat in house else seat for seat in seats]
    chosen = "".join(f", {name} {value}" for name, value in options.items())
    return f"{game}: {', '.join(names)}{chosen}"


def decided(seat: str, action: str, *, by_table: bool) -> str:
    sentence = tr("{seat}: {action} (decided by the table)") if by_table else tr("{seat}: {action}")
    return sentence.format(seat=seat, action=action)


def thrown(dice: str, *, by_hand: bool) -> str:
    sentence = tr("thrown {dice} (entered by hand)") if by_hand else tr("thrown {dice}")
    return sentence.format(dice=dice)


def confirmed(die: str, by: int | str, proposed: int | None) -> str:
    who = tr("no one") if by == "nobody" else tr("seat {seat}").format(seat=by)
    if proposed is None:
        return tr("; {die} confirmed by {who}").format(die=die, who=who)
    return tr("; {die} confirmed by {who}, proposed {proposed}").format(die=die, who=who, proposed=proposed)


def vouched(dice: str, by: int | str) -> str:
    if by == "nobody":
        return tr("; {dice} not seen to roll").format(dice=dice)
    return tr("; seat {seat} vouches for {dice}").format(seat=by, dice=dice)


def revealed(seat: str, dice: str) -> str:
    return tr("{seat} reveals {dice}").format(seat=seat, dice=dice)


def corrected(revision: int, dice: str) -> str:
    return tr("the throw of r{revision} really showed {dice}").format(revision=revision, dice=dice)


def sat(name: str, how: str) -> str:
    return SAT[how].format(name=name)


def nameless(player: str) -> str:
    """A player whose name was erased; `player` is a few digits, different for each player."""
    return tr("player {player}").format(player=player)


def epoch(number: int, why: str, lost: Sequence[tuple[int, int]]) -> str:
    ranges = ", ".join(rows(first, last) for first, last in lost)
    if not ranges:
        return tr("epoch {number} begins after {why}").format(number=number, why=EPOCHS[why])
    return tr("epoch {number} begins after {why}; lost: {ranges}").format(
        number=number, why=EPOCHS[why], ranges=ranges
    )


def later(kind: str) -> str:
    return tr("{kind}: written by a later version").format(kind=kind)


def rows(first: int, last: int) -> str:
    if first == last:
        return tr("row {number}").format(number=first)
    return tr("rows {first} to {last}").format(first=first, last=last)


def lost(first: int, last: int, epoch_row: int, date: str) -> str:
    """Rows are lost; `epoch_row`, of that date, says so."""
    return ntr(
        "{rows} is lost, as row {epoch_row} of {date} says",
        "{rows} are lost, as row {epoch_row} of {date} says",
        last - first + 1,
    ).format(rows=rows(first, last), epoch_row=epoch_row, date=date)


def reused(number: int, where: str) -> str:
    return tr("row number {number} was used twice: another row with it was written {where}").format(
        number=number, where=where
    )


def as_stored(title: str) -> str:
    return tr("{title} isn't among the games here: these are its entries as stored").format(title=title)


def verified(entries: int, pictures: int, *, wrong: bool) -> str:
    verdict = tr("something is wrong") if wrong else tr("everything is as it was written")
    return tr("{entries} entries and {pictures} pictures read: {verdict}").format(
        entries=entries, pictures=pictures, verdict=verdict
    )


def erased(name: str) -> str:
    return tr("{name!r} is erased: no row contains it").format(name=name)


def still_in(path: str) -> str:
    return tr("{path} still contains the name: delete the file if you don't need it").format(path=path)


def no_such_player(name: str) -> str:
    return tr("there is no player {name!r} in the ledger: `dicetable ledger list` shows the names").format(
        name=name
    )


def restored(rows: int, aside: str) -> str:
    return tr("the ledger now has the copy's {kept} rows; the previous ledger is in {aside}").format(
        kept=rows, aside=aside
    )
