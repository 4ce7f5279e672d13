"""A whole table in software, which the service cannot tell from a real one.

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
    world.truth()                        # what a perfect eye would say now, without rendering

The seed and the calls with their times determine everything. It never waits and needs no thread: each call
asks the clock for the time, which may be a `VirtualClock` or a real one.
What people do begins when the previous action is over, at `settled_at_s`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hardware.simulated import physics
from hardware.simulated.active import ActiveFaults
from hardware.simulated.camera import FRAMES_PER_S, SimulatedCamera
from hardware.simulated.die import dice_set
from hardware.simulated.lens import SimulatedLens
from hardware.simulated.light import random_light
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.picture import Picture
from hardware.simulated.projection import random_view
from hardware.simulated.spoiling import Spoiled
from hardware.simulated.stage import Stage
from hardware.simulated.thrower import Thrower
from hardware.simulated.truth import Truth, truth

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from games.dice import Kind
    from hardware.ports import Clock, Pixels
    from hardware.simulated.die import Die, Lying
    from hardware.simulated.faults import Fault
    from hardware.simulated.picture import Masks
    from hardware.simulated.throw import Style


class World:
    """A tray, a camera, a panel and people's hands; see the module's words.

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
        self.clock = clock
        self.faults = ActiveFaults()
        self.chance, look, bag, throws, grain = (np.random.default_rng([seed, part]) for part in range(5))
        self.view = random_view(look)
        self.light = random_light(look)
        self.lens = SimulatedLens(look, self.view, self.faults)
        self.stage = Stage(look, self.view, self.light, self.faults)
        real = physics.available() if real is None else real
        self.people = Thrower(throws, dice_set(bag), real=real, style=style)
        self.people.settled_at_s = clock.now_s()
        self.camera = SimulatedCamera(grain, clock, self.faults, self.seen, fps)
        self.panel = SimulatedPanel(clock, self.faults)

    @property
    def lying(self) -> list[Lying]:
        """Every die in the tray as it lies once all is still; not those under cups."""
        return [roll.clip.lying for roll in self.people.present if roll.in_tray]

    @property
    def astray(self) -> list[Lying]:
        """Dice that fell on the floor or lie on the rim."""
        return [roll.clip.lying for roll in self.people.present if not roll.in_tray]

    @property
    def settled_at_s(self) -> float:
        """When all that people have begun is over."""
        return self.people.settled_at_s

    @property
    def rest_s(self) -> float:
        """When the last die comes to rest; the hand that threw may stay longer."""
        return max(
            (roll.start_s + roll.clip.lasts_s for roll in self.people.present), default=self.settled_at_s
        )

    def throw(
        self, kinds: Sequence[Kind], keep: Sequence[Lying] = (), values: Sequence[int] | None = None
    ) -> list[Lying]:
        """Somebody takes up all dice and cups but `keep` and throws; returns how those in the tray will lie.

        With `values` the dice show these (and need no physics for it). Faults of throws strike here.

        Raises:
            ValueError: there are not so many dice, no room for them, or no such value.
        """
        now_s = self.clock.now_s()
        kept = {lying.die.number for lying in keep}
        return self.people.throw(now_s, kinds, kept, values, Spoiled.taken(self.faults, now_s))

    def cover(self, kinds: Sequence[Kind], values: Sequence[int] | None = None) -> list[Lying]:
        """Somebody sets a cup on the tray; returns how the dice lie under it.

        Raises:
            ValueError: there are not so many dice, no room for the cup or in it, or no such value.
        """
        dice = self.people.pick(kinds, self.people.in_use)
        return self.people.cover(self.clock.now_s(), dice, values or [None] * len(dice))

    def lift_cups(self) -> list[Lying]:
        """Somebody lifts every cup on the tray; returns the dice that are seen then."""
        return self.people.lift(self.clock.now_s())

    def reveal(self, dice: Sequence[Lying]) -> list[Lying]:
        """Somebody clears the tray, sets a cup with these dice there and lifts it; returns how they lie.

        They show what they showed before, wherever that was.

        Raises:
            ValueError: the dice do not fit under a cup.
        """
        now_s = self.clock.now_s()
        self.people.lay(now_s, [])
        self.people.cover(now_s, [lying.die for lying in dice], [lying.value for lying in dice])
        return self.lift_cups()

    def lay(self, dice: Sequence[Lying]) -> None:
        """Somebody clears the tray, and these dice roll onto it until they lie exactly so."""
        self.people.lay(self.clock.now_s(), dice)

    def leave(self, dice: Sequence[Lying]) -> None:
        """These dice lie in the tray from before, whatever else lies there; nobody saw them come."""
        self.people.leave(self.clock.now_s(), dice)

    def put(self, dice: Sequence[Lying], *, high_mm: float = 0.0, printed: bool = False) -> None:
        """A hand puts these dice, or pictures of them, down exactly so, or drops them from `high_mm`."""
        self.people.put(self.clock.now_s(), dice, high_mm=high_mm, printed=printed)

    def take(self, dice: Sequence[Lying]) -> None:
        """A hand takes only these dice out of the tray."""
        self.people.take(self.clock.now_s(), {lying.die.number for lying in dice})

    def pick(self, kinds: Sequence[Kind], used: set[int]) -> list[Die]:
        """A die of each kind out of the set, none of those used (by their numbers).

        Raises:
            ValueError: fewer dice lie there.
        """
        return self.people.pick(kinds, used)

    def settle(self, after_s: float = 0.1) -> None:
        """Waits until all has been still for so long."""
        self.clock.sleep(max(0.0, self.settled_at_s - self.clock.now_s()) + after_s)

    def inject(self, fault: Fault, after_s: float = 0.0) -> None:
        """Something goes wrong, `after_s` from now, and ends by itself."""
        now_s = self.clock.now_s()
        if fault.name == "nudge":
            self.people.nudge(now_s + after_s, fault.number)
        self.faults.begin(fault, now_s + after_s)

    def clear(self, name: str | None = None) -> None:
        """That fault ends now, or all do, also those that were still to come."""
        self.faults.clear(name, self.clock.now_s())

    def truth(self) -> Truth:
        """What a perfect eye would say now."""
        return truth(self.clock.now_s(), self.people, self.faults, self.lens)

    @cached_property
    def picture(self) -> Picture:
        """What is in front of the lens; drawn when it is first looked at."""
        return Picture(self.stage.tray.seen(self.view))

    def seen(self, time_s: float) -> Pixels:
        """What falls on the sensor at that time, without its noise; not to be written to."""
        self.picture.show(self.stage.things(self.people, time_s, self.picture.things))
        return self.lens.on(self.picture, time_s)

    def masks(self, time_s: float) -> Masks:
        """What each pixel of the frame of that time shows, exactly, and where a shadow falls."""
        self.seen(time_s)
        found = self.picture.labels(label)
        return self.lens.turned(found, time_s)


def label(name: Hashable) -> int:
    """The label of an object in masks: 2 and a die's number, or 1 for anything else."""
    return 2 + int(name[1]) if isinstance(name, tuple) and name[0] == "die" else 1
