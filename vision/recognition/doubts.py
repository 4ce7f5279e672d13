"""Reads dice of any kind with the nets: finds them, looks at each whole, reads what is written on top."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.detection.detections import PLAIN, Candidate
from vision.reading import DieReading
from vision.recognition.confidence import cues, fitted
from vision.recognition.enrolment import known_again
from vision.recognition.fusion import stored_crop
from vision.recognition.hidden_pip import bare_middle
from vision.recognition.kind_stability import holds_turned
from vision.recognition.recognizer import Find, finds, ignore_progress, inside
from vision.recognition.six_nine import may_be_turned

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from games.dice import Kind
    from vision.recognition.crops import Pixels
    from vision.recognition.enrolled import OwnDice

Floats: TypeAlias = npt.NDArray[Any]

SURE = 0.88
"""Least trust in a sure die, chosen for the wrong rate on sources that were held out."""
D6 = KINDS.index("d6")
NUMERAL = 0.5
"""Probability of a way up from which a mark is a numeral; a face of pips has four that are alike."""
PRINTED = 0.2
"""Probability that a find is no die, but a domino or a picture of one, from which it is not sure."""
OBSCURE = 0.3
"""Probability that a die cannot be read, covered or cut or strange to us, from which it is not sure."""
FAINT = 0.64
"""A find scored under this hardly looks like a die, and may be a coin, a token or a card …"""
DOT, TOKEN = 0.03, 0.003
"""… with a dot, or with a numeral, if it is no die with more than that probability …"""
TOKENS = (D6, KINDS.index("d12"))
"""… and the numeral passes for one of these: they show one face from above."""
HIDDEN = (2, 4)
"""What a face of one pip more passes for when something lies on its middle …"""
PLAIN_PIPS = 0.995
"""… and the confidence from which the middle need not be bare. Of 52 drawn faces with a chip on their middle
that were read as two, four or six pips none was so plain, and 27 would have been trusted."""
CUT = 0.03
"""Part of a find's side that may lie beyond the frame before the die counts as cut."""
UNLIKE = 2.0
"""How many times larger or smaller than the sure dice of its frame a find is that seems to be no die."""


def read_any_dice(
    frame: Pixels, own: OwnDice | None = None, progress: Callable[[], None] = ignore_progress
) -> list[DieReading]:
    """The dice of a frame (uint8, H×W×3, BGR), doubtful ones too, in no order; `own` are known again.

    `progress` is called between dice.
    """
    dice = []
    for seen in finds(frame, progress):
        progress()
        die = judge(frame, seen)
        if die is not None:
            if own:
                clear = not die.cocked and not unclear(frame, seen)
                die = known_again(frame, seen.candidate, seen.said.joint, die, own, clear=clear)
            dice.append(die)
    return of_usual_size(dice, own.shows if own else ())


def of_usual_size(dice: list[DieReading], known: Collection[tuple[Kind, int]] = ()) -> list[DieReading]:
    """The dice without doubtful finds of a size that no die among these has: coins, tokens, pips, boards.

    Sure ones of such a size stay, but as doubtful ones, for print may pass for pips; unless they are `known`.
    """
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return dice
    usual = float(np.median(sizes))
    kept = []
    for die in dice:
        if usual / UNLIKE < max(die.box[2:]) < usual * UNLIKE:
            kept.append(die)
        elif die.sure:
            kept.append(replace(die, sure=(die.kind, die.value) in known))
    return kept


def told(seen: Find) -> Floats:
    """The cues to how far a find is to be trusted."""
    said, candidate = seen.said, seen.candidate
    return cues(said.confidence, mark=said.score, found=candidate.score, longer_px=candidate.longer)


def doubtful(frame: Pixels, seen: Find) -> bool:
    """Whether a find must not be sure, however far what is read of it is trusted."""
    said = seen.said
    kind, value = said.best
    if value == 0 or said.unreadable > OBSCURE or may_be_turned(said) or unclear(frame, seen):
        return True
    faint = seen.candidate.score < FAINT
    if said.upright >= NUMERAL:
        if kind in TOKENS and faint and said.no_die > TOKEN:
            return True
        return not holds_turned(stored_crop(frame, seen.candidate), kind)
    if kind != D6 or said.mark is None:
        return False
    if value == 1:
        return faint and said.no_die > DOT
    if value not in HIDDEN or said.confidence > PLAIN_PIPS:
        return False
    return not bare_middle(stored_crop(frame, seen.candidate), said.mark)


def unclear(frame: Pixels, seen: Find) -> bool:
    """Whether a find is cut, leans, holds others or may be a picture: then no face of it counts."""
    return seen.said.no_die > PRINTED or seen.holds or seen.leans or is_cut(seen.candidate, frame.shape)


def judge(frame: Pixels, seen: Find) -> DieReading | None:
    """What is told of a find; None if it is better dropped than asked about."""
    said, candidate = seen.said, seen.candidate
    kind, value = said.best
    confidence = fitted().of(told(seen))
    sure = confidence >= SURE and not doubtful(frame, seen)
    if not sure and candidate.score < PLAIN:
        return None
    box = inside(candidate, frame.shape)
    if said.cocked > max(confidence, said.unreadable):
        return DieReading(None, None, said.cocked, sure=False, box=box, cocked=True)
    if value == 0:
        return DieReading(None, None, confidence, sure=False, box=box)
    if confidence >= SURE and seen.leans:
        return DieReading(KINDS[kind], None, confidence, sure=False, box=box, cocked=True)
    return DieReading(KINDS[kind], value, confidence, sure=sure, box=box)


def is_cut(candidate: Candidate, shape: tuple[int, ...]) -> bool:
    """Whether the frame, of this shape, ends within the die."""
    beyond_x = max(-candidate.x, candidate.x + candidate.width - shape[1])
    beyond_y = max(-candidate.y, candidate.y + candidate.height - shape[0])
    return beyond_x > CUT * candidate.width or beyond_y > CUT * candidate.height
