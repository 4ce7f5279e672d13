"""What passes for a die in a labelled photograph and surely is none, even where labels leave dice out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.detection import holds_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Detection
    from vision.settings import DetectionSettings

PART = 0.45
"""Side of a detection, in parts of the labelled die that it lies on, under which it is a pip or a numeral."""


def is_no_die(detection: Detection, dice: Sequence[Detection], settings: DetectionSettings) -> bool:
    """Whether a detection is a heap of these labelled dice, or a part of one."""
    on = [die for die in dice if die.holds(detection.middle)]
    is_part = bool(on) and all(detection.longer < PART * die.longer for die in on)
    return is_part or holds_others(detection, dice, settings)
