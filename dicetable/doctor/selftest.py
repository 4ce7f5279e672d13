"""Runs the conformance rules of the tests on the real camera, panel and clock.

Rules that need somebody to press or unplug something run only if a person is at the terminal.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from dicetable.doctor.check import Check
from dicetable.texts import doctor
from hardware.conformance import CAMERA_RULES, CLOCK_RULES, PANEL_RULES, BrokenError, needs, sentence
from hardware.ports import CONTROLS, LAMPS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from hardware.conformance import PanelBench
    from hardware.ports import Camera, Clock, Panel


class PersonBench:
    """A real panel, with a person who presses and unplugs as asked."""

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
        """Asks the person to press or release a control."""
        asked = doctor.hold(control) if down else doctor.release(control)
        self.say(f"      {asked}")

    def lit(self) -> None:
        """Lamps are not checked."""
        return

    def lines(self) -> None:
        """The display is not checked."""
        return

    def unplug(self) -> None:
        """Asks the person to unplug the panel."""
        self.say(f"      {doctor.PULL_PLUG}")

    def plug(self) -> None:
        """Asks the person to plug the panel in."""
        self.say(f"      {doctor.PLUG_AGAIN}")


def of_clock(clock: Clock) -> Iterator[Check]:
    """Each rule of a clock."""
    for rule in CLOCK_RULES:
        yield judged("clock", rule, partial(rule, clock))


def of_camera(new_camera: Callable[[], Camera], clock: Clock) -> Iterator[Check]:
    """Each rule of a camera, each with a new camera."""
    for rule in CAMERA_RULES:
        device = new_camera()
        try:
            yield judged("camera", rule, partial(rule, device, clock))
        finally:
            device.stop()


def of_panel(new_panel: Callable[[], Panel], say: Callable[[str], None] | None) -> Iterator[Check]:
    """Each rule of a panel; `say` is given if a person is there to help."""
    for rule in PANEL_RULES:
        device = new_panel()
        by_hand = needs(rule) - (frozenset({"contacts"}) if say is None else {"contacts", "fingers", "plug"})
        if by_hand:
            lacks = ", ".join(sorted(doctor.BY_HAND[need] for need in by_hand))
            yield Check(f"panel: {sentence(rule)}", ok=True, state=doctor.skipped(lacks))
            continue
        bench = PersonBench(device, say or (lambda _: None))
        yield judged("panel", rule, partial(on_the_bench, rule, bench))


def on_the_bench(rule: Callable[[PanelBench], Awaitable[None]], bench: PersonBench) -> None:
    """Runs one rule on a panel, and stops the panel in any case."""

    async def ask() -> None:
        try:
            await rule(bench)
        finally:
            bench.stop()

    asyncio.run(ask())


def judged(part: str, rule: Callable[..., object], ask: Callable[[], object]) -> Check:
    """The outcome of one rule."""
    name = f"{part}: {sentence(rule)}"
    try:
        ask()
    except BrokenError as error:
        return Check(
            name,
            ok=False,
            state=str(error),
            remedy=doctor.REPORT,
        )
    return Check(name, ok=True, state=doctor.PASSED)
