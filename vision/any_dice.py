"""Reads dice of any kind with the nets: finds them, looks at each whole, reads what is written on top."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.crops import ROOM, STORED, Pixels, cut
from vision.dice_nets import COCKED, NO_DIE, UNREADABLE, VALUES
from vision.enrolment import known_again
from vision.finder import Candidate, find
from vision.leaning import aside, leans, shared
from vision.markers import is_marker
from vision.reading import Box, DieReading
from vision.second_look import counted_pips
from vision.trust import cues, fitted
from vision.whole_die import WholeDie, look
from vision.writing import Writing

if TYPE_CHECKING:
    from vision.enrolment import OwnDice

Floats: TypeAlias = npt.NDArray[Any]

VIEWS: tuple[tuple[float, float], ...] = ((0.0, 1.0), (-14.0, 1.07), (14.0, 0.94))
"""Turn in degrees and zoom of each view of the whole die. Small: seen aslant, what is up tells the top."""
SURE = 0.92
"""Least trust in a sure die, chosen for the wrong rate on sources that were held out."""
NUMERAL = 0.5
"""Probability of a way up from which a mark is a numeral; a face of pips has four that are alike."""
CUT = 0.03
"""Part of a find's side that may lie beyond the frame before the die counts as cut."""
CLEAR = 0.9
"""Confidence of the first view from which the others are not needed."""
HOPELESS = 0.3
"""Confidence of the first view under which the others would not help."""
EMPTY = 0.2
"""A find that is no die with this probability is dropped."""
UNLIKE = 2.0
"""How many times larger or smaller than the sure dice of its frame a doubtful one is that is dropped."""
MARKER = 0.75
"""A find scored under this may be one of the tray's markers."""
PLAIN = 0.5
"""A find scored under this is dropped rather than asked about when it cannot be read."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the views of a find say.

    Joint probabilities (kinds, VALUES), score of the best mark, probability of its likeliest way up and the
    probabilities of the reasons not to read.
    """

    joint: Floats
    mark: float
    upright: float
    unreadable: float
    cocked: float
    no_die: float

    @property
    def best(self) -> tuple[int, int]:
        """Index of the likeliest kind, and value."""
        kind, value = np.unravel_index(int(self.joint.argmax()), self.joint.shape)
        return int(kind), int(value)

    @property
    def confidence(self) -> float:
        """Probability of the likeliest kind and value."""
        return float(self.joint.max())


def read_any_dice(frame: Pixels, own: OwnDice | None = None) -> list[DieReading]:
    """The dice of a frame (uint8, H×W×3, BGR), doubtful ones too, in no order; `own` are known again."""
    found: list[tuple[Candidate, DieReading, Floats | None]] = []
    for candidate in find(frame):
        stored = stored_crop(frame, candidate)
        seen = look(stored)
        if seen.bodies[NO_DIE] > EMPTY or passes_for_die(frame, candidate, seen):
            continue
        die = judge(frame, candidate, opinion(frame, candidate, said(stored, seen)))
        if die is not None:
            top = seen.marks and die.kind not in (None, "d4")
            found.append((candidate, die, aside(seen.marks[0], candidate, frame.shape) if top else None))
    common = shared([off for _, _, off in found if off is not None])
    dice = []
    for candidate, die, off in found:
        flat = die if off is None or not leans(off, common) else replace(die, sure=False)
        dice.append(known_again(frame, candidate, flat, own) if own else flat)
    return without_odd_sizes(dice)


def without_odd_sizes(dice: list[DieReading]) -> list[DieReading]:
    """The dice without doubtful finds of a size that no die among these has: coins, tokens, pips, boards."""
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return dice
    usual = float(np.median(sizes))
    return [die for die in dice if die.sure or usual / UNLIKE < max(die.box[2:]) < usual * UNLIKE]


