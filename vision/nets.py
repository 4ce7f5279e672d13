"""The trained models: seven nets in ONNX Runtime, and fitted weights. Each reader owns its own.

The files that come with the package are pinned by their checksums (`vision/checksums.py`): a changed one is
refused. A folder of one's own models is taken as it is.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

# It reports its use to its maker and keeps an id of the machine in the home folder, unless this is set before
# it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from collections.abc import Mapping, Sequence

import onnxruntime

from vision import checksums
from vision.motion.segmentation import CLASSES
from vision.reading import Net
from vision.recognition.attitude import ATTITUDE_FEATURES
from vision.recognition.classifiers import BODIES, BOX, DIE_PX, FACES_SHOWN, MAPS, STRIDE, SYMBOL_PX, VALUES
from vision.recognition.cocked import COCKED_FEATURES, LogisticWeights
from vision.recognition.enrolment import EnrolmentWeights
from vision.recognition.evidence import ConfidenceWeights, ThrownWeights
from vision.recognition.fusion import SymbolWeights

Shape: TypeAlias = "tuple[int | None, ...]"

FOLDER: Final = Path(__file__).parent / "models"
FITTED: Final = "fitted.json"
SHAPES: Final[Mapping[str, tuple[Shape, Shape]]] = {
    "detector": ((1, 3, None, None), (1, 5, None, None)),
    "die": ((None, 3, DIE_PX, DIE_PX), (None, BODIES + BOX + MAPS * (DIE_PX // STRIDE) ** 2)),
    "symbol": ((None, 3, SYMBOL_PX, SYMBOL_PX), (None, VALUES)),
    "six_nine": ((None, 3, SYMBOL_PX, SYMBOL_PX), (None, 1)),
    "face": ((None, 3, SYMBOL_PX, SYMBOL_PX), (None, FACES_SHOWN)),
    "attitude": ((None, ATTITUDE_FEATURES), (None, 3)),
    "segmentation": ((1, 6, None, None), (1, CLASSES, None, None)),
}
"""The nets, and the shapes of what goes in and comes out; None is any number."""
NAMES: Final = tuple(SHAPES)
INSTALL: Final = "install dicetable again, or name a folder of your own models as eye.models in the config"
ERRORS_ONLY: Final = 3
"""ONNX Runtime's log level: its warnings about missing accelerators help no one here."""


class ModelError(Exception):
    """A model cannot be used. `what` is a sentence that names its file, `remedy` says what to do."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(f"{cause.removesuffix('.')}: {remedy}")
        self.what = cause
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Nets:
    """The models of one reader.

    Attributes:
        detector: frames in [0, 1] of sides that `vision.detection.TILE` divides, to maps of boxes.
        die: crops of whole dice, to the layout of `vision.recognition.classifiers`.
        symbol: upright symbols of levelled contrast, to logits of their values.
        six_nine: views of a 6 or a 9 of levelled contrast, to how much a line or dot speaks for that way up.
        face: views of a symbol of levelled contrast, to logits of what its face bears.
        attitude: features of `vision.recognition.attitude`, to where a top points and the error.
        segmentation: a small frame over the empty tray in [0, 1], to logits of its classes.
        fitted: weights that training fitted besides.
        sha256: the checksum of each file, by its name.
    """

    detector: Net
    die: Net
    symbol: Net
    six_nine: Net
    face: Net
    attitude: Net
    segmentation: Net
    fitted: Fitted
    sha256: Mapping[str, str] = field(default_factory=dict)


def load_nets(folder: Path | None = None) -> Nets:
    """The models that come with the package, or those of a folder; takes some tens of milliseconds.

    Models of one's own folder are not compared with the pinned checksums. Raises ModelError if one is
    missing, differs from the released one, or is not the expected net.
    """
    remedy = INSTALL if folder is None else f"replace it in {folder}, or remove eye.models from the config"
    nets: list[Net] = []
    sums: dict[str, str] = {}
    for name in NAMES:
        data, sums[f"{name}.onnx"] = checked(f"{name}.onnx", folder, remedy)
        try:
            nets.append(session(data, SHAPES[name]))
        except Exception as error:  # ONNX Runtime has an exception of its own for each fault of a file
            raise ModelError(f"The model {name}.onnx is not the expected net.", remedy) from error
    data, sums[FITTED] = checked(FITTED, folder, remedy)
    return Nets(**dict(zip(NAMES, nets, strict=True)), fitted=weights(data, remedy), sha256=sums)


def weights(data: bytes, remedy: str) -> Fitted:
    """The weights in a file's bytes. Raises ModelError if they do not stand there."""
    try:
        return Fitted.of(data)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ModelError(f"The model {FITTED} does not hold the expected weights.", remedy) from error


def checked(name: str, folder: Path | None, remedy: str) -> tuple[bytes, str]:
    """The bytes of a model and their checksum; of the package's (`folder` None) only those that are pinned.

    Raises ModelError if it cannot be read, or was changed.
    """
    try:
        data = ((folder or FOLDER) / name).read_bytes()
    except FileNotFoundError:
        raise ModelError(f"The model {name} is missing.", remedy) from None
    except OSError as error:
        raise ModelError(f"The model {name} cannot be read: {error.strerror}.", remedy) from None
    digest = sha256(data).hexdigest()
    if folder is None and digest != checksums.SHA256[name]:
        raise ModelError(f"The model {name} was changed.", remedy)
    return data, digest


def session(model: bytes, shapes: tuple[Shape, Shape]) -> Net:
    """The net of an ONNX file's bytes, in a session of its own; ValueError if its shapes are others."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # more take the cores from the table beside the reader
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # an arena keeps the most that any frame ever took
    run = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    ends = run.get_inputs(), run.get_outputs()
    for end, shape in zip(ends, shapes, strict=True):
        if len(end) != 1 or not fits(end[0].shape, shape):
            raise ValueError(f"{[tensor.shape for tensor in end]} where {shape} is meant")
    name = ends[0][0].name

    def net(pictures: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(run.run(None, {name: pictures})[0])

    return net


def fits(sizes: Sequence[int | str | None], shape: Shape) -> bool:
    """Whether a shape from ONNX Runtime, with names for any number, is the expected one."""
    return len(sizes) == len(shape) and all(
        wanted is None or not isinstance(size, int) or size == wanted
        for size, wanted in zip(sizes, shape, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Fitted:
    """All of them."""

    confidence: ConfidenceWeights
    thrown: ThrownWeights
    symbols: SymbolWeights
    enrolment: EnrolmentWeights
    cocked: LogisticWeights

    @classmethod
    def of(cls, text: str | bytes) -> Fitted:
        """The weights of a JSON file; ValueError, KeyError or TypeError if they do not stand there."""
        stored = json.loads(text)
        cocked = numbers(stored["cocked"]["weights"])
        if len(cocked) != len(COCKED_FEATURES):
            raise ValueError("cocked: there is one weight for each feature")
        return cls(
            ConfidenceWeights(**numbers(stored["confidence"])),
            ThrownWeights(**numbers(stored["thrown"])),
            SymbolWeights(**numbers(stored["symbols"])),
            EnrolmentWeights(**numbers(stored["enrolment"])),
            LogisticWeights(tuple(cocked[name] for name in COCKED_FEATURES), float(stored["cocked"]["bias"])),
        )


def numbers(weights: dict[str, Any]) -> dict[str, float]:
    """The weights by name; ValueError or TypeError if one is no number."""
    return {name: float(weight) for name, weight in weights.items()}
