"""The link over bad lines on the fake clock: no event is wrong, doubled or silently lost."""

from __future__ import annotations

import tracemalloc
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.host_session import InputsReported, Lost
from firmware_bridge.messages import BoardLamp, BoardLampMode
from tests.extent import extent
from tests.firmware_bridge import damage
from tests.firmware_bridge.firmware.c_board import CBoard
from tests.firmware_bridge.world import LAMPS, NewWorld, World

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable


class Presser:
    """Presses and releases random inputs and changes the view, from a seed."""

    def __init__(self, world: World, seed: int) -> None:
        self.random = Random(seed)
        self._world = world
        self._held: dict[int, set[int]] = {}
        self.view: tuple[tuple[BoardLamp, ...], tuple[str, ...]] = ((BoardLamp(),) * LAMPS, ("",) * 4)

    def press(self) -> None:
        held = self._held.setdefault(self._world.boot_id, set())
        which = self.random.randrange(25)
        held ^= {which}
        self._world.change(which, pressed=which in held)

    def show(self) -> None:
        lamp = BoardLamp(self.random.choice(list(BoardLampMode)), *self.random.randbytes(3))
        self.view = (lamp,) * LAMPS, tuple(f"{self.random.random():.17f}" for _ in range(4))
        self._world.show(*self.view)


def test_one_byte_at_a_time(new_world: NewWorld) -> None:
    world = new_world()
    presser = Presser(world, 1)
    host_receive, board_receive = world.host.receive, world.board.receive
    world.host.receive = lambda data, now: [e for b in data for e in host_receive(bytes((b,)), now)]  # type: ignore[method-assign]
    world.board.receive = lambda data, now: [e for b in data for e in board_receive(bytes((b,)), now)]  # type: ignore[method-assign]
    world.run(0.1)
    for _ in range(50):
        presser.press()
        presser.show()
        world.run(0.02)
    world.run_until(lambda: world.all_told and world.host.shown, 2)
    assert (world.received, world.lost_reported) == (50, 0)
    world.assert_panel_shows(*presser.view)


@pytest.mark.parametrize("seed", range(extent(4, 10)))
def test_a_fifth_of_all_frames_damaged_loses_nothing(new_world: NewWorld, seed: int) -> None:
    world = new_world()
    presser = Presser(world, seed)
    world.up.damage = damage.frames_at(0.2, Random(seed + 1000))
    world.down.damage = damage.frames_at(0.2, Random(seed + 2000))
    world.run_until(lambda: world.linked, 5)
    for _ in range(300):
        presser.press()
        if presser.random.random() < 0.2:
            presser.show()
        world.run(presser.random.random() * 0.2)
    world.run_until(lambda: world.all_told and world.host.shown, 10)
    assert world.received == 300
    world.assert_panel_shows(*presser.view)


@pytest.mark.parametrize("seed", range(extent(4, 10)))
def test_a_fifth_of_all_bytes_damaged_tells_nothing_wrong_and_heals(new_world: NewWorld, seed: int) -> None:
    """Such a line carries hardly a frame; what counts is that no lie gets through and that it recovers."""
    world = new_world()
    presser = Presser(world, seed)
    world.run_until(lambda: world.linked, 1)
    world.up.damage = damage.bytes_at(0.2, Random(seed + 1000))
    world.down.damage = damage.bytes_at(0.2, Random(seed + 2000))
    for _ in range(200):
        presser.press()
        presser.show()
        world.run(presser.random.random() * 0.2)
    world.up.damage = world.down.damage = damage.none
    assert world.run_until(lambda: world.all_told and world.host.shown, 10) < 3
    assert world.received + world.lost_reported == 200
    world.assert_panel_shows(*presser.view)


