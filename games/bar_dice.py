"""Bar Dice: five dice, aces wild, up to three throws. The first to win two rounds wins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.dice import Die
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, clockwise, with_item
from games.keeping import D6, Faces, as_dice, chance_after, chances, faces_of, number_of, selections, throws
from games.prompts import ActPrompt, OverPrompt, PickOffer, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, SeatStage, Stage, TableView, Words, count_of, percent, selection, tr

DICE = 5
ACE = 1
MOST_THROWS = 20
"""Most throws left for which the odds are counted: counting them takes longer with each throw."""
STAND = Plain("stand")
Hand = tuple[int, int]
"""A hand as (number of dice, face); a greater one is better. Five natural aces are (5, 7)."""


@dataclass(frozen=True, slots=True)
class Options:
    """`wins` that win the game, `throws` that the first seat of a round may take, `rounds` at most."""

    wins: int = 2
    throws: int = 3
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """All combinations are valid."""


class State(NamedTuple):
    """The game at one throw or decision; wins and hands are in seat order.

    `starter` began the round; `waiting` are the seats that still play in it, the one whose turn it is first.
    `hands` are None for a seat that has not finished its turn. `dice` are the five that await a decision,
    `kept` those that are set aside for the next throw. `throws` is how many the seat took, `limit` how many
    it may take. In a `tie` the best seats throw once more.
    """

    seats: tuple[str, ...]
    options: Options
    wins: tuple[int, ...]
    hands: tuple[Hand | None, ...]
    starter: int
    waiting: tuple[int, ...]
    limit: int
    round: int = 1
    throws: int = 0
    dice: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    tie: bool = False
    over: bool = False

    @property
    def turn(self) -> int:
        return self.waiting[0]


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    return begin_round(State(seats, options, (0,) * len(seats), (), 0, (), 1, round=0), first), []


def begin_round(state: State, first: int) -> State:
    everyone = tuple(clockwise(first, len(state.seats)))
    nothing = (None,) * len(state.seats)
    return State(
        state.seats,
        state.options,
        state.wins,
        nothing,
        first,
        everyone,
        state.options.throws,
        round=state.round + 1,
    )


def hand_of(faces: Iterable[int]) -> Hand:
    """The best hand of five dice: the most of one face, aces wild; the higher face among equals."""
    faces = tuple(faces)
    aces = faces.count(ACE)
    if aces == len(faces):
        return aces, 7
    return max((faces.count(face) + aces, face) for face in set(faces) - {ACE})


def prompt(state: State) -> Prompt:
    if state.over:
        return OverPrompt(best(state.seats, state.wins))
    seat = state.seats[state.turn]
    if state.dice:
        # All five kept would be the same as standing.
        return ActPrompt(seat, (PickOffer("keep", selections(state.dice)[:-1]), STAND))
    count = DICE - len(state.kept)
    return ThrowPrompt(seat, count, D6 * count)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = tuple(sorted((face for _, face in dice), reverse=True))
    held = tuple(sorted((*state.kept, *faces), reverse=True))
    event: Event = {"event": "thrown", "seat": state.seats[state.turn], "faces": list(faces)}
    state = state._replace(throws=state.throws + 1, kept=(), dice=held)
    return end_turn(state, [event]) if state.throws == state.limit else (state, [event])


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "stand":
        return end_turn(state, [{"event": "stand", "seat": seat}])
    faces = faces_of(action["value"])
    return state._replace(dice=(), kept=faces), [{"event": "keep", "seat": seat, "faces": list(faces)}]


def end_turn(state: State, events: list[Event]) -> Step[State]:
    """Records the hand. The first turn of a round limits the throws of the others."""
    hand = hand_of(state.dice)
    seat = state.turn
    events.append({"event": "turn_over", "seat": state.seats[seat], "count": hand[0], "face": hand[1]})
    first = not state.tie and all(earlier is None for earlier in state.hands)
    state = state._replace(
        hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
        limit=state.throws if first else state.limit,
        waiting=state.waiting[1:],
        throws=0,
        dice=(),
    )
    return (state, events) if state.waiting else end_round(state, events)


def end_round(state: State, events: list[Event]) -> Step[State]:
    """The best hand wins the round; several best seats throw once more. The winner begins the next round."""
    hands = {seat: hand for seat, hand in enumerate(state.hands) if hand is not None}
    ahead = [seat for seat, hand in hands.items() if hand == max(hands.values())]
    if len(ahead) > 1:
        order = tuple(seat for seat in clockwise(state.starter, len(state.seats)) if seat in ahead)
        events.append({"event": "tie", "seats": [state.seats[seat] for seat in order]})
        nothing = (None,) * len(state.seats)
        return state._replace(hands=nothing, waiting=order, limit=1, tie=True), events
    (winner,) = ahead
    events.append({"event": "round_won", "seat": state.seats[winner]})
    wins = with_item(state.wins, winner, state.wins[winner] + 1)
    state = state._replace(wins=wins)
    if wins[winner] == state.options.wins or state.round == state.options.rounds:
        return state._replace(over=True), events
    return begin_round(state, winner), events


def aside(state: State) -> tuple[Die, ...]:
    """The dice that are set aside for the next throw."""
    return as_dice(state.kept)


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.waiting[0]] if state.waiting else None,
        "throws": state.throws,
        "limit": state.limit,
        "dice": list(state.dice),
        "kept": list(state.kept),
    }
    return {
        "game": "bar_dice",
        "round": state.round,
        "tie": state.tie,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "wins": wins, "hand": None if hand is None else list(hand)}
            for seat, wins, hand in zip(state.seats, state.wins, state.hands, strict=True)
        ],
    }


def keep_wisely(view: PlayerView) -> JsonObject:
    """Keeps the aces and the face of the best hand; stands once that beats the round so far by enough."""
    state: State = view.state
    hand = hand_of(state.dice)
    so_far = max((rival for rival in state.hands if rival is not None), default=None)
    enough = hand[0] == DICE or hand > so_far if so_far is not None else hand[0] >= 4
    if enough:
        return {"type": "stand"}
    return {"type": "keep", "value": number_of(face for face in state.dice if face in (ACE, hand[1]))}


def named(count: int, face: int) -> str:
    """A hand in words: `4 sixes`, or `5 ones` for five natural aces."""
    return count_of(count, face if face <= 6 else ACE)


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    if turn is None:
        return []
    number = turn["throws"] + (not turn["dice"])
    return [tr("throw {number} of {limit}").format(number=number, limit=turn["limit"])]


@cache
def better_than(hand: Hand) -> frozenset[Faces]:
    """The hands that beat this one."""
    return frozenset(faces for faces, _ in throws(DICE) if hand_of(faces) > hand)


def odds(view: TableView) -> Sequence[Odds]:
    """The chance to beat the best hand of the round so far, or else the dice that lie there."""
    turn = view.state["turn"]
    if turn is None:
        return []
    dice, left = tuple(turn["dice"]), turn["limit"] - turn["throws"]
    hands = [tuple(seat["hand"]) for seat in view.state["seats"] if seat["hand"] is not None]
    if not 0 < left <= MOST_THROWS or not (hands or dice):
        return []
    count, face = max(hands) if hands else hand_of(dice)
    goal = better_than((count, face))
    chance = chances(goal, left)[dice] if dice else chance_after(goal, tuple(turn["kept"]), left)
    return [(tr("Better than {hand}").format(hand=named(count, face)), percent(chance))]


def stage(view: TableView) -> Stage:
    """The dice that await a decision or are kept, or the best hand of the round."""
    state = view.state
    seats = {
        seat["seat"]: SeatStage(
            str(seat["wins"]), note=None if seat["hand"] is None else named(*seat["hand"])
        )
        for seat in state["seats"]
    }
    turn = state["turn"]
    if turn is None:
        return Stage(seats=seats)
    dice = turn["dice"] or turn["kept"]
    if not dice:
        hands = [tuple(seat["hand"]) for seat in state["seats"] if seat["hand"] is not None]
        if not hands:
            return Stage("", tr("a new round"), seats=seats)
        count, face = max(hands)
        return Stage(f"{count}×", tr("to beat"), as_dice((face if face <= 6 else ACE,)), seats=seats)
    count, face = hand_of(dice)
    return Stage(
        f"{count}×{face if face <= 6 else ACE}",
        tr("aces wild"),
        as_dice(dice),
        slots=DICE,
        owner=turn["seat"],
        seats=seats,
    )


WORDS = Words(
    title=tr("Bar Dice"),
    pitch=tr("Five dice, aces wild, two rounds to win."),
    poster=as_dice((1, 1, 6, 6, 6)),
    rules=(
        tr("Throw five dice, keep some, throw the others again."),
        tr("The first seat may throw three times."),
        tr("The others may throw as often as it did."),
        tr("The most dice of one face win: four 3s beat three 6s."),
        tr("Equally many: the higher face wins."),
        tr("Aces are wild. Five of them beat everything."),
        tr("The best on a tie throw once more."),
        tr("The first to win two rounds wins."),
    ),
    actions={"keep": tr("Keep"), "stand": tr("Stand")},
    picks={"keep": selection},
    asks={
        "keep": lambda state, _: tr("You have {hand}. Which dice do you keep?").format(
            hand=named(*hand_of(state["turn"]["dice"]))
        )
    },
    options={"wins": tr("Rounds to win"), "throws": tr("Most throws"), "rounds": tr("Rounds")},
    events={
        "thrown": lambda e: tr("{seat} threw {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "keep": lambda e: tr("{seat} keeps {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"])) or tr("none")
        ),
        "stand": lambda e: tr("{seat} stands").format(**e),
        "turn_over": lambda e: tr("{seat} has {hand}").format(
            seat=e["seat"], hand=named(e["count"], e["face"])
        ),
        "tie": lambda e: tr("a tie: {seats}").format(seats=", ".join(e["seats"])),
        "round_won": lambda e: tr("{seat} takes the round").format(**e),
    },
    facts=facts,
    score=lambda _, seat: tr("won {wins}").format(wins=seat["wins"]),
    standing=lambda _, seat: "" if seat["hand"] is None else named(*seat["hand"]),
    odds=odds,
    stage=stage,
    moments={"turn_over": lambda e: tr("FIVE!") if e["count"] == DICE else ""},
    best=(tr("FIVE!"),),
)

GAME = Game(
    "bar_dice",
    2,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    aside=aside,
    words=WORDS,
    limit="rounds",
    away=("stand",),
    sharp=Sharp(keep_wisely),
)
