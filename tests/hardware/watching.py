"""What tests of a camera on a network share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from hardware.conformance import CAMERA_RULES, LIMIT_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.ports import Camera

RULES: Final = {rule.__name__: rule for rule in CAMERA_RULES}


def until(happened: Callable[[], object], camera: Camera) -> None:
    """Goes on taking frames until it happened; the limit only guards against hanging."""
    end_s = time.monotonic() + LIMIT_S
    while not happened():
        assert time.monotonic() < end_s
        camera.frame(0.02)
