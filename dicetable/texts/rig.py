"""The printed markers, and what is found when a rig is calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKER_SHEET = (
    "The markers of the dice table's tray. Print at 100 % (no fit to page).",
    "Cut along the grey lines and glue each flat into its corner of the tray,",
    "upright as the players at the near side read it.",
)
MARKER_CORNERS = ("far left", "far right", "near right", "near left")
LENS_SHEET = ("The lens sheet of the dice table. Print at 100 % and glue it onto something flat and stiff.",)
SHOW_THE_SHEET = """\
Hold the sheet flat under the camera and still for a moment, then tilt and move it for the next view:
to each side, and near each edge of the picture. Ctrl-C ends it."""
PRINTED_RULE = "This rule must measure 100 mm: if it does not, the printer has changed the size."

MARKERS_REMEDY = "glue one of `dicetable markers` into each corner, all in view and uncovered"
MARKERS_ASKEW = "the four markers do not lie in one plane, or are not of one size"
MARKERS_ASKEW_REMEDY = "print all four on one page at 100 % and glue them flat"
TOO_FAR = "bring the camera nearer, or choose a larger frame"
SLANTED = "hang the camera more above the middle of the tray"
BLURRED = "focus the lens on the tray's floor, and shorten the exposure"
TOO_DARK = "more light on the tray, or a longer exposure"
TOO_BRIGHT = "less light on the tray, or a shorter exposure"
UNEVEN = "light the tray from two sides, or from farther away"
GLARE = "move the lamp so that its reflection is not in the tray, or soften it with paper"
EMPTY_IT = "take everything out of the tray"
MOVES = "Something moves in the tray, or it is dark: keep hands out and the light on, and try again."


def markers_missing(numbers: Sequence[int]) -> str:
    """Markers that are not seen, by their corners."""
    corners = [f"{MARKER_CORNERS[number]} ({number})" for number in numbers]
    return f"not seen: {', '.join(corners)}"


def markers(across_mm: float, deep_mm: float) -> str:
    """All four are seen."""
    return f"all four, {across_mm:.0f} x {deep_mm:.0f} mm apart"


def size(px_per_mm: float) -> str:
    """How large the camera sees the tray."""
    return f"{px_per_mm:.1f} pixels to a millimetre"


def slant(ratio: float) -> str:
    """How far from straight above the camera looks."""
    return f"the nearest corner is seen {(ratio - 1):.0%} larger than the farthest"


def blur(edge_mm: float) -> str:
    """How sharp the picture is."""
    return f"edges are {edge_mm:.2f} mm wide"


def light(darkest: float, brightest: float, contrast: float) -> str:
    """How bright white paper is."""
    return f"white paper is {darkest:.0f} to {brightest:.0f} of 255, {contrast:.0f} above black"


def even(ratio: float) -> str:
    """How much darker the darkest corner is."""
    return f"the darkest corner has {ratio:.0%} of the light of the brightest"


def glare(part: float) -> str:
    """How much is burnt out."""
    return f"{part:.1%} of the tray is burnt out"


def things(count: int) -> str:
    """What lies in the tray."""
    return f"{count} thing{'s' if count != 1 else ''} in it" if count else "nothing in it"
