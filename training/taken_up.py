"""Stage `taken-up`: half-trained weights from the exported nets, to go on from where those stand.

An exported convolution has its batch norm folded in. Its statistics are measured again on the packs' crops,
so that the net says the same as before and yet trains as it did.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training import learn_detector, learn_segmentation, learn_six_nine, learn_symbols, learn_tops
from training.architectures import SegmentationModule
from training.course import FILES, NETS, fill
from training.moving_trays import HEIGHT, WIDTH
from training.packs import Shelf, rendered_packs

BATCHES = 30
"""Batches that the statistics are taken over."""


def take_up(work: Path, models: Path) -> None:
    """Writes `work`/NAME.pt for each net of `models` for which `work` has packs but no weights.

    Raises SystemExit if `work` has no packs.
    """
    packs = work / "packs"
    wanted = dict(NETS) if rendered_packs(packs) else {}
    if learn_segmentation.training_packs(packs):
        wanted[learn_segmentation.NAME] = (SegmentationModule, (6, HEIGHT, WIDTH))
    if not wanted:
        raise SystemExit(f"{packs} has no packs: run the stage scenes or moving first")
    for name, (make, shape) in wanted.items():
        goal = work / f"{name}.pt"
        if goal.exists():
            continue
        net = make()
        fill(net, models / f"{FILES.get(name, name)}.onnx", shape)
        net.eval()
        _measure(net, _views(name, packs))
        torch.save(net.state_dict(), goal)


def _views(name: str, packs: Path) -> list[Tensor]:
    """Batches like those that the net is trained on, of renders alone."""
    rng = np.random.default_rng(3)
    if name == learn_segmentation.NAME:
        scenes = learn_segmentation.load(learn_segmentation.training_packs(packs)[:2])
        return [learn_segmentation.batch(scenes, rng)[0] for _ in range(BATCHES)]
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
