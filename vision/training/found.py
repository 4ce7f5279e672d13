"""Finds the marks of photographed dice with the exported net, as photographs are labelled by value alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vision.recognition.outputs import UNREADABLE
from vision.training.types import Array

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reader import DiceReader

LEAST_SCORE = 0.4
AGREES = 0.05
"""Least probability of the labelled value at one of a mark's ways up, or the place is not trusted."""


def found_marks(path: Path, reader: DiceReader) -> dict[str, Array]:
    """A pack of photographs with the marks that were found where what is read there is the label's value."""
    with np.load(path) as stored:
        pack = {key: stored[key] for key in stored.files if key not in ("canvases", "boxes")}
    marks = np.full_like(pack["marks"], np.nan)
    pips = np.zeros(len(marks), bool)
    for i in np.flatnonzero(pack["bodies"] < UNREADABLE):
        value = int(pack["values"][i])
        die = reader.dice.predict(pack["crops"][i])
        if not die.symbols or die.symbols[0].score < LEAST_SCORE:
            continue
        mark = die.symbols[0]
        ups = [(mark, up.up_deg) for up in mark.orientations]
        odds = reader.symbols.predict_all(pack["crops"][i], ups)[:, value] if ups else np.zeros(0)
        if ups and max(odds) >= AGREES:
            up = mark.orientations[int(np.argmax(odds))].up_deg
            marks[i, 0] = (mark.x, mark.y, up, mark.span)
            pips[i] = pack["bodies"][i] == 1 and len(mark.orientations) >= 3
    return pack | {"marks": marks, "pips": pips}


def only_found(pack: dict[str, Array]) -> dict[str, Array]:
    """The crops of such a pack in which a mark was found."""
    kept = ~np.isnan(pack["marks"][:, 0, 0])
    return {key: rows[kept] for key, rows in pack.items()}
