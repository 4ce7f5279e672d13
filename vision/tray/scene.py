"""A scene of known width, without any other calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vision.tray.camera_pose import CameraPose, usual_camera

if TYPE_CHECKING:
    from vision.reading import Box


@dataclass(frozen=True, slots=True)
class SceneWidth:
    """A scene that is `mm` wide across the frame, seen from straight above.

    It determines sizes, but not positions on a tray.
    """

    mm: float

    def longer_mm(self, box: Box, shape: tuple[int, ...]) -> float:
        """The longer side of a box in a frame of this shape."""
        return max(box[2:]) * self.mm / shape[1]

    def position_mm(self, _box: Box, _shape: tuple[int, ...]) -> None:
        """Positions on a tray are unknown."""

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """A usual camera, straight above."""
        return usual_camera(shape)
