"""The interface to a camera device; one thread uses it, and may block in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Pixels


class Source(Protocol):
    """One opening of a device: opened once, read until it fails or is closed."""

    def open(self) -> Sequence[str]:
        """Opens the device and locks its settings; returns the settings it rejected. Raises DeviceError."""

    def read(self) -> tuple[Pixels, float]:
        """Waits for a frame: its own pixels and their time on the monotonic clock. Raises DeviceError."""

    def close(self) -> None:
        """Closes the device; does nothing if it was not open. Never raises."""
