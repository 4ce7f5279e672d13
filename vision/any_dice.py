"""Reads dice of any kind with the nets: finds them, looks at each whole, reads what is written on top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.bare_middle import bare_middle
from vision.dice_nets import NO_DIE
from vision.enrolment import known_again
from vision.finder import Candidate, find
from vision.leaning import leans, oddness, place
from vision.markers import is_marker
from vision.opinion import Opinion, opinion, stored_crop
from vision.reading import Box, DieReading
from vision.second_look import counted_pips
from vision.trust import cues, fitted
from vision.whole_die import look
from vision.writing import NINE, SIX, TWO_WAYS

if TYPE_CHECKING:
    from vision.crops import Pixels
    from vision.enrolment import OwnDice
    from vision.whole_die import Mark

Floats: TypeAlias = npt.NDArray[Any]

SURE = 0.9
"""Least trust in a sure die, chosen for the wrong rate on sources that were held out."""
D6 = KINDS.index("d6")
NUMERAL = 0.5
"""Probability of a way up from which a mark is a numeral; a face of pips has four that are alike."""
COIN = 0.64
"""A numeral on a find scored under this may be that of a coin, a token or a card."""
CUT = 0.03
"""Part of a find's side that may lie beyond the frame before the die counts as cut."""
EMPTY = 0.2
"""A find that is no die with this probability is dropped."""
UNLIKE = 2.0
"""How many times larger or smaller than the sure dice of its frame a doubtful one is that is dropped."""
LIKELY = 0.5
"""Confidence of the finds that tell how the camera looks."""
TURNED = 0.25
"""How legible a 6 or 9 is upside down, from which a die that has both is not sure."""
WITHIN = 0.6
"""Size of plain finds, in parts of the one that holds them: two such, and it is a tray or a heap, no die."""
MARKER = 0.75
"""A find scored under this may be one of the tray's markers, which look somewhat like a d6."""
PLAIN = 0.5
"""A find scored under this is dropped rather than asked about when it cannot be read."""


@dataclass(frozen=True, slots=True)
class Find:
    """A place that passes for a die, and what is said of it.

    `odd` is how far its mark is from where the frame's other dice let it be, in standard deviations
    (vision.leaning); `holds` whether other finds lie within it.
    """

    candidate: Candidate
    said: Opinion
    mark: Mark | None
    odd: float
    holds: bool


def read_any_dice(frame: Pixels, own: OwnDice | None = None) -> list[DieReading]:
    """The dice of a frame (uint8, H×W×3, BGR), doubtful ones too, in no order; `own` are known again."""
    dice = []
    for seen in finds(frame):
        die = judge(frame, seen)
        if die is not None:
            dice.append(known_again(frame, seen.candidate, die, own) if own else die)
    return without_odd_sizes(dice)


def finds(frame: Pixels) -> list[Find]:
    """The places of a frame that pass for dice, with what the nets say of each."""
    candidates, opinions, marks, places = [], [], [], []
    for candidate in find(frame):
        if candidate.score < MARKER and is_marker(frame, inside(candidate, frame.shape)):
            continue
        stored = stored_crop(frame, candidate)
        seen = look(stored)
        if seen.bodies[NO_DIE] > EMPTY:
            continue
        said = opinion(stored, seen)
        if said.no_die > EMPTY:
            continue
        candidates.append(candidate)
        opinions.append(said)
        marks.append(seen.marks[0] if seen.marks else None)
        places.append(place(seen.marks[0], candidate, frame.shape, said.best[0]) if seen.marks else None)
    known = [i for i, at in enumerate(places) if at is not None]
    odd = dict.fromkeys(range(len(places)), 0.0)
    trusted = [opinions[i].confidence > LIKELY for i in known]
    odd.update(zip(known, oddness([at for at in places if at is not None], trusted), strict=True))
    return [
        Find(candidate, opinions[i], marks[i], odd[i], holds_others(candidate, candidates))
        for i, candidate in enumerate(candidates)
    ]


def holds_others(candidate: Candidate, among: list[Candidate]) -> bool:
    """Whether two plain finds, or more, lie within this one."""
    size = WITHIN * max(candidate.width, candidate.height)
    inner = sum(
        other.score >= PLAIN
        and max(other.width, other.height) < size
        and 0 < other.x + other.width / 2 - candidate.x < candidate.width
        and 0 < other.y + other.height / 2 - candidate.y < candidate.height
        for other in among
    )
    return inner >= 2


def without_odd_sizes(dice: list[DieReading]) -> list[DieReading]:
    """The dice without doubtful finds of a size that no die among these has: coins, tokens, pips, boards."""
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return dice
    usual = float(np.median(sizes))
    return [die for die in dice if die.sure or usual / UNLIKE < max(die.box[2:]) < usual * UNLIKE]


def told(seen: Find) -> Floats:
    """The cues to how far a find is to be trusted."""
    said, candidate = seen.said, seen.candidate
    longer_px = max(candidate.width, candidate.height)
    return cues(said.confidence, mark=said.mark, found=candidate.score, longer_px=longer_px)


def doubtful(frame: Pixels, seen: Find) -> bool:
    """Whether a find must not be sure, however far what is read of it is trusted."""
    said = seen.said
    kind, value = said.best
    if value == 0 or seen.holds or is_cut(seen.candidate, frame.shape) or leans(seen.odd, said.cocked):
        return True
    if kind in TWO_WAYS and value in (SIX, NINE) and said.turned >= TURNED:
        return True
    if said.upright >= NUMERAL and seen.candidate.score < COIN:
        return True
    if kind != D6 or said.upright >= NUMERAL or seen.mark is None:
        return False
    if value == 1:
        return counted_pips(frame, seen.candidate) != 1  # a coin with a dot looks like it
    return value % 2 == 0 and not bare_middle(stored_crop(frame, seen.candidate), seen.mark)


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
    return DieReading(KINDS[kind], value, confidence, sure=sure, box=box)


def is_cut(candidate: Candidate, shape: tuple[int, ...]) -> bool:
    """Whether the frame, of this shape, ends within the die."""
    beyond_x = max(-candidate.x, candidate.x + candidate.width - shape[1])
    beyond_y = max(-candidate.y, candidate.y + candidate.height - shape[0])
    return beyond_x > CUT * candidate.width or beyond_y > CUT * candidate.height


def inside(candidate: Candidate, shape: tuple[int, ...]) -> Box:
    """The find's box in whole pixels of the frame."""
    x0, y0 = max(0, round(candidate.x)), max(0, round(candidate.y))
    x1 = min(shape[1], round(candidate.x + candidate.width))
    y1 = min(shape[0], round(candidate.y + candidate.height))
    return (min(x0, shape[1] - 1), min(y0, shape[0] - 1), max(1, x1 - x0), max(1, y1 - y0))
