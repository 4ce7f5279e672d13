"""Shut the Box: shut tiles that add up to the throw; the tiles that stay open count against you."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

from games.dice import Die
from games.errors import BadOption
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, from_zero, with_item
from games.keeping import D6, faces_of
from games.prompts import ActPrompt, OverPrompt, PickOffer, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, Stage, TableView, Words, dice_count, percent, points, selection, tr

TILES = tuple(range(1, 10))
DICE = 2
HIGHEST_THROW = 12
TOTALS = {
    1: dict.fromkeys(range(1, 7), 1 / 6),
    2: {total: (6 - abs(7 - total)) / 36 for total in range(2, 13)},
}
"""The chance of each total, by the number of dice."""
HIGHEST_FOR_ONE_DIE = 6
"""The highest open tile with which a single die may be thrown: the tiles above it must all be shut."""


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds` in a game, `one_die` (1 or 0) for the choice of a single die, and the seat that begins."""

    rounds: int = 1
    one_die: int = from_zero(1)
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats suits
        """The choice of a single die is allowed or not."""
        if self.one_die > 1:
            raise BadOption("one_die must be 0 or 1")


class State(NamedTuple):
    """The game at one throw or decision; points are in seat order, and fewer are better.

    `open` are the open tiles, ascending. `dice` is how many dice are thrown next, None before the seat chose;
    `total` is the throw that awaits a decision.
    """

    seats: tuple[str, ...]
    options: Options
    points: tuple[int, ...]
    turn: int
    starter: int
    round: int = 1
    open: tuple[int, ...] = TILES
    dice: int | None = DICE
    total: int | None = None
    over: bool = False


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    return State(seats, options, (0,) * len(seats), first, first), []


def prompt(state: State) -> Prompt:
    seat = state.seats[state.turn]
    if state.over:
        return OverPrompt(best(state.seats, [-points for points in state.points]))
    if state.total is not None:
        return ActPrompt(seat, (PickOffer("shut", ways(state.open, state.total)),))
    if state.dice is None:
        return ActPrompt(seat, (PickOffer("dice", (1, 2)),))
    return ThrowPrompt(seat, state.dice, D6 * state.dice)


def ways(tiles: tuple[int, ...], total: int) -> tuple[int, ...]:
    """Every set of open tiles that adds up to `total`, ascending; the digits of a number are its tiles."""
    return ways_by_total(tiles).get(total, ())


@cache
def ways_by_total(tiles: tuple[int, ...]) -> Mapping[int, tuple[int, ...]]:
    """The sets of open tiles as in `ways`, for every total of two dice."""
    sets: dict[int, list[int]] = {}
    for size in range(1, len(tiles) + 1):
        for chosen in combinations(sorted(tiles, reverse=True), size):
            if sum(chosen) <= HIGHEST_THROW:
                sets.setdefault(sum(chosen), []).append(int("".join(map(str, chosen))))
    return {total: tuple(sorted(chosen)) for total, chosen in sets.items()}


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    total = sum(face for _, face in dice)
    event: Event = {"event": "thrown", "seat": state.seats[state.turn], "total": total}
    choices = ways(state.open, total)
    if not choices:
        return end_turn(state, [event])
    if len(choices) == 1:
        return shut(state, choices[0], [event])
    return state._replace(total=total), [event]


def act(state: State, action: JsonObject) -> Step[State]:
    if action["type"] == "dice":
        return state._replace(dice=action["value"]), []
    return shut(state, action["value"], [])


def shut(state: State, value: int, events: list[Event]) -> Step[State]:
    """Shuts the tiles; the turn goes on while one is open."""
    tiles = faces_of(value)
    still_open = tuple(tile for tile in state.open if tile not in tiles)
    events.append({"event": "shut", "seat": state.seats[state.turn], "tiles": list(tiles)})
    state = state._replace(open=still_open, total=None)
    if not still_open:
        return end_turn(state, events)
    chooses = len(counts(still_open, one_die=bool(state.options.one_die))) > 1
    return state._replace(dice=None if chooses else DICE), events


def end_turn(state: State, events: list[Event]) -> Step[State]:
    """Books the open tiles against the seat; the next seat begins with all tiles open."""
    score = sum(state.open)
    events.append({"event": "turn_over", "seat": state.seats[state.turn], "score": score})
    following = (state.turn + 1) % len(state.seats)
    totals = with_item(state.points, state.turn, state.points[state.turn] + score)
    state = state._replace(points=totals, turn=following, open=TILES, dice=DICE, total=None)
    if following != state.starter:
        return state, events
    if state.round == state.options.rounds:
        return state._replace(over=True), events
    return state._replace(round=state.round + 1), events


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.turn],
        "open": list(state.open),
        "dice": state.dice,
        "total": state.total,
    }
    return {
        "game": "shut_the_box",
        "round": state.round,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "points": points} for seat, points in zip(state.seats, state.points, strict=True)
        ],
    }


@cache
def expected(tiles: tuple[int, ...], *, one_die: bool) -> float:
    """The mean score of a turn from here on, before a throw, if it is played as well as possible.

    `one_die`: a single die may be chosen once 7, 8 and 9 are shut.
    """
    if not tiles:
        return 0.0
    return min(expected_with(tiles, dice, one_die=one_die) for dice in counts(tiles, one_die=one_die))


def expected_with(tiles: tuple[int, ...], dice: int, *, one_die: bool) -> float:
    """The mean score of a turn if this many dice are thrown next."""
    return sum(
        chance * expected_after(tiles, total, one_die=one_die) for total, chance in TOTALS[dice].items()
    )


