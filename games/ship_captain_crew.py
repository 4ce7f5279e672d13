"""Ship, Captain, Crew: find a 6, a 5 and a 4 in that order; the other two dice are the cargo."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.dice import Die
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, with_item
from games.keeping import D6, as_dice, award, throws, without
from games.prompts import ActPrompt, OverPrompt, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, Stage, TableView, Words, percent, points, tr

DICE = 5
CREW = (6, 5, 4)
"""Ship, captain and crew, in the order in which they must be found."""
MOST_THROWS = 100
"""A crew that isn't found in this many throws has a chance below one in ten million."""
ROLL, STAND = Plain("roll"), Plain("stand")


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds` in a game, `throws` in a turn, and the seat that begins."""

    rounds: int = 5
    throws: int = 3
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """All combinations are valid."""


class State(NamedTuple):
    """The game at one throw or decision; points and scores are in seat order.

    `kept` is the beginning of CREW that was found in this turn, `cargo` the other two dice once it is
    complete. `scores` are those of this round, -1 for a seat that has not played yet. `stake` is the round's
    worth.
    """

    seats: tuple[str, ...]
    options: Options
    points: tuple[int, ...]
    scores: tuple[int, ...]
    turn: int
    starter: int
    round: int = 1
    stake: int = 1
    throws: int = 0
    kept: tuple[int, ...] = ()
    cargo: tuple[int, ...] = ()
    over: bool = False


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    return State(seats, options, (0,) * len(seats), (-1,) * len(seats), first, first), []


def prompt(state: State) -> Prompt:
    seat = state.seats[state.turn]
    if state.over:
        return OverPrompt(best(state.seats, state.points))
    if state.cargo:
        return ActPrompt(seat, (ROLL, STAND))
    count = DICE - len(state.kept)
    return ThrowPrompt(seat, count, D6 * count)


def crew_found(crew: tuple[int, ...], faces: Sequence[int]) -> tuple[int, ...]:
    """The beginning of CREW that is complete after these faces were thrown beside those in `crew`."""
    for needed in CREW[len(crew) :]:
        if needed not in faces:
            break
        crew = (*crew, needed)
    return crew


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = tuple(sorted((face for _, face in dice), reverse=True))
    crew = crew_found(state.kept, faces)
    cargo = without(faces, crew[len(state.kept) :]) if len(crew) == len(CREW) else ()
    state = state._replace(kept=crew, throws=state.throws + 1)
    events: list[Event] = [
        {"event": "thrown", "seat": state.seats[state.turn], "faces": list(faces), "kept": len(crew)}
    ]
    if state.throws == state.options.throws:
        return end_turn(state, sum(cargo), events)
    return state._replace(cargo=cargo), events


def act(state: State, action: JsonObject) -> Step[State]:
    event: Event = {"event": action["type"], "seat": state.seats[state.turn]}
    if action["type"] == "roll":
        return state._replace(cargo=()), [event]
    return end_turn(state, sum(state.cargo), [event])


def end_turn(state: State, score: int, events: list[Event]) -> Step[State]:
    """Books the cargo; the last seat of a round ends it."""
    events.append({"event": "turn_over", "seat": state.seats[state.turn], "score": score})
    following = (state.turn + 1) % len(state.seats)
    state = state._replace(
        scores=with_item(state.scores, state.turn, score), turn=following, throws=0, kept=(), cargo=()
    )
    return end_round(state, events) if following == state.starter else (state, events)


def end_round(state: State, events: list[Event]) -> Step[State]:
    """Gives the stake to the only seat with the best cargo, and begins the next round left of the starter."""
    winner, stake = award(state.seats, state.scores, state.stake)
    events.append({"event": "round_over", "seat": winner, "points": state.stake if winner else 0})
    if winner is not None:
        seat = state.seats.index(winner)
        state = state._replace(points=with_item(state.points, seat, state.points[seat] + state.stake))
    if state.round == state.options.rounds:
        return state._replace(over=True), events
    first = (state.starter + 1) % len(state.seats)
    nothing = (-1,) * len(state.seats)
    return state._replace(
        scores=nothing, turn=first, starter=first, round=state.round + 1, stake=stake
    ), events


def aside(state: State) -> tuple[Die, ...]:
    """Ship, captain and crew."""
    return as_dice(state.kept)


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.turn],
        "throws": state.throws,
        "kept": list(state.kept),
        "cargo": list(state.cargo),
    }
    return {
        "game": "ship_captain_crew",
        "round": state.round,
        "stake": state.stake,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "points": total, "score": None if score < 0 else score}
            for seat, total, score in zip(state.seats, state.points, state.scores, strict=True)
        ],
    }


def stand_wisely(view: PlayerView) -> JsonObject:
    """Stands with a cargo that beats the round so far and is better than the mean of what may follow."""
    state: State = view.state
    cargo, to_beat = sum(state.cargo), max(state.scores)
    last = (state.turn + 1) % len(state.seats) == state.starter
    enough = 7 if state.throws + 1 == state.options.throws else 8
    stands = cargo > to_beat and (last or cargo > enough)
    return {"type": "stand" if stands else "roll"}


def facts(state: JsonObject) -> Sequence[str]:
    stake = [tr("worth {points}").format(points=points(state["stake"]))] if state["stake"] > 1 else []
    turn = state["turn"]
    if turn is None:
        return stake
    return [tr("throw {number}").format(number=turn["throws"] + (not turn["cargo"])), *stake]


@cache
def crew_chance(found_so_far: int, left: int) -> float:
    """The chance to find the rest of the crew with so many throws; beyond MOST_THROWS it is certain."""
    chances = [0.0] * len(CREW) + [1.0]
    for _ in range(min(left, MOST_THROWS)):
        chances = [
            sum(
                chance * chances[len(crew_found(CREW[:count], faces))]
                for faces, chance in throws(DICE - count)
            )
            for count in range(len(CREW))
        ] + [1.0]
    return chances[found_so_far]


def cargo_chance(to_beat: int) -> float:
    """The chance that two dice are worth more than this."""
    return sum(chance for faces, chance in throws(DICE - len(CREW)) if sum(faces) > to_beat)


def odds(view: TableView) -> Sequence[Odds]:
    """The chance to find the crew in this turn; once it is found, that the next throw is the best cargo."""
    turn = view.state["turn"]
    if turn is None:
        return []
    if len(turn["kept"]) < len(CREW):
        chance = crew_chance(len(turn["kept"]), view.options.throws - turn["throws"])
        return [(tr("The whole crew in this turn"), percent(chance))]
    to_beat = max(sum(turn["cargo"]), *(seat["score"] or 0 for seat in view.state["seats"]))
    return [(tr("A throw beats {score}").format(score=to_beat), percent(cargo_chance(to_beat)))]


NEXT = (tr("needs a ship (6)"), tr("needs a captain (5)"), tr("needs a crew (4)"))


def stage(view: TableView) -> Stage:
    """The cargo, or the part of the crew that is needed next."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    dice = as_dice((*turn["kept"], *turn["cargo"]))
    if len(turn["kept"]) < len(CREW):
        return Stage("", NEXT[len(turn["kept"])], dice, slots=DICE, owner=turn["seat"])
    number = str(sum(turn["cargo"])) if turn["cargo"] else ""
    return Stage(number, tr("cargo"), dice, slots=DICE, owner=turn["seat"])


WORDS = Words(
    title=tr("Ship's Crew"),
    pitch=tr("Ship, captain, crew: then count the cargo."),
    poster=as_dice((6, 5, 4, 6, 6)),
    rules=(
        tr("Throw five dice, at most three times."),
        tr("First find a 6, the ship."),
        tr("Then a 5, the captain, and a 4, the crew."),
        tr("One throw may bring all three. They stay."),
        tr("The other two dice are the cargo."),
        tr("Throw the cargo again if you like."),
        tr("Without a full crew you score nothing."),
        tr("The best cargo takes the round."),
        tr("On a tie, the next round is worth one point more."),
    ),
    actions={"roll": tr("Roll again"), "stand": tr("Stand")},
    asks={
        "roll": lambda state, _: tr("Your cargo is {cargo}. Roll again?").format(
            cargo=sum(state["turn"]["cargo"])
        )
    },
    options={"rounds": tr("Rounds"), "throws": tr("Throws in a turn")},
    events={
        "thrown": lambda e: tr("{seat} threw {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "roll": lambda e: tr("{seat} rolls again").format(**e),
        "stand": lambda e: tr("{seat} stands").format(**e),
        "turn_over": lambda e: tr("{seat} scores {score}").format(**e),
        "round_over": lambda e: (
            tr("{seat} takes the round").format(**e) if e["seat"] else tr("a tie: nobody wins")
        ),
    },
    facts=facts,
    score=lambda _, seat: points(seat["points"]),
    odds=odds,
    standing=lambda _, seat: "" if seat["score"] is None else tr("scored {score}").format(**seat),
    stage=stage,
    moments={"turn_over": lambda e: tr("FULL HOLD!") if e["score"] == 12 else ""},
    best=(tr("FULL HOLD!"),),
)

GAME = Game(
    "ship_captain_crew",
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
    sharp=Sharp(stand_wisely),
)
