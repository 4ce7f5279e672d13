"""Ten Thousand (Farkle): set scoring dice aside and throw the others again, or bank before you bust."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.dice import Die
from games.errors import BadOption
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, from_zero, with_item
from games.keeping import D6, as_dice, faces_of, selections, throws
from games.prompts import ActPrompt, Offer, OverPrompt, PickOffer, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, Stage, TableView, Words, figure, ntr, percent, selection, tr

DICE = 6
SINGLES = {1: 100, 5: 50}
"""Points of a single die."""
ALIKE = 3
BANK = Plain("bank")


@dataclass(frozen=True, slots=True)
class Options:
    """House rules; points of 0 switch a combination off, and a switch is 1 or 0.

    `target` starts the last round, `opening` is the least that a seat's first banked turn must bring.
    `straight` and `three_pairs` are the points of all six dice. `hot_dice`: all six that scored may be thrown
    again. `last_round`: the other seats have one more turn.
    """

    target: int = 10_000
    opening: int = from_zero(500)
    straight: int = from_zero(1500)
    three_pairs: int = from_zero(1500)
    hot_dice: int = from_zero(1)
    last_round: int = from_zero(1)
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats suits
        """Switches are 1 or 0."""
        for name in ("hot_dice", "last_round"):
            if getattr(self, name) > 1:
                raise BadOption(f"{name} must be 0 or 1")


class State(NamedTuple):
    """The game at one throw or decision; points are in seat order.

    `thrown` are the dice that await a decision, `kept` those that were set aside since all six were thrown,
    and `at_stake` the points of this turn without `thrown`. `closer` is the first seat to reach the target.
    """

    seats: tuple[str, ...]
    options: Options
    points: tuple[int, ...]
    turn: int
    starter: int
    round: int = 1
    at_stake: int = 0
    kept: tuple[int, ...] = ()
    thrown: tuple[int, ...] = ()
    closer: int | None = None
    over: bool = False


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    return State(seats, options, (0,) * len(seats), first, first), []


def of_a_kind(face: int, count: int) -> int:
    """The points of `count` dice of a face, all scoring: each beyond three of a kind doubles them."""
    if count < ALIKE:
        return SINGLES.get(face, 0) * count
    return (1000 if face == 1 else 100 * face) << (count - ALIKE)


def worth(faces: Sequence[int], options: Options) -> int:
    """The most points of these dice if every one of them scores; 0 if one doesn't."""
    return _worth(tuple(sorted(faces)), options.straight, options.three_pairs)


@cache
def _worth(faces: tuple[int, ...], straight: int, three_pairs: int) -> int:
    counts = Counter(faces)
    parts = [of_a_kind(face, count) for face, count in counts.items()]
    scores = [sum(parts) if all(parts) else 0]
    if len(counts) == DICE:
        scores.append(straight)
    if len(faces) == DICE and set(counts.values()) == {2}:
        scores.append(three_pairs)
    return max(scores)


def scoring(state: State) -> tuple[int, ...]:
    """The number of every selection of the thrown dice in which each die scores, ascending."""
    return tuple(n for n in selections(state.thrown) if n and worth(faces_of(n), state.options))


def most_points(state: State) -> int:
    """The most that the thrown dice are worth, whether all of them score or not; 0 is a bust."""
    return max((worth(faces_of(number), state.options) for number in scoring(state)), default=0)


def may_bank(state: State) -> bool:
    """A seat without points must bring the opening score to bank."""
    needed = 0 if state.points[state.turn] else state.options.opening
    return state.at_stake + most_points(state) >= needed


