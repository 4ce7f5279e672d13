"""Folds the entries of the journal into matches: who played, who won, their luck and their skill.

Luck is what came up against what was to be expected, where the rules' exact odds are known: each game whose
odds `games.odds` knows has a function in `BY_GAME`.

Skill is what a decision gave away compared with the best one, where the exact odds of both are known. They
are known in Six Shooter once no other seat can buy any more: the hand to beat is final, and only dice decide.
All other decisions depend on something that no player knows: what lies under cups, or what others will do.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from common import texts
from dicetable.ledger.entries import Closed, Decided, Entry, Opened
from dicetable.table.table_state import TableState
from games import odds
from games.dice import FACES, KINDS, Kind
from games.errors import RuleError
from games.match import Match, in_order, reopen, requests_in_force
from games.money_shot import MONEY_SHOT
from games.prompts import OverPrompt, RevealPrompt, ThrowPrompt
from games.registry import FAIRNESS, GAMES
from games.requests import Act, Dice, Request
from games.six_shooter import GAME, State

REMEMBERED: Final = 20_000
"""Positions whose value is cached."""


@dataclass(frozen=True, slots=True)
class Chance:
    """One time that dice decided: whose luck it was, the mean of all possible results, and what came.

    `variance` is that of the possible results; None where it is not known.
    """

    seat: str
    expected: float
    actual: float
    variance: float | None

    @property
    def luck(self) -> float:
        return self.actual - self.expected


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision for which the value of every choice is known.

    `best` is the expected number of chips to come with the best choice, `chosen` with the one that was made.
    """

    seat: str
    best: float
    chosen: float

    @property
    def loss(self) -> float:
        """How many chips it gave away on average."""
        return self.best - self.chosen


@dataclass(frozen=True, slots=True)
class Played:
    """A match that began; without winners it was not played to its end.

    `chances` is what the dice decided, after all corrections, `decisions` what the players decided where the
    worth of it is known. `lost`: entries are missing or unknown, so that only its beginning is known.
    `house` are the seats that the house played: they have a part in who won, but no luck and no skill.
    """

    at_utc: str
    game: str
    seats: tuple[str, ...]
    winners: tuple[str, ...]
    chances: tuple[Chance, ...]
    lost: bool = False
    decisions: tuple[Decision, ...] = ()
    house_rules: str | None = None
    house: tuple[str, ...] = ()

    @property
    def variant(self) -> str:
        """The game, or its house rules: what is kept apart in statistics."""
        return texts.games.variant(self.game, self.house_rules)


def played(entries: Iterable[tuple[str, Entry]], since: str = "") -> list[Played]:
    """The matches that began at or after `since` (ISO 8601, UTC), oldest first."""
    return [
        match for began, group in by_match(entries) if began >= since for match in fold_match(began, group)
    ]


def by_match(entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, list[Entry]]]:
    """The entries of each match from its opening on, with the time of the opening."""
    began = ""
    group: list[Entry] = []
    for accepted, entry in entries:
        if isinstance(entry, Opened):
            if group:
                yield began, group
            began, group = accepted, []
        if group or isinstance(entry, Opened):
            group.append(entry)
    if group:
        yield began, group


def fold_match(at_utc: str, entries: Sequence[Entry]) -> Iterator[Played]:
    """Folds the match of these entries; yields nothing if the rules do not even know its opening."""
    table_state, match, lost = TableState(), None, False
    by_table: set[int] = set()
    for entry in entries:
        try:
            table_state = table_state.after(entry)
        except (RuleError, ValueError):
            lost = True
            break
        match = table_state.match or match
        if isinstance(entry, Closed):
            break
        if isinstance(entry, Decided) and entry.by_table and match is not None:
            by_table.add(match.revision)
    opened = entries[0]
    house = tuple(opened.house_by_name) if isinstance(opened, Opened) else ()
    house_rules = opened.house_rules if isinstance(opened, Opened) else None
    if isinstance(opened, Opened) and opened.game not in (*GAMES, FAIRNESS.name):  # its file is gone
        yield Played(
            at_utc, opened.game, opened.seats, (), (), lost=True, house_rules=house_rules, house=house
        )
    elif match is not None and match.game != FAIRNESS.name:
        winners = match.prompt.winners if isinstance(match.prompt, OverPrompt) else ()
        luck, skill = decided(match, by_table)
        luck = tuple(chance for chance in luck if chance.seat not in house)
        skill = tuple(made for made in skill if made.seat not in house)
        yield Played(at_utc, match.game, match.seats, winners, luck, lost, skill, house_rules, house)


def decided(match: Match, by_table: Set[int]) -> tuple[tuple[Chance, ...], tuple[Decision, ...]]:
    """The chances and decisions in the requests that are in force, oldest first.

    `by_table` are the revisions that the table's own decisions led to.
    """
    current = reopen(match.opening)
    luck: list[Chance] = []
    skill: list[Decision] = []
    for revision, request in requests_in_force(in_order(match.entries)):
        after = current.apply(request)
        luck += chances(current, request, after)
        if revision not in by_table and (choice := decision(current, request)) is not None:
            skill.append(choice)
        current = after
    return tuple(luck), tuple(skill)


def renamed(matches: Iterable[Played], names: Mapping[str, str]) -> list[Played]:
    return [
        replace(
            match,
            seats=tuple(names[seat] for seat in match.seats),
            winners=tuple(names[seat] for seat in match.winners),
            chances=tuple(replace(chance, seat=names[chance.seat]) for chance in match.chances),
            decisions=tuple(replace(made, seat=names[made.seat]) for made in match.decisions),
            house=tuple(names[seat] for seat in match.house),
        )
        for match in matches
    ]


