"""Replays the rows of one match with the same engine as the table. Rows in, an outcome out.

Only rows that are chained to the last one count: after a restore, a match may have rows that the table no
longer knows. Players are the table's random ids.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from common.statements import Row
from games.match import Match, Opening
from games.prompts import OverPrompt, RevealPrompt, check_dice
from games.requests import Act, Dice

WON = "won"
ENDED = "ended"
BROKEN = "broken"
INCOMPLETE = "incomplete"
KNOWN: Final = {"opened", "closed", "decided", "corrected", "thrown", "revealed"}
"""The kinds of entries that change a match."""
LONGEST_WHY: Final = 300
MOST_LIVE: Final = 128
"""How many matches `LiveMatches` remembers."""
MOST_STEPS: Final = 20_000
"""How many steps a replay may take: some seconds, whatever a table sends."""


class UnplayableError(ValueError):
    """A row can't be replayed; the text says which one."""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The outcome of a match: WON if it was played to its end, ENDED if it was closed before.

    BROKEN if its rows break the rules and INCOMPLETE if rows are missing, each with the reason. `players` are
    the table's ids, in seat order; they and `game` are empty if the opening is not known.
    """

    outcome: str
    game: str = ""
    players: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Playing:
    """A match after some steps; `shown` are the dice so far of a reveal that isn't complete."""

    match: Match | None = None
    shown: tuple[tuple[str, int], ...] = ()
    closed: bool = False
    steps: int = 0


def chained_to(last: Row, rows: Iterable[Row]) -> list[Row]:
    by_checksum = {row.checksum: row for row in rows if row.match == last.match}
    chain = [last]
    while not chain[-1].opens and (before := by_checksum.get(chain[-1].previous)) is not None:
        chain.append(before)
    return chain[::-1]


def outcome(rows: Sequence[Row]) -> MatchOutcome:
    """Replays a match from its chained rows."""
    if not rows or not rows[0].opens:
        return MatchOutcome(INCOMPLETE, why="the rows of its beginning are missing")
    playing = Playing()
    try:
        for row in rows:
            playing = replay_row(playing, row)
    except UnplayableError as error:
        opened = playing.match
        return MatchOutcome(
            BROKEN, opened.game if opened else "", opened.seats if opened else (), (), str(error)
        )
    match = playing.match
    if match is None:
        return MatchOutcome(INCOMPLETE, why="it was never opened")
    if isinstance(match.prompt, OverPrompt):
        return MatchOutcome(WON, match.game, match.seats, match.prompt.winners)
    return MatchOutcome(ENDED, match.game, match.seats)


class LiveMatches:
    """Remembers the matches that people look at, so that each row is replayed once and not at each view."""

    def __init__(self) -> None:
        self.known: OrderedDict[bytes, tuple[Playing, bool]] = OrderedDict()
        self.lock = threading.Lock()

    def current(self, rows: Sequence[Row]) -> Match | None:
        """The match of these chained rows, up to the last that can be replayed; None if it is closed.

        A state is remembered under the checksum of its last row, which covers all rows before it.
        """
        with self.lock:
            left, (playing, ends) = 0, (Playing(), False)
            for number in range(len(rows), 0, -1):
                if (remembered := self.known.pop(rows[number - 1].checksum, None)) is not None:
                    left, (playing, ends) = number, remembered
                    break
            for row in rows[left:]:
                if ends:
                    break
                try:
                    playing = replay_row(playing, row)
                except UnplayableError:
                    ends = True
            if rows:
                self.known[rows[-1].checksum] = playing, ends
                while len(self.known) > MOST_LIVE:
                    self.known.popitem(last=False)
        return None if playing.closed else playing.match


def replay_row(playing: Playing, row: Row) -> Playing:
    """Replays one row. Raises UnplayableError and nothing else, whatever a hostile table wrote into it."""
    try:
        entry = json.loads(row.body)
        steps = playing.steps + cost(playing, entry)
        if steps > MOST_STEPS:
            raise ValueError(f"the match takes more than {MOST_STEPS} steps to replay")
        return replace(apply_entry(playing, entry), steps=steps)
    except Exception as error:
        raise UnplayableError(
            f"row {row.number}: {type(error).__name__}: {shown(str(error))}"[:LONGEST_WHY]
        ) from error


def cost(playing: Playing, entry: Mapping[str, Any]) -> int:
    """How many steps an entry takes: a correction replays the whole match."""
    if entry.get("entry") == "corrected" and playing.match is not None:
        return 1 + playing.match.revision
    return 1


def shown(text: str) -> str:
    """The text with a question mark for each character that can't be shown."""
    return "".join(character if character.isprintable() else "?" for character in text)


def apply_entry(playing: Playing, entry: Mapping[str, Any]) -> Playing:
    kind = entry.get("entry")
    if not isinstance(kind, str):
        raise ValueError("it is no entry")
    if kind not in KNOWN:  # one that changes no match, or was added by a later version of the table
        return playing
    if kind == "opened":
        return Playing(open_match(entry))
    match = playing.match
    if match is None or playing.closed:
        raise ValueError("no match is open")
    if kind == "closed":
        if entry.get("why") == "over" and not isinstance(match.prompt, OverPrompt):
            raise ValueError("it is closed as over, and is not")
        return replace(playing, closed=True)
    if kind == "decided":
        return Playing(match.apply(Act(player(entry["seat"]), entry["action"])))
    if kind == "corrected":
        return Playing(match.correct(whole(entry["revision"]), Dice(entry["dice"])))
    return with_dice(playing, match, Dice(entry["dice"]), part=kind == "revealed")


def open_match(entry: Mapping[str, Any]) -> Match:
    seats = tuple(player(seat) for seat in entry["seats"])
    draws = tuple(whole(draw) for draw in entry["draws"])
    options = dict(entry["options"])
    if options.get("first") is not None:
        options["first"] = player(options["first"])
    opening = Opening(entry["game"], seats, options, entry["seed"], draws).to_json()
    return Match.replay([opening])


def with_dice(playing: Playing, match: Match, dice: Dice, *, part: bool) -> Playing:
    """Replays a throw, or a part of a reveal."""
    together = Dice((*playing.shown, *dice.dice))
    if part:
        if not isinstance(match.prompt, RevealPrompt):
            raise ValueError("nothing is to be revealed")
        if len(together.dice) < len(match.prompt.dice):
            check_dice(RevealPrompt(match.prompt.dice[: len(together.dice)]), together)
            return replace(playing, shown=together.dice)
    return Playing(match.apply(together))


def player(seat: object) -> str:
    match seat:
        case {"player": str(found)} if found.isprintable():
            return found
    raise ValueError("a seat is no player")


def whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError("a number is no whole one")
    return value
