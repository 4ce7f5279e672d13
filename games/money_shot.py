"""Money Shot: bet on beating the peak with one d12, get faded or take the pot, and hope for the twelve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from games.dice import Die, Kind
from games.errors import BadOption
from games.game import Event, Game, Pick, Step, best, next_left, with_item
from games.prompts import ActPrompt, BetOffer, OverPrompt, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import SeatStage, Stage, TableView, Words, chips_of, pot_sign, tr

MONEY_SHOT = 12
D12: tuple[Kind, ...] = ("d12",)
FADE, BOW_OUT = Plain("fade"), Plain("bow_out")


@dataclass(frozen=True, slots=True)
class Options:
    """`chips` per seat at the start, `min_bet` (also the ante), `max_bet`, and `rounds` in a game."""

    chips: int = 50
    min_bet: int = 1
    max_bet: int = 10
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats suits
        """Each seat must be able to pay the first ante, and some bet must be possible."""
        if self.chips < self.min_bet:
            raise BadOption("chips must be at least min_bet")
        if self.max_bet < self.min_bet:
            raise BadOption("max_bet must be at least min_bet")


Status = Literal["in", "bowed", "rolled_out", "broke"]


class State(NamedTuple):
    """The game at one decision or throw; chips and status are in seat order.

    `active` holds the die, `to_answer` is asked to fade `bet`, `fader` has faded. The leader sits just right
    of the active seat, because all seats between them are out: so it is asked last and never holds the die.
    """

    seats: tuple[str, ...]
    options: Options
    round: int
    pot: int
    chips: tuple[int, ...]
    status: tuple[Status, ...]
    active: int
    phase: Literal["bet", "fade", "throw", "over"] = "bet"
    peak: int | None = None
    leader: int | None = None
    bet: int | None = None
    to_answer: int = 0
    fader: int | None = None

    def in_round(self) -> list[int]:
        return [seat for seat, status in enumerate(self.status) if status == "in"]


def start(seats: tuple[str, ...], options: Options, pick: Pick) -> Step[State]:
    """The first round; its active seat is `first` or drawn at random."""
    active = pick(len(seats)) if options.first is None else seats.index(options.first)
    chips = (options.chips,) * len(seats)
    status: tuple[Status, ...] = tuple("in" for _ in seats)
    state = State(seats, options, round=0, pot=0, chips=chips, status=status, active=active)
    return begin_round(state, active, list(range(len(seats))))


def begin_round(state: State, active: int, playing: list[int]) -> Step[State]:
    """The playing seats pay the ante; the active seat is next."""
    ante = state.options.min_bet
    status: list[Status] = ["in" if seat in playing else "broke" for seat in range(len(state.seats))]
    chips = tuple(has - ante if seat in playing else has for seat, has in enumerate(state.chips))
    pot = ante * len(playing)
    state = State(state.seats, state.options, state.round + 1, pot, chips, tuple(status), active)
    event = {"event": "round", "round": state.round, "active": state.seats[active], "pot": pot}
    return hand_die(state, active, [event])


def hand_die(state: State, active: int, events: list[Event]) -> Step[State]:
    """Makes the seat active: it may bet, or throws without a bet if it has no chips."""
    phase: Literal["bet", "throw"] = "bet" if state.chips[active] else "throw"
    return state._replace(active=active, phase=phase, bet=None, fader=None), events


def prompt(state: State) -> Prompt:
    if state.phase == "throw":
        return ThrowPrompt(state.seats[state.active], 1, D12)
    if state.phase == "fade":
        return ActPrompt(state.seats[state.to_answer], (FADE, BOW_OUT))
    if state.phase == "over":
        return OverPrompt(best(state.seats, state.chips))
    chips = state.chips[state.active]
    bet = BetOffer(min(state.options.min_bet, chips), min(state.options.max_bet, chips))
    return ActPrompt(state.seats[state.active], (bet,) if state.peak is None else (bet, BOW_OUT))


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.active if state.phase == "bet" else state.to_answer
    if action["type"] == "bow_out":
        return bow_out(state, seat)
    paid = action["amount"] if action["type"] == "bet" else min(state.bet or 0, state.chips[seat])
    chips = with_item(state.chips, seat, state.chips[seat] - paid)
    state = state._replace(chips=chips, pot=state.pot + paid)
    events: list[Event] = [{"event": action["type"], "seat": state.seats[seat], "chips": paid}]
    if action["type"] == "bet":
        return ask(state._replace(bet=paid), seat, events)
    return state._replace(phase="throw", fader=seat), events


def ask(state: State, after: int, events: list[Event]) -> Step[State]:
    """Asks the next seat in the round to fade; a seat without chips covers for free and is not asked."""
    seat = next_left(after, len(state.seats), state.in_round())
    if state.chips[seat]:
        return state._replace(phase="fade", to_answer=seat), events
    events.append({"event": "covers", "seat": state.seats[seat]})
    return state._replace(phase="throw", fader=seat), events


def leave(state: State, seat: int, status: Status) -> State:
    return state._replace(status=(*state.status[:seat], status, *state.status[seat + 1 :]))


def bow_out(state: State, seat: int) -> Step[State]:
    """The active seat passes the die on, an asked seat the question; the last seat left takes the pot."""
    state = leave(state, seat, "bowed")
    events: list[Event] = [{"event": "bow_out", "seat": state.seats[seat]}]
    left = state.in_round()
    if len(left) == 1:
        return take_pot(state, left[0], events)
    if state.phase == "fade":
        return ask(state, seat, events)
    return hand_die(state, next_left(seat, len(state.seats), left), events)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    active = state.active
    ((_, face),) = dice
    events: list[Event] = [{"event": "thrown", "seat": state.seats[active], "face": face}]
    if face == MONEY_SHOT:
        return take_pot(state, active, events)
    if state.fader is not None and face > (state.peak or 0):
        events.append({"event": "peak", "seat": state.seats[active], "peak": face})
        return hand_die(state._replace(peak=face, leader=active), state.fader, events)
    state = leave(state, active, "rolled_out")
    events.append({"event": "rolled_out", "seat": state.seats[active]})
    left = state.in_round()
    if len(left) == 1:
        # A leader that covered for free takes the pot this way too: asked last, it is the only one left.
        return take_pot(state, left[0], events)
    following = next_left(active, len(state.seats), left) if state.fader is None else state.fader
    return hand_die(state, following, events)


def take_pot(state: State, winner: int, events: list[Event]) -> Step[State]:
    """Ends the round; the next one begins left of the last holder of the die, if there is one."""
    events.append({"event": "pot", "seat": state.seats[winner], "chips": state.pot})
    chips = with_item(state.chips, winner, state.chips[winner] + state.pot)
    state = state._replace(chips=chips, pot=0, bet=None, phase="over")
    playing = [
        seat
        for seat, status in enumerate(state.status)
        if status != "broke" and chips[seat] >= state.options.min_bet
    ]
    if len(playing) < 2 or state.round == state.options.rounds:
        return state, events
    active = next_left(state.active, len(state.seats), playing)
    state, following = begin_round(state, active, playing)
    return state, events + following


def to_json(state: State) -> JsonObject:
    return {
        "game": "money_shot",
        "round": state.round,
        "pot": state.pot,
        "peak": state.peak,
        "leader": None if state.leader is None else state.seats[state.leader],
        "active": state.seats[state.active],
        "bet": state.bet,
        "seats": [
            {"seat": seat, "chips": chips, "status": status}
            for seat, chips, status in zip(state.seats, state.chips, state.status, strict=True)
        ],
    }


def facts(state: JsonObject) -> Sequence[str]:
    bet = [] if state["bet"] is None else [tr("bet {chips}").format(chips=state["bet"])]
    leader = state["leader"]
    peak = [] if leader is None else [tr("{seat}: peak {peak}").format(seat=leader, peak=state["peak"])]
    return [tr("pot {chips}").format(chips=state["pot"]), *bet, *peak]


def stage(view: TableView) -> Stage:
    """The peak to beat, or the pot until there is one; and who is still in."""
    state = view.state
    seats = {
        seat["seat"]: SeatStage(str(seat["chips"]), out=seat["status"] != "in") for seat in state["seats"]
    }
    pot = (str(state["pot"]), tr("in the pot"))
    bet = () if state["bet"] is None else ((str(state["bet"]), tr("bet")),)
    if state["peak"] is None:
        return Stage(*pot, beside=bet, seats=seats)
    caption = tr("{leader}'s peak").format(leader=state["leader"])
    die: Die = ("d12", state["peak"])
    return Stage(str(state["peak"]), caption, (die,), beside=(pot, *bet), owner=state["leader"], seats=seats)


STANDING = {"in": "", "bowed": tr("bowed out"), "rolled_out": tr("rolled out"), "broke": tr("broke")}
WORDS = Words(
    title=tr("Money Shot"),
    pitch=tr("Bet, throw, beat the peak. A 12 takes the pot."),
    poster=(("d12", 12),),
    rules=(
        tr("Everyone pays the ante. The active seat bets."),
        tr("Seat by seat, fade the bet by paying as much, or bow out."),
        tr("If no one fades, the active seat takes the pot."),
        tr("Faded: throw the d12. Over the peak sets a new peak."),
        tr("Not over the peak: you've rolled out."),
        tr("A 12 is the money shot: it takes the pot."),
        tr("The fader gets the die next."),
        tr("The last seat left in the round takes the pot."),
        tr("Most chips at the end wins."),
    ),
    actions={"bet": tr("Bet"), "fade": tr("Fade"), "bow_out": tr("Bow out")},
    asks={
        "bet": lambda state, _: (
            tr("You shoot first. What do you bet?")
            if state["peak"] is None
            else tr("{leader} has {peak}. Beat it?").format(**state)
        ),
        "fade": lambda state, _: tr("{active} bets {bet}. Do you fade it?").format(**state),
    },
    gives_up=("bow_out",),
    options={
        "min_bet": tr("Smallest bet"),
        "max_bet": tr("Largest bet"),
        "chips": tr("Chips"),
        "rounds": tr("Rounds"),
    },
    events={
        "round": lambda e: tr("round {round}: {active} begins").format(**e),
        "bet": lambda e: tr("{seat} bets {chips}").format(**e),
        "fade": lambda e: tr("{seat} fades {chips}").format(**e),
        "covers": lambda e: tr("{seat} covers").format(**e),
        "bow_out": lambda e: tr("{seat} bows out").format(**e),
        "thrown": lambda e: tr("{seat} threw {face}").format(**e),
        "peak": lambda e: tr("{seat}: peak {peak}").format(**e),
        "rolled_out": lambda e: tr("{seat} rolled out").format(**e),
        "pot": lambda e: tr("{seat} takes {chips}").format(**e),
    },
    facts=facts,
    score=lambda _, seat: chips_of(seat["chips"]),
    standing=lambda _, seat: STANDING[seat["status"]],
    stage=stage,
    moments={
        "thrown": lambda e: tr("MONEY SHOT!") if e["face"] == MONEY_SHOT else "",
        "fade": lambda _: tr("FADE!"),
        "rolled_out": lambda _: tr("OUT!"),
        "pot": pot_sign,
    },
    best=(tr("MONEY SHOT!"),),
    more_is_better=True,
)

GAME = Game(
    "money_shot",
    3,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    words=WORDS,
    limit="rounds",
    away=("bow_out",),
)
