"""The simulated panel: what people press comes up as events, what it is told to show can be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.ports import CONTROLS, PanelView, Press

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Clock, Trouble


class SimulatedPanel:
    """A `Panel` with fingers of its own: `press` is what a person does, `shown` what a person sees."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.shown = PanelView({}, [])
        self.coming: list[tuple[float, str, bool]] = []
        self.number = 0
        self.trouble: Trouble | None = None

    def press(self, control: str, hold_s: float = 0.1, after_s: float = 0.0) -> None:
        """Somebody presses a control, `after_s` from now, and lets go `hold_s` later.

        Raises:
            ValueError: there is no such control.
        """
        if control not in CONTROLS:
            raise ValueError(f"there is no control {control}")
        down_s = self.clock.now_s() + after_s
        self.coming += [(down_s, control, True), (down_s + hold_s, control, False)]
        self.coming.sort(key=lambda change: change[0])

    def show(self, view: PanelView) -> None:
        """Shows this and nothing else."""
        self.shown = view

    def presses(self) -> Sequence[Press]:
        """What happened since the last call, in order; does not wait."""
        now_s = self.clock.now_s()
        events = []
        while self.coming and self.coming[0][0] <= now_s:
            time_s, control, down = self.coming.pop(0)
            self.number += 1
            events.append(Press(self.number, control, down, time_s))
        return events
