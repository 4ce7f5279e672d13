"""Finds the symbols of photographed dice with the exported net, for photographs are labelled by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training.types import Array
from vision.recognition.classifiers import UNREADABLE

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reader import DiceReader

LEAST_SCORE = 0.4
AGREES = 0.05
"""Least probability of the labelled value at one of a symbol's ways up, or the place is not trusted."""


def found_symbols(path: Path, reader: DiceReader) -> dict[str, Array]:
    """A pack of photographs with the symbols that were found and are read as the label's value."""
    with np.load(path) as stored:
        pack = {key: stored[key] for key in stored.files if key not in ("canvases", "boxes")}
    symbols = np.full_like(pack["symbols"], np.nan)
    pips = np.zeros(len(symbols), bool)
    for i in np.flatnonzero(pack["bodies"] < UNREADABLE):
        value = int(pack["values"][i])
        die = reader.dice.predict(pack["crops"][i])
        if not die.symbols or die.symbols[0].score < LEAST_SCORE:
            continue
        symbol = die.symbols[0]
        ups = [(symbol, up.up_deg) for up in symbol.orientations]
        odds = reader.symbols.predict_all(pack["crops"][i], ups)[:, value] if ups else np.zeros(0)
        if ups and max(odds) >= AGREES:
            up = symbol.orientations[int(np.argmax(odds))].up_deg
            symbols[i, 0] = (symbol.x, symbol.y, up, symbol.span)
            pips[i] = pack["bodies"][i] == 1 and len(symbol.orientations) >= 3
    return pack | {"symbols": symbols, "pips": pips}


def only_found(pack: dict[str, Array]) -> dict[str, Array]:
    """The crops of such a pack in which a symbol was found."""
    kept = ~np.isnan(pack["symbols"][:, 0, 0])
    return {key: rows[kept] for key, rows in pack.items()}
