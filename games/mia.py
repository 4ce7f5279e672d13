"""Mia: two dice pass under a cup with a rising call. The state contains dice only after a reveal."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from games.dice import Die, Kind
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, next_left, with_item
from games.keeping import as_dice
from games.prompts import ActPrompt, CallOffer, OverPrompt, Plain, Prompt, RevealPrompt
from games.requests import JsonObject
from games.two_dice import RANK, RANKS, TOP, chance_above, chance_of_at_least, reading
from games.words import Odds, SeatStage, Stage, TableView, Words, ntr, percent, tr

DICE = 2
TWO_D6: tuple[Kind, ...] = ("d6", "d6")
ACCEPT, CHALLENGE, CONCEDE = Plain("accept"), Plain("challenge"), Plain("concede")


@dataclass(frozen=True, slots=True)
class Options:
    """`lives` per seat, `price` of a challenge to a called Mia, and the seat that begins."""

    lives: int = 6
    price: int = 2
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """All combinations are valid."""


class State(NamedTuple):
    """The game at one decision. `turn` is the seat that holds the cup; `caller` made the current call."""

    seats: tuple[str, ...]
    options: Options
    lives: tuple[int, ...]
    turn: int
    round: int = 1
    phase: Literal["call", "answer", "reveal", "over"] = "call"
    call: int | None = None
    caller: int = 0

    @property
    def alive(self) -> list[int]:
        return [seat for seat, lives in enumerate(self.lives) if lives > 0]


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The first round; its starter casts under the cup."""
    first = 0 if options.first is None else seats.index(options.first)
    state = State(seats, options, (options.lives,) * len(seats), first)
    return state, [cast(state)]


def cast(state: State) -> Event:
    return {"event": "cast", "seat": state.seats[state.turn], "count": DICE}


def prompt(state: State) -> Prompt:
    seat = state.seats[state.turn]
    if state.phase == "call":
        return ActPrompt(seat, (CallOffer(RANKS if state.call is None else above(state.call)),))
    if state.phase == "answer":
        return ActPrompt(seat, (CONCEDE, CHALLENGE) if state.call == TOP else (ACCEPT, CHALLENGE))
    if state.phase == "reveal":
        return RevealPrompt(TWO_D6)
    most = max(state.lives)
    return OverPrompt(tuple(s for s, lives in zip(state.seats, state.lives, strict=True) if lives == most))


def above(call: int) -> tuple[int, ...]:
    """The calls that outrank this one, from the lowest rank to the highest."""
    return RANKS[RANK[call] + 1 :]


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "call":
        following = next_left(state.turn, len(state.seats), state.alive)
        value = action["value"]
        after = state._replace(turn=following, phase="answer", call=value, caller=state.turn)
        return after, [{"event": "call", "seat": seat, "value": value}]
    events: list[Event] = [{"event": action["type"], "seat": seat}]
    if action["type"] == "accept":
        return state._replace(phase="call"), [*events, cast(state)]
    if action["type"] == "concede":
        return lose(state, state.turn, 1, events)
    return state._replace(phase="reveal"), events


def show(state: State, dice: tuple[Die, ...]) -> Step[State]:
    """The cup is lifted: the caller loses if the dice rank below the call, otherwise the challenger."""
    shown = reading(face for _, face in dice)
    loser = state.turn if RANK[shown] >= RANK[state.call or 0] else state.caller
    stake = state.options.price if state.call == TOP else 1
    return lose(state, loser, stake, [{"event": "revealed", "reading": shown}])


def lose(state: State, loser: int, stake: int, events: list[Event]) -> Step[State]:
    """Books the lost round. The loser starts the next, or the next seat to the left of one that is out."""
    lost = min(stake, state.lives[loser])
    events.append({"event": "round_lost", "seat": state.seats[loser], "lives": lost})
    lives = with_item(state.lives, loser, state.lives[loser] - lost)
    state = State(state.seats, state.options, lives, loser, state.round, "over")
    if len(state.alive) == 1 or state.round == state.options.rounds:
        return state, events
    first = loser if lives[loser] else next_left(loser, len(state.seats), state.alive)
    state = state._replace(turn=first, round=state.round + 1, phase="call")
    return state, [*events, cast(state)]


def cups(state: State) -> tuple[int, ...]:
    if state.phase == "over":
        return ()
    return tuple(DICE * (seat == state.turn) for seat in range(len(state.seats)))


def to_json(state: State) -> JsonObject:
    call = None if state.call is None else {"seat": state.seats[state.caller], "value": state.call}
    return {
        "game": "mia",
        "round": state.round,
        "call": call,
        "seats": [
            {"seat": seat, "lives": lives} for seat, lives in zip(state.seats, state.lives, strict=True)
        ],
    }


