"""Why a throw does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.counting import are_due, dice_count

if TYPE_CHECKING:
    from collections.abc import Sequence

TOO_EARLY = "Thrown too early: throw again."


EMPTY_FIRST = "I have not seen the tray empty yet. Take all dice out, then throw."
HAND_OVER_DICE = "Void: a hand came over the dice. Another seat's OK: throw again."


WHICH_VALUE = "Which value?"
CHANGE_IT = "-/+ of the thrower"
HOLD_IS_VOID = "Hold OK: throw again"


def which(kind: str, rank: int) -> str:
    """A die that cannot be read, by its place among all in the tray."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(rank % 10 * (rank not in (11, 12, 13)), "th")
    return f"{kind}, {rank}{ending} from left"


def nobody_agreed(dice: int) -> str:
    """A die could not be read, and people did not agree on it."""
    return void("nobody agreed", dice)


def void(why: str, dice: int) -> str:
    """The whole throw does not count, and why."""
    cause = why.partition(":")[0].rstrip(".")
    return f"Void: {cause}. Take {'it' if dice == 1 else f'all {dice}'} out, throw again."


def placed(count: int) -> str:
    """Dice lie there that were not seen to roll by themselves."""
    return f"Void: {dice_count(count)} placed, not thrown. Take all out, throw again."


def too_slow(fps: int, least: float) -> str:
    """The camera gives too few frames to tell a throw."""
    return f"The camera gives {fps} frames/s; strict throws need {least:.0f}: set throws = friendly."


def wrong_count(seen: int, due: int) -> str:
    """More or fewer dice lie there than were to be thrown."""
    return f"I see {dice_count(seen) if seen else 'no dice'}, {are_due(due)}."


def wrong_kind(kind: str, due: Sequence[str]) -> str:
    """A die lies there that was not to be thrown."""
    return f"I see a {kind}; {' '.join(due)} {'is' if len(due) == 1 else 'are'} due."


def not_seen(*, reveal: bool) -> str:
    """The tray was out of sight when these dice came into it."""
    if reveal:
        return "I lost sight: push each die a bit without turning."
    return "I did not see these dice thrown: throw again."


def old_die_moved(*, reveal: bool) -> str:
    """A die from before is no longer where it lay, and may be taken for a new one."""
    if reveal:
        return "An old die moved: take it out, push yours a bit."
    return "An old die moved: take all dice out, throw again."


def leaning(kind: str | None, *, reveal: bool) -> str:
    """A die leans on something."""
    return f"The {kind or 'die'} is cocked: {'lay it flat' if reveal else 'throw it again'}."


def unsure(count: int, likely: Sequence[str], *, reveal: bool) -> str:
    """Dice that were seen but not surely read."""
    guess = f" ({likely[0]}?)" if len(likely) == 1 else ""
    again = f"push {'it' if count == 1 else 'them'}" if reveal else "throw again"
    return f"I cannot read {dice_count(count)}{guess}: {again}."


def strangers(count: int, *, reveal: bool) -> str:
    """Dice that are none of those that the table knows as its own."""
    again = "put its own in" if reveal else "throw its own"
    if count == 1:
        return f"One die is not the table's: {again}."
    return f"{count} dice are not the table's: {again}."


def left_lying(count: int) -> str:
    """Old dice that should have been thrown lie where they lay."""
    if count == 1:
        return "One die has not moved: throw it too."
    return f"{count} dice have not moved: throw them too."


def nothing_thrown(count: int) -> str:
    """Something moved, but every die lies as before."""
    return f"Nothing was thrown yet: throw {dice_count(count)}."


def nothing_new(count: int, *, old: bool, reveal: bool) -> str:
    """The tray has been still for a while, and none of the dice that are due lies in it."""
    seen = "no new dice" if old else "no dice"
    return f"I see {seen}: {'lift the cup over' if reveal else 'throw'} {dice_count(count)}."