def short_session(
    new_world: NewWorld, interrupt: Callable[[World], None], before_step: int
) -> tuple[World, Presser, int]:
    """A view, presses, a changed view, releases; something happens before one of its steps."""
    world = new_world()
    presser = Presser(world, 5)
    step = 0
    for act in (presser.show, presser.press, presser.press, presser.show, presser.press, presser.press):
        act()
        until = world.now + 0.06
        while world.now < until:
            if step == before_step:
                interrupt(world)
            step += 1
            world.step(until)
    return world, presser, step


def replug(world: World) -> None:
    world.unplug()
    world.run(0.2)
    world.plug()


def power_cut(world: World) -> None:
    world.reboot_board()
    world.reboot_host()


def healed(world: World) -> float:
    """Seconds until all is told and shown again."""
    return world.run_until(lambda: world.all_told and world.host.shown, 5)


@pytest.mark.parametrize("interrupt", [replug, World.reboot_board, World.reboot_host, power_cut])
def test_interrupted_at_every_step_it_heals_in_three_seconds(
    new_world: NewWorld, interrupt: Callable[[World], None]
) -> None:
    steps = short_session(new_world, lambda _: None, -1)[2]
    assert steps > 30
    for step in range(steps):
        world, presser, _ = short_session(new_world, interrupt, step)
        assert healed(world) < 3
        world.assert_panel_shows(*presser.view)


@pytest.mark.parametrize("length", range(20))
def test_a_frame_cut_at_any_byte_costs_no_event(new_world: NewWorld, length: int) -> None:
    world = new_world()
    presser = Presser(world, length)
    world.run_until(lambda: world.linked, 1)
    cut = iter([length])
    world.up.damage = lambda data: data[: next(cut, len(data))]
    for _ in range(3):
        presser.press()
    world.run_until(lambda: world.all_told, 1)
    assert (world.received, world.lost_reported) == (3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("linked", [False, True])
def test_ten_megabytes_of_noise(new_world: NewWorld, *, linked: bool) -> None:
    """No exception, no message accepted, no memory gathered, in either state of either end."""
    random = Random(11)
    world = new_world()
    if linked:
        world.run_until(lambda: world.linked, 1)
    told = len(world.host_events), len(world.board_events)
    tracemalloc.start()
    for _ in range(10_000):
        assert world.host.receive(random.randbytes(1000), world.now) == []
        assert world.board.receive(random.randbytes(1000), world.now) == []
    assert tracemalloc.get_traced_memory()[1] < 200_000
    tracemalloc.stop()
    assert (len(world.host_events), len(world.board_events)) == told
    assert world.host.damaged_frames > 30_000
    world.run_until(lambda: world.linked, 3)


def hundred_thousand_messages(world: World, seed: int) -> None:
    """1 % of all bytes damaged both ways, both HELLOs included, and resets of either end in between."""
    presser = Presser(world, seed)
    world.up.damage = damage.bytes_at(0.01, Random(seed + 1000))
    world.down.damage = damage.bytes_at(0.01, Random(seed + 2000))
    sent = 0
    for n in range(50_000):
        if n % 2_500 == 0:
            (world.reboot_board if n % 5_000 else world.reboot_host)()
            world.run_until(lambda: world.linked, 30)
        presser.press()
        presser.show()
        sent += 6  # an event, the lamps, four lines
        world.run_until(lambda: world.undelivered < 16, 60)
    world.run_until(lambda: world.all_told and world.host.shown, 60)
    world.assert_panel_shows(*presser.view)
    assert sent >= 100_000
    assert world.times(Lost) == 10, "only resets of the board break the link"
    assert world.times(InputsReported) == 20, "only resets lose events, and tell it"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(extent(1, 20)))
def test_a_hundred_thousand_messages_over_a_line_of_one_percent_damage(seed: int) -> None:
    hundred_thousand_messages(World(), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, extent(21, 23)))
def test_so_does_the_firmware(portable: ctypes.CDLL, seed: int) -> None:
    hundred_thousand_messages(World(partial(CBoard, portable)), seed)
