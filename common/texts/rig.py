"""Printed sheets, findings of a calibration, and enrolling the table's own dice."""

from collections.abc import Sequence

from common.texts.catalogue import ntr, tr
from games.words import dice_count

MARKER_SHEET = (
    tr("The markers of the dice table's tray. Print at 100 % (no fit to page)."),
    tr("Cut along the grey lines and glue each flat into its corner of the tray,"),
    tr("upright for players on the near side."),
)
MARKER_CORNERS = (tr("far left"), tr("far right"), tr("near right"), tr("near left"))
LENS_SHEET = (
    tr("The lens sheet of the dice table. Print at 100 % and glue it onto something flat and stiff."),
)
SHOW_THE_SHEET = tr("""\
Hold the sheet flat under the camera and still for a moment, then tilt and move it for the next view:
to each side, and near each edge of the picture. Ctrl-C ends it.""")
PRINTED_RULE = tr("This ruler must measure 100 mm: if it doesn't, the printer has scaled the page.")
MARKERS_REMEDY = tr("glue one marker from `dicetable markers` into each corner, uncovered and in view")
MARKERS_ASKEW = tr("the four markers don't lie in one plane, or differ in size")
MARKERS_ASKEW_REMEDY = tr("print all four on one page at 100 % and glue them flat")
TOO_FAR = tr("move the camera closer, or choose a larger frame")
SLANTED = tr("move the camera until it looks straight down on the middle of the tray")
BLURRED = tr("focus the lens on the tray's floor, and shorten the exposure")
TOO_DARK = tr("use more light on the tray, or a longer exposure")
TOO_BRIGHT = tr("use less light on the tray, or a shorter exposure")
UNEVEN = tr("light the tray from two sides, or from farther away")
GLARE = tr("move the lamp until its reflection leaves the tray, or soften it with paper")
LIKE_SKIN = tr(
    "line it with felt of another colour, such as green or blue: the camera sees hands poorly on this one"
)
EMPTY_IT = tr("take everything out of the tray")
MOVES = tr("Something is moving in the tray, or it is dark: keep hands out and the light on, and try again.")


def markers_missing(numbers: Sequence[int]) -> str:
    corners = [f"{MARKER_CORNERS[number]} ({number})" for number in numbers]
    return tr("not seen: {corners}").format(corners=", ".join(corners))


def markers(across_mm: float, deep_mm: float) -> str:
    return tr("all four, {across_mm:.0f} x {deep_mm:.0f} mm apart").format(
        across_mm=across_mm, deep_mm=deep_mm
    )


def size(px_per_mm: float) -> str:
    return tr("{px_per_mm:.1f} pixels to a millimetre").format(px_per_mm=px_per_mm)


def slant(ratio: float) -> str:
    return tr("the nearest corner looks {ratio:.0%} larger than the farthest").format(ratio=ratio - 1)


def blur(edge_mm: float) -> str:
    return tr("edges are blurred over {edge_mm:.2f} mm").format(edge_mm=edge_mm)


def light(darkest: float, brightest: float, contrast: float) -> str:
    return tr("white paper is {darkest:.0f} to {brightest:.0f} of 255, {contrast:.0f} above black").format(
        darkest=darkest, brightest=brightest, contrast=contrast
    )


def even(ratio: float) -> str:
    return tr("the darkest corner gets {ratio:.0%} of the brightest corner's light").format(ratio=ratio)


def colour(part: float) -> str:
    return tr("{part:.0%} of the tray has the colour of skin").format(part=part)


def glare(part: float) -> str:
    return tr("{part:.1%} of the tray is overexposed").format(part=part)


def things(count: int) -> str:
    if not count:
        return tr("nothing in it")
    return ntr("one thing in it", "{count} things in it", count).format(count=count)


# Enrolling.
DICE_UNUSABLE = tr("The table can't use its own dice.")
DICE_NOT_LEARNED = tr("The table can't save what it learns about its own dice.")
SHOW_EMPTY = tr("Take everything out of the tray.")


def show_face(kind: str, value: int) -> str:
    return tr("Put the {kind} in the tray so that {value} counts, and take your hand away.").format(
        kind=kind, value=value
    )


def show_one(count: int) -> str:
    if count == 0:
        return tr("I can't see a die. If there is one, nudge it.")
    return tr("I see {count}: leave only one in the tray.").format(count=dice_count(count))


def looks_like(kind: str, value: int) -> str:
    return tr("That looks like the {value} of a {kind}. If that's right, put it down again.").format(
        value=value, kind=kind
    )


THROW_AGAIN = tr("I can't see any new dice that lie flat. Take them out and throw again.")
NAMED_ONCE = tr("Thanks. I'll learn that face when you name it once more, in another throw.")


def throw_dice(number: int, of: int) -> str:
    return tr("Throw your dice ({number} of {of}), and take your hand away.").format(number=number, of=of)


def not_learned(kind: str, value: int) -> str:
    return tr(
        "I haven't learned that one: it looks like the {value} of a {kind}. "
        "If it isn't, lay that face in the tray by itself."
    ).format(value=value, kind=kind)
