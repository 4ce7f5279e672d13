"""Sixes: three dice pass under a cup with a rising call. The state contains dice only after a reveal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple

from games.dice import Die, Kind
from games.game import Event, Game, Pick, RollOff, Step, best, with_item
from games.prompts import (
    ActPrompt,
    CallOffer,
    OverPrompt,
    Plain,
    Prompt,
    RecastOffer,
    RevealPrompt,
    ThrowPrompt,
)
from games.requests import JsonObject
from games.words import Stage, TableView, Words, tr

DICE = 3
THREE_D6: tuple[Kind, ...] = ("d6", "d6", "d6")
ACCEPT, CHALLENGE = Plain("accept"), Plain("challenge")
RECAST = RecastOffer(0, DICE)


def reading(faces: Iterable[int]) -> int:
    """Three faces as a call, high to low: 3, 5, 2 read 532."""
    high, middle, low = sorted(faces, reverse=True)
    return 100 * high + 10 * middle + low


CALLS = tuple(sorted(reading(faces) for faces in combinations_with_replacement(range(1, 7), DICE)))
"""Every reading of three dice, ascending."""

HIGHEST = CALLS[-1]
CALLS_ABOVE = {value: CALLS[index + 1 :] for index, value in enumerate(CALLS)}


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds` in a game, and the seat that starts without a roll-off."""

    rounds: int = 10
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None: ...


Phase = Literal["roll_off", "call", "answer", "recast", "reveal", "over"]


