"""The eye's process is killed again and again in the middle of throws, in real time, over rendered frames."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import pytest

from dicetable.config.camera import SimulatedCameraSection
from dicetable.eye.child import EyeSettings
from dicetable.eye.messages import Blind, EyeMessage
from dicetable.eye.process import ProcessEye
from dicetable.table.acceptance import Acceptance, Accepted
from dicetable.table.table_state import Awaited
from hardware.ports import SystemClock
from hardware.simulated.camera import FrameBoard
from hardware.simulated.picture import HEIGHT, WIDTH
from hardware.simulated.world import World
from tests.extent import extent
from vision.reading import Settled

if TYPE_CHECKING:
    from games.dice import Kind
    from hardware.simulated.die import Lying

KILLS = extent(5, 40)
DICE = 5
KINDS: list[Kind] = ["d6"] * DICE
AWAITED = Awaited(tuple(KINDS), (DICE,))
PATIENCE_S = 20.0
HANGING_S = 300.0


@dataclass
class Lain:
    """Dice that lay still from then on, until a hand took the first of them away."""

    dice: list[Lying]
    since_s: float
    until_s: float = inf


class Throwing:
    """A world in real time, the eye's process that watches it, and the acceptance of its readings."""

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.chance = Random(5)
        self.world = World(5, self.clock)
        self.board = FrameBoard(HEIGHT, WIDTH)
        settings = EyeSettings(
            camera=SimulatedCameraSection(driver="simulated"), frames=Path(self.board.path)
        )
        program = [sys.executable, "-m", "dicetable.eye.child"]
        self.eye = ProcessEye(program, settings.model_dump_json().encode(), self.clock)
        self.acceptance = Acceptance()
        self.acceptance.set_baseline(())
        self.acceptance.prompt(AWAITED, self.clock.now_s())
        self.lain: list[Lain] = []
        self.back_s: list[float] = []
        self.accepted = 0
        self.world.camera.start()
        self.eye.start()

    def messages(self) -> list[EyeMessage]:
        """What the eye says within the time of a frame, which it is shown first."""
        frame = self.world.camera.frame(1.0)
        if frame is not None:
            self.board.put(frame, frame.time_s)
        return list(self.eye.messages())

    def until_it_watches(self, until_s: float) -> None:
        while self.clock.now_s() < until_s:
            if any(not isinstance(message, Blind) for message in self.messages()):
                return
        pytest.fail("the eye does not watch")

    def throw(self) -> None:
        """One throw, in whose middle the eye is killed; what is accepted must be what lies there."""
        begun_s = now_s = self.clock.now_s()
        lay = self.world.present
        thrown = self.world.throw(KINDS)
        if self.lain:
            self.lain[-1].until_s = min(roll.gone_s for roll in lay)
        self.lain.append(Lain(thrown, self.world.rest_s))
        kill_s: float | None = begun_s + self.chance.uniform(0.0, self.world.settled_at_s - begun_s + 0.5)
        killed_s: float | None = None
        accepted = False
        while kill_s is not None or killed_s is not None or (not accepted and now_s < begun_s + PATIENCE_S):
            assert now_s < begun_s + HANGING_S, "the eye does not come back"
            messages = self.messages()
            now_s = self.clock.now_s()
            for message in messages:
                if killed_s is not None and not isinstance(message, Blind) and message.time_s > killed_s:
                    self.back_s.append(now_s - killed_s)
                    killed_s = None
                accepted |= self.accepts(message)
            if kill_s is not None and now_s >= kill_s and self.eye.child is not None:
                os.kill(self.eye.child.pid, signal.SIGKILL)
                killed_s, kill_s = now_s, None

    def accepts(self, message: EyeMessage) -> bool:
        """Whether a throw is accepted now; fails if it is not what lay there when it was seen."""
        if isinstance(message, Blind):
            return False
        if not isinstance(message, Settled):
            self.acceptance.unsettled()
            return False
        outcome = self.acceptance.settled(message, self.clock.now_s())
        if not isinstance(outcome, Accepted):
            return False
        seen = [lain for lain in self.lain if lain.since_s <= message.time_s <= lain.until_s]
        assert seen, "accepted while dice rolled"
        truth = Counter((lying.kind, lying.value) for lying in seen[0].dice)
        assert Counter(outcome.dice) == truth, "a wrong throw was accepted"
        self.acceptance.set_baseline(outcome.baseline)
        self.accepted += 1
        return True


@pytest.mark.slow
def test_kills_in_the_middle_of_throws() -> None:
    throwing = Throwing()
    try:
        throwing.until_it_watches(throwing.clock.now_s() + HANGING_S)
        for _ in range(KILLS):
            throwing.throw()
    finally:
        throwing.eye.stop()
        while throwing.eye.dying:
            throwing.messages()
    sys.stdout.write(
        f"killed {KILLS} times: {throwing.accepted} throws accepted, none wrong; "
        f"back to reading after {median(throwing.back_s):.2f} s, at most {max(throwing.back_s):.2f} s\n"
    )
    assert throwing.eye.restarts >= KILLS  # one that a busy machine keeps silent is killed by the table too
    assert len(throwing.back_s) == KILLS
    assert throwing.accepted >= extent(1, 20)