def numbered(matches: Iterable[Played]) -> dict[str, str]:
    """`player 1`, `player 2` … for the names, in the order of their first games; the house keeps its own."""
    every = list(matches)
    house = {seat: seat for match in every for seat in match.house}
    people = dict.fromkeys(seat for match in every for seat in match.seats if seat not in match.house)
    return house | {name: f"player {number}" for number, name in enumerate(people, 1)}


def whether(seat: str, chance: float, *, happened: bool) -> Chance:
    return Chance(seat, chance, float(happened), chance * (1 - chance))


def six_by_6(_before: Match, after: Match, _dice: Dice) -> Iterator[Chance]:
    """The score of each turn, against the mean of all turns."""
    for event in after.events:
        if event["event"] == "turn_over":
            yield Chance(event["seat"], odds.turn_odds(0, 0).score, float(event["score"]), None)


def six_shooter(before: Match, _after: Match, dice: Dice) -> Iterator[Chance]:
    """Not to bust with a bought die or the opening pair."""
    state = before.current
    seat, target = state.seats[state.turn], state.options.target
    total = state.total(state.turn)
    total_now = total + sum(face for _, face in dice.dice)
    kinds = [kind for kind, _ in dice.dice]
    if state.phase == "opening":
        bust = float(odds.opening_bust(kinds, target))
    else:
        bust = float(odds.bust(kinds[0], total, target))
    yield whether(seat, 1 - bust, happened=total_now <= target)


def money_shot(before: Match, _after: Match, dice: Dice) -> Iterator[Chance]:
    """A new peak or the money shot."""
    state = before.current
    face = dice.dice[0][1]
    least = MONEY_SHOT if state.fader is None else (state.peak or 0) + 1
    yield whether(state.seats[state.active], float(odds.peak_beaten(state)), happened=face >= least)


def liars_dice(before: Match, after: Match, _dice: Dice) -> Iterator[Chance]:
    """A challenge, for both seats, against the odds of a player who sees no cup."""
    state = before.current
    for event in after.events:
        if event["event"] == "challenge_won" and state.bid is not None:
            holds = float(odds.bid_holds(state.bid, sum(state.dice)))
            bidder, challenger = state.seats[state.bidder], state.seats[state.turn]
            yield whether(bidder, holds, happened=event["seat"] == bidder)
            yield whether(challenger, 1 - holds, happened=event["seat"] == challenger)


BY_GAME: Final[dict[str, Callable[[Any, Any, Any], Iterator[Chance]]]] = {
    "six_by_6": six_by_6,
    "six_shooter": six_shooter,
    "money_shot": money_shot,
    "liars_dice": liars_dice,
}


def chances(before: Match, request: Request, after: Match) -> list[Chance]:
    rule = BY_GAME.get(before.game)
    if rule is None or isinstance(request, Act) or not isinstance(before.prompt, ThrowPrompt | RevealPrompt):
        return []
    return list(rule(before, after, request))


@dataclass(frozen=True, slots=True)
class Hand:
    """What stays fixed while one seat buys and no other can: `best` is (total, dice)."""

    target: int
    price: int
    best: tuple[int, int]


def decision(before: Match, request: Request) -> Decision | None:
    """What a seat's request was worth; None where that is not known, or nothing was decided."""
    state = before.current
    if before.game != GAME.name or not isinstance(state, State) or not last_to_act(state):
        return None
    seat = state.turn
    hand = Hand(state.options.target, state.options.price, odds.rivals(state, seat).best)
    total, left, spare = state.total(seat), state.dice_left(seat), odds.dice_to_buy(state, seat)
    if state.phase == "act" and isinstance(request, Act):
        if not spare:
            return None
        sticks = Fraction(state.pot if odds.stick_wins(state, seat) else 0)
        buys = bought(hand, total, left, spare, state.pot)
        chosen = buys if request.action["type"] == "buy" else sticks
        return Decision(state.seats[seat], float(max(sticks, buys)), float(chosen))
    if state.phase == "bought" and not isinstance(request, Act) and len(left) > 1:
        worth = {kind: thrown(hand, total, left, kind, spare, state.pot) for kind in left}
        return Decision(state.seats[seat], float(max(worth.values())), float(worth[request.dice[0][0]]))
    return None


def last_to_act(state: State) -> bool:
    """Whether the seat on turn decides alone: all others that are in the hand have stuck."""
    return (
        state.phase in ("act", "bought") and state.seats_that_are("in") == [state.turn] and bool(state.stuck)
    )


@lru_cache(REMEMBERED)
def bought(hand: Hand, total: int, left: tuple[Kind, ...], spare: int, pot: int) -> Fraction:
    """The mean gain in chips from buying a die, with chips for `spare` of those that are left."""
    after = pot + hand.price
    return max(thrown(hand, total, left, kind, spare - 1, after) for kind in left) - hand.price


@lru_cache(REMEMBERED)
def thrown(hand: Hand, total: int, left: tuple[Kind, ...], kind: Kind, spare: int, pot: int) -> Fraction:
    """The mean gain in chips from throwing this die, which is paid, if the seat then goes on well."""
    others = tuple(later for later in left if later != kind)
    dice = len(KINDS) - len(others)
    worth = Fraction(0)
    for face in range(1, min(FACES[kind], hand.target - total) + 1):
        wins = not others or (total + face, dice) > hand.best
        sticks = Fraction(pot if wins else 0)
        goes_on = bought(hand, total + face, others, spare, pot) if others and spare else sticks
        worth += max(sticks, goes_on)
    return worth / FACES[kind]
