"""A test of dice: the same dice are thrown again and again until a player ends it. Nothing is won."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from games.dice import EVERY_KIND, VALUES, Die, Kind
from games.errors import BadOption
from games.game import Event, Game, Pick, Step
from games.prompts import Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import Words, tr

MOST_DICE = 10
KIND_OF: dict[int, Kind] = {int(kind.removeprefix("d")): kind for kind in EVERY_KIND}
"""The kinds by the number in their names; the percentile die is 100."""


@dataclass(frozen=True, slots=True)
class Options:
    """The number of `faces` on each of the `dice`, as in the name of their kind: 100 for percentile dice."""

    faces: int = 6
    dice: int = 1

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - one seat, always
        """The kind must exist, and the dice must fit side by side into a tray."""
        if self.faces not in KIND_OF:
            raise BadOption(f"faces must be one of {', '.join(map(str, KIND_OF))}")
        if self.dice > MOST_DICE:
            raise BadOption(f"dice must be at most {MOST_DICE}")


class State(NamedTuple):
    """The test before its next throw: how often each face came up, from the lowest on."""

    seats: tuple[str, ...]
    options: Options
    counts: tuple[int, ...]
    throws: int = 0

    @property
    def kind(self) -> Kind:
        return KIND_OF[self.options.faces]


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    return State(seats, options, (0,) * len(VALUES[KIND_OF[options.faces]])), []


def prompt(state: State) -> Prompt:
    return ThrowPrompt(state.seats[0], state.options.dice, (state.kind,) * state.options.dice)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    thrown = Counter(face for _, face in dice)
    counts = tuple(count + thrown[face] for face, count in zip(VALUES[state.kind], state.counts, strict=True))
    event: Event = {"event": "thrown", "seat": state.seats[0], "faces": [face for _, face in dice]}
    return state._replace(counts=counts, throws=state.throws + 1), [event]


def to_json(state: State) -> JsonObject:
    return {
        "game": "fairness",
        "kind": state.kind,
        "dice": state.options.dice,
        "throws": state.throws,
        "counts": list(state.counts),
        "seats": [{"seat": state.seats[0], "throws": state.throws}],
    }


def facts(state: JsonObject) -> list[str]:
    kind: Kind = state["kind"]
    return [f"{face}: {count}" for face, count in zip(VALUES[kind], state["counts"], strict=True)]


WORDS = Words(
    title=tr("Dice test"),
    rules=(
        tr("Throw the same dice again and again."),
        tr("E is the evidence that they are not fair."),
        tr("Look at it as often as you like."),
        tr("At 20 the dice may be called biased."),
        tr("MENU ends the test."),
    ),
    options={"faces": tr("Faces"), "dice": tr("Dice")},
    events={"thrown": lambda e: tr("threw {dice}").format(dice=" ".join(map(str, e["faces"])))},
    facts=facts,
    score=lambda _, seat: tr("{throws} throws").format(throws=seat["throws"]),
)

GAME = Game("fairness", 1, 1, Options, start, prompt, to_json, dice=throw, words=WORDS)
