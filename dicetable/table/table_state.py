"""The table state: the fold of the journal. All that must survive a power cut is in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from dicetable.ledger.entries import (
    Closed,
    Corrected,
    Decided,
    DiceInTray,
    Entry,
    Epoch,
    Later,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
)
from dicetable.table.bias import Run
from games.dice import Die, Kind
from games.errors import BadLog, RuleError
from games.game import PlayerView, read_options
from games.house import House, Strength
from games.match import Match, Opening, in_order, requests_in_force
from games.prompts import ActPrompt, AnyDicePrompt, RevealPrompt, ThrowPrompt, check_dice
from games.registry import FAIRNESS
from games.requests import Act, Dice, JsonObject
from games.words import TableView

Roster: TypeAlias = "Mapping[int, Sat]"
AWAY = (Sitting.SITS_OUT, Sitting.LEAVES)


@dataclass(frozen=True, slots=True)
class Awaited:
    """The dice that are to be thrown or revealed next.

    Attributes:
        kinds: those that may be thrown, one entry for each die.
        counts: how many; any of these numbers fits, the one to ask for first.
        aside: dice thrown before that still count as they lie.
        reveal: they were cast before, under cups, and must not be thrown again.
        needed: those of `kinds` that have to be among them.
    """

    kinds: tuple[Kind, ...]
    counts: tuple[int, ...]
    aside: tuple[Die, ...] = ()
    reveal: bool = False
    needed: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of the table after an entry of the journal.

    Attributes:
        match: the game in progress or just over; None between games.
        opened: how the last game began, to offer the same again.
        roster: who is at each seat of the panel, by its number.
        shown: the dice that seats have revealed so far, by seat, while a reveal goes on.
        baseline: the tray as it was when dice were last accepted.
        thrown: the dice that were last accepted.
        run: the throws of a test of dice, while one goes on.
    """

    match: Match | None = None
    opened: Opened | None = None
    roster: Roster = field(default_factory=dict)
    shown: Mapping[str, tuple[Die, ...]] = field(default_factory=dict)
    baseline: DiceInTray = None
    thrown: tuple[Die, ...] = ()
    run: Run | None = None

    def after(self, entry: Entry) -> TableState:
        """The state once the entry counts.

        Raises:
            games.errors.RuleError: the entry does not fit; BadLog where no request of a player can be meant.
        """
        if isinstance(entry, Epoch | Later):
            return self
        if isinstance(entry, Opened):
            return self.after_opening(entry)
        if isinstance(entry, Sat):
            return replace(self, roster={**self.roster, entry.panel_seat: entry})
        match = self.match
        if match is None:
            raise BadLog(f"no game is open for an entry {entry.entry!r}")
        if isinstance(entry, Closed):
            return replace(self, match=None, shown={}, run=None)
        if isinstance(entry, Decided):
            return replace(self, match=match.apply(Act(entry.seat, entry.action)))
        if isinstance(entry, Corrected):
            corrected = match.correct(entry.revision, Dice(entry.dice))
            run = self.run and self.run.corrected(entry)
            return replace(self, match=corrected, shown={}, thrown=entry.dice, run=run)
        return self.after_dice(match, entry)

    def after_opening(self, entry: Opened) -> TableState:
        """A new game with its seats; players who are not in it leave the roster."""
        if len(entry.panel_seats) != len(entry.seats) or len(set(entry.panel_seats)) < len(entry.panel_seats):
            raise BadLog("each seat of a game has a seat of its own at the panel")
        house = {seat for seat, _ in entry.house}
        if not house < set(entry.panel_seats):
            raise BadLog("the house plays at seats of the game, and at least one player is a person")
        opening = Opening(entry.game, entry.seats, entry.options, entry.seed, entry.draws).to_json()
        roster = {
            seat: Sat(seat, name, Sitting.PLAYS)
            for seat, name in zip(entry.panel_seats, entry.seats, strict=True)
        }
        match = Match.replay([opening])
        run = Run(match.current.kind, match.current.options.dice) if match.game == FAIRNESS.name else None
        return TableState(match, entry, roster, baseline=entry.lying, run=run)

    def after_dice(self, match: Match, entry: Thrown | Revealed) -> TableState:
        """Dice for the match, or a part of those of a reveal."""
        before = tuple(die for dice in self.shown.values() for die in dice)
        if isinstance(entry, Thrown):
            dice = before + entry.dice
        else:
            if not isinstance(match.prompt, RevealPrompt) or entry.seat in self.shown:
                raise BadLog(f"{entry.seat} has nothing to reveal")
            shown = {**self.shown, entry.seat: entry.dice}
            dice = before + entry.dice
            if len(dice) < len(match.prompt.dice):
                check_dice(RevealPrompt(match.prompt.dice[: len(dice)]), Dice(dice))
                return replace(self, shown=shown, baseline=entry.lying, thrown=entry.dice)
        after = match.apply(Dice(dice))
        run = self.run.thrown(entry, after.revision) if self.run and isinstance(entry, Thrown) else self.run
        return replace(self, match=after, shown={}, baseline=entry.lying, thrown=entry.dice, run=run)

    @property
    def panel_seats(self) -> dict[str, int]:
        return dict(zip(self.opened.seats, self.opened.panel_seats, strict=True)) if self.opened else {}

    @property
    def house(self) -> dict[str, Strength]:
        """How well the house plays at each of its seats, by their names."""
        return self.opened.house_by_name if self.opened else {}

    def hands(self, seat: str) -> str:
        """Who throws for a player: the player, or for the house the next person to its right."""
        house = self.house
        if self.match is None or seat not in house:
            return seat
        seats = self.match.seats
        place = seats.index(seat)
        people = [name for name in (*seats[:place][::-1], *seats[place:][::-1]) if name not in house]
        return next((name for name in people if not self.away(name)), people[0])

    @property
    def cup_of_house(self) -> str | None:
        """The house's seat that holds hidden dice under a cup; None without one."""
        cups = self.match.cups if self.match and self.house else {}
        return next((seat for seat in cups if seat in self.house and seat not in self.shown), None)

    @property
    def to_act(self) -> str | None:
        """The player who is to act, throw or reveal next, if there is one."""
        prompt = self.match.prompt if self.match else None
        if isinstance(prompt, ActPrompt | ThrowPrompt):
            return prompt.seat
        if isinstance(prompt, RevealPrompt) and self.match:
            return next((seat for seat in self.match.cups if seat not in self.shown), None)
        return None

    @property
    def awaited(self) -> Awaited | None:
        prompt = self.match.prompt if self.match else None
        if self.match and isinstance(prompt, AnyDicePrompt):
            counts = tuple(range(prompt.count, prompt.most + 1))
            return Awaited(prompt.dice, counts, self.match.aside, needed=prompt.needed)
        if self.match and isinstance(prompt, ThrowPrompt):
            kinds = prompt.dice
            if (strength := self.house.get(prompt.seat)) is not None:
                kinds = picked_by_house(self.match, prompt, strength)
            return Awaited(kinds, (prompt.count,), self.match.aside)
        if self.match and isinstance(prompt, RevealPrompt):
            left = list(prompt.dice)
            for dice in self.shown.values():
                for kind, _ in dice:
                    left.remove(kind)
            own = self.match.cups.get(self.to_act or "", len(left))
            counts = (own,) if own == len(left) else (own, len(left))
            return Awaited(tuple(left), counts, reveal=True)
        return None

    def view(self, match: Match) -> TableView:
        """The match as everyone sees it."""
        options = self.opened.options if self.opened else {}
        shown = tuple(die for dice in self.shown.values() for die in dice)
        return TableView(
            match.state(), self.to_act, read_options(match.rules.options, options, match.seats), shown
        )

    def away(self, seat: str) -> bool:
        sat = self.roster.get(self.panel_seats.get(seat, 0))
        return sat is not None and sat.how in AWAY

    def last_throw(self) -> tuple[int, tuple[Die, ...]] | None:
        """The newest throw or reveal that counts: its revision and its dice."""
        if self.match is None or self.shown:
            return None
        requests = requests_in_force(in_order(self.match.entries))
        throws = [(revision, request.dice) for revision, request in requests if isinstance(request, Dice)]
        return throws[-1] if throws else None

    def throw_at(self, revision: int) -> tuple[str, tuple[Die, ...]] | None:
        """Who made the throw that led to a revision, and its dice; no name where several revealed theirs."""
        if self.match is None:
            return None
        request = dict(requests_in_force(in_order(self.match.entries))).get(revision)
        if not isinstance(request, Dice):
            return None
        prompt = Match.replay(self.match.log[:revision]).prompt
        return prompt.seat if isinstance(prompt, ThrowPrompt) else "", request.dice


