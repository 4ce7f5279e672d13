"""Stage `kinds`: goes on with the part of the released die net that tells the kind, in a minute of one core.

What the layers before it make of many views is computed once. The part is then taught anew, with what the
released net said as a second teacher: where the labels say nothing new, nothing is to change.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.architectures import TopsModule
from training.export import write
from training.learn_tops import SHARES, batch
from training.shelf import Shelf
from training.taken_up import fill
from training.types import Rng
from vision.recognition.crops import DIE_PX
from vision.recognition.outputs import BODIES

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)
VIEWS = 7000
"""Views that are drawn."""
EPOCHS, BATCH, RATE = 20, 64, 5e-4
"""How often each is shown, how many at once, and the greatest rate."""
TAUGHT = 0.5
"""How much what the released net said counts, against the labels."""
SHAPE = (3, DIE_PX, DIE_PX)


def learn_kinds(work: Path, models: Path, *, without: tuple[str, ...] = ()) -> None:
    """Trains on the packs in `work`, from the net in `models`; writes that anew."""
    torch.manual_seed(29)
    rng = np.random.default_rng(29)
    net = TopsModule()
    fill(net, models / "die.onnx", SHAPE)
    net.eval()  # the batch norms are folded: no statistics are kept
    renders, photos = Shelf(rendered=True), {}
    renders.take_all(work / "packs")
    for source in SHARES:
        if source not in without:
            photos[source] = Shelf(rendered=False)
            photos[source].take(work / "packs" / f"photo_{source}.npz")
    deep, told, bodies = seen(net, renders, photos, rng)
    part = nn.ModuleList([net.places, net.body])
    optimizer = torch.optim.AdamW(part.parameters(), lr=RATE, weight_decay=0.0)
    steps = EPOCHS * len(bodies) // BATCH
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in range(steps):
        some = torch.from_numpy(rng.integers(0, len(bodies), BATCH))
        said = net.body(torch.flatten(torch.cat([net.places(deep[some]), net.mean(deep[some])], 1), 1))
        before = functional.kl_div(
            torch.log_softmax(said, 1), torch.softmax(told[some], 1), reduction="batchmean"
        )
        loss = functional.cross_entropy(said, bodies[some], label_smoothing=0.01) + TAUGHT * before
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(part.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            log.info("kinds: step %d of %d, loss %.3f", step, steps, loss.item())
    write(net, models / "die.onnx", SHAPE)


def seen(
    net: TopsModule, renders: Shelf, photos: dict[str, Shelf], rng: Rng
) -> tuple[Tensor, Tensor, Tensor]:
    """Of VIEWS views: what the layers before make of them, what the net says of the body, and what it is."""
    given: list[Tensor] = []
    hook = net.places.register_forward_hook(lambda _part, inputs, _out: given.append(inputs[0]))
    told: list[Tensor] = []
    bodies: list[Tensor] = []
    with torch.no_grad():
        while sum(len(some) for some in bodies) < VIEWS:
            x, truth, *_ = batch(renders, photos, rng)
            told.append(net(x)[:, :BODIES])
            bodies.append(truth)
    hook.remove()
    return torch.cat(given), torch.cat(told), torch.cat(bodies)
