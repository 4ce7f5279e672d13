"""Six By 6: throw six d6, post the sixes, and keep throwing while the carry lasts. No decisions at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.dice import Die, Kind
from games.game import Event, Game, Pick, Step, best, with_item
from games.prompts import OverPrompt, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Stage, TableView, Words, figure, points, tr

DICE = 6
RACK_SCORE = 36
D6: tuple[Kind, ...] = ("d6",)


@dataclass(frozen=True, slots=True)
class Options:
    """`sets` per game, `games` per match, and the seat that always plays first."""

    sets: int = 1
    games: int = 1
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None: ...


class State(NamedTuple):
    """The match at one throw; scores are in seat order. `turn` counts the turns played in this set."""

    seats: tuple[str, ...]
    options: Options
    points: tuple[int, ...]
    totals: tuple[int, ...]
    games: tuple[int, ...]
    start: int = 0
    game_no: int = 1
    set_no: int = 1
    turn: int = 0
    posted: int = 0
    carry: int = 0
    over: bool = False

    @property
    def thrower(self) -> int:
        return (self.start + self.turn) % len(self.seats)


def earnings(faces: Sequence[int]) -> tuple[int, int]:
    """(dice posted, carry earned) by one throw of all dice that are not posted yet."""
    count = len(faces)
    distinct = set(faces)
    if count == DICE and len(distinct) in (1, DICE):
        return DICE, DICE - 1 + DICE
    if count == DICE - 1 and distinct == {1, 2, 3, 4, 5}:
        return count, count - 1 + count
    sixes = sum(face == DICE for face in faces)
    return sixes, count - len(distinct) + sixes


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    nothing = (0,) * len(seats)
    first = seats.index(options.first) if options.first is not None else 0
    return State(seats, options, nothing, nothing, nothing, start=first), []


def prompt(state: State) -> Prompt:
    if state.over:
        return OverPrompt(winners(state))
    count = DICE - state.posted
    return ThrowPrompt(state.seats[state.thrower], count, D6 * count)


def winners(state: State) -> tuple[str, ...]:
    """The seats with the most games; among equals, those with the most points in all games."""
    most = max(state.games)
    return best(state.seats, [t if g == most else -1 for t, g in zip(state.totals, state.games, strict=True)])


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = [face for _, face in dice]
    seat = state.seats[state.thrower]
    posted, earned = earnings(faces)
    carry = state.carry + earned
    events: list[Event] = [
        {"event": "thrown", "seat": seat, "faces": faces, "posted": posted, "earned": earned}
    ]
    posted += state.posted
    if posted == DICE:
        return end_turn(state, RACK_SCORE + carry, rack=True, events=events)
    if carry == 0:
        left_showing = sum(face for face in faces if face != DICE)
        return end_turn(state, DICE * posted + left_showing, rack=False, events=events)
    return state._replace(posted=posted, carry=carry - 1), events


def end_turn(state: State, score: int, *, rack: bool, events: list[Event]) -> Step[State]:
    """Books the score of a turn, and ends set, game and match with it if they are complete."""
    thrower = state.thrower
    events.append({"event": "turn_over", "seat": state.seats[thrower], "score": score, "rack": rack})
    state = state._replace(
        points=with_item(state.points, thrower, state.points[thrower] + score),
        totals=with_item(state.totals, thrower, state.totals[thrower] + score),
        posted=0,
        carry=0,
    )
    if state.turn + 1 < len(state.seats):
        return state._replace(turn=state.turn + 1), events
    if state.set_no < state.options.sets:
        return state._replace(turn=0, set_no=state.set_no + 1), events
    ahead = best(state.seats, state.points)
    events.append({"event": "game_won", "game_no": state.game_no, "winners": list(ahead)})
    games = tuple(won + (seat in ahead) for seat, won in zip(state.seats, state.games, strict=True))
    if state.game_no < state.options.games:
        nothing = (0,) * len(state.seats)
        return state._replace(
            games=games, points=nothing, turn=0, set_no=1, game_no=state.game_no + 1
        ), events
    return state._replace(games=games, over=True), events


def aside(state: State) -> tuple[Die, ...]:
    """The posted dice; during a turn these are sixes."""
    return (("d6", DICE),) * state.posted


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.thrower],
        "posted": state.posted,
        "carry": state.carry,
        "dice": DICE - state.posted,
    }
    return {
        "game": "six_by_6",
        "game_no": state.game_no,
        "set_no": state.set_no,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "points": points, "total": total, "games": games}
            for seat, points, total, games in zip(
                state.seats, state.points, state.totals, state.games, strict=True
            )
        ],
    }


def facts(state: JsonObject) -> Sequence[str]:
    turn = state["turn"]
    return (
        []
        if turn is None
        else [tr("posted {posted} carry {carry}").format(posted=turn["posted"], carry=turn["carry"])]
    )


def score(state: JsonObject, seat: JsonObject) -> str:
    """The total; during a turn followed by a plus and the posted dice so far."""
    turn = state["turn"] or {}
    running = DICE * turn["posted"] if turn.get("seat") == seat["seat"] else 0
    return f"{seat['total']}+{running}" if running else tr("{total} pts").format(total=seat["total"])


def stage(view: TableView) -> Stage:
    """Six slots that fill with posted sixes, the carry, and the points posted so far."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    return Stage(
        *figure(DICE * turn["posted"], tr("points posted")),
        (("d6", DICE),) * turn["posted"],
        slots=DICE,
        tokens=turn["carry"],
        token=tr("carry"),
        owner=turn["seat"],
    )


WORDS = Words(
    title=tr("Six By 6"),
    pitch=tr("Post six sixes before your carry runs out."),
    poster=(("d6", DICE),) * DICE,
    rules=(
        tr("Throw six dice. Each 6 is posted: set it aside."),
        tr("A posted 6 earns one carry."),
        tr("Matching faces earn carry too: a pair 1, three 2, four 3."),
        tr("One carry pays for a throw of the dice that are left."),
        tr("No carry left: 6 per posted die, plus the other faces."),
        tr("All six posted is a rack: 36 plus the carry left."),
        tr("Six of a kind, or 1 to 6, in one throw posts all."),
        tr("1 to 5 with exactly five dice posts all five."),
        tr("Most points wins."),
    ),
    options={"sets": tr("Sets"), "games": tr("Games")},
    events={
        "thrown": lambda e: (
            tr("{posted} posted, +{earned} carry").format(**e)
            if e["posted"] or e["earned"]
            else tr("nothing posted")
        ),
        "turn_over": lambda e: f"{e['seat']}: {tr('RACK!') + ' ' if e['rack'] else ''}{points(e['score'])}",
        "game_won": lambda e: tr("game {number} goes to {winners}").format(
            number=e["game_no"], winners=", ".join(e["winners"])
        ),
    },
    facts=facts,
    score=score,
    stage=stage,
    best=(tr("RACK!"),),
    more_is_better=True,
)

GAME = Game(
    "six_by_6",
    1,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    aside=aside,
    words=WORDS,
    limit="sets",
)
