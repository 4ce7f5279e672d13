"""A scene with a known width and nothing else known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vision.tray.camera_pose import CameraPose, usual_camera

if TYPE_CHECKING:
    from vision.reading import Box


@dataclass(frozen=True, slots=True)
class SceneWidth:
    """The scene that a frame spans is `mm` wide, seen from straight above.

    Sizes follow from it; where things lie on a tray does not.
    """

    mm: float

    def longer_mm(self, box: Box, shape: tuple[int, ...]) -> float:
        """The longer side of a box in a frame of this shape."""
        return max(box[2:]) * self.mm / shape[1]

    def position_mm(self, _box: Box, _shape: tuple[int, ...]) -> None:
        """Nobody knows where on a tray a box is."""

    def camera(self, shape: tuple[int, ...]) -> CameraPose:
        """A usual one, straight above."""
        return usual_camera(shape)