def bluff_wisely(view: PlayerView) -> JsonObject:
    """Calls the truth if it is high enough, and challenges calls that fresh dice would seldom reach.

    Without a look it calls what two dice reach as often as not.
    """
    state: State = view.state
    if state.phase == "call":
        calls = RANKS if state.call is None else above(state.call)
        if not view.cup:
            likely = [call for call in calls if chance_of_at_least(call) >= Fraction(1, 2)]
            return {"type": "call", "value": likely[-1] if likely else calls[0]}
        truth = reading(view.cup)
        return {"type": "call", "value": truth if truth in calls else calls[0]}
    if state.call == TOP:
        return {"type": "concede" if state.options.price > 1 else "challenge"}
    doubts = chance_of_at_least(state.call or 0) < Fraction(1, 3)
    return {"type": "challenge" if doubts else "accept"}


def lives(count: int) -> str:
    """`1 life`, `6 lives`."""
    return ntr("{count} life", "{count} lives", count).format(count=count)


def named(shown: int) -> str:
    """`Mia` for 21, otherwise the two digits."""
    return tr("Mia") if shown == TOP else str(shown)


def facts(state: JsonObject) -> Sequence[str]:
    call = state["call"]
    if call is None:
        return []
    return [tr("{seat} calls {value}").format(seat=call["seat"], value=named(call["value"]))]


def odds(view: TableView) -> Sequence[Odds]:
    """The chances that two fresh dice reach the call, and that they beat it."""
    call = view.state["call"]
    if call is None:
        return []
    shown = named(call["value"])
    return [
        (tr("Two dice read {value} or more").format(value=shown), percent(chance_of_at_least(call["value"]))),
        (tr("Two dice beat {value}").format(value=shown), percent(chance_above(call["value"]))),
    ]


def stage(view: TableView) -> Stage:
    """The call as its dice, and who made it."""
    seats = {
        seat["seat"]: SeatStage(str(seat["lives"]), out=seat["lives"] == 0) for seat in view.state["seats"]
    }
    call = view.state["call"]
    if call is None:
        return Stage("?", tr("no call yet"), seats=seats)
    dice = as_dice(map(int, str(call["value"])))
    dares = view.to_act not in (None, call["seat"])
    caption = tr("{seat} dares {other}") if dares else tr("{seat} called")
    return Stage(
        str(call["value"]),
        caption.format(seat=call["seat"], other=view.to_act),
        dice,
        owner=call["seat"],
        seats=seats,
    )


def believed(call: JsonObject) -> str:
    """Asks the next seat about a call."""
    return tr("{seat} calls {value}. Do you believe it?").format(
        seat=call["seat"], value=named(call["value"])
    )


WORDS = Words(
    title=tr("Mia"),
    pitch=tr("Two dice, a cup. Call higher, or call the bluff."),
    poster=as_dice((2, 1)),
    rules=(
        tr("Cast two dice under the cup and look in secret."),
        tr("Read the higher one first, and call what you like."),
        tr("21 is Mia, the highest. Then the doubles, 66 to 11."),
        tr("Then 65, 64 and so on down to 31."),
        tr("The next seat accepts or challenges."),
        tr("It accepts: it casts both dice and calls higher."),
        tr("It challenges: the cup is lifted."),
        tr("Lower than called: the caller loses a life."),
        tr("Otherwise the challenger does."),
        tr("A called Mia: give up one life, or challenge for two."),
        tr("The last one with a life wins."),
    ),
    actions={
        "call": tr("Call"),
        "accept": tr("Accept"),
        "challenge": tr("Challenge!"),
        "concede": tr("Give up a life"),
    },
    asks={
        "call": lambda state, _: (
            tr("Look under your cup. What do you call?")
            if state["call"] is None
            else tr("You have to call more than {value}. What is it?").format(
                value=named(state["call"]["value"])
            )
        ),
        "accept": lambda state, _: believed(state["call"]),
        "concede": lambda state, _: believed(state["call"]),
    },
    gives_up=("concede",),
    options={"lives": tr("Lives"), "price": tr("Price of Mia"), "rounds": tr("Rounds")},
    events={
        "cast": lambda e: tr("{seat} casts {count}").format(**e),
        "call": lambda e: tr("{seat} calls {value}").format(seat=e["seat"], value=named(e["value"])),
        "accept": lambda e: tr("{seat} accepts").format(**e),
        "challenge": lambda e: tr("{seat} challenges").format(**e),
        "concede": lambda e: tr("{seat} gives up").format(**e),
        "revealed": lambda e: tr("it was {reading}").format(reading=named(e["reading"])),
        "round_lost": lambda e: tr("{seat} loses {lives}").format(seat=e["seat"], lives=lives(e["lives"])),
    },
    facts=facts,
    score=lambda _, seat: lives(seat["lives"]),
    odds=odds,
    stage=stage,
    moments={
        "call": lambda e: str(e["value"]),
        "challenge": lambda _: tr("LIAR!"),
        "revealed": lambda e: tr("MIA!") if e["reading"] == TOP else str(e["reading"]),
        "round_lost": lambda _: tr("LOST"),
    },
    best=(tr("MIA!"),),
)

GAME = Game(
    "mia",
    2,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=show,
    act=act,
    cups=cups,
    words=WORDS,
    limit="rounds",
    away=("challenge", "concede"),
    sharp=Sharp(bluff_wisely),
)