def decided_by_house(match: Match, prompt: ActPrompt, strength: Strength) -> JsonObject:
    """What the house does at its seat, by what everyone sees."""
    return House(strength).act(seen_by_house(match, prompt.seat))


@lru_cache(maxsize=4)
def picked_by_house(match: Match, prompt: ThrowPrompt, strength: Strength) -> tuple[Kind, ...]:
    """The dice that a person throws for the house."""
    return House(strength).pick(seen_by_house(match, prompt.seat), prompt)


def seen_by_house(match: Match, seat: str) -> PlayerView:
    """A match as the house sees it: no cup is open to it, not even its own."""
    return PlayerView(match.game, seat, match.prompt, match.current, ())


class Recorded(NamedTuple):
    """An entry that counts: the number of its row, and the state before and after it."""

    number: int
    entry: Entry
    before: TableState
    after: TableState


def revisions(entries: Sequence[Entry]) -> list[int]:
    """The revision of a match after each of its entries; it stays after an entry that does not fit."""
    state = TableState()
    numbers: list[int] = []
    for entry in entries:
        try:
            state = state.after(entry)
        except RuleError:
            return numbers + [numbers[-1] if numbers else 0] * (len(entries) - len(numbers))
        numbers.append(state.match.revision if state.match else numbers[-1])
    return numbers


def fold(entries: Iterable[Entry]) -> tuple[TableState, str]:
    """The state after all entries, and why not all of them count, if so.

    After an entry that does not fit, none counts up to the end of its game or the next opening.
    """
    state, why = TableState(), ""
    for number, entry in enumerate(entries, 1):
        if why and isinstance(entry, Closed):  # what was over by then need not be played on
            state, why = replace(state, match=None, shown={}, run=None), ""
            continue
        if why and not isinstance(entry, Opened):
            continue
        try:
            state = state.after(entry)
            why = ""
        except (RuleError, ValueError) as error:
            why = f"entry {number} ({entry.entry}): {error}"
    return state, why
