"""The rules of the port `Camera`. Each gets a working camera that is not started, and the common clock."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hardware.conformance.rule import LIMIT_S, BrokenError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.ports import Camera, Clock, Frame

PARTS = ("degraded", "start", "frame", "stop")
AT_ONCE_S = 5.0
"""Upper bound for a call that does not wait, even on a busy machine."""


def taken(camera: Camera) -> Frame:
    """Returns a frame, which must arrive."""
    frame = camera.frame(LIMIT_S)
    if frame is None:
        why = camera.degraded
        raise BrokenError(f"no frame came within {LIMIT_S:g} s" + (f": {why.what}" if why else ""))
    return frame


def has_all_parts(camera: Camera, _clock: Clock) -> None:
    """It has every part of the port."""
    missing = [part for part in PARTS if not hasattr(camera, part)]
    require(not missing, f"it lacks {', '.join(missing)}")


def gives_bgr(camera: Camera, _clock: Clock) -> None:
    """Frames are pixels of eight bits in three channels."""
    camera.start()
    pixels = taken(camera).pixels
    require(pixels.dtype == np.uint8, f"pixels are {pixels.dtype}")
    require(pixels.ndim == 3 and pixels.shape[2] == 3, f"pixels have the shape {pixels.shape}")
    require(camera.degraded is None, f"it gives frames and is degraded: {camera.degraded}")


def time_goes_on(camera: Camera, clock: Clock) -> None:
    """Frames have the time of the common clock, and it never decreases, not even over a restart."""
    times = [clock.now_s() - AT_ONCE_S]
    for _ in range(2):
        camera.start()
        times += [taken(camera).time_s for _ in range(3)]
        camera.stop()
    require(all(b >= a for a, b in pairwise(times)), f"times go back: {times}")
    require(times[-1] <= clock.now_s(), "a frame has a time that is still to come")


def gives_no_frame_twice(camera: Camera, _clock: Clock) -> None:
    """No frame is given twice, and changing its pixels does not affect other frames."""
    camera.start()
    one, other = taken(camera), taken(camera)
    require(not np.shares_memory(one.pixels, other.pixels), "two frames share their pixels")
    one.pixels[:] = 0
    require(taken(camera).pixels.any(), "blackening a frame blackened a later one")


def gives_nothing_unstarted(camera: Camera, _clock: Clock) -> None:
    """Before the start and after the stop no frames come."""
    require(camera.frame(0) is None, "a frame came before the start")
    camera.start()
    taken(camera)
    camera.stop()
    require(camera.frame(0) is None, "a frame came after the stop")


def starts_once(camera: Camera, _clock: Clock) -> None:
    """Starting twice is starting once."""
    camera.start()
    first = taken(camera)
    camera.start()
    require(taken(camera).time_s > first.time_s, "the second start began anew")
    require(camera.degraded is None, f"the second start degraded it: {camera.degraded}")


def stops_at_any_time(camera: Camera, _clock: Clock) -> None:
    """Stopping twice, or unstarted, does nothing."""
    camera.stop()
    camera.start()
    camera.stop()
    camera.stop()
    require(camera.frame(0) is None, "a frame came after the stop")


def starts_again(camera: Camera, _clock: Clock) -> None:
    """It can be started again and again."""
    for _ in range(3):
        camera.start()
        taken(camera)
        camera.stop()


def waits_no_longer(camera: Camera, clock: Clock) -> None:
    """With a timeout of zero it does not wait."""
    camera.start()
    taken(camera)
    before_s = clock.now_s()
    for _ in range(3):
        camera.frame(0)
    require(clock.now_s() - before_s < AT_ONCE_S, "frame(0) waited")


CAMERA_RULES: Sequence[Callable[[Camera, Clock], None]] = (
    has_all_parts,
    gives_bgr,
    time_goes_on,
    gives_no_frame_twice,
    gives_nothing_unstarted,
    starts_once,
    stops_at_any_time,
    starts_again,
    waits_no_longer,
)


def says_why_it_is_degraded(camera: Camera, clock: Clock) -> None:
    """A camera without its device is degraded, names a remedy, gives no frames and raises nothing."""
    camera.start()
    for _ in range(int(LIMIT_S)):
        if camera.degraded is not None:
            break
        require(camera.frame(1) is None, "a frame came though there is no device")
        clock.sleep(0.01)
    degraded = camera.degraded
    require(degraded is not None and degraded.what and degraded.remedy, f"it is degraded by {degraded}")
    require(camera.frame(0) is None, "a frame came though there is no device")
    camera.stop()
