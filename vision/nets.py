"""Loads the nets of vision/models/ into OpenCV, each once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2

FOLDER = Path(__file__).parent / "models"
NAMES = ("detector", "tops", "marks")


@lru_cache(maxsize=len(NAMES))
def load(name: str) -> cv2.dnn.Net:
    """The net of vision/models/`name`.onnx; not to be shared between threads.

    Raises:
        FileNotFoundError: no such model: the installation is damaged.
    """
    path = FOLDER / f"{name}.onnx"
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}: install dicetable again")
    return cv2.dnn.readNetFromONNX(str(path))


def load_all() -> None:
    """Loads every net, so that the first reading takes no longer than the next."""
    for name in NAMES:
        load(name)
