"""The tracker: one identity for each die, through meetings, partings and hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.motion.scenes import DIE_PX, FPS, At, classes, times, way
from vision.motion.segmentation import DIE, OTHER
from vision.motion.tracks import Tracker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.segmentation import Classes


def tracked(frames: Sequence[Classes], fps: float = FPS) -> tuple[Tracker, list[list[int]]]:
    """The tracker after these frames, and the numbers of the dice in each, from left to right."""
    tracker, numbers = Tracker(DIE_PX), []
    for frame, time_s in zip(frames, times(frames, fps=fps), strict=True):
        nowhere = np.zeros(frame.shape, np.bool_)
        tracker.see(frame, nowhere, nowhere, time_s)
        seen = [one for one in tracker.tracks if one.seen_s == time_s]
        numbers.append([one.number for one in sorted(seen, key=lambda one: one.path[-1].at)])
    return tracker, numbers


def test_a_rolling_die_keeps_its_number_and_comes_to_rest() -> None:
    places = [*way((20, 20), (120, 60), 12), *[(120.0, 60.0)] * 6]
    tracker, numbers = tracked([classes([at]) for at in places])
    assert numbers == [[1]] * len(places)
    (track,) = tracker.tracks
    assert [point.time_s for point in track.path if point.step_px][-1] == 11 / FPS
    assert track.lies
    assert sum(point.step_px for point in track.path) > 90


def test_dice_that_cross_keep_their_numbers() -> None:
    one, other = way((20, 30), (130, 60), 14), way((20, 62), (130, 32), 14)
    tracker, numbers = tracked([classes([a, b]) for a, b in zip(one, other, strict=True)])
    assert sorted(numbers[-1]) == [1, 2]
    ends = {track.number: track.path[-1].at[1] for track in tracker.tracks}
    first = tracker.tracks[0]
    assert abs(ends[first.number] - (60 if first.path[0].at[1] < 40 else 32)) < 4


def test_dice_that_leave_the_hand_as_one_blob_share_what_they_went_through() -> None:
    together = [classes([(x, 40.0), (x + 6, 44.0)]) for x, _ in way((20, 0), (60, 0), 4)]
    apart = [
        classes([a, b]) for a, b in zip(way((60, 40), (90, 20), 5), way((66, 44), (96, 70), 5), strict=True)
    ]
    tracker, numbers = tracked([*together, *apart])
    assert len(numbers[0]) == 1
    assert len(numbers[-1]) == 2
    assert all(len(track.path) == 9 for track in tracker.tracks)
    assert all(sum(point.step_px for point in track.path) > 40 for track in tracker.tracks)


def test_a_die_that_another_rolls_into_keeps_its_number() -> None:
    rolls = [*way((20, 40), (91, 40), 10), *[(91.0, 40.0)] * 5]
    _, numbers = tracked([classes([(100.0, 40.0), at]) for at in rolls])
    assert sorted(numbers[-1]) == [1, 2]


def test_a_die_under_a_hand_keeps_its_number_and_one_that_was_taken_loses_it() -> None:
    lies, covered = classes([(60, 50)]), classes([], [(60, 40, 80)])
    stays = [lies] * 3 + [covered] * 30 + [lies]
    assert tracked(stays)[1][-1] == [1]
    bare = round(0.15 * FPS) + 2
    taken = [lies] * 3 + [covered] * 10 + [classes()] * bare + [lies]
    tracker, numbers = tracked(taken)
    assert numbers[-1] == [2]
    assert len(tracker.tracks) == 1


@pytest.mark.parametrize(("rows", "hidden"), [(2, False), (4, True)])
def test_a_hand_over_a_third_of_a_die_hides_it(rows: int, hidden: bool) -> None:
    tracker, _ = tracked([classes([(60, 50)])])
    (track,) = tracker.tracks
    x, y, w, _ = track.blob.box
    frame = classes([(60, 50)])
    frame[y : y + rows, x : x + w] = OTHER
    assert track.blob.box[3] in (10, 11)
    assert track.is_hidden(frame) is hidden


@pytest.mark.parametrize(("far", "number"), [(20, 1), (40, 2)])
def test_what_appears_two_widths_away_is_the_die_and_four_widths_away_is_another(
    far: int, number: int
) -> None:
    _, numbers = tracked([classes([(60, 50)]), classes([(60 + far, 50)])])
    assert numbers[-1] == [number]


@pytest.mark.parametrize(("step", "lies"), [(1.0, True), (1.5, False)])
def test_a_die_that_creeps_by_a_tenth_of_its_width_lies_still(step: float, lies: bool) -> None:
    tracker, _ = tracked([classes([(60 + number * step, 50)]) for number in range(6)])
    assert tracker.tracks[0].lies is lies


@pytest.mark.parametrize(("side", "found"), [(3, False), (5, True)])
def test_a_blob_of_a_tenth_of_a_die_is_noise(side: int, found: bool) -> None:
    frame = classes()
    frame[40 : 40 + side, 60 : 60 + side] = DIE
    assert bool(tracked([frame])[0].tracks) is found


def test_a_die_beside_a_hand_is_not_clear_of_it() -> None:
    tracker, _ = tracked([classes([(60, 50)], [(60, 40, 45.5)])] * 2)
    assert not tracker.tracks[0].blob.clear
    tracker, _ = tracked([classes([(60, 50)], [(60, 40, 40)])] * 2)
    assert tracker.tracks[0].blob.clear


def test_a_die_that_leaves_a_resting_one_did_not_rest_there() -> None:
    lies, leaves = (60.0, 50.0), way((60, 57), (60, 90), 4)
    tracker, _ = tracked(
        [classes([lies])] * 5 + [classes([lies, (60.0, 57.0)])] + [classes([lies, at]) for at in leaves]
    )
    first, other = sorted(tracker.tracks, key=lambda one: one.number)
    assert (len(first.path), len(other.path)) == (10, 5)
    assert first.path[-1].at == pytest.approx(lies, abs=0.5)


def test_a_die_under_a_hand_is_not_taken_for_one_that_the_hand_throws() -> None:
    hand = (60.0, 16.0, 80.0)
    thrown = way((72, 45), (120, 20), 5)
    frames = (
        [classes([(60, 50)])] * 4
        + [classes([(60, 50), at], [hand]) for at in thrown]
        + [classes([(60, 50), thrown[-1]])]
    )
    tracker, _ = tracked(frames)
    ends = {track.number: round(track.path[-1].at[0]) for track in tracker.tracks}
    assert ends == {1: 60, 2: 120}


def test_things_that_met_are_told_apart_by_their_size() -> None:
    def spot(at: At) -> list[At]:
        return [(at[0] + x, at[1] + y) for x in (-5, 0, 5) for y in (-5, 0, 5)]

    rolls = [*way((110, 50), (54, 50), 5), *[(54.0, 50.0)] * 5]
    met = [classes([*spot((60.0, 50.0)), at]) for at in rolls]
    tracker, _ = tracked([*met, classes([*spot((54.0, 50.0)), (71.0, 50.0)])])
    large = max(tracker.tracks, key=lambda one: one.path[0].area)
    assert len(tracker.tracks) == 2
    assert large.path[-1].area > 200


def test_a_die_that_rolls_along_a_hand_that_stands_still_is_free() -> None:
    hand = [(60.0, 40.0, 45.5)]
    frame = classes([(60, 50)], hand)
    nowhere = np.zeros(frame.shape, np.bool_)
    for still, free in ((frame == OTHER, True), (nowhere, False)):
        tracker = Tracker(DIE_PX)
        tracker.see(frame, still, nowhere, 0.0)
        assert tracker.tracks[0].blob.free == free
        assert not tracker.tracks[0].blob.clear


def test_a_die_that_merges_with_something_large_has_not_moved_by_that() -> None:
    fingers: list[At] = [(60.0, 40.0 + i * (DIE_PX - 1)) for i in range(1, 5)]
    frames = [classes([(60.0, 40.0)])] * 4 + [classes([(60.0, 40.0), *fingers])] * 4
    tracker, _ = tracked(frames)
    (track,) = tracker.tracks
    assert track.path[-1].area > 3 * track.path[0].area
    assert not any(point.step_px for point in track.path)


def test_what_reaches_out_of_the_tray_is_known() -> None:
    frame = classes([(60.0, 40.0), (20.0, 40.0)])
    nowhere, beyond = np.zeros(frame.shape, np.bool_), np.zeros(frame.shape, np.bool_)
    beyond[:, :20] = True
    tracker = Tracker(DIE_PX)
    tracker.see(frame, nowhere, beyond, 0.0)
    assert {round(track.blob.at[0]): track.blob.reaches_out for track in tracker.tracks} == {
        60: False,
        20: True,
    }


def test_a_die_that_was_taken_for_one_that_lies_where_it_was_read_did_not_come_from_there() -> None:
    rests, comes = way((60, 40), (60, 40), 3), way((80, 40), (95, 40), 3)
    tracker, _ = tracked([classes([at]) for at in (*rests, *comes)])
    (track,) = tracker.tracks
    assert track.path_of_another(DIE_PX) == track.path
    track.read_at = (60.0, 40.0)
    other = track.path_of_another(DIE_PX)
    assert [point.time_s for point in other] == [point.time_s for point in track.path[3:]]
    assert track.path[3].step_px > 0
    assert other[0].step_px == 0
    assert other[1:] == track.path[4:]
