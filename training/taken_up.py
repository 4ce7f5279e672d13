"""Stage `taken-up`: half-trained weights from the exported nets, to go on from where those stand.

An exported convolution has its batch norm folded in. Its statistics are measured again on the packs' crops,
so that the net says the same as before and yet trains as it did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from training import learn_detector, learn_six_nine, learn_symbols, learn_tops
from training.export import FILES, NETS
from training.shelf import Shelf, rendered_packs

if TYPE_CHECKING:
    from pathlib import Path

BATCHES = 30
"""Batches that the statistics are taken over."""


def take_up(work: Path, models: Path) -> None:
    """Writes `work`/NAME.pt for each net of `models` that `work` has no weights for yet."""
    for name, (make, shape) in NETS.items():
        goal = work / f"{name}.pt"
        if goal.exists():
            continue
        net = make()
        fill(net, models / f"{FILES.get(name, name)}.onnx", shape)
        net.eval()
        _measure(net, _views(name, work / "packs"))
        torch.save(net.state_dict(), goal)


def fill(net: nn.Module, path: Path, shape: tuple[int, ...]) -> None:
    """Gives a net that is shown inputs of this shape the weights of an exported one.

    Its batch norms only add the bias that was folded in.
    """
    graph = onnx.load(str(path)).graph
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    casts = [node for node in graph.node if node.op_type == "Cast"]
    known |= {cast.output[0]: known[cast.input[0]] for cast in casts if cast.input[0] in known}
    told = [
        [torch.from_numpy(known[name].copy()) for name in node.input if name in known]
        for node in graph.node
        if node not in casts
    ]
    folded = iter([row for row in told if row])
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


def _views(name: str, packs: Path) -> list[Tensor]:
    """Batches like those that the net is trained on, of renders alone."""
    rng = np.random.default_rng(3)
    renders = Shelf(rendered=True)
    first = rendered_packs(packs)[:2]
    for path in first:
        renders.take(path)
    if name == "tops":
        return [learn_tops.batch(renders, {}, rng)[0] for _ in range(BATCHES)]
    if name == "six_nine":
        drawn = [learn_six_nine.patch(rng) for _ in range(learn_six_nine.BATCH)]
        return [learn_six_nine.batch(drawn, rng)[0] for _ in range(BATCHES)]
    if name == "symbols":
        return [learn_symbols.batch(renders, Shelf(rendered=False), 0.0, rng)[0] for _ in range(BATCHES)]
    canvases = learn_detector.load(first)
    return [learn_detector.batch(canvases, [], rng)[0] for _ in range(BATCHES)]


def _measure(net: nn.Module, views: list[Tensor]) -> None:
    """Sets each batch norm's statistics to those of what it is given, its scale so that nothing changes."""
    sums: dict[nn.BatchNorm2d, list[Tensor]] = {}

    def note(norm: nn.Module, given: tuple[Tensor, ...], _said: Tensor) -> None:
        assert isinstance(norm, nn.BatchNorm2d)  # noqa: S101 - for the type checker
        x = given[0]
        sums.setdefault(norm, []).append(torch.stack([x.mean((0, 2, 3)), (x * x).mean((0, 2, 3))]))

    hooks = [part.register_forward_hook(note) for part in net.modules() if isinstance(part, nn.BatchNorm2d)]
    with torch.no_grad():
        for x in views:
            net(x)
        for hook in hooks:
            hook.remove()
        for norm, rows in sums.items():
            mean, square = torch.stack(rows).mean(0)
            spread = square - mean * mean
            norm.bias += mean
            norm.weight.copy_(torch.sqrt(spread + norm.eps))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
