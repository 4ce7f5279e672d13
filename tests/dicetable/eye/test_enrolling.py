"""Enrolling dice under the table's camera: prompts, accepted pictures, rejected pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common import texts
from dicetable.eye.enrolling import shown
from dicetable.eye.stills import HEALING_S, PATIENCE_S, NoFramesError, next_frame
from games.dice import every_face
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World
from tests.vision.a_reader import READER
from vision.recognition.classifiers import SYMBOL_PX

if TYPE_CHECKING:
    from games.dice import Kind


@pytest.fixture
def world() -> World:
    made = World(3, VirtualClock(), real=False)
    made.camera.start()
    return made


class Shower:
    """Whoever lays dice there: at each sentence the next throw, of one kind that shows the value."""

    def __init__(self, world: World, *throws: tuple[list[Kind], list[int]] | None) -> None:
        self.world = world
        self.throws = list(throws)
        self.said: list[str] = []

    def __call__(self, text: str) -> None:
        """Obeys; at None, and when nothing is left to throw, the camera is unplugged."""
        self.said.append(text)
        if text == texts.rig.SHOW_EMPTY:
            return
        throw = self.throws.pop(0) if self.throws else None
        if throw is None:
            self.world.inject(parse("unplugged:60"))
        else:
            self.world.throw(throw[0], values=throw[1])


@pytest.mark.slow
def test_every_face_is_asked_for_taken_and_known_again(world: World) -> None:
    kinds: list[Kind] = ["d6"]
    person = Shower(world, *((kinds, [value]) for value in range(1, 7)))
    found = list(shown(world.camera, READER, every_face(["d6"]), person))
    assert person.said == [
        texts.rig.SHOW_EMPTY,
        *(texts.rig.show_face("d6", value) for value in range(1, 7)),
    ]
    assert [die for die, _ in found] == [("d6", value) for value in range(1, 7)]
    assert len({face.relief.tobytes() for _, face in found}) == 6


@pytest.mark.slow
def test_only_one_die_is_taken(world: World) -> None:
    person = Shower(world, (["d6", "d6"], [4, 4]), ([], []), (["d6"], [4]))
    ((die, face),) = shown(world.camera, READER, [("d6", 4)], person)
    assert die == ("d6", 4)
    assert face.relief.shape == (SYMBOL_PX * SYMBOL_PX,)
    assert person.said[1:] == [
        texts.rig.show_face("d6", 4),
        texts.rig.show_one(2),
        texts.rig.show_one(0),
    ]


@pytest.mark.slow
def test_a_face_that_looks_like_another_is_believed_the_second_time(world: World) -> None:
    person = Shower(world, (["d6"], [6]), (["d6"], [6]))
    ((die, _),) = shown(world.camera, READER, [("d6", 5)], person)
    assert die == ("d6", 5)
    assert person.said[1:] == [texts.rig.show_face("d6", 5), texts.rig.looks_like("d6", 6)]


def test_a_camera_that_fails_meanwhile_is_named(world: World) -> None:
    person = Shower(world, (["d6"], [1]), None)
    showing = shown(world.camera, READER, every_face(["d6"]), person)
    assert next(showing)[0] == ("d6", 1)
    with pytest.raises(NoFramesError, match="unplugged: plug it in"):
        next(showing)


def test_a_camera_that_says_nothing_is_named(world: World) -> None:
    world.inject(parse("hangs:60"))
    with pytest.raises(NoFramesError, match=texts.health.CAMERA_SILENT):
        next(shown(world.camera, READER, [("d6", 1)], lambda _: None))


@pytest.mark.parametrize(("fault", "waits_s"), [("unplugged:60", HEALING_S), ("hangs:60", PATIENCE_S)])
def test_a_camera_that_says_why_it_is_degraded_is_not_waited_for_long(
    world: World, fault: str, waits_s: float
) -> None:
    world.inject(parse(fault))
    begun_s = world.clock.now_s()
    with pytest.raises(NoFramesError):
        next_frame(world.camera)
    assert world.clock.now_s() - begun_s == pytest.approx(waits_s, abs=0.1)


@pytest.mark.parametrize("fault", ["unplugged:1.5", "hangs:9"])
def test_a_camera_that_comes_round_in_time_is_used(world: World, fault: str) -> None:
    begun_s = world.clock.now_s()
    world.inject(parse(fault))
    assert next_frame(world.camera).time_s - begun_s == pytest.approx(float(fault.partition(":")[2]), abs=1.1)
