"""The picture of the dice at rest and the strip of motion, packed together."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.ledger.pictures import MARK, TRAILER, joined, note_of, noted, parts


@given(st.binary(min_size=1), st.binary(min_size=1))
def test_both_come_back(picture: bytes, motion: bytes) -> None:
    evidence = joined(picture, motion)
    assert evidence.startswith(picture)
    assert parts(evidence) == (picture, motion)


@pytest.mark.parametrize("motion", [b"", b"strip"])
def test_without_a_picture_nothing_is_kept(motion: bytes) -> None:
    assert joined(b"", motion) == b""


@given(st.binary())
def test_a_picture_alone_is_what_earlier_releases_kept(picture: bytes) -> None:
    assert joined(picture, b"") == picture
    if not picture.endswith(TRAILER.pack(MARK, 0)):
        assert parts(picture)[1] == b"" or MARK in picture


def test_a_trailer_that_promises_too_much_is_none() -> None:
    evidence = b"picture" + TRAILER.pack(MARK, 1000)
    assert parts(evidence) == (evidence, b"")


def test_a_note_goes_with_a_picture_and_changes_nothing_of_it() -> None:
    image = np.random.default_rng(1).integers(0, 256, (48, 64, 3)).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", image)
    jpeg = packed.tobytes()
    with_note = noted(jpeg, {"shows": [1, 2, 3, 4]})
    assert note_of(with_note) == {"shows": [1, 2, 3, 4]}
    assert with_note[:20] == jpeg[:20]  # the header that JFIF wants first
    before, after = (np.array(cv2.imdecode(np.frombuffer(each, np.uint8), 1)) for each in (jpeg, with_note))
    assert np.array_equal(before, after)
    assert note_of(jpeg) == {}
    assert parts(joined(with_note, b"strip"))[0] == with_note
    for picture, note in ((b"GIF89a", {}), (jpeg, {"x": "x" * 2000})):
        with pytest.raises(ValueError, match="note"):
            noted(picture, note)


@given(st.binary(), st.integers(0, 700))
def test_what_is_no_note_is_none(garbage: bytes, cut: int) -> None:
    _, packed = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))
    with_note = noted(packed.tobytes(), {"shows": [1]})
    assert isinstance(note_of(garbage), dict)
    assert note_of(with_note[:cut]) in ({}, {"shows": [1]})
    assert note_of(b"\xff\xd8" + garbage) == {} or b"dicetable" in garbage
    assert note_of(b"\xff\xd8\xff\xfe\x00\x10dicetable [1]{}") == {}
