"""What a camera's device must do; it is used by one thread, which may wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.ports import Pixels


class SourceError(Exception):
    """The device gives no frames now; `what` says why, `remedy` what would help."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy


class Source(Protocol):
    """One opening of a device: opened once, read until it fails or is closed."""

    def open(self) -> Sequence[str]:
        """Takes the device and locks its settings; returns what it would not do. SourceError if it cannot."""

    def read(self) -> tuple[Pixels, float]:
        """Waits for the next frame: pixels of its own, and their time on the monotonic clock. SourceError."""

    def close(self) -> None:
        """Gives the device back; does nothing if it was never taken. Raises nothing."""
