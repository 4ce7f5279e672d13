"""The reader on simulated frames: perspective, shading, shadows and noise, judged by the table's truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dicetable.simulated.judge import judge, reading_of
from games.dice import KINDS
from hardware.simulated.die import Lying, about, on_table
from hardware.simulated.picture import SPAN_MM
from hardware.simulated.places import cocked, on_markers
from tests.extent import extent
from tests.hardware.simulated.tables import pixels, world
from tests.vision.a_reader import READER, read_dice
from tests.vision.drawing import sure_values
from vision.foreground import difference
from vision.reading import Doubt, inside
from vision.recognition.cocked import Contacts
from vision.tray.camera import CameraPose
from vision.tray.markers import find_markers
from vision.tray.pose import learn

if TYPE_CHECKING:
    from hardware.simulated.die import Die
    from hardware.simulated.world import World
    from vision.reading import Box, Image, Reading


@cache
def table(seed: int, count: int = 6) -> tuple[World, Image, Image]:
    """Thrown dice that lie still; the frame of the empty table before, and of the dice."""
    made = world(seed)
    background = pixels(made)
    if count:
        made.throw(["d6"] * count)
        made.settle()
    return made, background, pixels(made)


@cache
def leaning(seed: int, degrees: float) -> tuple[World, Image]:
    """Dice that lean on something that is not seen, each another way, with the values they had flat."""
    made = world(seed)
    flat = made.throw(["d6"] * 6)
    made.lay([tilted(die, degrees, 0.65 * i) for i, die in enumerate(flat)])
    made.settle()
    return made, pixels(made)


def tilted(flat: Lying, degrees: float, toward: float) -> Lying:
    tilt = about(np.array([np.cos(toward), np.sin(toward), 0.0]), float(np.deg2rad(degrees)))
    return Lying(flat.die, on_table(flat.die, tilt @ flat.pose.turn, *flat.at_mm), flat.value)


@pytest.mark.parametrize("seed", range(extent(2, 8)))
def test_a_throw_is_read_without_a_wrong_die(seed: int) -> None:
    made, _, frame = table(seed)
    verdict = judge(made, made.lying, read_dice(frame))
    assert verdict.wrong == 0
    assert verdict.right >= 5


@pytest.mark.parametrize("seed", range(extent(1, 8)))
def test_the_boxes_of_dice_that_lie_as_they_lay_stay_however_often_they_are_read(seed: int) -> None:
    frame = table(seed)[2]
    first = reading = READER.read(frame)
    for _ in range(3):
        reading = READER.read(frame, lying=[die.box for die in reading.dice if die.sure])
    assert {die.box for die in first.dice if die.sure} <= {die.box for die in reading.dice}


def test_dice_are_read_that_lie_over_the_markers() -> None:
    made = world(70000)
    background = pixels(made)
    thrown = made.throw(["d4", "d8", "d10", "d12"])
    made.lay(on_markers(np.random.default_rng(70000), [one.die for one in thrown], ()))
    made.settle()
    reading = READER.read(pixels(made), learn(find_markers(background)), background)
    verdict = judge(made, made.lying, reading)
    assert (verdict.right, verdict.wrong) == (3, 0)


@pytest.mark.parametrize("seed", range(40, extent(41, 43)))
def test_blank_dice_of_any_kind_are_never_sure(seed: int) -> None:
    made = world(seed)
    background = pixels(made)
    thrown = made.throw(KINDS)
    made.lay([replace(one, die=unmarked(one.die)) for one in thrown])
    made.settle()
    blank = READER.read(pixels(made), learn(find_markers(background)), background).dice
    assert len(blank) >= 4
    assert [die for die in blank if die.sure] == []


def unmarked(die: Die) -> Die:
    return replace(die, look=replace(die.look, ink=die.look.body))


def free(frame: Image, background: Image, *, calibrated: bool = True) -> dict[Box, bool]:
    """Each die that is found in the frame, and whether it touches nothing."""
    tray = learn(find_markers(background)) if calibrated else None
    assert (tray is not None) is calibrated
    found = [one for one in READER.recognize(frame) if one.detection.score > 0.5]
    touching = Contacts(frame, difference(frame, background), tray).touching(found)
    boxes = [inside(one.detection, one.frame) for one in found]
    return {box: not held for box, held in zip(boxes, touching, strict=True)}


def test_a_die_touches_another_or_whatever_lies_beside_it() -> None:
    _, background, frame = table(4)
    alone = free(frame, background)
    near = {(855, 111), (953, 232)}
    assert {box[:2]: free for box, free in alone.items()} == {box[:2]: box[:2] not in near for box in alone}
    assert sum(alone.values()) == 4
    beside = frame.copy()
    for (x, y, w, h), nothing in alone.items():
        if nothing:
            beside[y + h : y + h + 40, x : x + w] = (20, 20, 220)
    assert list(free(beside, background).values()) == [False] * 6


@pytest.mark.parametrize("calibrated", [True, False])
def test_a_die_at_the_wall_touches_it(*, calibrated: bool) -> None:
    _, background, frame = table(5)
    held = sorted(box[:2] for box, free in free(frame, background, calibrated=calibrated).items() if not free)
    at_wall = [(457, 84), (723, 69), (1056, 346)]
    assert all(any(np.hypot(x - u, y - v) < 5 for u, v in held) for x, y in at_wall)
    assert not calibrated or len(held) == 3


def test_where_no_wall_can_be_told_a_die_is_not_surely_flat() -> None:
    _, background, frame = table(5)
    noise = np.random.default_rng(1).integers(0, 255, frame.shape, np.uint8)
    for floor, seen in ((frame, True), (noise, False)):
        contacts = Contacts(floor, difference(floor, background), thrown=lambda _: True)
        assert contacts.surely_flat((500, 300, 40, 40)) is seen
    assert not Contacts(frame).surely_flat((500, 300, 40, 40))


def test_the_tops_of_flat_dice_point_straight_up() -> None:
    made, background, frame = table(3)
    tray = learn(find_markers(background))
    assert tray is not None
    eye, view = made.view.eye_mm, made.view
    nadir = view.project(np.array([[*eye[:2], 0.0]]))[0]
    camera = CameraPose(view.focal, 0.0, nadir, eye[:2], float(eye[2]))
    tops = READER.read(frame, tray, background).tops
    off = [np.array(one.top) - camera.plumb(one.pixel, frame.shape) for one in tops]
    assert len(tops) >= 5
    assert np.degrees(np.median(np.linalg.norm(off, axis=1))) < 4


def test_a_camera_mounted_aside_or_upside_down_reads_the_same() -> None:
    _, _, frame = table(0)
    upright = Counter(sure_values(read_dice(frame).dice))
    assert upright.total() >= 5
    for quarters in (1, 2, 3):
        turned = Counter(sure_values(read_dice(np.ascontiguousarray(np.rot90(frame, quarters))).dice))
        assert (turned - upright).total() + (upright - turned).total() <= 2


@pytest.mark.parametrize("seed", range(extent(1, 3)))
def test_a_table_without_dice_holds_nothing_sure(seed: int) -> None:
    _, _, frame = table(seed, 0)
    assert sure_values(read_dice(frame).dice) == []


def wrong(seed: int, degrees: float) -> list[Lying]:
    """The leaning dice that are sure with another value than they had flat."""
    made, frame = leaning(seed, degrees)
    dice = read_dice(frame).dice
    seen = [(die, reading_of(made, die, dice)) for die in made.lying]
    return [die for die, read in seen if read and read.sure and read.value != die.value]


@pytest.mark.parametrize("seed", range(extent(1, 3)))
@pytest.mark.parametrize("degrees", [15.0, 25.0])
def test_a_die_that_leans_a_little_is_never_sure_with_another_value(seed: int, degrees: float) -> None:
    assert wrong(seed, degrees) == []


def test_a_die_that_leans_far_is_never_sure_with_another_value() -> None:
    assert [
        die for seed in range(extent(1, 2)) for degrees in (35.0, 40.0) for die in wrong(seed, degrees)
    ] == []


@cache
def on_edges(seed: int) -> tuple[list[Lying], Reading]:
    """Six dice of which every other stands on its edge against another or the wall; first those on edges."""
    made = world(seed)
    flat = made.throw(["d6"] * 6)
    made.settle()
    rng = np.random.default_rng(seed)
    edged: list[Lying] = []
    for die in flat[::2]:
        edged.append(cocked(rng, die, [*flat[1::2], *edged], (43.0, 45.0)))
    made.lay([*edged, *flat[1::2]])
    made.settle()
    return edged, read_dice(pixels(made))


@pytest.mark.parametrize("seed", range(extent(2, 4)))
def test_a_die_on_its_edge_is_never_sure(seed: int) -> None:
    edged, reading = on_edges(seed)
    found = [die for die in reading.dice if die.sure]
    assert not [read for die in edged if (read := reading_of(world(seed), die, found))]


def test_the_width_of_the_scene_takes_nothing_away() -> None:
    _, _, frame = table(0)
    assert read_dice(frame, tray_mm=SPAN_MM) == read_dice(frame)


@pytest.mark.parametrize("seed", range(extent(2, 3)))
def test_a_picture_of_the_empty_table_adds_nothing_wrong(seed: int) -> None:
    made, background, frame = table(seed)
    assert judge(made, made.lying, read_dice(frame, background=background)).wrong == 0


def test_a_picture_of_the_empty_table_takes_nothing_away() -> None:
    _, background, frame = table(0)
    assert sure_values(read_dice(frame, background=background).dice) == sure_values(read_dice(frame).dice)


def test_what_was_thrown_or_came_to_where_the_tray_was_bare_is_no_picture() -> None:
    _, _, frame = table(0)
    plain = next(one for one in READER.recognize(frame) if [die.sure for die in READER.judged(one)] == [True])
    doubts = []
    for no_die in (0.0, 0.3, 0.6):
        seen = plain._replace(prediction=replace(plain.prediction, no_die=no_die))
        (before,) = READER.judged(seen)
        (thrown,) = READER.judged(seen, thrown=lambda _: True)
        (came,) = READER.judged(seen, changed=lambda _: True)
        doubts.append((before.doubt, thrown.doubt, came.doubt))
    print_or_token = Doubt.PRINT_OR_TOKEN
    assert doubts == [(None, None, None), (print_or_token, None, None), (print_or_token, None, None)]


def test_a_legible_die_that_is_hardly_detected_is_told_where_the_tray_has_changed() -> None:
    _, _, frame = table(0)
    best = READER.recognize(frame)[0]
    weak = best._replace(detection=replace(best.detection, score=0.2), tilted=True)
    assert not list(READER.judged(weak))
    (told,) = READER.judged(weak, changed=lambda _: True)
    assert told.doubt is Doubt.COCKED
