"""The trained models: four nets in ONNX Runtime, and fitted weights. Whoever reads dice owns its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

# It reports its use to its maker and keeps an id of the machine in the home folder, unless this is set before
# it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

from vision.fitted import Fitted

if TYPE_CHECKING:
    from collections.abc import Callable

Net: TypeAlias = "Callable[[npt.NDArray[Any]], npt.NDArray[Any]]"
"""From pictures (N×3×H×W, float32) to outputs (N×…, float32)."""

FOLDER: Final = Path(__file__).parent / "models"
NAMES: Final = ("detector", "die", "symbol", "six_nine", "attitude")
ERRORS_ONLY: Final = 3
"""ONNX Runtime's level of log: its warnings about absent accelerators are of no use to anybody here."""


@dataclass(frozen=True, slots=True)
class Nets:
    """The models of one reader.

    Attributes:
        detector: frames in [0, 1] of sides that `vision.detection.regions.TILE` divides, to maps of boxes.
        die: crops of whole dice, to the layout of `vision.recognition.outputs`.
        symbol: upright symbols of levelled contrast, to logits of their values.
        six_nine: views of a 6 or a 9 of levelled contrast, to how much a line or dot speaks for that way up.
        attitude: features of `vision.recognition.attitude`, to where a top points and the error.
        fitted: weights that training fitted besides.
    """

    detector: Net
    die: Net
    symbol: Net
    six_nine: Net
    attitude: Net
    fitted: Fitted


def load_nets(threads: int = 1) -> Nets:
    """The models that come with the package; takes some tens of milliseconds.

    Args:
        threads: of one net. More shorten a reading and take the cores from the table beside it.

    Raises:
        FileNotFoundError: a model is missing: the installation is damaged.
    """
    detector, die, symbol, six_nine, attitude = (session(FOLDER / f"{name}.onnx", threads) for name in NAMES)
    return Nets(detector, die, symbol, six_nine, attitude, Fitted.load(FOLDER / "fitted.json"))


def session(path: Path, threads: int) -> Net:
    """The net in this file, in a session of its own; FileNotFoundError if there is none."""
    if not path.is_file():
        raise FileNotFoundError(f"no model {path}: install dicetable again")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # an arena keeps the most that any frame ever took
    run = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = run.get_inputs()[0].name

    def net(pictures: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(run.run(None, {name: pictures})[0])

    return net