def prompt(state: State) -> Prompt:
    if state.over:
        return OverPrompt(best(state.seats, state.points))
    seat = state.seats[state.turn]
    if not state.thrown:
        count = DICE - len(state.kept)
        return ThrowPrompt(seat, count, D6 * count)
    bank = may_bank(state)
    values = scoring(state)
    if bank and not state.options.hot_dice:
        # All six dice that scored are not thrown again, so there is nothing left to throw.
        values = tuple(value for value in values if len(faces_of(value)) < len(state.thrown))
    offers: list[Offer] = [PickOffer("keep", values)] if values else []
    return ActPrompt(seat, (*offers, BANK) if bank else tuple(offers))


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = tuple(sorted((face for _, face in dice), reverse=True))
    events: list[Event] = [{"event": "thrown", "seat": state.seats[state.turn], "faces": list(faces)}]
    state = state._replace(thrown=faces)
    if most_points(state):
        return state, events
    events.append({"event": "bust", "seat": state.seats[state.turn], "lost": state.at_stake})
    return end_turn(state, 0, events)


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "bank":
        banked = state.at_stake + most_points(state)
        return end_turn(state, banked, [{"event": "bank", "seat": seat, "points": banked}])
    faces = faces_of(action["value"])
    earned = worth(faces, state.options)
    aside = tuple(sorted((*state.kept, *faces), reverse=True))
    hot = len(aside) == DICE
    events: list[Event] = [{"event": "keep", "seat": seat, "faces": list(faces), "points": earned}]
    if hot:
        events.append({"event": "hot_dice", "seat": seat})
    return state._replace(at_stake=state.at_stake + earned, kept=() if hot else aside, thrown=()), events


def end_turn(state: State, banked: int, events: list[Event]) -> Step[State]:
    """Books the points; the game ends when it comes round to the seat that first reached the target."""
    seat = state.turn
    totals = with_item(state.points, seat, state.points[seat] + banked)
    closer = state.closer
    if closer is None and totals[seat] >= state.options.target:
        closer = seat
        events.append({"event": "target", "seat": state.seats[seat], "points": totals[seat]})
    following = (seat + 1) % len(state.seats)
    last = following == state.starter and state.round == state.options.rounds
    state = state._replace(points=totals, turn=following, at_stake=0, kept=(), thrown=(), closer=closer)
    if last or following == closer or (closer is not None and not state.options.last_round):
        return state._replace(over=True), events
    return state._replace(round=state.round + (following == state.starter)), events


def aside(state: State) -> tuple[Die, ...]:
    """The dice that were set aside and are not thrown again."""
    return as_dice(state.kept)


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.turn],
        "at_stake": state.at_stake,
        "kept": list(state.kept),
        "thrown": list(state.thrown),
    }
    return {
        "game": "ten_thousand",
        "round": state.round,
        "turn": None if state.over else turn,
        "closer": None if state.closer is None else state.seats[state.closer],
        "seats": [
            {"seat": seat, "points": points} for seat, points in zip(state.seats, state.points, strict=True)
        ],
    }


@cache
def bust(dice: int, straight: int, three_pairs: int) -> float:
    """The probability that a throw of so many dice scores nothing."""
    return sum(
        chance
        for faces, chance in throws(dice)
        if not any(face in SINGLES or faces.count(face) >= ALIKE for face in faces)
        and not _worth(faces[::-1], straight, three_pairs)
    )


@cache
def mean_points(dice: int, straight: int, three_pairs: int) -> float:
    """The mean of the most points in a throw of so many dice, 0 for a bust."""
    return sum(
        chance * max(_worth(faces_of(n)[::-1], straight, three_pairs) for n in selections(faces))
        for faces, chance in throws(dice)
    )


def gain(state: State, at_stake: int, dice: int) -> float:
    """The mean change of the turn's points if `dice` are thrown once more: bank if it is below 0."""
    straight, three_pairs = state.options.straight, state.options.three_pairs
    return mean_points(dice, straight, three_pairs) - bust(dice, straight, three_pairs) * at_stake


def dice_left(state: State, number: int) -> int:
    """How many dice are thrown next if this selection is kept; all six after hot dice."""
    return (DICE - len(state.kept) - len(faces_of(number))) or DICE


