"""Hands on a simulated table: they throw, clear the tray, cast and lift cups, push dice, press buttons."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dicetable.ledger.entries import LyingDie
from dicetable.table.display import printable
from games.dice import Die, Kind
from hardware.ports import PanelView
from hardware.simulated.die import Lying, about, on_table, settled, turn_showing
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.places import GAP_MM, at_random, free
from hardware.simulated.tray import TRAY_MM
from hardware.simulated.world import World

MOST_KEPT = 12
"""Most dice that are left in the tray: the next throw needs room."""
UP = np.array([0.0, 0.0, 1.0])
PLACE = re.compile(r"\s+\d+/\d+$")
TAP_S = 0.06
HOLD_S = 1.0
PAUSE_S = 0.4
"""Between two presses; sooner ones of OK would be taken for one burst."""


class Hands:
    """Hands that move dice.

    `thrown` are the dice of the last throw as they will lie; `cups` the dice under each seat's cup.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.thrown: list[Lying] = []
        self.cups: dict[str, list[Lying]] = {}

    def aside(self, dice: Sequence[Die]) -> list[Lying]:
        """The dice in the tray that are these, and so count as they lie; none if they are too many."""
        counted = Counter(dice)
        aside = []
        for lying in self.world.lying:
            if lying.value is not None and counted[lying.kind, lying.value]:
                counted[lying.kind, lying.value] -= 1
                aside.append(lying)
        return aside if len(aside) <= MOST_KEPT else []

    def throw(self, kinds: Sequence[Kind], keep: Sequence[Lying]) -> None:
        """Takes all dice but those kept, and throws new ones of these kinds."""
        self.thrown = self.world.throw(kinds, keep)

    def clear(self, keep: Sequence[Lying] = ()) -> None:
        self.world.throw([], keep)

    def find(self, dice: Sequence[LyingDie]) -> None:
        """Puts these dice into the tray where they were seen, without those that were not read."""
        world = self.world
        placed: list[Lying] = []
        for die_seen in dice:
            if die_seen.kind is None or die_seen.value is None:
                continue
            (die,) = world.pick([die_seen.kind], {lying.die.number for lying in (*world.lying, *placed)})
            turn = turn_showing(world.chance, die, die_seen.value)
            left, top, width, height = die_seen.box
            middle = np.array([left + width / 2, top + height / 2])
            x, y = world.view.floor(middle, float(on_table(die, turn, 0.0, 0.0).at_mm[2])).tolist()
            placed.append(settled(die, on_table(die, turn, x, y)))
        world.leave(placed)

    def cast(self, seat: str, count: int, keep: Sequence[int]) -> None:
        held = []
        under = self.cups.get(seat, [])
        for face in keep:
            held.append(next(lying for lying in under if lying.value == face and lying not in held))
        dice = self.world.pick(["d6"] * count, {lying.die.number for lying in held})
        self.cups[seat] = [*held, *at_random(self.world.chance, dice, held)]

    def faces(self, seat: str) -> tuple[int, ...]:
        """The faces of the dice under the seat's cup; empty if it has none."""
        return tuple(lying.value or 0 for lying in self.cups.get(seat, ()))

    def pass_cup(self, seat: str) -> None:
        (dice,) = self.cups.values()
        self.cups = {seat: dice}

    def show(self, seat: str) -> None:
        """Lifts the seat's cup over the cleared tray; dice that fit under no cup are laid there."""
        dice = self.cups[seat]
        try:
            self.thrown = self.world.reveal(dice)
        except ValueError:
            self.world.lay(dice)
            self.thrown = list(dice)

    def push(self) -> None:
        """Moves the dice that were shown, same faces up, clear of each other and of the markers."""
        pushed: list[Lying] = []
        for lying in self.thrown:
            turn = about(UP, float(self.world.chance.uniform(0, 2 * np.pi))) @ lying.pose.turn
            half = np.array(TRAY_MM) / 2 - lying.die.reach_mm - GAP_MM
            while True:
                place = self.world.chance.uniform(-half, half)
                if free(place, lying.die.reach_mm, pushed):
                    break
            pushed.append(settled(lying.die, on_table(lying.die, turn, *place.tolist())))
        self.world.lay(pushed)
        self.thrown = pushed


class Finger:
    """Presses the panel's buttons, not before `free_s`."""

    def __init__(self, panel: SimulatedPanel) -> None:
        self.panel = panel
        self.free_s = 0.0

    @property
    def view(self) -> PanelView:
        return self.panel.shown

    def line(self, number: int) -> str:
        return self.view.lines[number] if number < len(self.view.lines) else ""

    @property
    def heading(self) -> str:
        """The first line without the place in the menu, such as 3/9, at its end."""
        return PLACE.sub("", self.line(0))

    def reads(self, number: int, text: str) -> bool:
        """Whether a line begins with the text, as the panel spells it: without accents, and cut."""
        return bool(text) and self.line(number).startswith(printable(text))

    def under(self, *headings: str) -> bool:
        """Whether the first line, without a place in the menu at its end, is one of these headings."""
        return self.heading in map(printable, headings)

    @property
    def choice(self) -> str:
        return next((line[2:] for line in self.view.lines if line.startswith("> ")), "")

    def tap(self, seat: int, key: str) -> None:
        """Presses and releases a key of a seat; seat 0 is the table's menu button."""
        self.press(seat, key, TAP_S)

    def hold(self, seat: int, key: str) -> None:
        """Holds a key long enough for OK to mean back."""
        self.press(seat, key, HOLD_S)

    def press(self, seat: int, key: str, hold_s: float) -> None:
        """Holds a key for `hold_s` seconds and sets `free_s` to PAUSE_S after its release."""
        self.panel.press(f"seat{seat}.{key}" if seat else "table.menu", hold_s)
        self.free_s = self.panel.clock.now_s() + hold_s + PAUSE_S

    def toward(self, seat: int, labels: Sequence[str], wanted: str) -> bool:
        """Presses once to bring the menu closer to `wanted`, or OK if it is shown.

        Returns False, without a press, if the menu shows none of the labels.
        """
        shown = [printable(f"> {label}")[2:] for label in labels]
        if self.choice not in shown:
            return False
        away = (labels.index(wanted) - shown.index(self.choice)) % len(labels)
        if not away:
            self.tap(seat, "ok")
        else:
            self.tap(seat, "plus" if away <= len(labels) / 2 else "minus")
        return True
