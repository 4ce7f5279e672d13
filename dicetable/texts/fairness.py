"""A test of dice, on the panel and on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicetable.texts.catalogue import ntr, tr
from dicetable.texts.statistics import evidence

if TYPE_CHECKING:
    from games.dice import Kind

WHICH_DICE = tr("Test which dice?")
HOW_MANY = tr("How many dice?")
TOGETHER = tr("thrown together")
THROW_ON = tr("THROW AGAIN")

PAGE: Final = {
    "test_heading": tr("Are these dice fair?"),
    "test_throws": tr("throws"),
    "test_evidence": tr("Evidence against fair dice: E ="),
    "test_faces": tr("How often each face came up; the line is the share of fair dice"),
    "test_curve": tr("E after each throw; at the line, 20, the dice may be called biased"),
    "test_biased": tr("BIASED. E reached 20 after throw {throw}: the dice may be called biased."),
    "test_was": tr(
        "E reached 20 after throw {throw} and has come down since: keep throwing, or call them biased."
    ),
    "test_disputed": tr("No verdict: it hinges on dice that players confirmed, so the camera may be biased."),
    "test_too_few": tr(
        "Not enough throws yet: {throws} more throws would show a face that comes up {excess} % too often."
    ),
    "test_none": tr(
        "No bias found so far: {throws} more throws would show a face that comes up {excess} % too often."
    ),
    "test_enough": tr("No bias found: a face that comes up 10 % too often would probably have shown."),
}
"""By the names that fairness.html and fairness.js use."""


def dice(kind: Kind, count: int) -> str:
    """The dice that are tested, such as `2 d6`."""
    return f"{count} {kind}"


def throws(count: int) -> str:
    """`1 throw`, `120 throws`."""
    return ntr("{count} throw", "{count} throws", count).format(count=count)


def panel_evidence(log_e: float, accused_at: int | None) -> str:
    """E, or after which throw the dice could be called biased, in at most twenty characters."""
    if accused_at is None:
        return tr("E {evidence}; 20 is biased").format(evidence=evidence(log_e))
    return tr("BIASED at {throw:,}").format(throw=accused_at)