def passes_for_die(frame: Pixels, candidate: Candidate, seen: WholeDie) -> bool:
    """Whether it is one of the tray's markers, which look somewhat like a d6."""
    doubt = seen.bodies[KINDS.index("d6")] + seen.bodies[UNREADABLE:].sum()
    return candidate.score < MARKER and doubt > 0.5 and is_marker(frame, inside(candidate, frame.shape))


def stored_crop(frame: Pixels, candidate: Candidate) -> Pixels:
    """The crop that all views of a find are cut from."""
    middle = (candidate.x + candidate.width / 2, candidate.y + candidate.height / 2)
    return cut(frame, *middle, ROOM * max(candidate.width, candidate.height), STORED)


def first_opinion(frame: Pixels, candidate: Candidate) -> Opinion:
    """What the nets say of a find at first sight."""
    return one_view(stored_crop(frame, candidate), *VIEWS[0])


def opinion(frame: Pixels, candidate: Candidate, first: Opinion) -> Opinion:
    """What the nets say of a find in the end: doubtful ones are looked at from several views."""
    if first.confidence >= CLEAR or first.confidence < HOPELESS:
        return first
    stored = stored_crop(frame, candidate)
    return together([first, *(one_view(stored, *view) for view in VIEWS[1:])])


def one_view(stored: Pixels, turn_deg: float, zoom: float) -> Opinion:
    """What one view of a stored crop says."""
    return said(stored, look(stored, turn_deg, zoom))


def said(stored: Pixels, die: WholeDie) -> Opinion:
    """What is read of a die of a stored crop that was looked at."""
    joint = np.zeros((len(KINDS), VALUES))
    readable = float(die.bodies[:UNREADABLE].max())
    if die.marks and readable > 0.05:
        writing = Writing(stored, die.marks)
        for kind in np.flatnonzero(die.bodies[:UNREADABLE] > 0.02):
            joint[kind] = die.bodies[kind] * writing.values(int(kind))
    mark = die.marks[0].score if die.marks else 0.0
    upright = die.marks[0].turns[0].probability if die.marks and die.marks[0].turns else 0.0
    return Opinion(
        joint, mark, upright, *(float(die.bodies[reason]) for reason in (UNREADABLE, COCKED, NO_DIE))
    )


def together(opinions: list[Opinion]) -> Opinion:
    """The geometric mean of several opinions: what one of them rules out is ruled out."""
    rows = np.array(
        [[*o.joint.ravel(), o.mark, o.upright, o.unreadable, o.cocked, o.no_die] for o in opinions]
    )
    mean = np.exp(np.log(rows + 1e-4).mean(0)) - 1e-4
    joint = mean[:-5].reshape(opinions[0].joint.shape)
    return Opinion(joint, *(float(v) for v in mean[-5:]))


def told(frame: Pixels, candidate: Candidate, said: Opinion) -> Floats:
    """The cues to how far an opinion is to be trusted; in doubt a d6 has its pips counted by other means."""
    legible = 1 - said.unreadable - said.cocked - said.no_die
    pips = 0.0
    kind, value = said.best
    if KINDS[kind] == "d6" and HOPELESS <= said.confidence < CLEAR:
        counted = counted_pips(frame, candidate)
        pips = 0.0 if counted is None else 1.0 if counted == value else -1.0
    return cues(said.joint, said.mark, legible, candidate.score, max(candidate.width, candidate.height), pips)


def judge(frame: Pixels, candidate: Candidate, said: Opinion) -> DieReading | None:
    """What is told of a find; None if it is no die."""
    if said.no_die > EMPTY:
        return None
    kind, value = said.best
    confidence = fitted().of(told(frame, candidate, said))
    sure = confidence >= SURE and value > 0 and not is_cut(candidate, frame.shape)
    if sure and KINDS[kind] == "d6" and value == 1 and said.upright < NUMERAL:
        sure = counted_pips(frame, candidate) == 1  # a coin with a dot looks like it
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
