"""Own dice are kept in a file as they were, and never mistaken for a damaged file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.recognition.enrolled import (
    EnrolledDice,
    EnrolledDiceError,
    Prototype,
    die_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.dice import Die

TINTS = np.array([[50, 0, 0], [50, 10, 0], [80, 0, 30], [50, 0, 3]], np.float32)


def own() -> EnrolledDice:
    """Four faces at right angles, two of them in two pictures of one die."""
    return EnrolledDice(
        (("d6", 1), ("d6", 2), ("d20", 17), ("d6", 1)), np.eye(4, 1600, dtype=np.float32), TINTS
    )


def test_a_percentile_die_is_kept_with_its_double_nought(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    dice = replace(own(), shows=(("d100", 0), ("d100", 90), ("d10", 9), ("d10", 10)))
    path.write_bytes(dice.packed())
    assert EnrolledDice.load(path).shows == dice.shows
    path.write_bytes(replace(own(), shows=(("d100", 5), *dice.shows[1:])).packed())
    assert "damaged" in refusal(path)


def test_the_likest_picture_in_any_turn_and_the_nearest_colour_count() -> None:
    views = np.zeros((24, 1600), np.float32)
    views[7] = 0.8 * np.eye(1600)[3] + 0.6 * np.eye(1600)[2]
    found = own().likeness(own().compared(views, np.array([50, 0, 0], np.float32)))
    assert found.dice == (("d20", 17), ("d6", 1), ("d6", 2))
    assert found.alike == pytest.approx([0.6, 0.8, 0.0])
    assert found.tinted == pytest.approx([np.hypot(30, 30), 0, 10])


def test_which_die_it_is_is_said_where_no_other_looks_alike() -> None:
    names = ("old red-d6-1.jpg", "d6-2.jpg", "old red-d20-17.jpg", "blue_D6-1-b.jpg")
    dice = EnrolledDice(own().shows, own().reliefs, TINTS, names)
    views = (np.eye(1600)[0] + np.eye(1600)[3])[None] / np.sqrt(2)

    def which(die: Die, tint: tuple[int, int, int]) -> str | None:
        compared = dice.compared(views, np.array(tint, np.float32))
        return dice.which(die, compared, lambda alike, far: 5 * alike - far)

    assert which(("d6", 1), (50, 0, 0)) == "old red d6"
    assert which(("d6", 1), (50, 0, 3)) == "blue d6"
    assert which(("d6", 1), (50, 0, 2)) is None  # it may be either
    assert which(("d20", 17), (50, 0, 0)) == "old red d20"
    assert which(("d6", 2), (50, 10, 0)) is None  # its picture names no die
    compared = own().compared(views, TINTS[0])
    assert own().which(("d6", 1), compared, lambda alike, far: alike - far) is None


@pytest.mark.parametrize(
    ("name", "die"),
    [
        ("d20-17.jpg", ""),
        ("d20-17-b.jpg", ""),
        ("old red d20-17.jpg", "old red d20"),
        ("blue_D20-17-b.jpg", "blue d20"),
        ("bone d100-00.jpg", "bone d100"),
        ("1301/d6-1", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_picture_names_the_die(name: str, die: str) -> None:
    assert die_id(name) == die


@given(st.binary(max_size=400), st.integers(0, 5000), st.integers(0, 400))
def test_whatever_the_file_holds_it_is_refused_in_a_sentence(data: bytes, at: int, cut: int) -> None:
    """Bytes of nowhere, and a sound file in which some bytes are others."""
    whole = own().packed()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "own.npz"
        for content in (data, whole[:at] + data + whole[at + cut :]):
            path.write_bytes(content)
            with suppress(EnrolledDiceError):
                EnrolledDice.load(path)


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path: Path) -> None:
    path = spoilt(tmp_path / "own.npz", len)
    header = BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f2", "fortran_order": False, "shape": (10**12, 1600)}
    )
    with ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with ZipFile(path, "w") as new:
        for name, data in (members | {"reliefs.npy": header.getvalue()}).items():
            new.writestr(name, data)
    assert "is no file that `dicetable enrol` wrote" in refusal(path)


def test_zeros_that_fill_the_memory_once_they_are_unpacked_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    with ZipFile(path, "w", ZIP_DEFLATED) as new:
        new.writestr("reliefs.npy", bytes(67_108_865))
    assert "is too large to hold enrolled dice" in refusal(path)


def test_saved_dice_are_the_same_again(tmp_path: Path) -> None:
    (tmp_path / "own.npz").write_bytes(own().packed())
    again = EnrolledDice.load(tmp_path / "own.npz")
    assert again.shows == own().shows
    assert (again.reliefs == own().reliefs).all()
    assert (again.tints == own().tints).all()


def test_names_of_pictures_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    names = ("a.jpg", "b.jpg", "ç.jpg", "x" * 200)
    pictures = [Prototype(r, t, n) for r, t, n in zip(own().reliefs, TINTS, names, strict=True)]
    path.write_bytes(EnrolledDice.of(list(zip(own().shows, pictures, strict=True))).packed())
    assert EnrolledDice.load(path).names == (*names[:3], "x" * 80)


def test_pictures_are_taken_out_by_number() -> None:
    left = own().only([3, 0])
    assert left.shows == (("d6", 1), ("d6", 1))
    assert (left.tints == TINTS[[0, 3]]).all()


def test_more_pictures_of_a_face_than_are_kept_push_out_the_oldest() -> None:
    dice = own()
    for _ in range(32):
        dice = dice.joined(own().only([1]))
    assert dice.shows.count(("d6", 2)) == 16
    assert dice.shows.count(("d6", 1)) == 2
    assert len(dice.names) == len(dice.shows) == len(dice.reliefs) == len(dice.tints)


def refusal(path: Path) -> str:
    with pytest.raises(EnrolledDiceError, match="dicetable enrol") as refused:
        EnrolledDice.load(path)
    return str(refused.value)


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    whole = own().packed()
    array = tmp_path / "array.npy"
    np.save(array, np.eye(3))
    others = (b"these are no dice\n", b"\x89PNG\r\n\x1a\n" + bytes(90), array.read_bytes())
    for broken in (b"", whole[:100], whole[: len(whole) // 2], b"PK" + bytes(3000), *others):
        path.write_bytes(broken)
        assert "is no file that `dicetable enrol` wrote, or damaged: enrol the dice again" in refusal(path)


Arrays = dict[str, np.ndarray]


def spoilt(path: Path, spoil: Callable[[Arrays], object]) -> Path:
    """A file of own dice in which something was put wrong."""
    path.write_bytes(own().packed())
    with np.load(path) as stored:
        arrays = dict(stored)
    spoil(arrays)
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    "spoil",
    [
        lambda arrays: arrays["values"].put(2, 21),
        lambda arrays: arrays["values"].put(0, 0),
        lambda arrays: arrays["kinds"].put(0, -1),
        lambda arrays: arrays["kinds"].put(0, 6),
        lambda arrays: arrays["reliefs"].put(5, np.nan),
        lambda arrays: arrays["tints"].put(5, np.inf),
        lambda arrays: arrays.update(reliefs=arrays["reliefs"][:, 1:]),
        lambda arrays: arrays.update(tints=arrays["tints"][1:]),
        lambda arrays: arrays.update(kinds=arrays["kinds"][1:]),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, spoil: Callable[[Arrays], object]) -> None:
    assert "damaged: enrol the dice again" in refusal(spoilt(tmp_path / "own.npz", spoil))


def test_another_version_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    path = spoilt(tmp_path / "own.npz", lambda arrays: arrays.update(format=np.array(1)))
    assert "was written by another version: enrol" in refusal(path)
    with path.open("ab") as file:
        file.truncate(67_108_865)
    assert "is too large to hold enrolled dice" in refusal(path)


def test_what_is_no_file_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        assert f"{path} is no file: name the one" in refusal(path)
    assert "is not there: correct its name, or enrol" in refusal(tmp_path / "none.npz")
    (tmp_path / "file").touch()
    assert "cannot be read (Not a directory): " in refusal(tmp_path / "file" / "own.npz")
