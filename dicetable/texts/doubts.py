"""Why a die is doubtful, in a few words for whoever looks at a photograph's reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
WORDS: Final[Mapping[str, str]] = {
    "unknown_die": "none of your dice",
    "cocked": "it leans",
    "cut_by_frame": "cut off by the edge of the picture",
    "covered": "something covers its top",
    "pile": "dice lie on one another",
    "print_or_token": "it may be a print or a token",
    "not_read": "nothing legible is seen on it",
    "six_or_nine": "it may be a 6 or a 9",
    "other_beside": "the numerals beside its top belong to another value",
    "hidden_pip": "something may cover a pip",
    "kind_not_stable": "it may be a die of another kind",
    "low_confidence": "it is not legible enough",
    "odd_size": "its size is odd",
    "like_another_face": "it looks like another face of yours",
    "part_of_the_tray": "the empty tray looks the same there",
    "frames_disagree": "it looks different from one moment to the next",
}
"""By the value of `vision.reading.Doubt`."""
