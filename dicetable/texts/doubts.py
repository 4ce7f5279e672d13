"""The reasons for doubt, in a few words for people who read photographs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable.texts.catalogue import tr

if TYPE_CHECKING:
    from collections.abc import Mapping
WORDS: Final[Mapping[str, str]] = {
    "unknown_die": tr("none of your dice"),
    "cocked": tr("it is cocked"),
    "cut_by_frame": tr("cut off by the edge of the picture"),
    "covered": tr("something covers its top"),
    "pile": tr("dice are stacked"),
    "print_or_token": tr("it may be a print or a token"),
    "not_read": tr("nothing on it can be read"),
    "six_or_nine": tr("it may be a 6 or a 9"),
    "other_beside": tr("the numerals beside its top belong to another value"),
    "upside_down": tr("its numeral may stand upside down"),
    "hidden_pip": tr("something may cover a pip"),
    "kind_not_stable": tr("it may be a die of another kind"),
    "low_confidence": tr("it is hard to read"),
    "odd_size": tr("its size is odd"),
    "like_another_face": tr("it looks like another face of yours"),
    "part_of_the_tray": tr("the empty tray looks the same there"),
    "frames_disagree": tr("it looks different from one moment to the next"),
}
"""By the value of `vision.reading.Doubt`."""