def expected_after(tiles: tuple[int, ...], total: int, *, one_die: bool) -> float:
    """The mean score of a turn after this throw, with the best choice of tiles."""
    choices = ways(tiles, total)
    if not choices:
        return float(sum(tiles))
    return min(expected(left_open(tiles, value), one_die=one_die) for value in choices)


def left_open(tiles: tuple[int, ...], value: int) -> tuple[int, ...]:
    """The tiles that stay open after those of `value` are shut."""
    shut_now = faces_of(value)
    return tuple(tile for tile in tiles if tile not in shut_now)


def fits(tiles: tuple[int, ...], dice: int) -> float:
    """The chance that open tiles add up to a throw of this many dice."""
    return sum(chance for total, chance in TOTALS[dice].items() if ways(tiles, total))


@cache
def shuts(tiles: tuple[int, ...], dice: int, *, one_die: bool) -> float:
    """The chance to shut all tiles in the end, with this many dice next, if it is played for that alone."""
    shut = 0.0
    for total, chance in TOTALS[dice].items():
        after = (shuts_best(left_open(tiles, value), one_die=one_die) for value in ways(tiles, total))
        shut += chance * max(after, default=0.0)
    return shut


def shuts_best(tiles: tuple[int, ...], *, one_die: bool) -> float:
    """The chance to shut all of these tiles, with the better number of dice."""
    return max((shuts(tiles, dice, one_die=one_die) for dice in counts(tiles, one_die=one_die)), default=1.0)


def counts(tiles: tuple[int, ...], *, one_die: bool) -> tuple[int, ...]:
    """How many dice may be thrown at these open tiles; none if all are shut."""
    if not tiles:
        return ()
    return (1, 2) if one_die and max(tiles) <= HIGHEST_FOR_ONE_DIE else (2,)


def shut_wisely(view: PlayerView) -> JsonObject:
    """Makes the choice with the lowest mean score."""
    state: State = view.state
    one_die = bool(state.options.one_die)
    if state.total is None:
        return {
            "type": "dice",
            "value": min((1, 2), key=lambda dice: expected_with(state.open, dice, one_die=one_die)),
        }
    choices = ways(state.open, state.total)
    return {
        "type": "shut",
        "value": min(choices, key=lambda value: expected(left_open(state.open, value), one_die=one_die)),
    }


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    if turn is None:
        return []
    return [tr("open {tiles}").format(tiles="".join(map(str, turn["open"])))]


def odds(view: TableView) -> Sequence[Odds]:
    """The chances that the next throw fits the tiles, after each choice, and that all tiles are shut."""
    turn, one_die = view.state["turn"], bool(view.options.one_die)
    if turn is None:
        return []
    tiles = tuple(turn["open"])
    if turn["total"] is not None:
        return [
            (
                tr("After {tiles}: the next throw fits").format(tiles=selection(value)),
                percent(max((fits(left, dice) for dice in counts(left, one_die=one_die)), default=1.0)),
            )
            for value in ways(tiles, turn["total"])
            for left in (left_open(tiles, value),)
        ]
    dice = (1, 2) if turn["dice"] is None else (turn["dice"],)
    shut_all = max(shuts(tiles, count, one_die=one_die) for count in dice)
    return [
        *(
            (tr("A throw of {dice} fits").format(dice=dice_count(count)), percent(fits(tiles, count)))
            for count in dice
        ),
        (tr("All tiles are shut"), percent(shut_all)),
    ]


def stage(view: TableView) -> Stage:
    """What the open tiles would cost, and the row of tiles."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    tiles = tuple((tile, tile in turn["open"]) for tile in TILES)
    return Stage(str(sum(turn["open"])), tr("points stand open"), tiles=tiles, owner=turn["seat"])


WORDS = Words(
    title=tr("Shut the Box"),
    pitch=tr("Nine tiles, two dice. Shut them all."),
    poster=(("d6", 6), ("d6", 3)),
    rules=(
        tr("Nine tiles stand open, 1 to 9. Throw two dice."),
        tr("Shut open tiles that add up to the throw."),
        tr("Go on until no tiles fit."),
        tr("With 7, 8 and 9 shut you may throw one die."),
        tr("The open tiles count against you."),
        tr("Shut them all, and you score nothing."),
        tr("The fewest points win."),
    ),
    actions={"shut": tr("Shut"), "dice": tr("Throw")},
    picks={"shut": selection, "dice": dice_count},
    asks={
        "shut": lambda state, _: tr("You threw {total}. Which tiles do you shut?").format(**state["turn"]),
        "dice": lambda _, __: tr("One die, or two?"),
    },
    options={"rounds": tr("Rounds"), "one_die": tr("One die allowed")},
    events={
        "thrown": lambda e: tr("{seat} threw {total}").format(**e),
        "shut": lambda e: tr("{seat} shuts {tiles}").format(
            seat=e["seat"], tiles=" ".join(map(str, e["tiles"]))
        ),
        "turn_over": lambda e: (
            tr("{seat} shuts the box!").format(**e)
            if e["score"] == 0
            else tr("{seat}: {score} left").format(**e)
        ),
    },
    facts=facts,
    score=lambda _, seat: points(seat["points"]),
    odds=odds,
    stage=stage,
    moments={"turn_over": lambda e: tr("SHUT!") if e["score"] == 0 else ""},
    best=(tr("SHUT!"),),
)

GAME = Game(
    "shut_the_box",
    1,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    words=WORDS,
    limit="rounds",
    sharp=Sharp(shut_wisely),
)
