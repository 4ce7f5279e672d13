"""Three early deaths lead to safe mode; a proven start ends it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.service.systemd import CountFile, CrashLoop
from tests.dicetable.service.fakes import Memory

if TYPE_CHECKING:
    from pathlib import Path

YOUNG = ("dies before ready", "dies at 9.9 s")
PROVEN = ("dies at 10 s", "accepts and dies")
ENDS = (*YOUNG, *PROVEN, "stops early")


def live(count: CountFile, end: str) -> bool:
    """One start and its end; whether it was a safe one."""
    starts = CrashLoop(count)
    safe = starts.begin()
    assert starts.safe is safe
    if end == "dies before ready":
        return safe
    starts.ready(100.0)
    starts.tick(109.9)
    if end == "accepts and dies":
        starts.accepted()
        starts.accepted()
    if end == "stops early":
        starts.stopped()
    if end == "dies at 10 s":
        starts.tick(110.0)
        starts.tick(110.1)
    return safe


@pytest.mark.parametrize("end", YOUNG)
def test_three_early_deaths_lead_to_safe_mode(end: str) -> None:
    count = Memory()
    assert [live(count, end) for _ in range(6)] == [False, False, False, True, True, True]


@pytest.mark.parametrize("end", PROVEN)
def test_a_proven_start_between_them_does_not(end: str) -> None:
    count = Memory()
    for _ in range(4):
        assert not any(live(count, death) for death in ("dies at 9.9 s", "dies before ready", end))


def test_a_start_that_is_stopped_early_neither_counts_nor_forgives() -> None:
    count = Memory()
    assert not any(live(count, end) for end in ("stops early",) * 5)
    tale = ("dies at 9.9 s", "stops early", "dies at 9.9 s", "stops early", "dies at 9.9 s")
    assert not any(live(count, end) for end in tale)
    assert live(count, "stops early")
    assert live(count, "accepts and dies")
    assert not live(count, "dies at 9.9 s")


def test_a_safe_start_that_lives_allows_one_normal_try() -> None:
    count = Memory()
    for _ in range(3):
        live(count, "dies at 9.9 s")
    assert live(count, "dies at 10 s")
    assert not live(count, "dies at 9.9 s")
    assert live(count, "dies at 10 s")
    assert not live(count, "dies at 10 s")
    assert [live(count, "dies at 9.9 s") for _ in range(4)] == [False, False, False, True]


@given(st.lists(st.sampled_from(ENDS), max_size=40))
def test_never_safe_without_three_deaths_nor_after_a_proof(tale: list[str]) -> None:
    count = Memory()
    safe = [live(count, end) for end in tale]
    deaths = 0
    for end, was_safe in zip(tale, safe, strict=True):
        if was_safe:
            assert deaths >= 3
        if end in YOUNG:
            deaths += 1
        elif end in PROVEN and not (was_safe and end == "dies at 10 s"):
            deaths = 0
    for (end, was_safe), (_, next_safe) in pairwise(zip(tale, safe, strict=True)):
        assert not (end in PROVEN and next_safe)
        assert not (was_safe and end not in PROVEN and not next_safe)


def test_the_count_is_kept_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "starts"
    assert [live(CountFile(file), "dies at 9.9 s") for _ in range(4)] == [False, False, False, True]
    assert [path.name for path in tmp_path.iterdir()] == ["starts"]


@pytest.mark.parametrize(
    "content", [b"", b"\0\0\0", b"-1\n", b"\xff\xfe", b"9999999999999999", b"x" * 5000, b"3.5"]
)
def test_a_damaged_file_never_keeps_the_table_from_starting(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "starts"
    file.write_bytes(content)
    assert CountFile(file).read() in range(4)
    live(CountFile(file), "dies at 10 s")
    assert CountFile(file).read() in range(3)


def test_a_failing_disk_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder_in_the_way = tmp_path / "starts"
    folder_in_the_way.mkdir()
    assert not live(CountFile(folder_in_the_way), "accepts and dies")
    assert not live(CountFile(tmp_path / "absent" / "starts"), "accepts and dies")
    assert "starts_file=" in caplog.text
