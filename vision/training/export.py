"""Stage `export`: writes trained weights as ONNX files that OpenCV reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from vision.training.crops import INPUT
from vision.training.nets import Detector, Reader

if TYPE_CHECKING:
    from pathlib import Path


def export(work: Path, models: Path, weights: dict[str, str]) -> None:
    """Writes `models`/NAME.onnx for each NAME: weights' name of `weights` (detector, reader)."""
    shapes: dict[str, tuple[nn.Module, tuple[int, int]]] = {
        "detector": (Detector(), (192, 192)),
        "reader": (Reader(), (INPUT, 2 * INPUT)),
    }
    models.mkdir(parents=True, exist_ok=True)
    for name, source in weights.items():
        net, shape = shapes[name]
        net.load_state_dict(torch.load(work / f"{source}.pt", weights_only=True))
        net.eval()
        free = {"frame": {2: "height", 3: "width"}} if name == "detector" else {}
        torch.onnx.export(
            net,
            (torch.zeros(1, 3, *shape),),
            str(models / f"{name}.onnx"),
            input_names=["frame"],
            output_names=["maps"],
            dynamic_axes=free or None,
            dynamo=False,
        )
