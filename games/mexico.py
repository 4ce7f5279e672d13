"""Mexico: two dice in the open, 21 is the highest. The lowest of each round loses a life."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.dice import Die
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, clockwise, next_left, with_item
from games.keeping import D6, as_dice
from games.prompts import ActPrompt, OverPrompt, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.two_dice import RANK, RANKS, TOP, chance_above, reading
from games.words import Odds, SeatStage, Stage, TableView, Words, ntr, percent, tr

DICE = 2
ROLL, STAND = Plain("roll"), Plain("stand")


@dataclass(frozen=True, slots=True)
class Options:
    """`lives` per seat, `throws` that the first of a round may take, `price` of a round with a Mexico."""

    lives: int = 6
    throws: int = 3
    price: int = 2
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """All combinations are valid."""


class State(NamedTuple):
    """The game at one throw or decision; lives and readings are in seat order.

    `starter` began the round. `waiting` are the seats that still play in it, the one whose turn it is first.
    `readings` are None for a seat that has not finished its turn. `shown` is the reading of the last throw of
    the turn, `throws` how many the seat took, `limit` how many it may take. In a `tie` the lowest seats throw
    once more.
    """

    seats: tuple[str, ...]
    options: Options
    lives: tuple[int, ...]
    readings: tuple[int | None, ...]
    starter: int
    waiting: tuple[int, ...]
    limit: int
    round: int = 1
    throws: int = 0
    shown: int | None = None
    tie: bool = False
    stake: int = 1
    over: bool = False

    @property
    def turn(self) -> int:
        return self.waiting[0]

    @property
    def alive(self) -> list[int]:
        return [seat for seat, lives in enumerate(self.lives) if lives > 0]


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    waiting = tuple(clockwise(first, len(seats)))
    nothing = (None,) * len(seats)
    return State(seats, options, (options.lives,) * len(seats), nothing, first, waiting, options.throws), []


def prompt(state: State) -> Prompt:
    if state.over:
        most = max(state.lives)
        return OverPrompt(
            tuple(s for s, lives in zip(state.seats, state.lives, strict=True) if lives == most)
        )
    seat = state.seats[state.turn]
    return ThrowPrompt(seat, DICE, D6 * DICE) if state.shown is None else ActPrompt(seat, (ROLL, STAND))


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    shown = reading(face for _, face in dice)
    throws = state.throws + 1
    event: Event = {"event": "thrown", "seat": state.seats[state.turn], "reading": shown, "throws": throws}
    if shown == TOP and not state.tie:
        state = state._replace(stake=state.options.price)
    state = state._replace(throws=throws)
    if shown == TOP or throws == state.limit:
        return end_turn(state, shown, [event])
    return state._replace(shown=shown), [event]


def act(state: State, action: JsonObject) -> Step[State]:
    event: Event = {"event": action["type"], "seat": state.seats[state.turn]}
    if action["type"] == "roll":
        return state._replace(shown=None), [event]
    return end_turn(state, state.shown or 0, [event])


def end_turn(state: State, shown: int, events: list[Event]) -> Step[State]:
    """Records the last throw. The first turn of a round limits the throws of the others."""
    first = not state.tie and all(reading is None for reading in state.readings)
    state = state._replace(
        readings=(*state.readings[: state.turn], shown, *state.readings[state.turn + 1 :]),
        limit=state.throws if first else state.limit,
        waiting=state.waiting[1:],
        throws=0,
        shown=None,
    )
    return (state, events) if state.waiting else end_round(state, events)


def end_round(state: State, events: list[Event]) -> Step[State]:
    """The lowest seat loses the stake and begins the next round; several lowest seats throw once more."""
    ranks = {seat: RANK[shown] for seat, shown in enumerate(state.readings) if shown is not None}
    lowest = [seat for seat, rank in ranks.items() if rank == min(ranks.values())]
    nothing = (None,) * len(state.seats)
    if len(lowest) > 1:
        order = tuple(seat for seat in clockwise(state.starter, len(state.seats)) if seat in lowest)
        events.append({"event": "tie", "seats": [state.seats[seat] for seat in order]})
        return state._replace(readings=nothing, waiting=order, limit=1, tie=True), events
    (loser,) = lowest
    lost = min(state.stake, state.lives[loser])
    events.append({"event": "round_lost", "seat": state.seats[loser], "lives": lost})
    state = state._replace(lives=with_item(state.lives, loser, state.lives[loser] - lost))
    alive = state.alive
    if len(alive) == 1 or state.round == state.options.rounds:
        return state._replace(over=True), events
    first = loser if loser in alive else next_left(loser, len(state.seats), alive)
    waiting = tuple(seat for seat in clockwise(first, len(state.seats)) if seat in alive)
    state = State(
        state.seats,
        state.options,
        state.lives,
        nothing,
        first,
        waiting,
        state.options.throws,
        round=state.round + 1,
    )
    return state, events


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.waiting[0]] if state.waiting else None,
        "throws": state.throws,
        "limit": state.limit,
        "shown": state.shown,
    }
    return {
        "game": "mexico",
        "round": state.round,
        "stake": state.stake,
        "tie": state.tie,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "lives": lives, "reading": shown}
            for seat, lives, shown in zip(state.seats, state.lives, state.readings, strict=True)
        ],
    }


def stand_wisely(view: PlayerView) -> JsonObject:
    """Stands with a reading that another throw is likelier to lower, or that beats the lowest so far."""
    state: State = view.state
    rank = RANK[state.shown or 0]
    lowest = min((RANK[shown] for shown in state.readings if shown is not None), default=len(RANKS))
    safe = rank > lowest or rank >= RANK[63]
    return {"type": "stand" if safe else "roll"}


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    if turn is None:
        return []
    stake = [tr("costs {lives}").format(lives=lives(state["stake"]))] if state["stake"] > 1 else []
    return [tr("throw {number} of {limit}").format(number=turn["throws"] + 1, limit=turn["limit"]), *stake]


def lives(count: int) -> str:
    """`1 life`, `6 lives`."""
    return ntr("{count} life", "{count} lives", count).format(count=count)


def named(shown: int) -> str:
    """`Mexico` for 21, otherwise the two digits."""
    return tr("Mexico") if shown == TOP else str(shown)


def odds(view: TableView) -> Sequence[Odds]:
    """The chances that the next throw beats the last one of the turn, and the lowest of the round."""
    turn = view.state["turn"]
    if turn is None:
        return []
    readings = [seat["reading"] for seat in view.state["seats"] if seat["reading"] is not None]
    lowest = min(readings, key=RANK.__getitem__, default=None)
    marks = dict.fromkeys(mark for mark in (turn["shown"], lowest) if mark is not None)
    return [
        (tr("Two dice beat {value}").format(value=named(mark)), percent(chance_above(mark))) for mark in marks
    ]


def stage(view: TableView) -> Stage:
    """The throw that awaits a decision, or the lowest reading of the round."""
    state = view.state
    seats = {
        seat["seat"]: SeatStage(
            "" if seat["reading"] is None else str(seat["reading"]), out=seat["lives"] == 0
        )
        for seat in state["seats"]
    }
    shown = None if state["turn"] is None else state["turn"]["shown"]
    if shown is not None:
        dice = as_dice(map(int, str(shown)))
        return Stage(str(shown), tr("keep it?"), dice, owner=state["turn"]["seat"], seats=seats)
    readings = [seat for seat in state["seats"] if seat["reading"] is not None]
    if not readings:
        return Stage("", tr("a new round"), seats=seats)
    lowest = min(readings, key=lambda seat: RANK[seat["reading"]])
    dice = as_dice(map(int, str(lowest["reading"])))
    return Stage(str(lowest["reading"]), tr("lowest so far"), dice, owner=lowest["seat"], seats=seats)


WORDS = Words(
    title=tr("Mexico"),
    pitch=tr("Two dice, and 21 beats everything."),
    poster=as_dice((2, 1)),
    rules=(
        tr("Throw two dice and read the higher one first."),
        tr("21 is Mexico, the highest."),
        tr("Then come the doubles, from 66 to 11."),
        tr("Then 65, 64 and so on down to 31."),
        tr("The first seat may throw three times."),
        tr("The others may throw as often. The last throw counts."),
        tr("The lowest loses a life, or two in a round with a Mexico."),
        tr("The lowest on a tie throw once more."),
        tr("The last one with a life wins."),
    ),
    actions={"roll": tr("Roll again"), "stand": tr("Stand")},
    asks={"roll": lambda state, _: tr("You have {shown}. Keep it, or roll again?").format(**state["turn"])},
    options={
        "lives": tr("Lives"),
        "throws": tr("Most throws"),
        "price": tr("Price of Mexico"),
        "rounds": tr("Rounds"),
    },
    events={
        "thrown": lambda e: tr("{seat} threw {reading}").format(seat=e["seat"], reading=named(e["reading"])),
        "roll": lambda e: tr("{seat} rolls again").format(**e),
        "stand": lambda e: tr("{seat} stands").format(**e),
        "tie": lambda e: tr("a tie: {seats}").format(seats=", ".join(e["seats"])),
        "round_lost": lambda e: tr("{seat} loses {lives}").format(seat=e["seat"], lives=lives(e["lives"])),
    },
    facts=facts,
    score=lambda _, seat: lives(seat["lives"]),
    odds=odds,
    standing=lambda _, seat: "" if seat["reading"] is None else named(seat["reading"]),
    stage=stage,
    moments={
        "thrown": lambda e: tr("MEXICO!") if e["reading"] == TOP else "",
        "round_lost": lambda _: tr("LOST"),
    },
    best=(tr("MEXICO!"),),
)

GAME = Game(
    "mexico",
    2,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    words=WORDS,
    limit="rounds",
    away=("stand",),
    sharp=Sharp(stand_wisely),
)
