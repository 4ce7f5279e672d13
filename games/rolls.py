"""Rolls: any dice, or those of a formula, thrown again and again. The table adds them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games import formula
from games.dice import EVERY_KIND, Die
from games.formula import MOST_DICE, Formula
from games.game import Event, Game, Pick, Step, best, text
from games.prompts import AnyDicePrompt, OverPrompt, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import SeatStage, Stage, TableView, Words, tr
from games.words import dice as dice_words

ANY_DICE = tuple(kind for kind in EVERY_KIND for _ in range(MOST_DICE))
REMEMBERED = 10
"""How many of the last rolls the public state lists."""
LONGEST_LINE = 20


@dataclass(frozen=True, slots=True)
class Options:
    """Each seat rolls `rolls` times; `first` begins. `formula` names the dice and what they make."""

    rolls: int = 100
    first: str | None = None
    formula: str = text()

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats may roll
        """Raises BadOption if the formula cannot be read."""
        if self.formula:
            formula.parse(self.formula)


class Roll(NamedTuple):
    """One roll: who threw it, the dice, which of them count, and the total."""

    seat: str
    dice: tuple[Die, ...]
    counts: tuple[bool, ...]
    total: int


class State(NamedTuple):
    """The state before the next roll; `highest` is each seat's best total, in seat order."""

    seats: tuple[str, ...]
    options: Options
    first: int
    highest: tuple[int | None, ...]
    done: int = 0
    last: tuple[Roll, ...] = ()

    @property
    def over(self) -> bool:
        return self.done >= self.options.rolls * len(self.seats)

    @property
    def roller(self) -> int:
        return (self.first + self.done) % len(self.seats)

    def rolls_of(self, place: int) -> int:
        """How often a seat has rolled, by its place in seat order."""
        behind = (place - self.first) % len(self.seats)
        return (self.done - behind + len(self.seats) - 1) // len(self.seats)

    @property
    def formula(self) -> Formula | None:
        return formula.parse(self.options.formula) if self.options.formula else None


def start(seats: tuple[str, ...], options: Options, _pick: Pick) -> Step[State]:
    first = 0 if options.first is None else seats.index(options.first)
    return State(seats, options, first, (None,) * len(seats)), []


def prompt(state: State) -> Prompt:
    if state.over:
        return OverPrompt(best(state.seats, [total or 0 for total in state.highest]))
    seat, rule = state.seats[state.roller], state.formula
    if rule is None:
        return AnyDicePrompt(seat, 1, ANY_DICE, MOST_DICE)
    if rule.dice != rule.needed:
        return AnyDicePrompt(seat, len(rule.needed), rule.dice, len(rule.dice), rule.needed)
    return ThrowPrompt(seat, len(rule.dice), rule.dice)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    seat, rule = state.seats[state.roller], state.formula
    result = formula.sum_of(dice) if rule is None else rule.result(dice)
    roll = Roll(seat, dice, result.counts, result.total)
    highest = list(state.highest)
    before = highest[state.roller]
    highest[state.roller] = result.total if before is None else max(before, result.total)
    event: Event = {
        "event": "rolled",
        "seat": seat,
        "dice": [list(die) for die in dice],
        "kept": list(result.counts),
        "formula": rule.text if rule else None,
        "total": result.total,
        "natural": result.natural(dice),
    }
    return state._replace(
        highest=tuple(highest),
        done=state.done + 1,
        last=(*state.last, roll)[-REMEMBERED:],
    ), [event]


def to_json(state: State) -> JsonObject:
    """The public state; `last` are the newest rolls, the newest first."""
    totals = [total for total in state.highest if total is not None]
    return {
        "game": "rolls",
        "turn": None if state.over else state.seats[state.roller],
        "formula": state.formula.text if state.formula else None,
        "rolls": state.done,
        "highest": max(totals) if totals else None,
        "last": [
            {
                "seat": roll.seat,
                "dice": [list(die) for die in roll.dice],
                "kept": list(roll.counts),
                "total": roll.total,
            }
            for roll in reversed(state.last)
        ],
        "seats": [
            {"seat": seat, "rolls": state.rolls_of(place), "highest": total}
            for place, (seat, total) in enumerate(zip(state.seats, state.highest, strict=True))
        ],
    }


def facts(state: JsonObject) -> Sequence[str]:
    lines = [state["formula"]] if state["formula"] and len(state["formula"]) <= LONGEST_LINE else []
    if not state["last"]:
        return lines
    lines.append(tr("total {total}").format(total=state["last"][0]["total"]))
    return [*lines, tr("highest {total}").format(total=state["highest"])]


def score(_state: JsonObject, seat: JsonObject) -> str:
    return "" if seat["highest"] is None else tr("max {total}").format(total=seat["highest"])


FEW = 3
"""Most dice beside the number on the stage. With a larger value they get too small."""


def stage(view: TableView) -> Stage:
    """The dice of the last roll and its total, with the rolls before it."""
    state = view.state
    highest = {
        seat["seat"]: SeatStage("" if seat["highest"] is None else str(seat["highest"]))
        for seat in state["seats"]
    }
    if not state["last"]:
        return Stage(caption=tr("nothing yet"), seats=highest)
    roll, *before = state["last"]
    caption = state["formula"] or tr("total")
    beside = [(str(state["highest"]), tr("highest"))]
    beside += [(str(earlier["total"]), earlier["seat"][:LONGEST_LINE]) for earlier in before[:1]]
    # Many dice would be too small to read across a room; the last throw shows them large.
    dice = roll["dice"] if len(roll["dice"]) <= FEW else []
    return Stage(
        str(roll["total"]),
        caption if len(caption) <= LONGEST_LINE else tr("total"),
        tuple((kind, face) for kind, face in dice),
        slots=len(dice),
        beside=tuple(beside),
        owner=roll["seat"],
        seats=highest,
    )


def told(event: JsonObject) -> str:
    """`Ann: d20:17 d6:4 (2d20kh) = 17`, without a formula if there is none, and a natural 20 or 1."""
    dice = [(kind, face) for kind, face in event["dice"]]
    rolled = dice_words(dice)
    if event["formula"]:
        rolled += f" ({event['formula']})"
    alone = not event["formula"] and [face for _, face in dice] == [event["total"]]
    line = tr("{seat}: {dice}").format(
        seat=event["seat"], dice=rolled if alone else f"{rolled} = {event['total']}"
    )
    natural = event["natural"]
    return line if natural is None else f"{line}, {tr('natural {face}').format(face=natural)}"


def moment(event: JsonObject) -> str:
    natural = event["natural"]
    return "" if natural is None else tr("NATURAL {face}!").format(face=natural)


WORDS = Words(
    title=tr("Just roll"),
    pitch=tr("Throw any dice. The table adds them up."),
    poster=(("d20", 20), ("d6", 6)),
    rules=(
        tr("Throw any dice, one to thirty."),
        tr("The table adds up what they show."),
        tr("The 0 of a d10 counts as 10."),
        tr("Players roll in turn. MENU ends it."),
    ),
    options={"rolls": tr("Rolls")},
    events={"rolled": told},
    facts=facts,
    score=score,
    stage=stage,
    moments={"rolled": moment},
    best=(tr("NATURAL {face}!").format(face=20),),
    more_is_better=True,
)

GAME = Game("rolls", 1, 8, Options, start, prompt, to_json, dice=throw, words=WORDS, limit="rolls")
