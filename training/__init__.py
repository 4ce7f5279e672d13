"""Makes the reader's nets from nothing; needs requirements.txt; no table runs it."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Pixels or vectors; each docstring gives the shape and dtype."""
Rng = np.random.Generator
