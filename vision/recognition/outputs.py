"""What the nets' numbers mean: the layout of their outputs, shared by reading and training."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from games.dice import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy.typing as npt

Net: TypeAlias = "Callable[[npt.NDArray[Any]], npt.NDArray[Any]]"
"""From inputs such as pictures (N×3×H×W, float32) to outputs (N×…, float32)."""

UNREADABLE = len(KINDS)
"""Body class of a die that is cut, covered, or bears nothing legible."""
COCKED = UNREADABLE + 1
"""Body class of a cocked die, so that no face counts."""
NO_DIE = UNREADABLE + 2
"""Body class of a place without a die in its middle."""
BODIES = UNREADABLE + 3
"""Body classes: the kinds in their order, then the reasons why there is none to read."""

BOX = 3
"""Numbers that say where a die really is: how far right and down of the view's middle the middle of its box
lies, in parts of the side that the box is thought to have, and the logarithm of how much longer it is."""

STRIDE = 4
"""Pixels of the whole die's view along a cell of the symbol maps."""
TURNS = 16
"""Directions that a symbol's up is sorted into, from the picture's right counter-clockwise."""
SPAN = 20.0
"""Pixels of the whole die's view that a symbol's side is measured against, by its logarithm."""
MAPS = 4 + TURNS
"""Maps of symbols: a middle is here, its offset x and y in cells, log of the side, then the turns."""

VALUES = 21
"""Answers about a symbol: 0 for nothing that can be read upright, else the value."""
