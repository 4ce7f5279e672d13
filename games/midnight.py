"""Midnight (1-4-24): keep a 1 and a 4, and as many points as you can with the other four dice."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from games.dice import Die
from games.game import Event, Game, Pick, PlayerView, Sharp, Step, best, with_item
from games.keeping import D6, as_dice, award, faces_of, number_of, selections, without
from games.prompts import ActPrompt, OverPrompt, PickOffer, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Odds, Stage, TableView, Words, percent, points, selection, tr

DICE = 6
NEEDED = (4, 1)
"""The two faces without which the other four dice are worth nothing."""


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds` in a game, and the seat that begins."""

    rounds: int = 5
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:
        """All combinations are valid."""


class State(NamedTuple):
    """The game at one throw or decision; points and scores are in seat order.

    `thrown` are the faces that were thrown last and await a decision, `kept` those set aside in this turn.
    `scores` are those of this round, -1 for a seat that has not played yet. `stake` is the round's worth.
    """

    seats: tuple[str, ...]
    options: Options
    points: tuple[int, ...]
    scores: tuple[int, ...]
    turn: int
    starter: int
    round: int = 1
    stake: int = 1
    kept: tuple[int, ...] = ()
    thrown: tuple[int, ...] = ()
    over: bool = False


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    """The state before the first throw."""
    first = 0 if options.first is None else seats.index(options.first)
    return State(seats, options, (0,) * len(seats), (-1,) * len(seats), first, first), []


def prompt(state: State) -> Prompt:
    seat = state.seats[state.turn]
    if state.over:
        return OverPrompt(best(state.seats, state.points))
    if state.thrown:
        return ActPrompt(seat, (PickOffer("keep", selections(state.thrown)[1:]),))
    count = DICE - len(state.kept)
    return ThrowPrompt(seat, count, D6 * count)


def worth(faces: Sequence[int]) -> int:
    """The points of six dice: 0 without a 1 and a 4, otherwise the sum of the other four."""
    return sum(faces) - sum(NEEDED) if set(NEEDED) <= set(faces) else 0


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    faces = tuple(sorted((face for _, face in dice), reverse=True))
    event: Event = {"event": "thrown", "seat": state.seats[state.turn], "faces": list(faces)}
    if len(faces) == 1:  # the last die leaves nothing to decide
        return keep(state, faces, [event])
    return state._replace(thrown=faces), [event]


def act(state: State, action: JsonObject) -> Step[State]:
    return keep(state, faces_of(action["value"]), [])


def keep(state: State, faces: tuple[int, ...], events: list[Event]) -> Step[State]:
    """Sets the faces aside; the sixth die ends the turn."""
    aside = tuple(sorted((*state.kept, *faces), reverse=True))
    events.append({"event": "keep", "seat": state.seats[state.turn], "faces": list(faces)})
    if len(aside) < DICE:
        return state._replace(kept=aside, thrown=()), events
    score = worth(aside)
    events.append({"event": "turn_over", "seat": state.seats[state.turn], "score": score})
    following = (state.turn + 1) % len(state.seats)
    state = state._replace(
        scores=with_item(state.scores, state.turn, score), turn=following, kept=(), thrown=()
    )
    return end_round(state, events) if following == state.starter else (state, events)


def end_round(state: State, events: list[Event]) -> Step[State]:
    """Gives the stake to the only seat with the highest score; the next round begins left of the starter."""
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
    """The dice set aside in this turn."""
    return as_dice(state.kept)


def to_json(state: State) -> JsonObject:
    turn = {
        "seat": state.seats[state.turn],
        "kept": list(state.kept),
        "thrown": list(state.thrown),
    }
    return {
        "game": "midnight",
        "round": state.round,
        "stake": state.stake,
        "turn": None if state.over else turn,
        "seats": [
            {"seat": seat, "points": total, "score": None if score < 0 else score}
            for seat, total, score in zip(state.seats, state.points, state.scores, strict=True)
        ],
    }


