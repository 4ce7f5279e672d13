"""What can be wrong with a device, one exception a cause. Each says what it is and what would help.

A driver uses them inside; outside it they are its `Trouble`, in the same words. The serial link has causes of
its own, in `firmware_bridge.errors`.
"""

from __future__ import annotations


class DeviceError(Exception):
    """The device cannot be used now; of this class itself if the cause is not known.

    Attributes:
        what: what is wrong, in words for the person beside it.
        remedy: what would help.
    """

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy


class NotInstalledError(DeviceError):
    """The library that the driver needs is absent, or does not work here."""


class NoDeviceError(DeviceError):
    """Nothing is there."""


class WrongDeviceError(DeviceError):
    """Something else is there, or it lacks what it should have."""


class NoPermissionError(DeviceError):
    """This user may not open it."""


class InUseError(DeviceError):
    """Another program has it."""


class PinInUseError(InUseError):
    """Another program, or the kernel, has a pin of it."""


class LinkLostError(DeviceError):
    """It was there, and does not answer any more."""
