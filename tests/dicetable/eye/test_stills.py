"""From camera to reading: frames must agree; a camera without frames gives no reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.eye.stills import look
from hardware.ports import Degraded, Frame
from tests.vision.a_reader import READER
from tests.vision.drawing import one_die, sure_values, tray

if TYPE_CHECKING:
    from vision.reading import Image


class Reel:
    """A camera that shows these pictures and then none."""

    def __init__(self, *pictures: Image) -> None:
        self.pictures = list(pictures)
        self.degraded: Degraded | None = None

    def start(self) -> None:
        pass

    def frame(self, timeout_s: float) -> Frame | None:
        assert timeout_s > 0
        return Frame(self.pictures.pop(0), 1.0) if self.pictures else None

    def stop(self) -> None:
        pass


def test_frames_that_agree_are_sure() -> None:
    last = one_die(4, 60.0, 20.0)
    seen = look(Reel(one_die(4, 60.0, 20.0), last), 2, READER)
    assert seen is not None
    assert sure_values(seen.reading.dice) == [4]
    assert seen.frame.pixels is last
    assert seen.reading_ms > 0


@pytest.mark.parametrize("second", [one_die(5, 60.0, 20.0), tray(), np.zeros((480, 640, 3), np.uint8)])
def test_frames_that_differ_are_not(second: Image) -> None:
    for pictures in ((one_die(4, 60.0, 20.0), second), (second, one_die(4, 60.0, 20.0))):
        seen = look(Reel(*pictures), 2, READER)
        assert seen is not None
        assert sure_values(seen.reading.dice) == []


def test_a_camera_that_gives_too_few_frames_gives_no_look() -> None:
    assert look(Reel(), 1, READER) is None
    assert look(Reel(one_die(4, 60.0, 20.0)), 2, READER) is None


def test_no_frames_cannot_be_looked_at() -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        look(Reel(), 0, READER)
