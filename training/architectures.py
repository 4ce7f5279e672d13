"""The nets: small plain convolutions that OpenCV runs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from games.dice import KINDS
from vision.motion.segmentation import CLASSES
from vision.recognition.attitude import PIXELS, PLACE, VIEW_PX
from vision.recognition.classifiers import BODIES, BOX, FACES_SHOWN, VALUES
from vision.recognition.classifiers import MAPS as SYMBOL_MAPS


def _step(inputs: int, outputs: int, stride: int = 1, side: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False),
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


class TopsModule(nn.Module):
    """A view of a whole die (n, 3, 80, 80) in [0, 1] to (n, BODIES + BOX + MAPS × 20 × 20).

    First the scores of the body classes, then where the die really is in the view, then the maps of where its
    value is written and which way up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(_step(3, 16, 2), _step(16, 32, 2), Around(32))
        self.middle = nn.Sequential(_step(32, 64, 2), Around(64), Around(64))
        self.deep = nn.Sequential(_step(64, 80, 2), Around(80), Around(80), Around(80))
        self.up_middle = nn.ConvTranspose2d(80, 64, 2, 2)
        self.up_fine = nn.ConvTranspose2d(64, 32, 2, 2)
        self.maps = nn.Sequential(Around(32), _step(32, 40), nn.Conv2d(40, SYMBOL_MAPS, 1))
        last = self.maps[-1]
        assert isinstance(last, nn.Conv2d) and last.bias is not None  # noqa: PT018, S101 - for the type checker
        nn.init.constant_(last.bias, 0.0)
        last.bias.data[0] = -4.0
        # where a side lies matters: learned weightings of the 5 × 5 places beside the plain mean
        self.places = nn.Conv2d(80, 160, 5, groups=80, bias=False)
        self.mean = nn.AvgPool2d(5)
        self.body = nn.Sequential(nn.Linear(240, 64), nn.ReLU(inplace=True), nn.Linear(64, BODIES))
        # a die's sides show in what lies on each line across and down
        self.edges = _step(32, 8)
        self.across, self.down = nn.AvgPool2d((1, 20)), nn.AvgPool2d((20, 1))
        self.box = nn.Sequential(nn.Linear(320, 32), nn.ReLU(inplace=True), nn.Linear(32, BOX))

    def forward(self, x: Tensor) -> Tensor:
        """Scores before softmax and sigmoid."""
        fine = self.fine(x - 0.5)
        middle = self.middle(fine)
        deep = self.deep(middle)
        body = self.body(torch.flatten(torch.cat([self.places(deep), self.mean(deep)], 1), 1))
        risen = torch.relu(middle + self.up_middle(deep))
        risen = torch.relu(fine + self.up_fine(risen))
        edges = self.edges(risen)
        lines = torch.cat([torch.flatten(self.across(edges), 1), torch.flatten(self.down(edges), 1)], 1)
        out: Tensor = torch.cat([body, 0.1 * self.box(lines), torch.flatten(self.maps(risen), 1)], 1)
        return out


class SymbolModule(nn.Module):
    """An upright view of one symbol (n, 3, 40, 40) in [0, 1] to 21 scores: unreadable, or the value."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(
            _step(3, 24, 2), _step(24, 48, 2), Around(48), _step(48, 72, 2), Around(72), _step(72, 32)
        )  # fmt: skip
        self.first = nn.Linear(32 * 25, 64)
        self.last = nn.Linear(64, VALUES)

    def forward(self, x: Tensor) -> Tensor:
        """Scores before the softmax."""
        out: Tensor = self.last(torch.relu(self.first(torch.flatten(self.seen(x - 0.5), 1))))
        return out


class SixNineModule(nn.Module):
    """An upright view of a 6 or a 9 (n, 3, 40, 40) in [0, 1] to (n, 1): how much a line or dot speaks for it.

    What it says of the view upside down is taken off: the difference is the logarithm of the odds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(
            _step(3, 16, 2), _step(16, 32, 2), Around(32), _step(32, 40, 2), _step(40, 24)
        )  # fmt: skip
        self.first = nn.Linear(24 * 25, 32)
        self.last = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Half the logarithm of the odds, but for what the view upside down says."""
        out: Tensor = self.last(torch.relu(self.first(torch.flatten(self.seen(x - 0.5), 1))))
        return out


class FaceModule(nn.Module):
    """An upright view of one symbol (n, 3, 40, 40) in [0, 1] to FACES_SHOWN scores: what its face bears."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(
            _step(3, 24, 2), _step(24, 40, 2), Around(40), _step(40, 56, 2), Around(56), _step(56, 28)
        )  # fmt: skip
        self.first = nn.Linear(28 * 25, 48)
        self.last = nn.Linear(48, FACES_SHOWN)

    def forward(self, x: Tensor) -> Tensor:
        """Scores before the softmax."""
        out: Tensor = self.last(torch.relu(self.first(torch.flatten(self.seen(x - 0.5), 1))))
        return out


