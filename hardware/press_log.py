"""Presses of a panel, numbered; keeps the promise that each control goes down, up, down, up."""

from __future__ import annotations

from hardware.ports import Press


class PressLog:
    """Takes what a driver saw and gives presses out once each."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self._number = 0
        self._waiting: list[Press] = []

    def change(self, control: str, *, down: bool, time_s: float) -> None:
        """A control went down or up; what does not change it is no press.

        A control that went down unseen is up here: its release then is no press either.
        """
        if down == (control in self.held):
            return
        self.held ^= {control}
        self._number += 1
        self._waiting.append(Press(self._number, control, down, time_s))

    def release(self, controls: set[str], time_s: float) -> None:
        """Those of the controls that are held go up."""
        for control in sorted(controls & self.held):
            self.change(control, down=False, time_s=time_s)

    def take(self) -> list[Press]:
        """What happened since the last call."""
        taken, self._waiting = self._waiting, []
        return taken
