"""Every fault does what it says, and ends by itself or by its name."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from games.dice import KINDS
from hardware.simulated.die import Lying, about, on_table, settled
from hardware.simulated.faults import FAULTS, FaultError, described, parse
from hardware.simulated.places import TOUCH_MM, clear, gap_mm, off_level_deg, on_markers, overlap
from hardware.simulated.tray import RIM_HIGH_MM, TRAY_MM
from tests.extent import extent
from tests.hardware.simulated.tables import change, frame, pixels, world
from tests.hardware.simulated.truth import truth

NOISE = 6


def is_supported(lying: Lying, others: list[Lying]) -> bool:
    """Whether anything besides the floor touches the die: another die or the wall."""
    beside = TRAY_MM[0] / 2 - float(np.abs(lying.pose.placed(lying.die)[:, 0]).max())
    beyond = TRAY_MM[1] / 2 - float(np.abs(lying.pose.placed(lying.die)[:, 1]).max())
    return min(beside, beyond) < TOUCH_MM or any(gap_mm(lying, other) < TOUCH_MM for other in others)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flikker", "there is no fault 'flikker': did you mean flicker"),
        ("", "there is no fault '': the faults are leaning, touching"),
        ("flicker:much", "flicker:much: N must be a number from 0.05 to 1 (the light flickers"),
        ("flicker:", "flicker:: N must be a number"),
        ("flicker:2", "flicker:2: N must be a number from 0.05 to 1"),
        ("flicker:nan", "flicker:nan: N must be a number"),
        ("dark:inf", "dark:inf: N must be a number from 0.1 to 600"),
        ("leaning:1.5", "leaning:1.5: N must be a whole number from 1 to 8"),
        ("leaning:0", "leaning:0: N must be a whole number from 1 to 8"),
        ("leaning:24-14", "leaning:24-14: A-B must be degrees from 1 to 45, such as 14-24"),
        ("leaning:0-14", "leaning:0-14: A-B must be degrees"),
        ("leaning:-14", "leaning:-14: A-B must be degrees"),
        ("leaning:3-nan", "leaning:3-nan: A-B must be degrees"),
        ("sticks:seat9.ok", "sticks:seat9.ok: N must be a control of the panel, such as seat1.ok"),
    ],
)
def test_an_invalid_fault_gives_one_line(text: str, told: str) -> None:
    with pytest.raises(FaultError) as error:
        parse(text)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_every_fault_can_be_named_with_and_without_its_argument() -> None:
    for name, kind in FAULTS.items():
        fault = parse(name)
        assert fault.name == name
        assert parse(str(fault)) == fault
        assert kind.line
    assert len(described()) == len(FAULTS)
    assert parse("sticks:table.menu").arg == "table.menu"
    angles = parse("leaning:6-12.5")
    assert angles.tilts_deg == (6, 12.5)
    assert parse(str(angles)) == angles
    assert angles.description == "two to four of the dice come to rest tilted by 6-12.5 degrees"
    assert parse("leaning:2").tilts_deg is None


def test_the_documentation_has_every_fault() -> None:
    page = (Path(__file__).parents[3] / "docs" / "simulated-table.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{kind.name}` | {kind.line} | {kind.usual} |" for kind in FAULTS.values()]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_by_its_name_and_by_itself(name: str) -> None:
    made = world()
    fault = parse(name)
    made.inject(fault, after_s=1)
    assert made.faults.all(made.clock.now_s()) == []
    made.clock.sleep(1.05)
    assert made.faults.all(made.clock.now_s()) == [fault]
    made.clear(name)
    assert made.faults.all(made.clock.now_s()) == []
    made.inject(fault)
    made.throw(["d6"] * 3)
    made.clock.sleep(0 if fault.kind.part == "throw" else fault.lasts_s)
    assert made.faults.all(made.clock.now_s()) == []
    made.inject(fault, after_s=5)
    made.clear()
    made.clock.sleep(5.1)
    assert made.faults.all(made.clock.now_s()) == []


@pytest.mark.parametrize("real", [False, True])
def test_dice_lean(real: bool) -> None:
    if real:
        pytest.importorskip("mujoco")
    thrown = world(1, "leaning:2", real=real).throw(["d6"] * 5)
    assert [d.value for d in thrown].count(None) >= 2


@pytest.mark.parametrize("seed", range(extent(2, 6)))
@pytest.mark.parametrize("angles", ["6-12", "12-20"])
def test_two_to_four_dice_lean_by_what_is_said_and_something_holds_each(seed: int, angles: str) -> None:
    low, high = (float(part) for part in angles.split("-"))
    thrown = world(seed, f"leaning:{angles}").throw(KINDS)
    cocked = [die for die in thrown if die.value is None]
    assert 2 <= len(cocked) <= 4
    for die in cocked:
        others = [other for other in thrown if other is not die]
        assert low - 0.2 <= off_level_deg(die) <= high + 0.2
        assert is_supported(die, others)
        assert clear(die, others)
        assert die.pose.placed(die.die)[:, 2].min() == pytest.approx(0, abs=1e-6)


def test_a_die_that_is_alone_leans_on_the_wall() -> None:
    (die,) = world(3, "leaning").throw(["d8"])
    assert is_supported(die, [])


@pytest.mark.parametrize(("apart", "gap"), [(20.0, 4.0), (16.0, 0.0), (12.0, -4.0)])
def test_how_far_two_dice_are_apart(apart: float, gap: float) -> None:
    die = replace(world().pick(["d6"], set())[0], scale=1.0)
    one, other = (settled(die, on_table(die, np.eye(3), x, 0.0)) for x in (0.0, apart))
    assert gap_mm(one, other) == pytest.approx(gap)


def test_dice_that_lie_in_one_another_overlap_however_they_are_turned() -> None:
    rng, die = np.random.default_rng(1), replace(world().pick(["d6"], set())[0], scale=1.0)
    for _ in range(300):
        one, other = (
            settled(die, on_table(die, nearly_flat(rng), *rng.uniform(-4, 4, 2).tolist())) for _ in range(2)
        )
        assert overlap(one, other)


def nearly_flat(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A turn on the floor, off the level by as little as physics leaves a die at rest."""
    axis = rng.normal(size=3)
    tilt = about(axis / np.linalg.norm(axis), 10 ** rng.uniform(-9, -2))
    return np.asarray(tilt @ about(np.array([0.0, 0.0, 1.0]), rng.uniform(0, 2 * np.pi)))