TOP_STEP, ERROR_STEP, LEAST_ERROR = 0.1, 0.05, 0.006
"""What the outputs of the attitude net are multiplied by, and the least error that it reports."""
LEAST_SPREAD = 8.0
"""Added to a view's contrast (of 255), so that noise is not made large."""


class AttitudeModule(nn.Module):
    """Features of vision.recognition.attitude (n, FEATURES) to where the top points and the error (n, 3).

    The outputs are those of the die's own kind alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Sequential(_step(3, 16, 2, 5), _step(16, 32, 2), _step(32, 48), _step(48, 64, 2))
        self.first = nn.Linear(64 * (VIEW_PX // 8) ** 2 + PLACE + len(KINDS), 160)
        self.second = nn.Linear(160 + len(KINDS), 64)
        self.last = nn.Linear(64, 3 * len(KINDS))
        self.place = nn.Linear(PLACE, 2 * len(KINDS))
        nn.init.zeros_(self.place.weight)
        self.drop = nn.Dropout(0.2)

    def forward(self, x: Tensor) -> Tensor:
        """The view is levelled first: its own mean and contrast mean nothing."""
        view = x[:, :PIXELS].view(-1, VIEW_PX, VIEW_PX, 3).permute(0, 3, 1, 2)
        place, kind = x[:, PIXELS : PIXELS + PLACE], x[:, PIXELS + PLACE :]
        spread = view.std((1, 2, 3), keepdim=True) + LEAST_SPREAD
        seen = torch.flatten(self.seen((view - view.mean((1, 2, 3), keepdim=True)) / spread), 1)
        hidden = torch.relu(self.first(torch.cat([self.drop(seen), place, kind], 1)))
        hidden = torch.relu(self.second(torch.cat([self.drop(hidden), kind], 1)))
        own = (self.last(hidden).view(-1, len(KINDS), 3) * kind[:, :, None]).sum(1)
        straight = (self.place(place).view(-1, len(KINDS), 2) * kind[:, :, None]).sum(1)
        error = nn.functional.softplus(own[:, 2:]) * ERROR_STEP + LEAST_ERROR
        return torch.cat([(own[:, :2] + straight) * TOP_STEP, error], 1)


STRIDE = 4
"""Input pixels along a cell of the detector's output."""
MAPS = 5
"""Output maps: a die's middle here, its offset x and y in cells, log of width and height in cells."""


class DetectorModule(nn.Module):
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


class SegmentationModule(nn.Module):
    """A small frame over the empty tray (n, 6, h, w) in [0, 1] to the logits of its classes (n, 3, h, w).

    h and w are multiples of 16. A U-Net that works on blocks of 2 × 2 pixels. Its first convolution takes the
    blocks in a stride: folding them before (PixelUnshuffle) takes as long as a third of the net.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unfold = nn.PixelShuffle(2)
        self.fine = nn.Sequential(
            nn.Conv2d(6, 16, 6, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True)
        )
        self.middle = nn.Sequential(_step(16, 32, 2), _step(32, 32))
        self.coarse = nn.Sequential(_step(32, 48, 2), _step(48, 48))
        self.deep = nn.Sequential(_step(48, 64, 2), Around(64))
        self.up_coarse, self.at_coarse = nn.ConvTranspose2d(64, 48, 2, 2), _step(48, 48)
        self.up_middle, self.at_middle = nn.ConvTranspose2d(48, 32, 2, 2), _step(32, 32)
        self.up_fine, self.at_fine = nn.ConvTranspose2d(32, 16, 2, 2), _step(16, 16)
        self.head = nn.Conv2d(16, 4 * CLASSES, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of tray, die, other."""
        fine = self.fine(x - 0.5)
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        coarse = self.at_coarse(torch.relu(coarse + self.up_coarse(self.deep(coarse))))
        middle = self.at_middle(torch.relu(middle + self.up_middle(coarse)))
        logits: Tensor = self.unfold(self.head(self.at_fine(torch.relu(fine + self.up_fine(middle)))))
        return logits
