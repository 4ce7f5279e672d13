"""Stage `export`: writes trained weights as ONNX files that OpenCV reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from vision.crops import MARK, WHOLE
from vision.training.architectures import Detector, Marks, Tops

if TYPE_CHECKING:
    from pathlib import Path

NETS: dict[str, tuple[type[nn.Module], tuple[int, int, int]]] = {
    "detector": (Detector, (3, 192, 192)),
    "tops": (Tops, (3, WHOLE, WHOLE)),
    "marks": (Marks, (3, MARK, MARK)),
}
"""The nets of vision/models/ and the shape of one input."""


def export(work: Path, models: Path) -> None:
    """Writes `models`/NAME.onnx for each of NETS whose weights are in `work`."""
    models.mkdir(parents=True, exist_ok=True)
    for name, (make, shape) in NETS.items():
        if not (work / f"{name}.pt").exists():
            continue
        net = make()
        net.load_state_dict(torch.load(work / f"{name}.pt", weights_only=True))
        net.eval()
        torch.onnx.export(
            net,
            (torch.zeros(1, *shape),),
            str(models / f"{name}.onnx"),
            input_names=["frame"],
            output_names=["said"],
            dynamic_axes={"frame": {2: "height", 3: "width"}} if name == "detector" else None,
            dynamo=False,
        )
