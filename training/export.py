"""Stage `export`: writes trained weights as ONNX files that OpenCV reads, in half precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from training.architectures import (
    DetectorModule,
    SixNineModule,
    SymbolModule,
    TopsModule,
)
from vision.recognition.classifiers import DIE_PX, SYMBOL_PX

if TYPE_CHECKING:
    from pathlib import Path

NETS: dict[str, tuple[type[nn.Module], tuple[int, int, int]]] = {
    "detector": (DetectorModule, (3, 192, 192)),
    "tops": (TopsModule, (3, DIE_PX, DIE_PX)),
    "symbols": (SymbolModule, (3, SYMBOL_PX, SYMBOL_PX)),
    "six_nine": (SixNineModule, (3, SYMBOL_PX, SYMBOL_PX)),
}
"""The nets of vision/models/ and the shape of one input."""
FILES = {"tops": "die", "symbols": "symbol"}
"""What their files are called, where it is not the same."""
VIEWS = {"frame": {0: "views"}, "said": {0: "views"}}
AXES = {"detector": {"frame": {2: "height", 3: "width"}}}
"""Sides of the input that may be of any size; elsewhere the number of views is."""

LARGE = 64
"""Weights of at least this many numbers are stored in half precision: outputs change by a thousandth."""


def export(work: Path, models: Path) -> None:
    """Writes `models`/NAME.onnx for each of NETS whose weights are in `work`."""
    models.mkdir(parents=True, exist_ok=True)
    for name, (make, shape) in NETS.items():
        if not (work / f"{name}.pt").exists():
            continue
        net = make()
        net.load_state_dict(torch.load(work / f"{name}.pt", weights_only=True))
        write(net, models / f"{FILES.get(name, name)}.onnx", shape, AXES.get(name, VIEWS))


def write(
    net: nn.Module, path: Path, shape: tuple[int, ...], axes: dict[str, dict[int, str]] = VIEWS
) -> None:
    """Writes a net that is shown pictures or rows of this shape; `axes` are the sides of any size."""
    net.eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, *shape),),
        str(path),
        input_names=["frame"],
        output_names=["said"],
        dynamic_axes=axes,
        dynamo=False,
    )
    _halve(path)


def _halve(path: Path) -> None:
    """Stores the weights of an exported net in half precision, each cast back where it is used."""
    model = onnx.load(str(path))
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        weights = numpy_helper.to_array(tensor)
        if weights.dtype == np.float32 and weights.size >= LARGE:
            half = f"{tensor.name}.half"
            graph.initializer.remove(tensor)
            graph.initializer.append(numpy_helper.from_array(weights.astype(np.float16), half))
            casts.append(helper.make_node("Cast", [half], [tensor.name], to=TensorProto.FLOAT))
    for cast in casts:
        graph.node.insert(0, cast)
    onnx.save(model, str(path))
