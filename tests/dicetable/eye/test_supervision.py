from __future__ import annotations

from dicetable.eye.supervision import LONGEST_PAUSE_S, PROVEN_S, Supervision


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
    supervision.ended(1.0 + PROVEN_S)
    assert supervision.to_start(1.0 + PROVEN_S)
