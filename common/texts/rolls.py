"""Texts about rolls: throws without a game, at a terminal."""

from collections.abc import Sequence
from typing import Final

from common.texts.catalogue import ntr, tr

YOU: Final = tr("you")
HOW_TO_ROLL: Final = tr("Take all dice out of the tray, then throw. Ctrl-C ends it.")
NO_CAMERA: Final = tr("no camera is attached: plug one in")
WHICH_CAMERA: Final = tr("Which camera?")
ON_USB: Final = tr("USB")
BUILT_IN: Final = tr("built in")
VIDEO_ENDED: Final = tr("the video has ended")
NO_ROLLS: Final = tr("No roll counted.")


def sum_line(dice: Sequence[tuple[str, str, bool]], total: int) -> str:
    """`d20 17 + d6 4 = 21`; dice that do not count are in brackets."""
    return f"{dice_line(dice)} = {total}"


def dice_line(dice: Sequence[tuple[str, str, bool]]) -> str:
    """Each die's kind and value, and whether it counts, as a sum."""
    parts = (f"{kind} {value}" for kind, value, _ in dice)
    return " + ".join(part if dice[place][2] else f"({part})" for place, part in enumerate(parts))


def result_line(dice: Sequence[tuple[str, str, bool]], formula: str, result: int) -> str:
    return f"{dice_line(dice)}: {formula} = {result}"


def natural(face: int) -> str:
    return tr("natural {face}").format(face=face)


def summary(rolls: int, dice: int, highest: int, mean: float, not_counted: int) -> str:
    """What was rolled, once it ends."""
    line = ntr("{rolls} roll", "{rolls} rolls", rolls).format(rolls=rolls)
    line += tr(": {dice} dice, highest {highest}, mean {mean:.1f}").format(
        dice=dice, highest=highest, mean=mean
    )
    return line + (tr("; {count} did not count").format(count=not_counted) if not_counted else "")