def test_dice_touch() -> None:
    thrown = world(1, "touching:3").throw(["d6"] * 4)
    near = min(
        float(np.linalg.norm(np.subtract(a.at_mm, b.at_mm))) for a in thrown for b in thrown if a is not b
    )
    assert near < 1.5 * 16 * thrown[0].die.scale
    assert all(d.value for d in thrown)


@pytest.mark.parametrize("seed", range(extent(1, 12)))
@pytest.mark.parametrize("fault", ["touching:3", "leaning:3"])
def test_dice_that_are_moved_together_do_not_lie_in_one_another(seed: int, fault: str) -> None:
    thrown = world(seed, fault).throw(KINDS)
    apart = [gap_mm(one, other) for one, other in combinations(thrown, 2)]
    assert min(apart) > -0.5


def test_dice_leave_the_tray() -> None:
    made = world(1, "lost", "on_rim:2")
    thrown = made.throw(["d6"] * 5)
    made.settle()
    assert len(thrown) == len(made.lying) == len(truth(made).dice) == 2
    heights = sorted(d.pose.placed(d.die)[:, 2].min() for d in made.astray)
    assert heights == pytest.approx([0, RIM_HIGH_MM, RIM_HIGH_MM])
    made.throw(["d6"])
    assert made.astray == []


def test_a_die_lies_on_a_marker() -> None:
    made = world(1, "on_marker")
    made.throw(["d6"] * 3)
    made.settle()
    assert truth(made).occluded
    assert len(truth(made).dice) == 3


def test_no_die_comes_to_rest_on_a_marker_where_another_lies() -> None:
    made = world(1)
    first, then = made.pick(["d6"] * 3, set()), made.pick(["d8"] * 2, set())
    there = on_markers(made.chance, first, [])
    assert [lying.die for lying in there] == first
    added = on_markers(made.chance, then, there)
    assert [lying.die for lying in added] == then[:1]
    assert not any(overlap(one, other) for one, other in combinations([*there, *added], 2))


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("wrong_kind:2", {"d6": 2}),
        ("too_many:3", {"d6": 7}),
        ("too_few:1", {"d6": 3}),
        ("too_few:8", {}),
    ],
)
def test_the_wrong_dice_are_thrown_once(fault: str, kinds: dict[str, int]) -> None:
    made = world(1, fault)
    thrown = [d.kind for d in made.throw(["d6"] * 4)]
    assert {kind: thrown.count("d6") for kind in ("d6",) if "d6" in thrown} == kinds
    assert [d.kind for d in made.throw(["d6"] * 4)] == ["d6"] * 4


def test_a_nudged_die_shows_the_same_elsewhere() -> None:
    made = world(1)
    (before,) = made.throw(["d12"])
    made.settle()
    made.inject(parse("nudge:20"))
    made.settle()
    (after,) = made.lying
    assert after.value == before.value
    assert np.hypot(*np.subtract(after.at_mm, before.at_mm)) == pytest.approx(20)
    assert [d.lying for d in truth(made).dice] == [after]


