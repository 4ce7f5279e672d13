"""The two nets: small plain convolutions that OpenCV runs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.training.crops import CLASSES, INPUT


def _step(inputs: int, outputs: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Around(nn.Module):
    """Two 3 × 3 convolutions with the input added again."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _step(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(n, channels, h, w) to the same shape."""
        return torch.relu(x + self.second(self.first(x)))


class Reader(nn.Module):
    """A view (n, 3, 64, 128) in [0, 1], detail beside whole, to 63 scores: kind and value, or why not."""

    def __init__(self) -> None:
        super().__init__()
        self.detail = nn.Sequential(
            _step(3, 24, 2), _step(24, 40, 2), Around(40), _step(40, 88, 2), Around(88), Around(88)
        )  # fmt: skip
        self.whole = nn.Sequential(nn.AvgPool2d(2), _step(3, 24, 2), _step(24, 48, 2), Around(48))
        # where a stroke lies matters: learned weightings of the 8 × 8 places beside the plain mean
        self.detail_places = nn.Conv2d(88, 176, 8, groups=88, bias=False)
        self.whole_places = nn.Conv2d(48, 144, 8, groups=48, bias=False)
        self.mean = nn.AvgPool2d(8)
        self.head = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(88 * 3 + 48 * 4, 160), nn.ReLU(inplace=True), nn.Linear(160, CLASSES)
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Scores before the softmax, (n, 63)."""
        x = x - 0.5
        detail, whole = self.detail(x[..., :INPUT]), self.whole(x[..., INPUT:])
        pooled = [self.detail_places(detail), self.mean(detail), self.whole_places(whole), self.mean(whole)]
        scores: Tensor = self.head(torch.flatten(torch.cat(pooled, 1), 1))
        return scores


STRIDE = 4
"""Input pixels along a cell of the detector's output."""
MAPS = 5
"""Output maps: a die's middle here, its offset x and y in cells, log of width and height in cells."""


class Detector(nn.Module):
    """A frame (n, 3, h, w) in [0, 1], h and w multiples of 16, to maps (n, 5, h / 4, w / 4)."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(_step(3, 12, 2), _step(12, 28, 2))
        self.coarse = nn.Sequential(_step(28, 48, 2), Around(48), Around(48), Around(48))
        self.up = nn.ConvTranspose2d(48, 28, 2, 2)
        self.head = nn.Sequential(_step(28, 32), nn.Conv2d(32, MAPS, 1))
        last = self.head[1]
        assert isinstance(last, nn.Conv2d) and last.bias is not None  # noqa: PT018, S101 - for the type checker
        nn.init.constant_(last.bias, 0.0)
        last.bias.data[0] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        """Maps before the sigmoid of the first."""
        fine = self.fine(x - 0.5)
        maps: Tensor = self.head(torch.relu(fine + self.up(self.coarse(fine))))
        return maps
