"""What the trainings share: the course of one, which a cut run goes on from, and the export to ONNX."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from types import TracebackType

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from training.architectures import (
    DetectorModule,
    SixNineModule,
    SymbolModule,
    TopsModule,
)
from vision.recognition.classifiers import DIE_PX, SYMBOL_PX

log = logging.getLogger(__name__)
LATE = 4
"""The mean of the weights is over about the last 1/LATE of the steps taken."""


class Course:
    """Trains `net` for some minutes of this thread's processor time, over any number of runs.

    It trains on a GPU if there is one. The rate rises over 100 steps, then falls to nothing as half a cosine.
    The finished weights, at `goal`, are the running mean of those on the way (docs/research/trials.md has
    what a mean of weights bought).
    """

    def __init__(
        self, net: nn.Module, work: Path, name: str, *, minutes: float, rate: float, start: str = ""
    ) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        on_gpu = self.device.type == "cuda"
        self.halved = on_gpu or bool(torch.cpu.get_capabilities().get("avx512_bf16"))
        self.net, self.name, self.rate = net.to(self.device), name, rate
        self.goal, self.half_done = work / f"{name}.pt", work / f"{name}.part.pt"
        self.whole_s = minutes * 60
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
        self.spent_s, self.step = 0.0, 0
        self.mean_loss, self.right = 0.0, 0.0
        if self.half_done.exists():
            state = torch.load(self.half_done, map_location=self.device, weights_only=True)
            net.load_state_dict(state["net"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.spent_s, self.step = state["spent"], state["step"]
        elif start:
            net.load_state_dict(torch.load(work / f"{start}.pt", map_location=self.device, weights_only=True))
        mean = state["mean"] if self.half_done.exists() else net.state_dict()
        self.mean = {key: value.clone() for key, value in mean.items()}
        self.kept = self.clock = time.thread_time()

    def __enter__(self) -> Course:
        self.net.train()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            torch.save({key: value.cpu() for key, value in self.mean.items()}, self.goal)
            self.half_done.unlink(missing_ok=True)

    def goes_on(self) -> bool:
        """Whether time is left."""
        return self.spent_s < self.whole_s

    def says(self, x: Tensor) -> Tensor:
        """What the net makes of a batch; in bfloat16 where the processor has it, which saves a quarter."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.halved):
            out: Tensor = self.net(x)
        return out.float()

    def take(self, loss: Tensor, right: float) -> None:
        """One step down the loss; `right` (0 … 1) is only logged."""
        done = min(1.0, self.spent_s / self.whole_s)
        rate = self.rate * min(1.0, (self.step + 1) / 100) * (0.02 + 0.49 * (1 + np.cos(np.pi * done)))
        for group in self.optimizer.param_groups:
            group["lr"] = float(rate)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimizer.step()
        self.step += 1
        part = LATE / (self.step + LATE)
        for key, value in self.net.state_dict().items():
            if value.is_floating_point():
                self.mean[key].lerp_(value, part)
            else:
                self.mean[key].copy_(value)
        weight = max(0.02, 1 / self.step)
        self.mean_loss += weight * (float(loss.detach()) - self.mean_loss)
        self.right += weight * (right - self.right)
        now = time.thread_time()
        self.spent_s, self.clock = self.spent_s + now - self.clock, now
        if self.step % 100 == 0:
            log.info(
                "%s step %d, %.0f s, loss %.3f, right %.3f",
                self.name, self.step, self.spent_s, self.mean_loss, self.right,
            )  # fmt: skip
        if now - self.kept > 60:
            state = {
                "net": self.net.state_dict(),
                "mean": self.mean,
                "optimizer": self.optimizer.state_dict(),
            }
            torch.save({**state, "spent": self.spent_s, "step": self.step}, self.half_done)
            self.kept = now


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


def fill(net: nn.Module, path: Path, shape: tuple[int, ...]) -> None:
    """Gives a net that is shown inputs of this shape the weights of an exported one.

    Its batch norms only add the bias that was folded in.
    """
    graph = onnx.load(str(path)).graph
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    casts = [node for node in graph.node if node.op_type == "Cast"]
    known |= {cast.output[0]: known[cast.input[0]] for cast in casts if cast.input[0] in known}
    rows = [
        [torch.from_numpy(known[name].copy()) for name in node.input if name in known]
        for node in graph.node
        if node not in casts
    ]
    folded = iter([row for row in rows if row])
    with torch.no_grad():
        for layer, norm in _in_order(net, shape):
            weights = next(folded)
            layer.weight.copy_(weights[0])
            if norm is not None:
                norm.weight.fill_(float(np.sqrt(1 + norm.eps)))
                norm.bias.copy_(weights[1])
            elif layer.bias is not None:
                layer.bias.copy_(weights[1])


def _in_order(net: nn.Module, shape: tuple[int, ...]) -> list[tuple[nn.Module, nn.BatchNorm2d | None]]:
    """The layers with weights as the net runs them, each with the batch norm that follows it."""
    ran: list[nn.Module] = []
    hooks = [
        part.register_forward_hook(lambda part, _in, _out: ran.append(part))
        for part in net.modules()
        if isinstance(part, nn.Conv2d | nn.ConvTranspose2d | nn.Linear | nn.BatchNorm2d)
    ]
    net.eval()
    net(torch.zeros(1, *shape))
    for hook in hooks:
        hook.remove()
    after = [*ran[1:], None]
    return [
        (part, follower if isinstance(follower, nn.BatchNorm2d) else None)
        for part, follower in zip(ran, after, strict=True)
        if not isinstance(part, nn.BatchNorm2d)
    ]
