"""Yacht: five dice, three throws a turn, and a score sheet of twelve boxes, each to be filled once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.dice import Die
from games.errors import BadOption
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, from_zero
from games.keeping import D6, Faces, as_dice, chance_after, chances, faces_of, hands_after, selections, throws
from games.prompts import ActPrompt, Offer, OverPrompt, PickOffer, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, Stage, TableView, Words, count_of, figure, percent, points, selection, tr

DICE = 5
THROWS = 3
UPPER = 6
"""The boxes 1 to 6 count one face each."""
FULL_HOUSE, FOUR_ALIKE, LITTLE_STRAIGHT, BIG_STRAIGHT, CHOICE, YACHT = range(UPPER + 1, UPPER + 7)
BOXES = tuple(range(1, YACHT + 1))
NAMES = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "full_house",
    "four_of_a_kind",
    "little_straight",
    "big_straight",
    "choice",
    "yacht",
)
"""The names of the boxes in the public state, in order."""
ROUNDING = 1e-9
"""How far a chance of 1 may be off as a float."""
STRAIGHT_SCORE = 30
YACHT_SCORE = 50
BONUS_FROM = 63
"""The sum of the boxes 1 to 6 that earns the bonus: three of each face."""


@dataclass(frozen=True, slots=True)
class Options:
    """`bonus` for 63 points in the boxes of the faces, `joker` (1 or 0) for further yachts, `rounds` at most.

    With `joker`, five alike fill a full house or a straight once the box of the yacht is filled.
    """

    bonus: int = from_zero(0)
    joker: int = from_zero(0)
    rounds: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats suits
        """Further yachts are jokers or not."""
        if self.joker > 1:
            raise BadOption("joker must be 0 or 1")


Sheet = tuple[int | None, ...]
"""The points in each box, None in an empty one."""


class State(NamedTuple):
    """The game at one throw or decision; sheets are in seat order.

    `dice` are the five dice that await a decision, `kept` those that are set aside for the next throw.
    """

    seats: tuple[str, ...]
    options: Options
    sheets: tuple[Sheet, ...]
    turn: int
    throws: int = 0
    dice: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    empty: Sheet = (None,) * len(BOXES)
    return State(seats, options, (empty,) * len(seats), first), []


def empty_boxes(sheet: Sheet) -> tuple[int, ...]:
    return tuple(box for box in BOXES if sheet[box - 1] is None)


def total(sheet: Sheet, options: Options) -> int:
    """The points of a sheet, with the bonus."""
    upper = sum(score or 0 for score in sheet[:UPPER])
    return sum(score or 0 for score in sheet) + (options.bonus if upper >= BONUS_FROM else 0)


def worth(box: int, faces: Iterable[int], *, joker: bool = False) -> int:
    """The points of five dice in a box. `joker`: five alike count as any full house or straight."""
    faces = tuple(faces)
    counts = sorted(Counter(faces).values())
    if box <= UPPER:
        return box * faces.count(box)
    if box == FULL_HOUSE:
        return sum(faces) if counts == [2, 3] or joker else 0
    if box == FOUR_ALIKE:
        face = max(faces, key=faces.count)
        return 4 * face if counts[-1] >= 4 else 0
    if box in (LITTLE_STRAIGHT, BIG_STRAIGHT):
        lowest = 1 if box == LITTLE_STRAIGHT else 2
        return STRAIGHT_SCORE if sorted(faces) == list(range(lowest, lowest + DICE)) or joker else 0
    if box == CHOICE:
        return sum(faces)
    return YACHT_SCORE if counts == [DICE] else 0


def is_joker(state: State) -> bool:
    """Whether the dice are a further yacht that counts as any full house or straight."""
    filled = state.sheets[state.turn][YACHT - 1] is not None
    return bool(state.options.joker) and filled and len(set(state.dice)) == 1


def is_over(state: State) -> bool:
    """Whether the seat whose turn it would be has filled all boxes, or as many as the game has rounds."""
    filled = len(BOXES) - len(empty_boxes(state.sheets[state.turn]))
    return filled == min(state.options.rounds or len(BOXES), len(BOXES))


def prompt(state: State) -> Prompt:
    if is_over(state):
        totals = [total(sheet, state.options) for sheet in state.sheets]
        return OverPrompt(best(state.seats, totals))
    seat = state.seats[state.turn]
    if state.dice:
        score = PickOffer("score", empty_boxes(state.sheets[state.turn]))
        again = PickOffer("keep", selections(state.dice)[:-1])
        offers: tuple[Offer, ...] = (score,) if state.throws == THROWS else (again, score)
        return ActPrompt(seat, offers)
    count = DICE - len(state.kept)
    return ThrowPrompt(seat, count, D6 * count)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = tuple(sorted((face for _, face in dice), reverse=True))
    held = tuple(sorted((*state.kept, *faces), reverse=True))
    event: Event = {"event": "thrown", "seat": state.seats[state.turn], "faces": list(faces)}
    return state._replace(throws=state.throws + 1, kept=(), dice=held), [event]


def act(state: State, action: JsonObject) -> Step[State]:
    seat = state.seats[state.turn]
    if action["type"] == "keep":
        faces = faces_of(action["value"])
        return state._replace(dice=(), kept=faces), [{"event": "keep", "seat": seat, "faces": list(faces)}]
    box = action["value"]
    score = worth(box, state.dice, joker=is_joker(state))
    sheet = state.sheets[state.turn]
    sheet = (*sheet[: box - 1], score, *sheet[box:])
    event: Event = {"event": "score", "seat": seat, "box": NAMES[box - 1], "points": score}
    sheets = (*state.sheets[: state.turn], sheet, *state.sheets[state.turn + 1 :])
    following = (state.turn + 1) % len(state.seats)
    return State(state.seats, state.options, sheets, following), [event]


def aside(state: State) -> tuple[Die, ...]:
    """The dice that are set aside for the next throw."""
    return as_dice(state.kept)


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.turn],
        "throws": state.throws,
        "dice": list(state.dice),
        "kept": list(state.kept),
    }
    return {
        "game": "yacht",
        "turn": None if is_over(state) else turn,
        "seats": [
            {
                "seat": seat,
                "points": total(sheet, state.options),
                "boxes": dict(zip(NAMES, sheet, strict=True)),
            }
            for seat, sheet in zip(state.seats, state.sheets, strict=True)
        ],
    }


@cache
def mean_worth(box: int, faces: tuple[int, ...], throws: int) -> float:
    """The mean points of a box if it alone is played for from here, with so many throws left."""
    if not throws:
        return float(worth(box, faces))
    return max(mean_after(box, faces_of(choice), throws) for choice in selections(faces))


@cache
def mean_after(box: int, faces: tuple[int, ...], throws: int) -> float:
    """The mean points of a box if these dice are kept and the others thrown, with so many throws left."""
    return sum(chance * mean_worth(box, hand, throws - 1) for hand, chance in hands_after(faces))


@cache
def goal(box: int, *, joker: bool) -> frozenset[Faces]:
    """The hands that make a box: at least three of a face for 1 to 6, any points for the others."""
    hands = [hand for hand, _ in throws(DICE)]
    if box <= UPPER:
        return frozenset(hand for hand in hands if hand.count(box) >= 3)
    return frozenset(hand for hand in hands if worth(box, hand, joker=joker and len(set(hand)) == 1))


def score_wisely(view: PlayerView) -> JsonObject:
    """Plays for the box that is furthest above its mean, and fills it after the last throw."""
    state: State = view.state
    boxes, left = empty_boxes(state.sheets[state.turn]), THROWS - state.throws
    box = max(boxes, key=lambda box: mean_worth(box, state.dice, left) - mean_after(box, (), THROWS))
    if not left or worth(box, state.dice) >= mean_worth(box, state.dice, left):
        return {"type": "score", "value": box}
    keeps = selections(state.dice)[:-1]
    return {"type": "keep", "value": max(keeps, key=lambda choice: mean_after(box, faces_of(choice), left))}


BOX_WORDS = (
    tr("Ones"),
    tr("Twos"),
    tr("Threes"),
    tr("Fours"),
    tr("Fives"),
    tr("Sixes"),
    tr("Full house"),
    tr("Four alike"),
    tr("Low straight"),
    tr("High straight"),
    tr("Choice"),
    tr("Yacht"),
)
BOX_WORD = dict(zip(NAMES, BOX_WORDS, strict=True))


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    if turn is None:
        return []
    number = turn["throws"] + (not turn["dice"])
    return [tr("throw {number} of {limit}").format(number=number, limit=THROWS)]


def odds(view: TableView) -> Sequence[Odds]:
    """The chance to make each empty box in this turn if it alone is played for, the best first.

    Boxes that the dice make already, or can't make any more, are left out.
    """
    turn = view.state["turn"]
    if turn is None or turn["throws"] == THROWS:
        return []
    boxes, left = view.seat(turn["seat"])["boxes"], THROWS - turn["throws"]
    joker = bool(view.options.joker) and boxes["yacht"] is not None
    ranked = []
    for box, name in zip(BOXES, NAMES, strict=True):
        if boxes[name] is None and box != CHOICE:
            hands = goal(box, joker=joker)
            dice = tuple(turn["dice"])
            chance = chances(hands, left)[dice] if dice else chance_after(hands, tuple(turn["kept"]), left)
            label = tr("At least {dice}").format(dice=count_of(3, box)) if box <= UPPER else BOX_WORD[name]
            ranked.append((chance, label))
    return [
        (label, percent(chance))
        for chance, label in sorted(ranked, key=lambda odds: -round(odds[0], 9))
        if 0 < chance < 1 - ROUNDING
    ]


def stage(view: TableView) -> Stage:
    """The seat's points, and the dice that await a decision or are kept."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    seat = view.seat(turn["seat"])
    left = sum(score is None for score in seat["boxes"].values())
    dice = as_dice(turn["dice"] or turn["kept"])
    boxes = ((str(left), tr("boxes left")),)
    shown = figure(seat["points"], tr("points"))
    return Stage(*shown, dice, slots=DICE, beside=boxes, owner=turn["seat"])


