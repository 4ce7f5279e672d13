"""Loads the nets of vision/models/ into ONNX Runtime, each once, and runs them."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# It reports its use to its maker and keeps an id of the machine in the home folder, unless this is set before
# it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

FOLDER = Path(__file__).parent / "models"
NAMES = ("detector", "tops", "marks")
THREADS = 1
"""Threads of one net. More shorten a reading and take the cores from the table beside it."""
ERRORS_ONLY = 3
"""ONNX Runtime's level of log: its warnings about absent accelerators are of no use to anybody here."""


@lru_cache(maxsize=len(NAMES))
def load(name: str) -> onnxruntime.InferenceSession:
    """The session of vision/models/`name`.onnx.

    Raises:
        FileNotFoundError: no such model: the installation is damaged.
    """
    path = FOLDER / f"{name}.onnx"
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}: install dicetable again")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # an arena keeps the most that any frame ever took
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(name: str, pictures: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The output of a net, float32, for a batch of pictures (N×3×H×W, float32)."""
    session = load(name)
    (output,) = session.run(None, {session.get_inputs()[0].name: pictures})
    return np.asarray(output)


def load_all() -> None:
    """Loads every net, so that the first reading takes no longer than the next."""
    for name in NAMES:
        load(name)
