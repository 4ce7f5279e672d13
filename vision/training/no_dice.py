"""What passes for a die in a labelled photograph and surely is none, even where labels leave dice out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.candidates import holds_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.candidates import Candidate

PART = 0.45
"""Side of a find, in parts of the labelled die that it lies on, under which it is a pip or a numeral."""


def is_no_die(candidate: Candidate, dice: Sequence[Candidate]) -> bool:
    """Whether a find is a heap of these labelled dice, or a part of one."""
    longer = max(candidate.width, candidate.height)
    x, y = candidate.x + candidate.width / 2, candidate.y + candidate.height / 2
    on = [die for die in dice if 0 < x - die.x < die.width and 0 < y - die.y < die.height]
    is_part = bool(on) and all(longer < PART * max(die.width, die.height) for die in on)
    return is_part or holds_others(candidate, dice)