class State(NamedTuple):
    """The game at one decision. `turn` is the seat that holds the cup; `caller` made the current call."""

    seats: tuple[str, ...]
    options: Options
    losses: tuple[int, ...]
    round: int
    turn: int
    phase: Phase
    call: int | None = None
    caller: int = 0
    roll_off: RollOff | None = None


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The game before its roll-off, or in its first round if `first` is set."""
    state = State(seats, options, (0,) * len(seats), round=0, turn=0, phase="roll_off")
    if options.first is None:
        return state._replace(roll_off=RollOff(tuple(range(len(seats))))), []
    return begin_round(state, seats.index(options.first))


def begin_round(state: State, starter: int) -> Step[State]:
    """The starter casts all three dice under the cup and calls next."""
    state = State(state.seats, state.options, state.losses, state.round + 1, starter, "call")
    return state, [cast(state, DICE)]


def cast(state: State, count: int) -> Event:
    return {"event": "cast", "seat": state.seats[state.turn], "count": count}


def prompt(state: State) -> Prompt:
    seat = state.seats[state.turn]
    if state.phase == "call":
        return ActPrompt(seat, (CallOffer(CALLS if state.call is None else CALLS_ABOVE[state.call]),))
    if state.phase == "answer":
        return ActPrompt(seat, (CHALLENGE,) if state.call == HIGHEST else (ACCEPT, CHALLENGE))
    if state.phase == "recast":
        return ActPrompt(seat, (RECAST,))
    if state.phase == "reveal":
        return RevealPrompt(THREE_D6)
    if state.roll_off is not None:
        return ThrowPrompt(state.seats[state.roll_off.thrower], DICE, THREE_D6)
    return OverPrompt(best(state.seats, [-losses for losses in state.losses]))


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "call":
        following = (state.turn + 1) % len(state.seats)
        value = action["value"]
        after = state._replace(turn=following, phase="answer", call=value, caller=state.turn)
        return after, [{"event": "call", "seat": seat, "value": value}]
    if action["type"] == "recast":
        return state._replace(phase="call"), [cast(state, action["count"])]
    phase: Phase = "recast" if action["type"] == "accept" else "reveal"
    return state._replace(phase=phase), [{"event": action["type"], "seat": seat}]


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    shown = reading(face for _, face in dice)
    if state.roll_off is None:
        return settle(state, shown)
    events: list[Event] = [
        {"event": "thrown", "seat": state.seats[state.roll_off.thrower], "reading": shown},
    ]
    outcome = state.roll_off.after(shown)
    if isinstance(outcome, RollOff):
        return state._replace(roll_off=outcome), events
    state, casts = begin_round(state, outcome)
    return state, events + casts


def settle(state: State, shown: int) -> Step[State]:
    """Books the lost round; the loser starts the next."""
    loser = state.turn if shown >= (state.call or 0) else state.caller
    losses = with_item(state.losses, loser, state.losses[loser] + 1)
    events: list[Event] = [
        {"event": "revealed", "reading": shown},
        {"event": "round_lost", "seat": state.seats[loser]},
    ]
    state = State(state.seats, state.options, losses, state.round, loser, "over")
    if state.round == state.options.rounds:
        return state, events
    state, casts = begin_round(state, loser)
    return state, events + casts


def cups(state: State) -> tuple[int, ...]:
    if state.round == 0 or state.phase == "over":
        return ()
    return tuple(DICE * (seat == state.turn) for seat in range(len(state.seats)))


def to_json(state: State) -> JsonObject:
    call = None if state.call is None else {"seat": state.seats[state.caller], "value": state.call}
    return {
        "game": "sixes",
        "round": state.round,
        "call": call,
        "seats": [
            {"seat": seat, "losses": losses} for seat, losses in zip(state.seats, state.losses, strict=True)
        ],
    }


def facts(state: JsonObject) -> Sequence[str]:
    if state["round"] == 0:
        return [tr("highest begins")]
    call = state["call"]
    return [] if call is None else [tr("{seat} calls {value}").format(**call)]


def stage(view: TableView) -> Stage:
    """The call as its dice, and who made it."""
    call = view.state["call"]
    if call is None:
        return Stage("?", tr("highest begins") if view.state["round"] == 0 else tr("no call yet"))
    dice: tuple[Die, ...] = tuple(("d6", int(digit)) for digit in str(call["value"]))
    dares = view.to_act not in (None, call["seat"])
    caption = tr("{seat} dares {other}") if dares else tr("{seat} called")
    return Stage(
        str(call["value"]), caption.format(seat=call["seat"], other=view.to_act), dice, owner=call["seat"]
    )


WORDS = Words(
    title=tr("Sixes"),
    pitch=tr("Look in secret, call high. Who dares doubt you?"),
    poster=(("d6", 6), ("d6", 6), ("d6", 6)),
    rules=(
        tr("Three dice go round under a cup, with a call."),
        tr("Read them high to low: 3 5 2 reads 532."),
        tr("Look in secret and call what you like."),
        tr("The next seat accepts the cup, or challenges."),
        tr("It may recast any of the dice, then calls higher."),
        tr("A challenge lifts the cup."),
        tr("Less than called: the caller loses."),
        tr("As much or more: the challenger loses."),
        tr("The loser starts the next round. Fewest losses wins."),
    ),
    actions={
        "accept": tr("Accept"),
        "recast": tr("Recast"),
        "call": tr("Call"),
        "challenge": tr("Challenge!"),
    },
    asks={
        "call": lambda state, _: (
            tr("Look under your cup. What do you call?")
            if state["call"] is None
            else tr("You have to call more than {value}. What is it?").format(**state["call"])
        ),
        "accept": lambda state, _: tr("{seat} calls {value}. Do you believe it?").format(**state["call"]),
        "challenge": lambda state, _: tr("{seat} calls {value}. Do you believe it?").format(**state["call"]),
        "recast": lambda _, __: tr("How many dice do you cast again?"),
    },
    options={"rounds": tr("Rounds")},
    events={
        "thrown": lambda e: tr("{seat} reads {reading}").format(**e),
        "cast": lambda e: (tr("{seat} casts {count}") if e["count"] else tr("{seat} keeps all")).format(**e),
        "call": lambda e: tr("{seat} calls {value}").format(**e),
        "accept": lambda e: tr("{seat} accepts").format(**e),
        "challenge": lambda e: tr("{seat} challenges").format(**e),
        "revealed": lambda e: tr("it was {reading}").format(**e),
        "round_lost": lambda e: tr("{seat} loses the round").format(**e),
    },
    facts=facts,
    score=lambda _, seat: tr("lost {losses}").format(losses=seat["losses"]),
    stage=stage,
    moments={
        "call": lambda e: str(e["value"]),
        "challenge": lambda _: tr("DARE!"),
        "revealed": lambda e: str(e["reading"]),
        "round_lost": lambda _: tr("LOST"),
    },
)

GAME = Game(
    "sixes",
    3,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    cups=cups,
    words=WORDS,
    limit="rounds",
    away=("challenge",),
)
