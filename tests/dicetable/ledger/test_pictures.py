"""The picture at rest and the strip of the motion in one piece of bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicetable.ledger.pictures import MARK, TRAILER, joined, parts


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
