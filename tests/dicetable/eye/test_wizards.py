"""What the wizards of the operator page keep."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from common import texts
from dicetable.eye.rig import load_lens, save_lens
from dicetable.eye.throwing import ThrowTaker
from dicetable.eye.wizards import Wizards, die_of
from hardware.ports import Frame
from tests.vision.a_reader import READER
from tests.vision.tray.sheets import SHAPE, photographs
from vision.reading import DieReading, Doubt
from vision.recognition.classifiers import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice, Gallery, Prototype
from vision.tray.camera import Lens, intrinsics

if TYPE_CHECKING:
    from pathlib import Path

    from games.dice import Die


@pytest.fixture
def wizards(tmp_path: Path) -> Wizards:
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None), learns=None)
    return Wizards(eye, None, tmp_path / "own.npz")


def shown(*dice: Die) -> list[tuple[Die, Prototype]]:
    return [(die, Prototype(np.ones(SYMBOL_PX**2, np.float32), np.zeros(3, np.float32))) for die in dice]


def used(wizards: Wizards) -> tuple[Die, ...]:
    """The faces of the enrolled dice that the eye reads by."""
    enrolled = wizards.eye.observer.enrolled
    assert enrolled is not None
    return enrolled.shows


def test_dice_that_were_shown_are_kept_and_used_at_once(wizards: Wizards, tmp_path: Path) -> None:
    wizards.shown = shown(("d6", 1), ("d6", 2))
    told, _ = wizards.keep_dice({})
    assert told == {"kept": str(tmp_path / "own.npz"), "faces": 2, "configured": True}
    assert wizards.eye.observer.enrolled is not None
    assert wizards.eye.observer.enrolled.shows == (("d6", 1), ("d6", 2))
    assert "error" in wizards.keep_dice({})[0]  # they are kept once


def test_a_doubtful_die_of_a_throw_is_named_once(wizards: Wizards) -> None:
    ((_, face),) = shown(("d6", 4))
    wizards.thrown = taker = ThrowTaker(np.zeros((48, 64, 3), np.uint8), READER)
    reading = DieReading("d6", 4, 0.4, (1, 2, 3, 4), Doubt.LOW_CONFIDENCE)
    taker.dice, taker.open = [(reading, face)] * 2, [0, 1]
    assert "error" in wizards.name({"number": 2, "kind": "d6", "value": 4})[0]
    assert wizards.name({"number": 0, "kind": "d6", "value": 4})[0] == {"learned": True}
    assert "error" in wizards.name({"number": 0, "kind": "d6", "value": 4})[0]
    taken = wizards.name({"number": 1, "kind": "d6", "value": 5})[0]
    assert taken == {"learned": False, "why": texts.rig.not_learned("d6", 4)}
    assert wizards.shown == taker.shown == [(("d6", 4), face)]


def test_a_percentile_die_is_enrolled_by_its_tens() -> None:
    assert die_of({"kind": "d100", "value": 0}) == ("d100", 0)
    assert die_of({"kind": "d100", "value": 5}) is None
    assert die_of({"kind": "d10", "value": 0}) is None


def test_a_second_die_is_kept_beside_the_first_or_instead_of_it(wizards: Wizards, tmp_path: Path) -> None:
    for value, add, faces in ((1, True, 1), (2, True, 2), (3, False, 1)):
        wizards.shown = shown(("d6", value))
        assert wizards.keep_dice({"add": add})[0]["faces"] == faces
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 3),)


def test_a_damaged_file_is_not_added_to_and_not_lost(wizards: Wizards, tmp_path: Path) -> None:
    (tmp_path / "own.npz").write_bytes(b"PK")
    wizards.shown = shown(("d6", 1))
    assert "own.npz" in wizards.keep_dice({"add": True})[0]["error"]
    assert (tmp_path / "own.npz").read_bytes() == b"PK"
    assert wizards.keep_dice({"add": False})[0]["faces"] == 1


def test_enrolled_dice_are_put_back_and_swapped_again(wizards: Wizards, tmp_path: Path) -> None:
    file, learned = tmp_path / "own.npz", tmp_path / "own.learned.npz"
    assert wizards.put_back("dice", {}) == ({"error": texts.operator.NO_PREVIOUS}, b"")
    wizards.shown = shown(("d6", 1))
    wizards.keep_dice({})
    assert wizards.previous({}) == ({}, b""), "the first dice replaced none"
    learned.write_bytes(learned_of_before := Gallery().packed())
    os.utime(file, (1000.0, 1000.0))
    wizards.shown = shown(("d6", 2), ("d6", 3))
    wizards.keep_dice({})
    assert not learned.exists()
    assert wizards.previous({})[0] == {"dice": 1000.0}
    newer_s = file.stat().st_mtime
    assert wizards.put_back("dice", {})[0] == {"dice": newer_s}
    assert used(wizards) == (("d6", 1),)
    assert learned.read_bytes() == learned_of_before
    assert wizards.put_back("dice", {})[0] == {"dice": 1000.0}
    assert used(wizards) == (("d6", 2), ("d6", 3))
    assert not learned.exists()
    assert {path.name for path in tmp_path.iterdir()} == {
        *("own.npz", "own.npz.previous", "own.learned.npz.previous"),
    }


def test_a_power_cut_amid_a_put_back_loses_neither_file(wizards: Wizards, tmp_path: Path) -> None:
    file = tmp_path / "own.npz"
    for value in (1, 2):
        wizards.shown = shown(("d6", value))
        wizards.keep_dice({})
    newer_s = file.stat().st_mtime
    # The cut comes when the older file stands in the newer one's place.
    file.rename(tmp_path / "own.npz.aside")
    (tmp_path / "own.npz.previous").rename(file)
    assert wizards.previous({})[0] == {"dice": newer_s}
    wizards.put_back("dice", {})
    assert used(wizards) == (("d6", 2),)


def test_damaged_predecessors_are_not_put_back(wizards: Wizards, tmp_path: Path) -> None:
    (tmp_path / "own.npz").write_bytes(b"PK")
    wizards.shown = shown(("d6", 1))
    wizards.keep_dice({})
    assert "own.npz" in wizards.put_back("dice", {})[0]["error"]
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 1),)
    assert (tmp_path / "own.npz.previous").read_bytes() == b"PK"


def test_a_lens_is_put_back_unless_it_is_damaged(tmp_path: Path) -> None:
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None), learns=None, newest=None)
    wizards = Wizards(eye, tmp_path, None)
    for focal_px in (900.0, 800.0):
        save_lens(Lens(intrinsics(focal_px, SHAPE), np.zeros(5), SHAPE[:2], 0.1, 0.01), tmp_path)
    for focal_px in (900.0, 800.0):
        assert "lens" in wizards.put_back("lens", {})[0]
        lens = load_lens(tmp_path, SHAPE)
        assert lens is not None
        assert lens.matrix[0, 0] == focal_px
    (tmp_path / "lens.json.previous").write_text("{")
    assert "lens.json" in wizards.put_back("lens", {})[0]["error"]
    assert load_lens(tmp_path, SHAPE) is not None


def test_the_lens_is_measured_from_the_eye_s_own_frames(tmp_path: Path) -> None:
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None), learns=None, newest=None)
    wizards = Wizards(eye, tmp_path / "calibration", None)
    assert "error" in wizards.look_at_lens_sheet({"begin": True})[0]
    told: dict[str, Any] = {}
    for number, picture in enumerate(photographs()[:12]):
        one, other = (Frame(np.dstack([picture] * 3), number + part) for part in (0.0, 0.5))
        eye.newest = one
        wizards.newer = lambda _, other=other: other  # type: ignore[method-assign, misc]
        told, jpeg = wizards.look_at_lens_sheet({})
        assert told["seen"]
        assert jpeg
    assert (told["views"], told["of"]) == (12, 14)
    kept, _ = wizards.keep_lens({})
    assert kept["error_px"] < 0.5
    lens = load_lens(tmp_path / "calibration", SHAPE)
    assert lens is not None
    assert lens.matrix[0, 0] == pytest.approx(825, rel=0.01)
    assert "error" in wizards.keep_lens({})[0]  # it is measured once


def test_what_of_the_rig_is_done_is_known(tmp_path: Path) -> None:
    place = SimpleNamespace(tray=None)
    eye: Any = SimpleNamespace(observer=SimpleNamespace(enrolled=None, place=place), learns=None, newest=None)
    wizards = Wizards(eye, tmp_path, None)
    nothing = {"camera": False, "markers": False, "lens": False, "tray": False, "dice": False}
    assert wizards.rigged({}) == (nothing, b"")
    eye.newest = Frame(np.zeros((120, 160, 3), np.uint8), 0.0)
    (tmp_path / "lens.json").touch()
    assert wizards.rigged({})[0] == nothing | {"camera": True, "lens": True}
    place.tray = object()
    (tmp_path / "tray.json").touch()
    assert wizards.rigged({})[0] == nothing | {"camera": True, "lens": True, "markers": True, "tray": True}
