"""Collects views of the lens sheet under the table's own camera: each held still, and unlike those before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.tray.camera import SQUARE_MM, SQUARES, find_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardware.ports import Frame
    from vision.tray.camera import SheetView
    from vision.tray.markers import Floats

VIEWS: Final = 14
STILL_PX: Final = 1.5
"""The sheet is held still if its corners move less than this from one frame to the next."""
ANEW: Final = 0.08
"""A view is a new one if an outer corner of the sheet moved by this part of the frame's width."""
PATIENCE_S: Final = 60.0
"""After so long without a new view the collection ends."""


class LensViews:
    """The views that were taken so far; `outer` has the outer corners of each, 4×2 pixels."""

    def __init__(self) -> None:
        self.views: list[SheetView] = []
        self.outer: list[Floats] = []
        self.seen: Floats | None = None

    @property
    def enough(self) -> bool:
        """Whether no more are needed."""
        return len(self.views) == VIEWS

    def look(self, frame: Frame) -> SheetView | None:
        """The view in a frame if it is held still and new; None if not. `seen` is where the sheet is now."""
        view = find_sheet(frame.pixels)
        outer = None if view is None else outer_corners(view)
        still = self.seen is not None and outer is not None and farthest(self.seen, outer) < STILL_PX
        self.seen = outer
        if view is None or outer is None or not still or self.enough:
            return None
        unlike = ANEW * view.shape[1]
        if any(farthest(other, outer) <= unlike for other in self.outer):
            return None
        self.views.append(view)
        self.outer.append(outer)
        return view


def new_views(frames: Iterable[Frame]) -> Iterator[SheetView]:
    """Views of the sheet, each held still and unlike those before, until nothing new comes for PATIENCE_S."""
    taken = LensViews()
    since_s: float | None = None
    for frame in frames:
        since_s = frame.time_s if since_s is None else since_s
        view = taken.look(frame)
        if view is not None:
            since_s = frame.time_s
            yield view
        if taken.enough or frame.time_s - since_s > PATIENCE_S:
            return


def outer_corners(view: SheetView) -> Floats | None:
    """Where the four corners of the sheet's board are seen, or would be, 4×2 pixels."""
    matrix = cv2.findHomography(view.sheet_mm[:, :2], view.pixels)[0]
    if matrix is None:
        return None
    width, height = SQUARES[0] * SQUARE_MM, SQUARES[1] * SQUARE_MM
    corners = np.array([[0.0, 0.0], [width, 0], [width, height], [0, height]]).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(corners, matrix), np.float64).reshape(-1, 2)


def farthest(one: Floats, other: Floats) -> float:
    """The largest distance between corners of the same number."""
    return float(np.linalg.norm(one - other, axis=1).max())
