"""The nets and the own dice are heard together; what contradicts them, or is none of them, is not sure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from games.dice import EVERY_KIND, Die, place_of
from tests.vision.a_reader import READER
from tests.vision.drawing import one_die
from vision.reading import Box, DieReading, Doubt
from vision.recognition.classifiers import VALUES, crop_of
from vision.recognition.doubts import KNOWN_FACE, among_enrolled, is_unknown
from vision.recognition.enrolled import Comparison, EnrolledDice, Likeness, Prototype
from vision.recognition.enrolment import (
    compared,
    identify,
    match,
    middles,
    tint,
    views,
)
from vision.recognition.evidence import EnrolmentMatch
from vision.recognition.fusion import Views

if TYPE_CHECKING:
    from vision.reading import Detection, Image

WEIGHTS = READER.fitted.enrolment
FACES: tuple[Die, ...] = (("d20", 6), ("d20", 9), ("d20", 17))


def joint(*said: tuple[Die, float]) -> np.ndarray:
    """What the nets say of a find, the rest shared by all."""
    out = np.full((len(EVERY_KIND), VALUES), 1e-4)
    for (kind, value), probability in said:
        out[EVERY_KIND.index(kind), place_of((kind, value))] = probability
    return out


def like(*alike: float, tinted: float = 5.0) -> Likeness:
    """A find as like each of FACES as that."""
    return Likeness(FACES, np.array(alike), np.full(3, tinted))


def matched(like: Likeness, joint: np.ndarray) -> EnrolmentMatch:
    return match(like, joint, WEIGHTS)


def find(frame: Image) -> Detection:
    """The plainest detection."""
    return READER.detector.detect(frame)[0]


def known_again(
    frame: Image, joint: np.ndarray, die: DieReading, own: EnrolledDice, *, clear: bool
) -> DieReading:
    """The reading of the die in a frame, in the light of the enrolled ones."""
    crop = crop_of(frame, find(frame))
    symbols = READER.dice.predict(crop).symbols
    return identify(compared(crop, symbols, own), joint, die, own, WEIGHTS, clear=clear)


def test_what_cannot_be_read_is_known_by_its_looks() -> None:
    found = matched(like(0.9, 0.5, 0.5), joint())
    assert found.die == ("d20", 6)
    assert found.probability > KNOWN_FACE
    assert matched(like(0.9, 0.85, 0.5), joint()).probability < KNOWN_FACE


def test_what_is_read_and_what_it_looks_like_are_weighed_together() -> None:
    torn = joint((("d20", 6), 0.5), (("d20", 9), 0.5))
    assert matched(like(0.5, 0.8, 0.5), torn).die == ("d20", 9)
    read = joint((("d20", 17), 0.98))
    assert matched(like(0.5, 0.55, 0.5), read).die == ("d20", 17)
    assert matched(like(0.5, 0.85, 0.3), read).probability < KNOWN_FACE


def test_the_two_digits_that_are_read_tell_a_percentile_die_from_its_d10() -> None:
    alike = Likeness((("d10", 3), ("d100", 30)), np.array([0.6, 0.6]), np.full(2, 5.0))
    assert matched(alike, joint((("d100", 30), 0.9))).die == ("d100", 30)
    assert matched(alike, joint((("d10", 3), 0.9))).die == ("d10", 3)


@pytest.mark.parametrize(("doubt", "sure"), [(Doubt.PERCENTILE, True), (Doubt.UPSIDE_DOWN, False)])
def test_a_d10_that_may_be_a_percentile_die_is_the_enrolled_face_it_looks_like(
    *, doubt: Doubt, sure: bool
) -> None:
    found = EnrolmentMatch(("d100", 30), 0.99, 0.99, 1.0, 0.0)
    read = DieReading("d10", 3, 0.9, (1, 2, 3, 4), doubt)
    known = among_enrolled(read, found, [("d100", 30)], lambda: None, clear=True)
    assert known.sure is sure
    assert (known.kind, known.value) == (("d100", 30) if sure else ("d10", 3))


def test_two_digits_are_not_taken_for_the_one_of_an_enrolled_d10() -> None:
    found = EnrolmentMatch(("d10", 3), 0.99, 0.99, 1.0, 0.0)
    read = DieReading("d100", 30, 0.9, (1, 2, 3, 4), Doubt.PERCENTILE)
    assert among_enrolled(read, found, [("d10", 3)], lambda: None, clear=True) == read


def test_a_value_that_is_read_stays_beside_the_enrolled_ten_that_it_looks_like() -> None:
    found = EnrolmentMatch(("d10", 10), 0.99, 0.99, 1.0, 0.0)
    read = DieReading("d10", 3, 0.9, (1, 2, 3, 4), Doubt.UPSIDE_DOWN)
    assert among_enrolled(read, found, [("d10", 10)], lambda: None, clear=True) == read
    ten = replace(read, kind="d100", value=10)
    known = among_enrolled(ten, found, [("d10", 10)], lambda: None, clear=True)
    assert (known.kind, known.value, known.sure) == ("d10", 10, True)


def test_a_die_is_as_sure_as_what_decides_its_value() -> None:
    found = EnrolmentMatch(("d6", 3), 0.96, 0.96, 1.0, 0.0)

    def confidence(read: DieReading) -> float:
        return among_enrolled(read, found, [("d6", 3)], lambda: None, clear=True).confidence

    sure = DieReading("d6", 3, 0.99, (1, 2, 3, 4))
    assert confidence(sure) == 0.99
    assert confidence(replace(sure, doubt=Doubt.LOW_CONFIDENCE)) == 0.96


def test_a_d10_that_bears_a_10_is_no_stranger() -> None:
    own = Likeness((("d10", 10),), np.array([0.9]), np.full(1, 5.0))
    assert not unknown(matched(own, joint((("d10", 10), 0.95), (("d100", 10), 0.96))))


def unknown(found: EnrolmentMatch) -> bool:
    return is_unknown(found.likeness, found.kind_elsewhere)


def test_a_stranger_looks_otherwise_or_is_of_another_kind() -> None:
    read = joint((("d20", 6), 0.98))
    assert not unknown(matched(like(0.7, 0.5, 0.5), read))
    assert unknown(matched(like(0.2, 0.1, 0.1, tinted=20.0), read))
    assert unknown(matched(like(0.5, 0.3, 0.3, tinted=90.0), read))
    assert unknown(matched(like(0.7, 0.5, 0.5), joint((("d6", 6), 0.98))))


@pytest.fixture(scope="module")
def own() -> EnrolledDice:
    """A three and a six, of a die whose other faces have no picture."""
    frames = {value: one_die(value) for value in (3, 6)}
    return EnrolledDice.of(
        [(("d6", value), READER.prototype(frame, find(frame))) for value, frame in frames.items()]
    )


@pytest.fixture(scope="module")
def whole() -> EnrolledDice:
    """All faces of a die."""
    frames = {value: one_die(value) for value in range(1, 7)}
    return EnrolledDice.of(
        [(("d6", value), READER.prototype(frame, find(frame))) for value, frame in frames.items()]
    )


UNREAD = DieReading(None, None, 0.1, (1, 2, 3, 4), Doubt.NOT_READ)


@pytest.mark.parametrize("value", [4, 6])
def test_an_enrolled_die_is_known_again_where_nothing_can_be_read(whole: EnrolledDice, value: int) -> None:
    frame = np.ascontiguousarray(one_die(value)[::-1, ::-1])
    known = known_again(frame, joint(), UNREAD, whole, clear=True)
    assert (known.kind, known.value, known.sure, known.box) == ("d6", value, True, UNREAD.box)
    assert not known_again(frame, joint(), UNREAD, whole, clear=False).sure


def test_a_die_with_faces_that_were_not_enrolled_is_not_taken_for_one_that_was(own: EnrolledDice) -> None:
    five = one_die(5)  # much like the three, which is enrolled
    assert known_again(five, joint(), UNREAD, own, clear=True) == UNREAD
    torn = DieReading("d6", 3, 0.45, (1, 2, 3, 4), Doubt.LOW_CONFIDENCE)
    said = joint((("d6", 3), 0.5), (("d6", 5), 0.4))
    assert known_again(five, said, torn, own, clear=True) == torn


@pytest.mark.parametrize("doubt", [None, Doubt.LOW_CONFIDENCE])
def test_a_likely_value_is_asked_about_and_not_replaced_by_that_of_a_face_it_looks_like(
    whole: EnrolledDice, doubt: Doubt | None
) -> None:
    read = DieReading("d6", 1, 0.97 if doubt is None else 0.6, (1, 2, 3, 4), doubt)
    known = known_again(one_die(6), joint((("d6", 1), 0.6)), read, whole, clear=True)
    assert known == replace(read, doubt=doubt or Doubt.LIKE_ANOTHER_FACE)


def test_a_picture_that_passes_for_a_value_is_known_by_its_looks(whole: EnrolledDice) -> None:
    read = DieReading("d6", 1, 0.8, (1, 2, 3, 4), Doubt.PICTURE)
    known = known_again(one_die(6), joint((("d6", 1), 0.3)), read, whole, clear=True)
    assert (known.value, known.sure) == (6, True)


def test_which_of_two_dice_of_two_colours_it_is() -> None:
    red, blue = ((one_die(3) * light).astype(np.uint8) for light in ((0.6, 0.6, 1), (1, 0.6, 0.6)))
    pictures: list[tuple[Die, Prototype]] = []
    for name, frame in (("red", red), ("blue", blue)):
        face = READER.prototype(frame, find(frame))
        pictures.append((("d6", 3), face._replace(name=f"{name} d6-3.jpg")))
    both = EnrolledDice.of(pictures)
    read = DieReading("d6", 3, 0.97, (1, 2, 3, 4))
    for name, frame in (("red", red), ("blue", blue)):
        turned = np.ascontiguousarray(frame[::-1, ::-1])
        assert known_again(turned, joint((("d6", 3), 0.9)), read, both, clear=True).die_id == f"{name} d6"


def test_a_sure_reading_stays_so_unless_it_looks_like_another_face(own: EnrolledDice) -> None:
    frame = one_die(3)
    said = joint((("d6", 3), 0.9), (("d6", 6), 0.05))
    right = DieReading("d6", 3, 0.97, (1, 2, 3, 4))
    known = known_again(frame, said, right, own, clear=True)
    assert known.sure
    assert known.confidence >= right.confidence
    wrong = replace(right, value=6)
    taken_back = known_again(frame, said, wrong, own, clear=False)
    assert (taken_back.doubt, taken_back.value) == (Doubt.LIKE_ANOTHER_FACE, 6)


def test_a_sure_reading_of_a_face_that_was_not_enrolled_stays_unless_it_looks_like_one_that_was(
    own: EnrolledDice,
) -> None:
    said = joint((("d6", 4), 0.97))
    read = DieReading("d6", 4, 0.97, (1, 2, 3, 4))
    unlike, like_a_six = one_die(4), one_die(6)
    assert known_again(unlike, said, read, own, clear=True) == read
    doubtful = known_again(like_a_six, said, read, own, clear=True)
    assert doubtful == replace(read, doubt=Doubt.LIKE_ANOTHER_FACE)


@pytest.mark.parametrize(("turn_deg", "right", "down"), [(37, 0, 0), (37, 0.12, 0.08), (45, 0.06, 0)])
def test_a_face_is_known_however_it_is_turned_and_its_box_is_off(
    own: EnrolledDice, turn_deg: float, right: float, down: float
) -> None:
    frame = one_die(3, degrees=turn_deg)
    place = find(frame)
    off = replace(place, x=place.x + right * place.longer, y=place.y + down * place.longer)
    crop = crop_of(frame, off)
    places = middles(READER.dice.predict(crop).symbols)
    like = own.likeness(own.compared(views(crop, places), tint(crop, *places[0])))
    assert like.dice == (("d6", 3), ("d6", 6))
    assert like.alike[0] > 0.87
    assert like.alike[1] < 0.5


def test_a_stranger_is_told_in_the_reading(own: EnrolledDice) -> None:
    frame = one_die(3, dark=True)
    read = DieReading("d6", 3, 0.97, (1, 2, 3, 4))
    told = known_again(frame, joint((("d6", 3), 0.97)), read, own, clear=True)
    assert told == replace(read, doubt=Doubt.UNKNOWN_DIE)


def test_a_die_that_lies_as_it_lay_is_compared_once(
    whole: EnrolledDice, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def counted(_own: EnrolledDice, turned: np.ndarray, _tint: np.ndarray) -> Comparison:
        looks.append(len(turned))
        return compare(_own, turned, _tint)

    compare = EnrolledDice.compared
    monkeypatch.setattr(EnrolledDice, "compared", counted)
    frame, seen = one_die(3), dict[Box, Views]()
    (first,) = READER.read(frame, enrolled=whole, views=seen).dice
    (again,) = READER.read(frame, enrolled=whole, lying=list(seen), views=seen).dice
    assert (first.value, first.sure) == (again.value, again.sure) == (3, True)
    assert len(looks) == 1
    READER.read(frame, enrolled=whole.only(range(6)), lying=list(seen), views=seen)
    assert len(looks) == 2  # with other dice it is compared again
