"""Throws: why one does not count, and why a die is in doubt."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from common.texts.catalogue import ntr, tr
from games.words import dice_count

TOO_EARLY = tr("Thrown too early: throw again.")
PHOTOGRAPH = tr("A photograph can't show a roll: choose friendly rules, or film the throw.")
EMPTY_FIRST = tr("I haven't seen the tray empty yet. Take all dice out, then throw.")
HAND_OVER_DICE = tr("Void: a hand came over the dice. Another seat's OK: throw again.")
NO_NEW_DICE = tr("I see no new dice.")
NEVER_SETTLED = {
    "": tr("The video is too short: the tray must lie still for a second."),
    "moving": tr(
        "The tray never lay still: something moved until the end. Film longer, with a still camera."
    ),
    "hand": tr("The tray never lay still: a hand was in it until the end."),
    "unlit": tr("The tray never lay still in the light: it's too dark to read the dice."),
    "camera_moved": tr("The camera moved until the end: keep it still while you film."),
    "markers": tr("A corner marker was hidden until the end: show the whole tray."),
}
"""Why a video has no verdict, by vision.reading.Reason; without one the eye reported nothing."""
WHICH_VALUE = tr("Which value?")
IS_IT_FLAT = tr("Is it flat?")
CHANGE_IT = tr("Thrower: -/+")
HOLD_IS_VOID = tr("Hold OK: throw again")
IF_COCKED = tr("If not, hold OK")
HANDS_OFF = tr("Hands off the dice")
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
"""Endings of English ordinals; other languages leave {ending} out."""


def which(kind: str, rank: int) -> str:
    ending = ENDINGS.get(rank % 10 * (rank not in (11, 12, 13)), "th")
    return tr("{kind}, {rank}{ending} from left").format(kind=kind, rank=rank, ending=ending)


def which_value(die: str, value: int | None) -> str:
    if value is None:
        return tr("Which value? {die}").format(die=die)
    return tr("Which value? {die}: {value}?").format(die=die, value=value)


def is_it_flat(die: str, value: int) -> str:
    """The question about a die that may be cocked."""
    return tr("Is it flat? {die}: {value}?").format(die=die, value=value)


def fair(dice: int) -> str:
    return tr("I didn't see {dice} roll. Fair?").format(dice=dice_count(dice))


def corrects(seat: str, before: str, after: str) -> str:
    """What a throw showed, and what it shows once it is corrected."""
    if not seat:
        return tr("{before} is really {after}").format(before=before, after=after)
    return tr("{seat}: {before} is really {after}").format(seat=seat, before=before, after=after)


def vouches_too(dice: int) -> str:
    return tr("OK: {dice} rolled").format(dice=dice_count(dice))


def nobody_agreed(dice: int) -> str:
    return void(tr("refused"), dice)


def void(why: str, dice: int) -> str:
    cause = re.split(r"(?::|\. )(?![^(]*\))", why, maxsplit=1)[0].rstrip(".")  # a guess has a colon
    return ntr(
        "Void: {cause}. Take it out, throw again.", "Void: {cause}. Take all {dice} out, throw again.", dice
    ).format(cause=cause, dice=dice)


def placed(count: int) -> str:
    return tr("Void: {dice} placed, not thrown. Take all out, throw again.").format(dice=dice_count(count))


def wrong_count(count: int, due: int) -> str:
    if not count:
        return tr("I see no dice; I need {count}.").format(count=due)
    return tr("I see {dice}, not {count}.").format(dice=dice_count(count), count=due)


def wrong_kind(kind: str, due: Sequence[str]) -> str:
    return tr("I see a {kind}; I need {due}.").format(kind=kind, due=" ".join(due))


def not_seen(*, reveal: bool) -> str:
    if reveal:
        return tr("I lost track: nudge each die, don't turn it.")
    return tr("I didn't see these dice thrown: throw again.")


def old_die_moved(*, reveal: bool) -> str:
    """A die from before is no longer where it lay, and may be taken for a new one."""
    if reveal:
        return tr("An old die moved: take it out, nudge yours.")
    return tr("An old die moved: take all dice out, throw again.")


TURNED = tr("A die was turned: turn it back, or enter by hand.")
TOUCHED = tr("A die was touched after the reveal: enter all by hand.")
OTHER_VALUE = tr("A die seemed to show another value: enter all by hand.")


def cocked(kind: str | None, *, reveal: bool) -> str:
    noun = kind or tr("die")
    if reveal:
        return tr("The {kind} is cocked: lay it flat.").format(kind=noun)
    return tr("The {kind} is cocked: throw it again.").format(kind=noun)


def unsure(count: int, likely: Sequence[str], *, reveal: bool) -> str:
    guess = f" ({likely[0]}?)" if len(likely) == 1 else ""
    if reveal:
        text = ntr("I can't read {dice}{guess}: nudge it.", "I can't read {dice}{guess}: nudge them.", count)
    else:
        text = tr("I can't read {dice}{guess}: throw again.")
    return text.format(dice=dice_count(count), guess=guess)


def unknown_dice(count: int) -> str:
    return ntr(
        "One die isn't from this table. Swap it.", "{count} dice aren't from this table. Swap them.", count
    ).format(count=count)


def left_lying(count: int) -> str:
    """Old dice that should have been thrown lie where they lay."""
    return ntr(
        "One die hasn't moved: throw it too.", "{count} dice haven't moved: throw them too.", count
    ).format(count=count)


def nothing_thrown(count: int) -> str:
    return tr("Nothing was thrown yet: throw {dice}.").format(dice=dice_count(count))


def nothing_new(count: int, *, old: bool, reveal: bool) -> str:
    sight = tr("no new dice") if old else tr("no dice")
    sentence = tr("I see {seen}: lift the cup over {dice}.") if reveal else tr("I see {seen}: throw {dice}.")
    return sentence.format(seen=sight, dice=dice_count(count))


DOUBTS: Final[Mapping[str, str]] = {
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
    "picture": tr("a picture instead of a value: enrol this die"),
    "percentile": tr("it may be a percentile die"),
    "kind_not_stable": tr("it may be a die of another kind"),
    "low_confidence": tr("it is hard to read"),
    "odd_size": tr("its size is odd"),
    "like_another_face": tr("it looks like another face of your dice"),
    "part_of_the_tray": tr("the empty tray looks the same there"),
    "frames_disagree": tr("it looks different from one moment to the next"),
}
"""The texts by the value of `vision.reading.Doubt`."""
