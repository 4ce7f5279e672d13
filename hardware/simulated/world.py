"""A whole table in software, which the service takes for a real one.

    clock = VirtualClock()
    world = World(seed=1, clock=clock)
    world.camera, world.panel            # for the service: a Camera and a Panel
    thrown = world.throw(["d6", "d20"])  # people act: dice roll from now on, `thrown` is how they will lie
    world.settle()                       # advances the clock until nothing moves
    world.lying                          # the truth: every die in the tray, as it lies once all is still
    world.cover(["d6"] * 5, [1, 2, 2, 6, 5])   # a cup is put on the tray, hiding the dice under it
    world.lift_cups()                    # the cup is lifted; `reveal` does both, for dice cast elsewhere
    world.lay(lying)                     # dice roll until they lie exactly like this
    world.panel.press("seat1.ok")        # a finger; world.panel.shown is what people see
    world.inject(parse("flicker:0.4"))   # a fault (faults.py), which ends by itself

The seed and the calls with their times determine everything. It never waits and needs no thread: each call
asks the clock for the time, which may be a `VirtualClock` or a real one.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from textwrap import wrap

import numpy as np

from games.dice import KINDS
from hardware.ports import Clock, Pixels
from hardware.simulated import physics
from hardware.simulated.camera import FRAMES_PER_S, SimulatedCamera, SimulatedLens
from hardware.simulated.clock import VirtualClock
from hardware.simulated.die import Lying, dice_set
from hardware.simulated.faults import FAULTS, ActiveFaults, Fault, FaultError, parse
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.picture import HEIGHT, WIDTH, Masks, Picture, Projection, random_light, random_view
from hardware.simulated.places import at_random
from hardware.simulated.stage import Stage
from hardware.simulated.table_top import TableTop
from hardware.simulated.throw import Style

COLUMNS = 78
"""Longest answer."""
PAUSE_S = (5.0, 25.0)
"""Pause from the end of a fault to its next beginning: minimum and maximum."""
CROWD = 12
"""Beyond this number dice are drawn smaller, so that there is room for them."""
SMALLER = 0.6


def box_in_frame(lying: Lying, view: Projection) -> tuple[int, int, int, int]:
    outline = view.project(lying.pose.placed(lying.die))
    low = np.maximum(np.floor(outline.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(outline.max(axis=0)), (WIDTH, HEIGHT)).astype(int)
    x, y = low.tolist()
    right, bottom = high.tolist()
    return x, y, right - x, bottom - y


class World(TableTop):
    """A tray, what is on it, a camera and a panel; see the module's words.

    Dice are thrown with physics if the extra `sim` is there, unless `real` says otherwise, in that `style`.
    The camera takes `fps` pictures a second.
    """

    def __init__(
        self,
        seed: int,
        clock: Clock,
        *,
        real: bool | None = None,
        fps: float = FRAMES_PER_S,
        style: Style = "hand",
    ) -> None:
        self.chance, look, bag, throws, grain = (np.random.default_rng([seed, part]) for part in range(5))
        real = physics.available() if real is None else real
        super().__init__(throws, dice_set(bag), clock, ActiveFaults(), real=real, style=style)
        self.view = random_view(look)
        self.light = random_light(look)
        self.lens = SimulatedLens(look, self.view, self.faults)
        self.stage = Stage(look, self.view, self.light, self.faults)
        self.camera = SimulatedCamera(grain, clock, self.faults, self.picture_at, fps)
        self.panel = SimulatedPanel(clock, self.faults)

    def settle(self, after_s: float = 0.1) -> None:
        """Waits until all has been still for so long."""
        self.clock.sleep(max(0.0, self.settled_at_s - self.clock.now_s()) + after_s)

    def inject(self, fault: Fault, after_s: float = 0.0) -> None:
        """Something goes wrong, `after_s` from now, and ends by itself."""
        at_s = self.clock.now_s() + after_s
        if fault.name == "nudge":
            self.nudge(at_s, fault.number)
        self.faults.begin(fault, at_s)

    def clear(self, name: str | None = None) -> None:
        self.faults.clear(name, self.clock.now_s())

    @cached_property
    def picture(self) -> Picture:
        """The picture in front of the lens; drawn at first use."""
        return Picture(self.stage.tray.picture(self.view))

    def picture_at(self, time_s: float) -> Pixels:
        """The picture on the sensor at that time, without noise; do not write to it."""
        self.picture.show(self.stage.things(self, time_s, self.picture.things))
        return self.lens.on(self.picture, time_s)

    def masks(self, time_s: float) -> Masks:
        """The exact content of each pixel of the frame of that time, and its shadows."""
        self.picture_at(time_s)
        labels = self.picture.labels(
            lambda name: 2 + int(name[1]) if isinstance(name, tuple) and name[0] == "die" else 1
        )
        return self.lens.turned(labels, time_s)


class FaultInjection:
    """Begins each of the faults again some time after it has ended; the seed determines when.

    A fault of throws affects one throw, then waits as long as the others do.
    """

    def __init__(self, world: World, faults: Sequence[Fault], seed: int = 0) -> None:
        self.world = world
        self.faults = faults
        self.chance = np.random.default_rng([seed, 17])
        self.due_s = [world.clock.now_s() + float(self.chance.uniform(0, PAUSE_S[0])) for _ in faults]
        self.struck = 0

    def step(self) -> list[Fault]:
        """Begins the faults that are due and returns them; call it whenever time has passed."""
        begun = []
        now_s = self.world.clock.now_s()
        working = {fault.name for fault in self.world.faults.all(now_s)}
        for i, fault in enumerate(self.faults):
            if fault.name in working:
                self.due_s[i] = max(self.due_s[i], now_s + PAUSE_S[0])
            elif now_s >= self.due_s[i]:
                self.world.inject(fault)
                begun.append(fault)
                self.due_s[i] = now_s + fault.lasts_s * (fault.kind.part != "throw") + self.pause_s()
        self.struck += len(begun)
        return begun

    def pause_s(self) -> float:
        return float(self.chance.uniform(*PAUSE_S))


def run_command(world: World, typed: str) -> list[str]:
    """Executes a typed command; returns lines to show.

    `NAME[:N]` begins a fault, `clear [NAME]` ends one or all, `faults` lists them.
    """
    words = typed.split()
    if words == ["faults"]:
        return wrap(", ".join(FAULTS), COLUMNS)
    if words[:1] == ["clear"] and len(words) <= 2 and set(words[1:]) <= FAULTS.keys():
        world.clear(*words[1:])
        return []
    try:
        fault = parse(typed)
        if fault.kind.part == "cheat":
            return [f"{fault.name}: people cheat only in `dicetable simulate --fault {fault.name}`"]
        world.inject(fault)
    except FaultError as error:
        return [str(error)]
    return []


def frame_of(count: int, seed: int) -> Pixels:
    """A frame (uint8, 720×1280×3, BGR) of the simulated table with `count` dice, kinds in turn."""
    world = World(seed, VirtualClock())
    scale = 1.0 if count <= CROWD else SMALLER
    picked = world.pick([KINDS[place % len(KINDS)] for place in range(count)], set())
    dice = [replace(die, scale=scale * die.scale) for die in picked]
    world.lay(at_random(np.random.default_rng(seed), dice, []))
    return np.array(world.picture_at(world.settled_at_s + 1))
