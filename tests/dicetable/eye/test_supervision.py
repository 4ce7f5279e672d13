from __future__ import annotations

from dicetable.eye.process import LONGEST_PAUSE_S, Supervision


def test_a_child_that_dies_again_and_again_is_started_ever_more_rarely() -> None:
    supervision, now_s, pauses = Supervision(), 100.0, []
    for _ in range(8):
        assert supervision.to_start(now_s)
        supervision.started(now_s)
        supervision.sign(now_s + 1.0)
        supervision.ended(now_s + 2.0)
        assert not supervision.to_start(now_s + 2.0)
        pauses.append(supervision.restart_s - now_s - 2.0)
        now_s = supervision.restart_s
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


def test_a_child_that_lasted_is_started_again_at_once() -> None:
    supervision = Supervision(pause_s=LONGEST_PAUSE_S)
    supervision.started(0.0)
    supervision.sign(1.0)
    supervision.ended(3.0)
    assert supervision.to_start(3.0)


def watching() -> Supervision:
    """A child that gave its last sign of life at 10 s, and had waited 5 s for a processor by then."""
    supervision = Supervision()
    supervision.started(0.0)
    supervision.sign(10.0, 5.0)
    return supervision


def test_a_child_that_could_run_and_says_nothing_hangs() -> None:
    late_s = 13.0
    assert not watching().hangs(late_s, 5.0)
    assert watching().hangs(late_s + 0.1, 5.0)


def test_a_child_that_waits_for_a_processor_does_not_hang() -> None:
    late_s = 13.0
    assert not watching().hangs(late_s + 2.0, 7.0)
    assert watching().hangs(late_s + 2.1, 7.0)


def test_a_child_that_says_nothing_for_ever_hangs_on_the_busiest_machine() -> None:
    assert not watching().hangs(40.0, 35.0)
    assert watching().hangs(40.1, 35.1)
