"""What a camera's device must do; it is used by one thread, which may wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Pixels


class Source(Protocol):
    """One opening of a device: opened once, read until it fails or is closed."""

    def open(self) -> Sequence[str]:
        """Takes the device and locks its settings; returns what it would not do. DeviceError if it cannot."""

    def read(self) -> tuple[Pixels, float]:
        """Waits for the next frame: pixels of its own, and their time on the monotonic clock. DeviceError."""

    def close(self) -> None:
        """Gives the device back; does nothing if it was never taken. Raises nothing."""
