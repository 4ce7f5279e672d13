"""Enrolling by throwing: what is taken as read, what is asked, and what is learned of wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from common import texts
from dicetable.eye import throwing
from dicetable.eye.enrolling import NotTakenError
from dicetable.eye.throwing import ThrowTaker, thrown
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.vision.a_reader import READER
from tests.vision.drawing import one_die, put_d6, soft, tray
from vision.reading import DieReading, Doubt
from vision.recognition.enrolled import Prototype

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.dice import Die
    from vision.reading import Image

BOX = (10, 10, 40, 40)


def face(*symbol: float) -> Prototype:
    """A face whose relief has these parts in the middle of its square; those at right angles are unlike."""
    relief = np.zeros((40, 40), np.float32)
    relief[20, 20 : 20 + len(symbol)] = symbol
    return Prototype(relief.ravel() / np.linalg.norm(relief), np.zeros(3, np.float32))


SKULL, STAR = face(1), face(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)


def doubtful(
    prototype: Prototype, read: Die | None, confidence: float, doubt: Doubt = Doubt.LOW_CONFIDENCE
) -> tuple[DieReading, Prototype]:
    kind, value = read or (None, None)
    return DieReading(kind, value, confidence, BOX, doubt), prototype


class Table:
    """A taker, and throws of a single doubtful die."""

    def __init__(self) -> None:
        self.taker = ThrowTaker(tray(), READER)

    def named(self, die: tuple[DieReading, Prototype], said: Die) -> str:
        """The answer to a die of a throw and what a person says it shows; empty if it is learned."""
        self.taker.dice, self.taker.open = [die], [0]
        try:
            self.taker.name(0, said)
        except NotTakenError as why:
            return str(why)
        return ""

    @property
    def shown(self) -> list[Die]:
        return [die for die, _ in self.taker.shown]


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_value_that_the_reader_thought_of_too_is_learned_at_once(table: Table) -> None:
    assert table.named(doubtful(SKULL, ("d6", 4), 0.3), ("d6", 4)) == ""
    assert table.shown == [("d6", 4)]


def test_a_wrong_tap_on_a_die_that_is_likely_read_is_told_and_not_learned(table: Table) -> None:
    die = doubtful(SKULL, ("d6", 5), 0.7)
    for _ in range(3):
        assert table.named(die, ("d6", 4)) == texts.rig.not_learned("d6", 5)
    assert table.shown == []


def test_a_face_that_cannot_be_read_is_learned_when_two_throws_say_the_same(table: Table) -> None:
    assert table.named(doubtful(SKULL, None, 0.1), ("d6", 1)) == texts.rig.NAMED_ONCE
    assert table.shown == []
    assert table.named(doubtful(SKULL, ("d6", 3), 0.2), ("d6", 1)) == ""
    assert table.shown == [("d6", 1), ("d6", 1)]


@pytest.mark.parametrize("doubt", [Doubt.PICTURE, Doubt.SIX_OR_NINE, Doubt.UPSIDE_DOWN])
def test_what_was_read_decides_nothing_where_the_doubt_is_about_the_value(table: Table, doubt: Doubt) -> None:
    die = doubtful(SKULL, ("d20", 9), 0.8, doubt)
    assert table.named(die, ("d20", 9)) == texts.rig.NAMED_ONCE
    assert table.named(die, ("d20", 9)) == ""


def test_two_names_for_one_face_contradict_each_other_and_neither_is_learned(table: Table) -> None:
    die = doubtful(SKULL, None, 0.1)
    assert table.named(die, ("d6", 1)) == texts.rig.NAMED_ONCE
    assert table.named(die, ("d6", 6)) == texts.rig.not_learned("d6", 1)
    assert table.shown == []


def test_a_name_that_contradicts_a_learned_face_is_not_learned(table: Table) -> None:
    table.taker.shown = [(("d6", 1), SKULL)]
    for _ in range(3):
        assert table.named(doubtful(SKULL, None, 0.1), ("d6", 6)) == texts.rig.not_learned("d6", 1)
    assert table.shown == [("d6", 1)]


def test_two_pictures_that_look_otherwise_do_not_bear_each_other_out(table: Table) -> None:
    assert table.named(doubtful(SKULL, None, 0.1), ("d6", 1)) == texts.rig.NAMED_ONCE
    assert table.named(doubtful(STAR, None, 0.1), ("d6", 1)) == texts.rig.NAMED_ONCE
    assert table.shown == []


def two_dice(left: int, right: int) -> Image:
    frame = tray()
    put_d6(frame, left, (150.0, 300.0), 60.0, 20.0)
    put_d6(frame, right, (450.0, 120.0), 60.0, 50.0)
    return soft(frame)


def test_sure_dice_are_taken_as_they_are_read_and_lying_ones_only_once() -> None:
    taker = ThrowTaker(tray(), READER)
    taker.take(two_dice(5, 3))
    assert [die for die, _ in taker.shown] == [("d6", 5), ("d6", 3)]
    assert taker.open == []
    for frame in (two_dice(5, 3), tray()):
        with pytest.raises(NotTakenError, match="new dice that lie flat"):
            taker.take(frame)
    for value in (2, 4):  # at the same place
        taker.take(one_die(value))
    assert [die for die, _ in taker.shown][2:] == [("d6", 2), ("d6", 4)]


def test_a_blank_die_is_asked_about(table: Table) -> None:
    frame = tray()
    put_d6(frame, 5, (150.0, 300.0), 60.0, 20.0)
    put_d6(frame, 1, (450.0, 120.0), 60.0, 50.0, without=[0])
    table.taker.take(soft(frame))
    assert table.shown == [("d6", 5)]
    assert table.taker.open == [1]
    with pytest.raises(NotTakenError, match="once more"):
        table.taker.name(1, ("d6", 6))
    assert table.taker.open == []


@pytest.mark.slow
def test_throws_enrol_a_set_without_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throwing, "THROWS", 4)
    world = World(3, VirtualClock(), real=False)
    world.camera.start()
    said: list[str] = []
    chance = np.random.default_rng(1)
    rolled: list[Die] = []

    def obey(text: str) -> None:
        said.append(text)
        if text != texts.rig.SHOW_EMPTY:
            values = chance.integers(1, 7, 3).tolist()
            world.throw(["d6"] * 3, values=values)
            rolled.extend(("d6", value) for value in values)

    def name(_number: int, _count: int) -> Die | None:
        raise AssertionError("all of them are plain dice")

    taken: Iterator[tuple[Die, Prototype]] = thrown(world.camera, READER, name, obey)
    assert sorted(die for die, _ in taken) == sorted(rolled)
    assert said == [texts.rig.SHOW_EMPTY, *(texts.rig.throw_dice(n, 4) for n in range(1, 5))]


def test_ten_throws_are_asked_for() -> None:
    assert throwing.THROWS == 10
