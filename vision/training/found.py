"""Finds the marks of photographed dice with the exported net, as photographs are labelled by value alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vision.recognition.die_classifier import look
from vision.recognition.outputs import UNREADABLE
from vision.recognition.symbol_classifier import read
from vision.training.types import Array

if TYPE_CHECKING:
    from pathlib import Path

LEAST_SCORE = 0.4
AGREES = 0.05
"""Least probability of the labelled value at one of a mark's ways up, or the place is not trusted."""


def found_marks(path: Path) -> dict[str, Array]:
    """A pack of photographs with the marks that were found where what is read there is the label's value."""
    with np.load(path) as stored:
        pack = {key: stored[key] for key in stored.files if key not in ("canvases", "boxes")}
    marks = np.full_like(pack["marks"], np.nan)
    pips = np.zeros(len(marks), bool)
    for i in np.flatnonzero(pack["bodies"] < UNREADABLE):
        value = int(pack["values"][i])
        die = look(pack["crops"][i])
        if not die.marks or die.marks[0].score < LEAST_SCORE:
            continue
        mark = die.marks[0]
        odds = [read(pack["crops"][i], mark.x, mark.y, mark.span, turn.up_deg)[value] for turn in mark.turns]
        if odds and max(odds) >= AGREES:
            up = mark.turns[int(np.argmax(odds))].up_deg
            marks[i, 0] = (mark.x, mark.y, up, mark.span)
            pips[i] = pack["bodies"][i] == 1 and len(mark.turns) >= 3
    return pack | {"marks": marks, "pips": pips}


def only_found(pack: dict[str, Array]) -> dict[str, Array]:
    """The crops of such a pack of which a mark was found."""
    kept = ~np.isnan(pack["marks"][:, 0, 0])
    return {key: rows[kept] for key, rows in pack.items()}
