"""Asks the real camera, panel and clock the rules that the tests ask of every driver.

What needs a finger or a hand at the plug is asked only if a person sits at the terminal.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from dicetable.doctor.check import Check
from hardware.conformance.camera import CAMERA_RULES
from hardware.conformance.clock import CLOCK_RULES
from hardware.conformance.panel import PANEL_RULES
from hardware.conformance.rule import BrokenError, needs, sentence
from hardware.ports import CONTROLS, LAMPS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from hardware.conformance.panel import PanelBench
    from hardware.ports import Camera, Clock, Panel

BY_HAND = {"fingers": "a finger", "plug": "a hand at the plug", "eyes": "eyes"}


class PersonBench:
    """A real panel, with a person who presses and unplugs as the text says."""

    def __init__(self, panel: Panel, say: Callable[[str], None]) -> None:
        self.panel = panel
        self.say = say
        wiring = getattr(panel, "wiring", None)
        self.controls: Sequence[str] = tuple(wiring.controls) if wiring is not None else CONTROLS
        self.lamps: Sequence[str] = tuple(wiring.lamps) if wiring is not None else LAMPS

    def start(self) -> None:
        """Starts the panel."""
        self.panel.start(lambda: None)

    def stop(self) -> None:
        """Stops the panel."""
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        """Asks for a finger."""
        self.say(f"      hold {control} down" if down else f"      let {control} go")

    def lit(self) -> None:
        """Nobody is asked what shines."""
        return

    def lines(self) -> None:
        """Nobody is asked what the display shows."""
        return

    def unplug(self) -> None:
        """Asks for a hand."""
        self.say("      pull the panel's plug")

    def plug(self) -> None:
        """Asks for a hand."""
        self.say("      put the panel's plug in again")


def of_clock(clock: Clock) -> Iterator[Check]:
    """Each rule of a clock."""
    for rule in CLOCK_RULES:
        yield judged("clock", rule, partial(rule, clock))


def of_camera(new_camera: Callable[[], Camera], clock: Clock) -> Iterator[Check]:
    """Each rule of a camera, each of a camera made anew."""
    for rule in CAMERA_RULES:
        device = new_camera()
        try:
            yield judged("camera", rule, partial(rule, device, clock))
        finally:
            device.stop()


def of_panel(new_panel: Callable[[], Panel], say: Callable[[str], None] | None) -> Iterator[Check]:
    """Each rule of a panel; with `say` a person is there to be asked."""
    for rule in PANEL_RULES:
        device = new_panel()
        by_hand = needs(rule) - (frozenset({"contacts"}) if say is None else {"contacts", "fingers", "plug"})
        if by_hand:
            lacks = ", ".join(sorted(BY_HAND[need] for need in by_hand))
            yield Check(f"panel: {sentence(rule)}", ok=True, state=f"not asked: it needs {lacks}")
            continue
        bench = PersonBench(device, say or (lambda _: None))
        yield judged("panel", rule, partial(on_the_bench, rule, bench))


def on_the_bench(rule: Callable[[PanelBench], Awaitable[None]], bench: PersonBench) -> None:
    """Asks one rule of a panel, and stops the panel whatever comes."""

    async def ask() -> None:
        try:
            await rule(bench)
        finally:
            bench.stop()

    asyncio.run(ask())


def judged(part: str, rule: Callable[..., object], ask: Callable[[], object]) -> Check:
    """Whether a rule is kept."""
    name = f"{part}: {sentence(rule)}"
    try:
        ask()
    except BrokenError as error:
        return Check(name, ok=False, state=str(error), remedy="see `dicetable doctor`; else report it")
    return Check(name, ok=True, state="kept")
