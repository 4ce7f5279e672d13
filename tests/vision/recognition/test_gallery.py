"""A picture is learned if it fits its face and no other, and tells something new; few of a face are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.vision.a_reader import READER
from tests.vision.drawing import one_die
from vision.recognition.classifiers import SYMBOL_PX
from vision.recognition.enrolled import (
    MOST_LEARNED_OF_A_FACE,
    EnrolledDice,
    Gallery,
    GalleryError,
    Learned,
    Origin,
    Prototype,
    gallery_beside,
    with_learned,
)

if TYPE_CHECKING:
    from pathlib import Path

    from games.dice import Die

SIX: Die = ("d6", 6)
NINE: Die = ("d20", 9)
GREY = np.zeros(3, np.float32)


def direction(**parts: float) -> np.ndarray:
    """A relief of length 1 with these parts, each along an axis of its own; `rest` has any length."""
    axes = {"six": 0, "nine": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": 6}
    out = np.zeros(SYMBOL_PX**2, np.float32)
    for name, part in parts.items():
        out[axes[name]] = part
    out[7] = np.sqrt(1 - (out**2).sum())
    return out


def origin(row: int) -> Origin:
    return Origin(row, 7, row + 100, "2026-11-25", confirmed=row % 2 == 0)


def candidate(
    relief: np.ndarray, row: int = 1, die: Die = SIX, tint: np.ndarray = GREY
) -> tuple[Learned, np.ndarray]:
    """A picture that looks the same in every turn."""
    return Learned(die, Prototype(relief, tint), origin(row)), relief[None]


@pytest.fixture
def enrolled() -> EnrolledDice:
    return EnrolledDice.of(
        [(SIX, Prototype(direction(six=1.0), GREY)), (NINE, Prototype(direction(nine=1.0), GREY))]
    )


def test_a_picture_that_fits_is_learned_with_where_it_comes_from(enrolled: EnrolledDice) -> None:
    gallery = Gallery().taught(enrolled, *candidate(direction(six=0.7, a=0.5), row=12))
    (picture,) = gallery.pictures
    assert (picture.die, picture.origin) == (SIX, origin(12))
    assert gallery.joined_to(enrolled).shows == (SIX, NINE, SIX)


def test_learned_pictures_change_no_colour(enrolled: EnrolledDice) -> None:
    tint = np.array((0, 0, 30), np.float32)
    gallery = Gallery().taught(enrolled, *candidate(direction(six=0.7, a=0.6), tint=tint))
    assert len(gallery.pictures) == 1
    relief = direction(six=0.7, a=0.6)[None]
    known, before = (
        own.likeness(own.compared(relief, tint)) for own in (gallery.joined_to(enrolled), enrolled)
    )
    assert list(known.tinted) == list(before.tinted)
    assert known.alike[known.dice.index(SIX)] > before.alike[before.dice.index(SIX)]


@pytest.mark.parametrize(
    "new",
    [
        candidate(direction(six=0.3)),
        candidate(direction(six=0.6, nine=0.7)),
        candidate(direction(six=0.99)),
        candidate(direction(six=0.7), tint=np.array((0, 0, 60), np.float32)),
        candidate(direction(six=0.7), die=("d6", 5)),
    ],
    ids=["an outlier", "nearer to another face", "nothing new", "another colour", "a face nobody enrolled"],
)
def test_others_are_not_learned(enrolled: EnrolledDice, new: tuple[Learned, np.ndarray]) -> None:
    gallery = Gallery()
    assert gallery.taught(enrolled, *new) is gallery


def test_what_was_learned_draws_nothing_after_it(enrolled: EnrolledDice) -> None:
    far = candidate(direction(six=0.45, a=0.8))
    near = candidate(direction(six=0.6, a=0.7))
    gallery = Gallery().taught(enrolled, *near)
    assert len(gallery.pictures) == 1
    assert gallery.taught(enrolled, *far) is gallery  # it is like what was learned, not like the enrolled
    other = candidate(direction(nine=0.6, a=0.75), die=NINE)
    assert gallery.taught(enrolled, *other) is gallery  # and that is nearer to a learned six


def test_few_of_a_face_are_kept_the_most_varied(enrolled: EnrolledDice) -> None:
    gallery = Gallery()
    for row, part in enumerate("abcd", 1):
        gallery = gallery.taught(enrolled, *candidate(direction(six=0.6, **{part: 0.6}), row))
    twin = candidate(direction(six=0.6, a=0.6, b=0.3), 5)
    assert len(gallery.pictures) == MOST_LEARNED_OF_A_FACE
    assert gallery.taught(enrolled, *twin) is gallery
    varied = gallery.taught(enrolled, *candidate(direction(six=0.55, e=0.83), 6))
    assert len(varied.pictures) == MOST_LEARNED_OF_A_FACE
    assert varied.pictures[-1].origin.row == 6


def test_a_corrected_throw_can_be_forgotten(enrolled: EnrolledDice) -> None:
    gallery = Gallery().taught(enrolled, *candidate(direction(six=0.7), 3))
    assert gallery.without(lambda one: one.origin.row == 4) is gallery
    assert gallery.without(lambda one: one.origin.row == 3) == Gallery()


def test_the_file_holds_them_and_a_damaged_one_is_named(enrolled: EnrolledDice, tmp_path: Path) -> None:
    dice = tmp_path / "own.npz"
    file = gallery_beside(dice)
    assert file.name == "own.learned.npz"
    dice.write_bytes(enrolled.packed())
    assert Gallery.load(file) == Gallery()
    gallery = Gallery().taught(enrolled, *candidate(direction(six=0.7, a=0.5), row=12))
    file.write_bytes(gallery.packed())
    (picture,) = Gallery.load(file).pictures
    assert (picture.die, picture.origin) == (SIX, origin(12))
    assert np.allclose(picture.face.relief, gallery.pictures[0].face.relief, atol=1e-3)
    assert with_learned(dice).shows == (SIX, NINE, SIX)
    file.write_bytes(Gallery().packed())
    assert Gallery.load(file) == Gallery()
    crowd = Gallery(gallery.pictures * 9)
    short = replace(crowd, pictures=(picture._replace(die=("d6", 7)),))
    for data in (b"PK", b"", gallery.packed()[:-200], crowd.packed(), short.packed(), enrolled.packed()):
        file.write_bytes(data)
        with pytest.raises(GalleryError, match=r"own\.learned\.npz .*delete it, and the table learns anew"):
            Gallery.load(file)


def test_the_reader_teaches_what_it_sees() -> None:
    frames = {value: one_die(value) for value in (3, 6)}
    own = EnrolledDice.of(
        [
            (("d6", value), READER.prototype(frame, READER.detector.detect(frame)[0]))
            for value, frame in frames.items()
        ]
    )
    frame = one_die(3, degrees=35.0, lean=0.22)
    (die,) = READER.read(frame).dice
    crop = READER.crop(frame, die.box)
    gallery = READER.taught(Gallery(), own, crop, ("d6", 3), origin(1))
    assert [one.die for one in gallery.pictures] == [("d6", 3)]
    assert READER.taught(Gallery(), own, crop, ("d6", 6), origin(1)) == Gallery()
