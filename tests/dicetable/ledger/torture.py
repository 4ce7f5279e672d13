"""Plays games of all kinds on a ledger, kills the program at hundreds of instants, and checks the ledger.

    python -m tests.dicetable.ledger.torture [--kills N] [--show-first] [--seed S]

Each game is first played without a ledger: that is the script, every throw and action of it. Then children
play it over a ledger, entry for entry, and tell what they show through a pipe. Each is killed by SIGKILL: at
a statement of its own transaction, between its commit and its display, or whenever the parent feels like it.
The next one goes on from what it finds. Nothing that was shown may be missing, nothing may be there twice,
and when the game is over the ledger must hold the script and nothing else. Exit code 1 if any of it fails.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from dicetable.ledger.entries import Closed, Decided, Ending, Entry, Opened, Thrown, dump
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import TableState, fold
from games.match import Match
from games.players import RandomPlayer
from games.registry import GAMES
from games.requests import Act
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEATS = ("ann", "bob", "cleo", "dan")
OPTIONS: dict[str, dict[str, object]] = {
    "six_shooter": {"hands": 12},
    "liars_dice": {"dice": 4},
    "sixes": {"rounds": 10},
    "six_by_6": {"sets": 4},
    "money_shot": {"rounds": 12},
    "rolls": {"rolls": 10},
    "ten_thousand": {"rounds": 6},
    "yacht": {"rounds": 4},
    "ship_captain_crew": {"rounds": 5},
    "mexico": {"lives": 4},
    "mia": {"lives": 4},
    "midnight": {"rounds": 3},
    "shut_the_box": {"rounds": 2},
    "bar_dice": {"wins": 2},
}
DEALT = (b"BEGIN", b"INSERT", b"COMMIT")
BETWEEN_BEGIN_AND_COMMIT = "between BEGIN and COMMIT"
BETWEEN_COMMIT_AND_DISPLAY = "between COMMIT and display"
ANY_INSTANT = "at any instant"


class LostOrDoubledError(AssertionError):
    """The ledger is not what was accepted and shown."""


def script(game: str, seed: int) -> list[Entry]:
    """Every entry of one game played to its end by players that take any legal choice."""
    match = Match.new(game, SEATS, OPTIONS[game], seed=seed)
    top = Tabletop(match, {seat: RandomPlayer(seed + n) for n, seat in enumerate(SEATS)}, seed)
    top.play()
    opening = match.opening
    panel_seats = tuple(range(1, len(SEATS) + 1))
    entries: list[Entry] = [Opened(game, SEATS, dict(opening.options), seed, opening.draws, panel_seats, ())]
    for record in top.match.log[1:]:
        if record["op"] == "act":
            act = Act(record["seat"], record["action"])
            entries.append(Decided(act.seat, act.action))
        else:
            entries.append(Thrown(tuple((kind, face) for kind, face in record["dice"]), ()))
    return [*entries, Closed(Ending.OVER)]


def chips(evening: TableState) -> int | None:
    """All chips of all seats and the pot; None between games and in games without chips."""
    state = evening.match.state() if evening.match else {}
    seats = state.get("seats", [])
    if not seats or "chips" not in seats[0]:
        return None
    return int(state["pot"]) + sum(int(seat["chips"]) for seat in seats)


@dataclass(frozen=True)
class Kill:
    """When a child dies: at the `nth` time that it passes the place, or after `after_s`."""

    where: str
    nth: int = 0
    statement: bytes = b""
    after_s: float = 0.0


def drawn(chance: Random, left: Counter[str]) -> Kill:
    """The next death, of those that are still to be died."""
    where = chance.choice(sorted(left.elements()))
    if where == BETWEEN_BEGIN_AND_COMMIT:
        return Kill(where, chance.randint(1, 3), chance.choice(DEALT[1:]))
    if where == BETWEEN_COMMIT_AND_DISPLAY:
        return Kill(where, chance.randint(1, 3))
    return Kill(where, after_s=chance.uniform(0.0, 0.03))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def child(folder: Path, entries: Sequence[Entry], kill: Kill, out: int, *, show_first: bool) -> None:
    """Plays on from what the ledger holds, showing each entry that counts; dies when it is its time."""
    ledger = Ledger(folder)
    evening, error = fold(ledger.entries())
    if error:
        raise LostOrDoubledError(error)
    done = ledger.last.number if ledger.last else 0
    passed = Counter[str]()

    def passes(where: str) -> None:
        passed[where] += 1
        if kill.where == where and passed[where] == kill.nth:
            die()

    def statement(sql: str) -> None:
        if sql.encode().startswith(kill.statement):
            passes(BETWEEN_BEGIN_AND_COMMIT)

    if kill.where == BETWEEN_BEGIN_AND_COMMIT and ledger.connection is not None:
        ledger.connection.set_trace_callback(statement)
    for number, entry in enumerate(entries[done:], done + 1):
        after = evening.after(entry)
        if show_first:
            os.write(out, b"%d\n" % number)
        ledger.append(entry, b"a picture of it" if isinstance(entry, Thrown) else b"")
        passes(BETWEEN_COMMIT_AND_DISPLAY)
        evening = after
        if not show_first:
            os.write(out, b"%d\n" % number)
    ledger.close()


def run(play: Callable[[int], None], kill: Kill) -> tuple[bytes, bool]:
    """Runs `play` in a child; returns what it wrote, and whether it was killed."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            play(writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    written = b""
    deadline = time.monotonic() + kill.after_s if kill.where == ANY_INSTANT else None
    while True:
        wait = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([reading], [], [], wait)[0]:
            os.kill(pid, signal.SIGKILL)
            deadline = None
            continue
        chunk = os.read(reading, 65536)
        written += chunk
        if not chunk:
            break
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        raise LostOrDoubledError("the child failed, see above")
    return written, os.WIFSIGNALED(status)


