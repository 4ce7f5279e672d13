"""Comparing a reading with the ground truth of the simulated table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dicetable.simulated.judge import NOT_FOUND, Score, judge
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World, box_in_frame
from tests.dicetable.simulated.true_reading import true_reading
from vision.reading import DieReading, Doubt, Reading


def world(count: int = 4) -> World:
    made = World(3, VirtualClock())
    made.throw(["d6"] * count)
    return made


LOW = Doubt.LOW_CONFIDENCE


def other(die: DieReading) -> DieReading:
    return replace(die, value=1 if die.value != 1 else 2)


def test_a_perfect_reading_is_right() -> None:
    made = world()
    assert judge(made, made.lying, true_reading(made)) == Score(4, 0, 0)


def test_what_is_missing_or_doubtful_is_asked() -> None:
    made = world()
    seen = true_reading(made).dice
    assert judge(made, made.lying, Reading(())) == Score(0, 4, 0)
    doubtful = (
        replace(seen[0], doubt=LOW),
        replace(other(seen[1]), doubt=LOW),
        *seen[3:],
    )
    verdict = judge(made, made.lying, Reading(doubtful))
    assert verdict == Score(1, 3, 0)
    assert verdict.doubts == {NOT_FOUND: 1, LOW: 2}


def test_a_sure_die_with_another_value_or_kind_is_wrong() -> None:
    made = world()
    seen = true_reading(made).dice
    assert judge(made, made.lying, Reading((other(seen[0]), *seen[1:]))) == Score(3, 0, 1)
    assert judge(made, made.lying, Reading((replace(seen[0], kind="d20"), *seen[1:]))) == Score(3, 0, 1)


def test_a_sure_die_that_is_not_there_is_wrong() -> None:
    made = world()
    seen = true_reading(made).dice
    nowhere = replace(seen[0], box=(0, 0, 5, 5))
    assert judge(made, made.lying, Reading((*seen, nowhere))) == Score(4, 0, 1)
    assert judge(made, made.lying, Reading((*seen, replace(nowhere, doubt=LOW)))) == Score(4, 0, 0)
    assert judge(made, made.lying, Reading((*seen, seen[0]))) == Score(4, 0, 1)


def test_a_cocked_die_that_is_read_is_wrong_whatever_is_read() -> None:
    made = World(7, VirtualClock())
    made.inject(parse("leaning:1"))
    made.throw(["d6", "d6"])
    made.settle()
    seen = true_reading(made).dice
    assert judge(made, made.lying, Reading(seen)) == Score(1, 1, 0, cocked=1)
    sure = tuple(replace(die, value=die.value or 1, doubt=None) for die in seen)
    verdict = judge(made, made.lying, Reading(sure))
    assert verdict == Score(1, 0, 1, wrong_cocked=1, cocked=1, cocked_sure=1)
    flat = [die for die in made.lying if die.value is not None]
    assert judge(made, flat, Reading(sure)) == Score(1, 0, 1, wrong_cocked=1)


def test_dice_set_aside_count_only_if_they_are_wrong() -> None:
    made = world()
    kept = made.lying[:2]
    thrown = made.throw(["d6"] * 2, kept)
    seen = {die.box: die for die in true_reading(made).dice}
    aside = next(die for die in seen.values() if judge(made, thrown, Reading((die,))).asked == 2)
    assert judge(made, thrown, Reading(tuple(seen.values()))) == Score(2, 0, 0)
    assert judge(made, thrown, Reading(tuple(d for d in seen.values() if d is not aside))) == Score(2, 0, 0)
    changed = tuple(replace(other(d)) if d is aside else d for d in seen.values())
    assert judge(made, thrown, Reading(changed)) == Score(2, 0, 1)


def test_a_die_that_hides_another_is_not_taken_for_that_one() -> None:
    made = world(2)
    above, hidden = made.lying
    x, y = above.pose.at_mm[:2]
    moved = replace(hidden, pose=replace(hidden.pose, at_mm=np.array([x + 3, y, hidden.pose.at_mm[2]])))
    for lying in ([above, moved], [moved, above]):
        made.lay(lying)
        made.settle()
        seen = next(die for die in true_reading(made).dice if die.value == above.value)
        assert judge(made, made.lying, Reading((seen,))) == Score(1, 1, 0)


def test_two_faces_of_a_cocked_die_are_two_wrong_ones_of_a_cocked_die() -> None:
    made = World(3, VirtualClock())
    made.inject(parse("leaning:30-35"))
    made.throw(["d6"] * 4)
    made.settle()
    cocked = next(die for die in made.lying if die.value is None)
    x, y, w, h = box_in_frame(cocked, made.view)
    flat = [die for die in true_reading(made).dice if die.value is not None and die.doubt is None]
    halves = [
        DieReading("d6", 2, 1.0, (x, y, w // 2, h)),
        DieReading("d6", 6, 1.0, (x + w // 2, y, w // 2, h)),
    ]
    verdict = judge(made, made.lying, Reading((*flat, *halves)))
    assert (verdict.wrong, verdict.wrong_cocked) == (2, 2)


def test_dice_are_looked_for_where_the_frame_shows_them() -> None:
    made = world()
    made.settle()
    shown_s, seen = made.clock.now_s(), true_reading(made)
    made.clock.sleep(0.1)
    made.inject(parse("bump:3"))
    made.clock.sleep(2.0)
    assert judge(made, made.lying, seen, shown_s) == Score(4, 0, 0)
    assert judge(made, made.lying, seen).wrong > 0