def bank_wisely(view: PlayerView) -> JsonObject:
    """Keeps the dice with the best mean of one more throw, or banks if none of them is worth a throw."""
    state: State = view.state
    offers = (
        {offer.type: offer for offer in view.prompt.actions} if isinstance(view.prompt, ActPrompt) else {}
    )
    keep = offers.get("keep")
    best_gain, number = -1.0, 0
    if isinstance(keep, PickOffer):
        most = most_points(state)
        gains = [
            (
                worth(faces_of(value), state.options)
                - most
                + gain(
                    state, state.at_stake + worth(faces_of(value), state.options), dice_left(state, value)
                ),
                value,
            )
            for value in keep.values
        ]
        best_gain, number = max(gains)
    if "bank" in offers and best_gain < 0:
        return {"type": "bank"}
    return {"type": "keep", "value": number}


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    if turn is None:
        return []
    closer = state["closer"]
    last = [] if closer is None else [tr("last round")]
    return [tr("at stake: {points}").format(points=turn["at_stake"]), *last]


def odds(view: TableView) -> Sequence[Odds]:
    """The chance that the next throw scores nothing, for each number of dice that it may have."""
    turn, options = view.state["turn"], view.options
    if turn is None:
        return []
    left = {DICE - len(turn["kept"])}
    if turn["thrown"]:
        counts = [
            len(faces_of(number))
            for number in selections(turn["thrown"])
            if number and worth(faces_of(number), options)
        ]
        hot = len(turn["thrown"]) in counts and bool(options.hot_dice)
        left = {len(turn["thrown"]) - count for count in counts} - {0} | ({DICE} if hot else set())
    return [
        (
            ntr("Bust with one die", "Bust with {count} dice", count).format(count=count),
            percent(bust(count, options.straight, options.three_pairs)),
        )
        for count in sorted(left, reverse=True)
    ]


def stage(view: TableView) -> Stage:
    """The points of the turn, and the dice that await a decision or are set aside."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    dice = as_dice((*turn["kept"], *turn["thrown"]))
    return Stage(*figure(turn["at_stake"], tr("at stake")), dice, slots=DICE, owner=turn["seat"])


WORDS = Words(
    title=tr("Ten Thousand"),
    pitch=tr("Bank it, or throw again. Don't be greedy."),
    poster=as_dice((1, 1, 1, 5, 5, 5)),
    rules=(
        tr("Throw six dice. Set aside some that score."),
        tr("Throw the others again, or bank your points."),
        tr("No score is a bust: the turn's points are lost."),
        tr("A 1 scores 100, a 5 scores 50."),
        tr("Three alike: 100 times the face, three 1s 1000."),
        tr("Each further die of that face doubles them."),
        tr("1 to 6 or three pairs: 1500."),
        tr("All six scored: throw all six again."),
        tr("Your first bank must be 500 or more."),
        tr("At 10000 the others have one more turn."),
    ),
    actions={"keep": tr("Keep"), "bank": tr("Bank")},
    picks={"keep": selection},
    asks={
        "keep": lambda state, _: tr("{at_stake} points at stake. Which dice do you keep?").format(
            **state["turn"]
        ),
        "bank": lambda state, _: tr("{at_stake} points at stake. Do you bank them?").format(**state["turn"]),
    },
    options={
        "target": tr("Target"),
        "opening": tr("Opening score"),
        "straight": tr("Straight"),
        "three_pairs": tr("Three pairs"),
        "hot_dice": tr("Hot dice"),
        "last_round": tr("Last round"),
        "rounds": tr("Rounds"),
    },
    events={
        "thrown": lambda e: tr("{seat} threw {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "keep": lambda e: tr("{seat} keeps {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "hot_dice": lambda e: tr("{seat}: hot dice").format(**e),
        "bank": lambda e: tr("{seat} banks {points}").format(**e),
        "bust": lambda e: tr("{seat} busts").format(**e),
        "target": lambda e: tr("{seat} has {points}").format(**e),
    },
    facts=facts,
    score=lambda _, seat: str(seat["points"]),
    odds=odds,
    stage=stage,
    moments={
        "bank": lambda e: f"+{e['points']}",
        "hot_dice": lambda _: tr("HOT DICE!"),
    },
    best=(tr("HOT DICE!"),),
)

GAME = Game(
    "ten_thousand",
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
    away=("bank",),
    sharp=Sharp(bank_wisely),
)