def keep_wisely(view: PlayerView) -> JsonObject:
    """Keeps what is needed and every 6; otherwise the best die. A plain player, not a perfect one."""
    state: State = view.state
    missing = [face for face in NEEDED if face not in state.kept]
    wanted = [face for face in missing if face in state.thrown]
    spare = without(state.thrown, wanted)
    room = DICE - len(state.kept) - len(missing)
    wanted += [face for face in spare if face == DICE][:room]
    return {"type": "keep", "value": number_of(wanted or spare[:1])}


def facts(state: JsonObject) -> Sequence[str]:
    stake = [tr("worth {points}").format(points=points(state["stake"]))] if state["stake"] > 1 else []
    turn = state["turn"]
    if turn is None or not turn["kept"]:
        return stake
    return [tr("kept {dice}").format(dice=" ".join(map(str, turn["kept"]))), *stake]


@cache
def qualifies(missing: int, dice: int) -> float:
    """The chance to find 0 to 2 needed faces with so many dice if only they are kept, or else one die."""
    if missing > dice:
        return 0.0
    neither, not_one = ((6 - missing) / 6) ** dice, (5 / 6) ** dice
    if missing < 2:
        return 1 - neither * (1 - qualifies(1, dice - 1)) if missing else 1.0
    only_one = 2 * (not_one - neither)
    return 1 - neither - only_one + only_one * qualifies(1, dice - 1) + neither * qualifies(2, dice - 1)


def odds(view: TableView) -> Sequence[Odds]:
    """The chance to have a 1 and a 4 in the end if the needed dice alone are kept."""
    turn = view.state["turn"]
    if turn is None:
        return []
    missing = set(NEEDED) - set(turn["kept"])
    needed = missing & set(turn["thrown"])
    count = len(turn["kept"]) + (max(1, len(needed)) if turn["thrown"] else 0)
    return [(tr("A 1 and a 4 in the end"), percent(qualifies(len(missing - needed), DICE - count)))]


def stage(view: TableView) -> Stage:
    """The points in the dice that are kept, and what is still missing."""
    turn = view.state["turn"]
    if turn is None:
        return Stage()
    faces = turn["kept"]
    missing = [face for face in reversed(NEEDED) if face not in faces]
    caption = tr("needs {faces}").format(faces=" ".join(map(str, missing))) if missing else tr("points")
    number = sum(faces) - sum(face for face in NEEDED if face in faces)
    return Stage(str(number or ""), caption, as_dice(faces), slots=DICE, owner=turn["seat"])


WORDS = Words(
    title=tr("Midnight"),
    pitch=tr("A 1, a 4, and 24 with the rest."),
    poster=as_dice((1, 4, 6, 6, 6, 6)),
    rules=(
        tr("Throw six dice. Keep at least one of each throw."),
        tr("Throw the others again until all six are kept."),
        tr("Without a 1 and a 4 you score nothing."),
        tr("With them, the other four dice count."),
        tr("24 is the best: midnight."),
        tr("The highest score takes the round."),
        tr("On a tie, the next round is worth one point more."),
    ),
    actions={"keep": tr("Keep")},
    picks={"keep": selection},
    asks={"keep": lambda _, __: tr("Which dice do you keep?")},
    options={"rounds": tr("Rounds")},
    events={
        "thrown": lambda e: tr("{seat} threw {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "keep": lambda e: tr("{seat} keeps {dice}").format(
            seat=e["seat"], dice=" ".join(map(str, e["faces"]))
        ),
        "turn_over": lambda e: tr("{seat} scores {score}").format(**e),
        "round_over": lambda e: (
            tr("{seat} takes the round").format(**e) if e["seat"] else tr("a tie: nobody wins")
        ),
    },
    facts=facts,
    score=lambda _, seat: points(seat["points"]),
    standing=lambda _, seat: "" if seat["score"] is None else tr("scored {score}").format(**seat),
    odds=odds,
    stage=stage,
    moments={"turn_over": lambda e: tr("MIDNIGHT!") if e["score"] == 24 else ""},
    best=(tr("MIDNIGHT!"),),
)

GAME = Game(
    "midnight",
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
    sharp=Sharp(keep_wisely),
)
