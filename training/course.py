"""The course of a training: the optimizer, the falling rate, the saved state that a cut run goes on from."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

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
        """One step down the loss; `right` (0 … 1) is only told."""
        done = min(1.0, self.spent_s / self.whole_s)
        rate = self.rate * min(1.0, (self.step + 1) / 100) * (0.02 + 0.49 * (1 + np.cos(np.pi * done)))
        for group in self.optimizer.param_groups:
            group["lr"] = float(rate)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimizer.step()
        self.step += 1
        self._average()
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

    def _average(self) -> None:
        """Takes the weights of this step into their mean."""
        part = LATE / (self.step + LATE)
        for key, value in self.net.state_dict().items():
            if value.is_floating_point():
                self.mean[key].lerp_(value, part)
            else:
                self.mean[key].copy_(value)