WORDS = Words(
    title=tr("Yacht"),
    pitch=tr("Twelve boxes, three throws each, and one yacht."),
    poster=as_dice((6, 6, 6, 6, 6)),
    rules=(
        tr("Throw five dice, keep some, throw the others again."),
        tr("After at most three throws, fill one box of your sheet."),
        tr("Fill each box once. Dice that don't fit score 0."),
        tr("Ones to sixes: the sum of that face."),
        tr("Full house: the sum of three and two alike."),
        tr("Four alike: the sum of the four."),
        tr("Low straight, 1 to 5, or high, 2 to 6: 30."),
        tr("Choice: the sum of all five."),
        tr("Yacht, five alike: 50."),
        tr("The most points after twelve turns win."),
    ),
    actions={"keep": tr("Keep"), "score": tr("Fill")},
    picks={"keep": selection, "score": lambda box: BOX_WORDS[box - 1]},
    asks={
        "keep": lambda _, __: tr("Which dice do you keep?"),
        "score": lambda _, __: tr("Which box do you fill?"),
    },
    options={"bonus": tr("Bonus from 63"), "joker": tr("Joker"), "rounds": tr("Rounds")},
    events={
        "thrown": lambda e: tr("{seat} threw {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "keep": lambda e: tr("{seat} keeps {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"])) or tr("none")
        ),
        "score": lambda e: tr("{seat}: {box} {points}").format(
            seat=e["seat"], box=BOX_WORD[e["box"]], points=e["points"]
        ),
    },
    facts=facts,
    score=lambda _, seat: points(seat["points"]),
    odds=odds,
    stage=stage,
    moments={"score": lambda e: tr("YACHT!") if e["box"] == "yacht" and e["points"] else ""},
    best=(tr("YACHT!"),),
)

GAME = Game(
    "yacht",
    1,
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
    away=("score",),
    sharp=Sharp(score_wisely),
)
