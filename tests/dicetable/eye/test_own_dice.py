"""What was accepted teaches the eye, what was corrected no longer does, and no file can stop it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.eye.messages import Lesson, Retraction, TaughtDie
from dicetable.eye.own_dice import MOST_READINGS, OwnDice
from tests.vision.a_reader import READER
from tests.vision.drawing import one_die
from vision.reading import Settled
from vision.recognition.enrolled import EnrolledDice, Gallery

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reading import Image, Reading

DAY = "2026-11-25"


@pytest.fixture(scope="module")
def enrolled() -> EnrolledDice:
    faces = {value: one_die(value) for value in (3, 6)}
    return EnrolledDice.of(
        [
            (("d6", value), READER.prototype(frame, READER.detector.detect(frame)[0]))
            for value, frame in faces.items()
        ]
    )


@pytest.fixture(scope="module")
def leaning() -> tuple[Image, Reading]:
    """A three that looks otherwise than the enrolled one."""
    frame = one_die(3, degrees=35.0, lean=0.22)
    return frame, READER.read(frame)


@pytest.fixture
def own(tmp_path: Path, enrolled: EnrolledDice) -> OwnDice:
    observer: Any = SimpleNamespace(enrolled=None, reader=READER)
    (tmp_path / "own.npz").write_bytes(enrolled.packed())
    made = OwnDice(tmp_path / "own.npz", lambda: observer, lambda: DAY)
    made.refresh()
    return made


def see(own: OwnDice, seen: tuple[Image, Reading], time_s: float) -> None:
    frame, reading = seen
    own.saw(frame, Settled(reading, time_s))


def lesson(time_s: float, value: int = 3, *, row: int = 12, confirmed: bool = False) -> Lesson:
    return Lesson(time_s, row, 7, 4, (TaughtDie(0, "d6", value, confirmed),))


def used(own: OwnDice) -> EnrolledDice:
    """What the observer reads with."""
    found = own.observer().enrolled
    assert found is not None
    return found


def test_an_accepted_reading_is_learned_and_used(own: OwnDice, leaning: tuple[Image, Reading]) -> None:
    see(own, leaning, 1.5)
    assert len(used(own).shows) == 2  # nothing is learned of what nobody accepted
    own.do(lesson(1.5, confirmed=True))
    assert used(own).shows == (("d6", 3), ("d6", 6), ("d6", 3))
    (picture,) = Gallery.load(own.learned_file).pictures
    assert picture.origin == (12, 7, 4, DAY, True)
    assert own.degraded is None


def test_a_lesson_about_another_reading_or_face_teaches_nothing(
    own: OwnDice, leaning: tuple[Image, Reading]
) -> None:
    see(own, leaning, 1.5)
    own.do(lesson(2.5))
    own.do(lesson(1.5, value=6))
    own.do(lesson(1.5, value=1))
    own.do(Lesson(1.5, 12, 7, 4, (TaughtDie(3, "d6", 3, confirmed=False),)))
    for number in range(MOST_READINGS):
        see(own, leaning, 10.0 + number)
    own.do(lesson(1.5))
    assert own.gallery == Gallery()
    assert not own.learned_file.exists()


def test_a_correction_removes_what_its_throw_taught(own: OwnDice, leaning: tuple[Image, Reading]) -> None:
    see(own, leaning, 1.5)
    own.do(lesson(1.5))
    own.do(Retraction(7, 5))
    own.do(Retraction(8, 4))
    assert len(used(own).shows) == 3
    own.do(Retraction(7, 4))
    assert len(used(own).shows) == 2
    assert Gallery.load(own.learned_file) == Gallery()


def test_a_damaged_gallery_is_named_and_heals(own: OwnDice, leaning: tuple[Image, Reading]) -> None:
    own.learned_file.write_bytes(b"PK")
    own.do(None)
    assert own.degraded is not None
    assert "own.learned.npz" in own.degraded.remedy
    assert len(used(own).shows) == 2  # the enrolled dice are used all the same
    see(own, leaning, 1.5)
    own.do(lesson(1.5))
    assert own.degraded is None
    own.learned_file.write_bytes(b"PK")
    own.do(None)
    own.learned_file.unlink()
    own.do(None)
    assert own.degraded is None


def test_what_cannot_be_written_is_used_and_named(
    own: OwnDice, leaning: tuple[Image, Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path, __: bytes) -> None:
        raise OSError(28, "No space left on device")

    see(own, leaning, 1.5)
    with monkeypatch.context() as patched:
        patched.setattr("common.files.atomic_write", full)
        own.do(lesson(1.5))
    assert len(used(own).shows) == 3
    assert own.degraded is not None
    assert "No space left" in own.degraded.remedy
    own.do(Retraction(7, 4))
    assert own.degraded is None


def test_files_that_are_replaced_are_used_at_once(own: OwnDice, enrolled: EnrolledDice) -> None:
    own.file.write_bytes(b"PK")
    own.do(None)
    assert own.observer().enrolled is None
    assert own.degraded is not None
    own.file.write_bytes(enrolled.only([1]).packed())
    own.do(None)
    assert used(own).shows == (("d6", 6),)
    assert own.degraded is None


def test_the_thread_survives_whatever_a_lesson_does(
    own: OwnDice, leaning: tuple[Image, Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(own, "learn", lambda _: 1 / 0)
        own.put(lesson(1.5))
        own.jobs.join()
    see(own, leaning, 1.5)
    own.put(lesson(1.5))
    own.jobs.join()
    assert len(used(own).shows) == 3


def test_nothing_is_kept_of_readings_without_enrolled_dice(
    tmp_path: Path, leaning: tuple[Image, Reading]
) -> None:
    observer: Any = SimpleNamespace(enrolled=None, reader=READER)
    own = OwnDice(tmp_path / "none.npz", lambda: observer)
    own.refresh()
    see(own, leaning, 1.5)
    assert not own.readings
    assert own.thread is None
