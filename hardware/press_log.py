"""The numbered presses of a panel; guarantees that each control alternates down, up, down, up."""

from __future__ import annotations

from hardware.ports import Press


class PressLog:
    """Takes the events that a driver saw and returns each press once."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self._number = 0
        self._waiting: list[Press] = []

    def change(self, control: str, *, down: bool, time_s: float) -> None:
        """Records that a control went down or up; an event that changes nothing is ignored.

        A control whose press was not seen counts as up, so its release is ignored too.
        """
        if down == (control in self.held):
            return
        self.held ^= {control}
        self._number += 1
        self._waiting.append(Press(self._number, control, down, time_s))

    def release(self, controls: set[str], time_s: float) -> None:
        """Releases those of the controls that are held."""
        for control in sorted(controls & self.held):
            self.change(control, down=False, time_s=time_s)

    def take(self) -> list[Press]:
        """The events since the last call."""
        taken, self._waiting = self._waiting, []
        return taken