@pytest.mark.parametrize(
    "fault",
    [
        "hand",
        "drift:0.3",
        *(
            pytest.param(fault, marks=pytest.mark.slow)
            for fault in ("covered", "dark", "flicker:1", "glare", "bump")
        ),
    ],
)
def test_what_the_camera_sees_changes_and_comes_back(fault: str) -> None:
    made = world(3)
    made.throw(["d6"])
    made.settle()
    usual = pixels(made)
    made.inject(parse(fault))
    changes = []
    for _ in range(8):
        made.clock.sleep(parse(fault).lasts_s / 10)
        changes.append(change(pixels(made), usual))
    made.clock.sleep(60)
    back = change(pixels(made), usual)
    assert back < NOISE
    assert max(changes) > back + 0.4


@pytest.mark.parametrize(
    ("fault", "sign"),
    [("hand", "hand"), ("covered", "occluded"), ("dark", "unlit"), ("bump", "camera_moved")],
)
def test_the_truth_says_what_keeps_an_eye_from_reading(fault: str, sign: str) -> None:
    made = world(3, fault)
    made.clock.sleep(1)
    assert getattr(truth(made), sign)
    assert not truth(made).settled
    made.clock.sleep(60)
    assert truth(made).settled


def test_a_bumped_camera_shows_dice_where_the_truth_says() -> None:
    made = world(3)
    made.throw(["d6"], values=[1])
    made.settle()
    (before,) = truth(made).dice
    made.inject(parse("bump:3"))
    made.clock.sleep(2)
    (after,) = truth(made).dice
    turned = pixels(made)
    moved = np.subtract(after.box[:2], before.box[:2])
    assert np.hypot(*moved) > 20
    x, y, wide, tall = after.box
    middle = turned[y + tall // 4 : y + 3 * tall // 4, x + wide // 4 : x + 3 * wide // 4]
    made.clear("bump")
    x, y, wide, tall = before.box
    was = pixels(made)[y + tall // 4 : y + 3 * tall // 4, x + wide // 4 : x + 3 * wide // 4]
    assert abs(float(middle.mean()) - float(was.mean())) < 8


def test_frames_come_late() -> None:
    made = world(3)
    frame(made)
    made.inject(parse("late:0.5"))
    late = frame(made)
    assert made.clock.now_s() - late.time_s == pytest.approx(0.5, abs=0.05)
    made.throw(["d6"])
    made.clock.sleep(0.4)
    assert change(pixels(made), late.pixels) < NOISE  # what was thrown is not seen yet
    made.clear()
    assert made.clock.now_s() - frame(made).time_s < 0.05


def test_frames_are_torn() -> None:
    made = world(3)
    made.throw(["d20"])
    made.clock.sleep(0.3)
    before = pixels(made)
    made.inject(parse("torn:0.5"))
    torn = pixels(made)
    assert np.array_equal(torn[360:], before[360:])
    assert not np.array_equal(torn[:360], before[:360])
    made.settle()
    pixels(made)
    assert change(pixels(made)[360:], before[360:]) > 0.5  # the frame before, not the first of all


def test_frames_are_doubled() -> None:
    made = world(3, "doubled:3")
    frames = [frame(made) for _ in range(9)]
    same = [np.array_equal(a.pixels, b.pixels) for a, b in pairwise(frames)]
    assert same.count(True) >= 5
    assert same.count(False) >= 2
    assert all(a.time_s < b.time_s for a, b in pairwise(frames))


def test_a_stuck_camera_shows_what_was() -> None:
    made = world(3)
    before = frame(made)
    made.inject(parse("stuck:5"))
    made.throw(["d20"] * 3)
    made.settle()
    stuck = frame(made)
    assert stuck.time_s > before.time_s + 1
    assert np.array_equal(stuck.pixels, before.pixels)
    made.clear("stuck")
    newer = frame(made)
    assert not np.array_equal(newer.pixels, before.pixels)
    shown_s = [made.camera.shown_s(each.time_s) for each in (before, stuck, newer)]
    assert shown_s == [before.time_s, before.time_s, newer.time_s]


@pytest.mark.parametrize(("fault", "said"), [("unplugged:2", True), ("hangs:2", False)])
def test_a_camera_that_gives_nothing_comes_back(fault: str, said: bool) -> None:
    made = world(3)
    last = frame(made).time_s
    made.inject(parse(fault))
    assert (made.camera.degraded is not None) == said
    before = made.clock.now_s()
    assert made.camera.frame(0.5) is None
    assert made.clock.now_s() - before == pytest.approx(0.5)
    taken = made.camera.frame(5)
    assert taken is not None
    assert taken.time_s > last
    assert made.clock.now_s() - before == pytest.approx(2, abs=0.1)
    assert made.camera.degraded is None