def check(folder: Path, entries: Sequence[Entry], shown: int, game: str) -> int:
    """Holds the ledger against the script and what was shown; returns how many entries it has."""
    with closing(Ledger(folder)) as ledger:
        found = [dump(entry) for entry in ledger.entries()]
        if ledger.repaired is not None:
            raise LostOrDoubledError(f"{game}: {ledger.repaired.why}")
    if len(found) < shown:
        raise LostOrDoubledError(f"{game}: entry {shown} was shown, the ledger ends at {len(found)}")
    if found != [dump(entry) for entry in entries[: len(found)]]:
        raise LostOrDoubledError(f"{game}: the ledger is not what was played")
    if len(found) > shown + 1:
        raise LostOrDoubledError(f"{game}: {len(found) - shown} entries are there that were never shown")
    evening, error = fold(entries[: len(found)])
    straight, _ = fold(entries[:1])
    if error or (chips(evening) is not None and chips(evening) != chips(straight)):
        raise LostOrDoubledError(f"{game}: {error or 'chips were lost or made'}")
    return len(found)


def torture(kills: int, seed: int, *, show_first: bool) -> Counter[str]:
    """Plays game after game until so many children were killed; returns where, and how many games it took."""
    chance = Random(seed)
    third = kills // 3
    left = Counter(
        {
            BETWEEN_BEGIN_AND_COMMIT: third,
            BETWEEN_COMMIT_AND_DISPLAY: third,
            ANY_INSTANT: kills - 2 * third,
        }
    )
    count = Counter[str]()
    names = sorted(GAMES)
    a_game = -(-kills // len(names))
    while left.total() or count["games"] < len(names):
        game = names[count["games"] % len(names)]
        entries = script(game, chance.randrange(2**32))
        folder = Path(tempfile.mkdtemp(prefix="torture-"))
        shown = killed_here = 0
        try:
            while shown < len(entries):
                kill = drawn(chance, left) if left.total() and killed_here < a_game else Kill("never")

                play = partial(child, folder, entries, kill, show_first=show_first)
                written, killed = run(play, kill)
                shown = max([shown, *map(int, written.split())])
                if killed:
                    left[kill.where] -= 1
                    count[kill.where] += 1
                    killed_here += 1
                shown = max(shown, check(folder, entries, shown, game))
        finally:
            shutil.rmtree(folder)
        count["games"] += 1
        count["entries"] += len(entries)
        count[game] += 1
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description="kill a playing table at hundreds of instants")
    parser.add_argument("--kills", type=int, default=330, help="default 330, a third of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show-first", action="store_true", help="show before the commit: must fail")
    args = parser.parse_args()
    try:
        count = torture(args.kills, args.seed, show_first=args.show_first)
    except LostOrDoubledError as error:
        sys.stdout.write(f"lost or doubled: {error}\n")
        return 1
    for what in (BETWEEN_BEGIN_AND_COMMIT, BETWEEN_COMMIT_AND_DISPLAY, ANY_INSTANT):
        sys.stdout.write(f"killed {what}: {count[what]}\n")
    each = ", ".join(f"{count[game]} {game}" for game in sorted(GAMES))
    sys.stdout.write(
        f"{count['games']} games ({each}), {count['entries']} entries: none lost, none doubled\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
