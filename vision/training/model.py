"""Loads the nets of vision/models/ into OpenCV, one for each input size that is in use."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2

FOLDER = Path(__file__).parent.parent / "models"


@lru_cache(maxsize=24)
def load(name: str, shape: tuple[int, ...]) -> cv2.dnn.Net:  # noqa: ARG001 - a net keeps its buffers for one shape
    """The net of vision/models/`name`.onnx; not to be shared between threads.

    Raises:
        FileNotFoundError: no such model.
    """
    path = FOLDER / f"{name}.onnx"
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}")
    return cv2.dnn.readNetFromONNX(str(path))
