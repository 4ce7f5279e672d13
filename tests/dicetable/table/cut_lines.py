"""Lines that the panel cuts: in evenings at random, in the facts of games, while a name is spelled."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random
from typing import Any
from unittest.mock import patch

from common import texts
from common.texts.plain import ascii_letters
from dicetable.table import display
from games.registry import GAMES
from hardware.ports import COLUMNS, LINES, SEATS
from tests.dicetable.table import hands_on
from tests.dicetable.table.hammered import CONTROLS, Evening
from tests.dicetable.table.hands_on import EMPTY, HandsOn

NAMES = (
    *("Wilhelmina", "Maximilian", "Gwendoline", "Bartholmew"),
    *("Clementine", "Montgomery", "Ferdinanda", "Marguerite"),
)
STEPS = 80
ASKED = ("minus", "plus", "ok", "hold")
THINGS = ("moving", "hand", "blind", "panel", "camera_moved", "full", "menu", "again")


class Cuts:
    """Notes the lines that the panel cuts while it is in use."""

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self.printable = display.printable.__wrapped__
        self.beside = display.beside
        self.wrapped = display.wrapped
        self.view = display.view

    def cut(self, line: str) -> str:
        if len(ascii_letters(line)) > COLUMNS:
            self.lines.add(line)
        return self.printable(line)

    def squeezed(self, left: str, right: str) -> str:
        if left and len(ascii_letters(left)) + 1 + len(right) > COLUMNS:
            self.lines.add(f"{left} | {right}")
        return self.beside(left, right)

    def broken(self, sentence: str) -> list[str]:
        self.lines.update(word for word in sentence.split() if len(word) > COLUMNS)
        return self.wrapped(sentence)

    def shown(self, lines: Any, lamps: Any) -> Any:
        lines = list(lines)
        self.lines.update(lines[LINES:])
        return self.view(lines, lamps)

    def __enter__(self) -> Cuts:
        self.patches = ExitStack()
        self.patches.enter_context(
            patch.multiple(
                display, printable=self.cut, beside=self.squeezed, wrapped=self.broken, view=self.shown
            )
        )
        self.patches.enter_context(patch.object(hands_on, "NAMES", NAMES))
        return self

    def __exit__(self, *_: object) -> None:
        self.patches.close()


def happening(random: Random) -> tuple[Any, ...]:
    """What happens next in an evening at random."""
    seat, seed = random.choice([1, 2, 3, SEATS]), random.randrange(2**30)
    return random.choices(
        [
            ("asked", random.choice(ASKED)),
            ("throw", seed),
            ("tap", seat, random.choice(ASKED[:3])),
            ("change", random.choice(CONTROLS), random.random() < 0.5),
            ("odd", seed),
            ("thing", random.choice(THINGS)),
            ("wait", random.choice([0.01, 0.6, 3.0, 40.0])),
            ("item", seat, random.choice(sorted(texts.panel.MENU_ITEMS.values()))),
        ],
        [30, 30, 10, 5, 8, 7, 4, 6],
    )[0]


def pages(at: HandsOn, most: int = 2) -> list[str]:
    """The lines of the panel over that many turns of its pages."""
    shown = []
    for _ in range(2 * most):
        at.wait(1.25)
        shown += at.lines
    return shown


def cut_in_an_evening(game: str, seed: int) -> set[str]:
    random = Random(seed)
    with Cuts() as cuts:
        evening = Evening(game)
        for _ in range(STEPS):
            evening.step(happening(random))
            pages(evening.at)
    return cuts.lines


def cut_in_facts() -> set[str]:
    """The facts of each game where their numbers are largest."""
    states = {
        "sixes": {"round": 1, "call": {"seat": NAMES[1], "value": 666}},
        "money_shot": {"pot": 999, "bet": 999, "leader": NAMES[1], "peak": 12},
        "liars_dice": {"round": 1, "bid": {"seat": NAMES[1], "quantity": 48, "face": 6}, "on_table": 48},
    }
    return {
        line
        for game, state in states.items()
        for line in GAMES[game].words.facts(state)
        if len(ascii_letters(line)) > COLUMNS
    }


def cut_while_a_name_is_spelled() -> set[str]:
    with Cuts() as cuts:
        at = HandsOn()
        at.settle(EMPTY)
        at.tap("8.ok", "8.ok")
        for item in (texts.panel.NAMES, texts.panel.seat_name(8), NAMES[-1]):
            for _ in range(20):
                if at.choice.startswith(item):
                    at.tap("8.ok")
                    break
                at.tap("8.plus")
        for _ in range(30):
            at.tap("8.plus")
            pages(at)
    return cuts.lines
