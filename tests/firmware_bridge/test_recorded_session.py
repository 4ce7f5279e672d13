from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.recorded_session import KEPT_FRAMES, LONGEST_FRAME_BYTES, FrameLog


@given(st.lists(st.binary(min_size=1, max_size=70).filter(lambda frame: 0 not in frame)), st.integers(1, 30))
def test_frames_are_kept_whole_however_they_arrive(frames: list[bytes], piece: int) -> None:
    log = FrameLog(most=1000)
    stream = b"".join(frame + b"\0" for frame in frames)
    for at in range(0, len(stream), piece):
        log.take("<", stream[at : at + piece], 5.0)
    assert list(log.drain(7.0)) == [f"-2.000<{frame.hex()}" for frame in frames]
    assert log.drain(7.0) == []


def test_only_the_newest_frames_are_kept_of_both_ways() -> None:
    log = FrameLog()
    for number in range(1000):
        log.take(
            "<" if number % 2 else ">", number.to_bytes(2, "little").replace(b"\0", b"\1") + b"\0", number
        )
    told = log.drain(999.0)
    assert len(told) == KEPT_FRAMES
    assert [line[0:4] for line in told[-2:]] == ["-1.0", "+0.0"]
    assert {line[6] for line in told[-2:]} == {"<", ">"}


def test_noise_without_an_end_is_not_hoarded() -> None:
    log = FrameLog()
    for _ in range(1000):
        log.take("<", b"\xff" * 1000, 0.0)
    assert len(log.begun["<"]) == LONGEST_FRAME_BYTES
    assert log.drain(0.0) == []
