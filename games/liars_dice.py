"""Liar's Dice: bids on the dice under all cups, ones wild. The state contains dice only after a reveal."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from games.dice import Die, Kind
from games.errors import BadOption
from games.game import Event, Game, Pick, RollOff, Step, clockwise, from_zero, with_item
from games.prompts import ActPrompt, Bid, BidOffer, OverPrompt, Plain, Prompt, RevealPrompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Count, SeatStage, Stage, TableView, Words, count_of, dice_count, dice_sign, ntr, tr

MOST_DICE_A_SEAT = 20
MOST_DICE = 48
WILD = 1
LOWEST_FACE, HIGHEST_FACE = 2, 6
D6: tuple[Kind, ...] = ("d6",)
CHALLENGE = Plain("challenge")


@dataclass(frozen=True, slots=True)
class Options:
    """`dice` per seat, `drinks` per lost challenge, and the seat that starts without a roll-off."""

    dice: int = 6
    drinks: int = from_zero(3)
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """Rejects more dice than a tray can show."""
        if self.dice > MOST_DICE_A_SEAT or self.dice * len(seats) > MOST_DICE:
            raise BadOption(f"at most {MOST_DICE_A_SEAT} dice a seat and {MOST_DICE} at the table")


class State(NamedTuple):
    """The game at one decision. `dice` and `drinks` are in seat order; `turn` is the seat to act."""

    seats: tuple[str, ...]
    options: Options
    dice: tuple[int, ...]
    drinks: tuple[int, ...]
    round: int
    turn: int
    bid: Bid | None = None
    bidder: int = 0
    challenged: bool = False
    roll_off: RollOff | None = None


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    dice, drinks = (options.dice,) * len(seats), (0,) * len(seats)
    if options.first is not None:
        return begin_round(seats, options, dice, drinks, 1, seats.index(options.first))
    roll_off = RollOff(tuple(range(len(seats))))
    return State(seats, options, dice, drinks, round=0, turn=0, roll_off=roll_off), []


def begin_round(
    seats: tuple[str, ...],
    options: Options,
    dice: tuple[int, ...],
    drinks: tuple[int, ...],
    number: int,
    starter: int,
) -> Step[State]:
    """Every seat still in the game casts under its cup; the starter bids next."""
    casts: list[Event] = [
        {"event": "cast", "seat": seats[seat], "count": dice[seat]}
        for seat in clockwise(starter, len(seats))
        if dice[seat]
    ]
    return State(seats, options, dice, drinks, number, starter), casts


def lowest_raise(bid: Bid | None) -> Bid:
    """The lowest legal bid after this one."""
    if bid is None:
        return 1, LOWEST_FACE
    quantity, face = bid
    return (quantity, face + 1) if face < HIGHEST_FACE else (quantity + 1, LOWEST_FACE)


@lru_cache(maxsize=500)
def decision(seat: str, bid: Bid | None, on_table: int) -> ActPrompt:
    """The legal answers to a bid, or the opening bids, given the dice on the table."""
    lowest = lowest_raise(bid)
    raises = BidOffer(lowest, (on_table, HIGHEST_FACE))
    if bid is None:
        return ActPrompt(seat, (raises,))
    return ActPrompt(seat, (CHALLENGE,) if lowest[0] > on_table else (raises, CHALLENGE))


def prompt(state: State) -> Prompt:
    on_table = sum(state.dice)
    if state.challenged:
        return RevealPrompt(D6 * on_table)
    if state.roll_off is not None:
        count = state.options.dice
        return ThrowPrompt(state.seats[state.roll_off.thrower], count, D6 * count)
    if on_table in state.dice:
        return OverPrompt((state.seats[state.dice.index(on_table)],))
    return decision(state.seats[state.turn], state.bid, on_table)


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "challenge":
        return state._replace(challenged=True), [{"event": "challenge", "seat": seat}]
    bid = (action["quantity"], action["face"])
    following = (state.turn + 1) % len(state.seats)
    while not state.dice[following]:
        following = (following + 1) % len(state.seats)
    after = State(
        state.seats, state.options, state.dice, state.drinks, state.round, following, bid, state.turn
    )
    return after, [{"event": "bid", "seat": seat, "quantity": bid[0], "face": bid[1]}]


def matching(faces: Sequence[int], face: int) -> int:
    """The number of faces that count for a bid on `face`: those that show it and the wild ones."""
    return faces.count(face) + faces.count(WILD)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = [face for _, face in dice]
    if state.roll_off is None:
        return settle(state, faces)
    events: list[Event] = [
        {"event": "thrown", "seat": state.seats[state.roll_off.thrower], "faces": faces, "score": sum(faces)}
    ]
    outcome = state.roll_off.after(sum(faces))
    if isinstance(outcome, RollOff):
        return state._replace(roll_off=outcome), events
    state, casts = begin_round(state.seats, state.options, state.dice, state.drinks, 1, outcome)
    return state, events + casts


def settle(state: State, faces: list[int]) -> Step[State]:
    """The loser of the challenge drinks and loses a die; the winner starts the next round."""
    quantity, face = state.bid or (0, 0)
    count = matching(faces, face)
    if count >= quantity:
        winner, loser = state.bidder, state.turn
    else:
        winner, loser = state.turn, state.bidder
    seats = state.seats
    events: list[Event] = [
        {"event": "revealed", "faces": faces, "count": count},
        {"event": "challenge_won", "seat": seats[winner], "loser": seats[loser]},
    ]
    dice = with_item(state.dice, loser, state.dice[loser] - 1)
    drinks = with_item(state.drinks, loser, state.drinks[loser] + state.options.drinks)
    if dice[winner] == sum(dice):
        return State(seats, state.options, dice, drinks, state.round, winner), events
    following, casts = begin_round(seats, state.options, dice, drinks, state.round + 1, winner)
    return following, events + casts


def cups(state: State) -> tuple[int, ...]:
    """All dice are hidden, except in the roll-off and at the end."""
    over = sum(state.dice) in state.dice
    return () if over or state.roll_off is not None else state.dice


def to_json(state: State) -> JsonObject:
    bid = None
    if state.bid is not None:
        bid = {"seat": state.seats[state.bidder], "quantity": state.bid[0], "face": state.bid[1]}
    return {
        "game": "liars_dice",
        "round": state.round,
        "bid": bid,
        "on_table": sum(state.dice),
        "seats": [
            {"seat": seat, "dice": dice, "drinks": drinks}
            for seat, dice, drinks in zip(state.seats, state.dice, state.drinks, strict=True)
        ],
    }


def facts(state: JsonObject) -> Sequence[str]:
    if state["round"] == 0:
        return [tr("highest sum begins")]
    bid = state["bid"]
    stands = [] if bid is None else [tr("bid: {bid}").format(bid=count_of(bid["quantity"], bid["face"]))]
    return [*stands, tr("{dice} in all").format(dice=dice_count(state["on_table"]))]


def stage(view: TableView) -> Stage:
    """The bid as dice; during a reveal how many of the dice shown so far count for it."""
    bid, on_table = view.state["bid"], view.state["on_table"]
    seats = {seat["seat"]: SeatStage(str(seat["dice"]), out=not seat["dice"]) for seat in view.state["seats"]}
    if view.state["round"] == 0:  # open throws decide who begins; no dice lie under a cup yet
        return Stage("", tr("highest sum begins"), seats=seats)
    if bid is None:
        return Stage(str(on_table), tr("dice under the cups"), seats=seats)
    quantity, face = bid["quantity"], bid["face"]
    called = (("d6", face),) * quantity
    in_all = (str(on_table), tr("in all"))
    if not view.shown:
        return Stage(
            f"{quantity}×",
            tr("{seat} bid").format(seat=bid["seat"]),
            called[:1],
            beside=(in_all,),
            owner=bid["seat"],
            seats=seats,
        )
    count = matching([value for _, value in view.shown], face)
    matches = tuple(die for die in view.shown if die[1] in (face, WILD))
    of = tr("of {bid}").format(bid=count_of(quantity, face))
    return Stage(str(count), of, matches, quantity, owner=bid["seat"], seats=seats)


def counted(event: JsonObject, seat: str, bid: JsonObject) -> Count:
    """The dice under all cups: those that show the face of the bid count, and the wild ones."""
    faces = event["faces"]
    called = tr("{bid}, called by {seat}").format(bid=count_of(bid["quantity"], bid["face"]), seat=seat)
    counts = tuple(face in (bid["face"], WILD) for face in faces)
    return Count(tuple(("d6", face) for face in faces), counts, called, seat)


WORDS = Words(
    title=tr("Liar's Dice"),
    pitch=tr("Bid on dice you can't see. Call the liar."),
    poster=(("d6", 5), ("d6", 5), ("d6", 1)),
    rules=(
        tr("Cast your dice under your cup and look in secret."),
        tr("Bid how many dice under all cups show one face."),
        tr("Ones are wild: they count for any face."),
        tr("The next seat raises: more dice of any face,"),
        tr("or as many dice of a higher face."),
        tr("Or it challenges, and all cups are lifted."),
        tr("At least as many dice as bid: the bidder wins."),
        tr("Too few: the challenger wins."),
        tr("The loser drinks and loses a die."),
        tr("The last seat with dice wins."),
    ),
    actions={"bid": tr("Bid"), "challenge": tr("Challenge!")},
    buttons={"challenge": lambda _, __: tr("Liar!")},
    asks={
        "bid": lambda state, _: (
            tr("Look under your cup. What do you bid?")
            if state["bid"] is None
            else tr("{seat} bids {bid}. More, or a lie?").format(
                seat=state["bid"]["seat"], bid=count_of(state["bid"]["quantity"], state["bid"]["face"])
            )
        ),
        "challenge": lambda state, _: tr("{seat} bids {bid}. Is it a lie?").format(
            seat=state["bid"]["seat"], bid=count_of(state["bid"]["quantity"], state["bid"]["face"])
        ),
    },
    options={"dice": tr("Dice each"), "drinks": tr("Drinks")},
    events={
        "thrown": lambda e: tr("{seat} has {score}").format(**e),
        "cast": lambda e: tr("{seat} casts {count}").format(**e),
        "bid": lambda e: tr("{seat} bids {bid}").format(
            seat=e["seat"], bid=count_of(e["quantity"], e["face"])
        ),
        "challenge": lambda e: tr("{seat} challenges").format(**e),
        "revealed": lambda e: ntr("there is {count}", "there are {count}", e["count"]).format(**e),
        "challenge_won": lambda e: tr("{loser} loses a die").format(**e),
    },
    facts=facts,
    score=lambda _, seat: ntr("{count} die", "{count} dice", seat["dice"]).format(count=seat["dice"]),
    stage=stage,
    moments={
        "bid": lambda e: dice_sign(e["quantity"], e["face"]),
        "challenge": lambda _: tr("LIAR!"),
        "revealed": lambda e: str(e["count"]),
        "challenge_won": lambda _: "-1",
    },
    recalls={
        "revealed": (
            "bid",
            lambda e, bid: tr("{count} of {bid}").format(
                count=e["count"], bid=dice_sign(bid["quantity"], bid["face"])
            ),
        )
    },
    counted={"revealed": ("bid", counted)},
)

GAME = Game(
    "liars_dice",
    2,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    cups=cups,
    words=WORDS,
    away=("challenge",),
)
