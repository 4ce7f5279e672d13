"""What `dicetable ledger show` prints about confirmed and vouched dice, and about who plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.ledger import reader
from dicetable.ledger.entries import BadEntry, DieDetails, Revealed, Sat, Sitting, Thrown, dump, load
from games import words

if TYPE_CHECKING:
    from games.dice import Die

DICE: tuple[Die, ...] = (("d6", 4), ("d20", 17))
SURE = DieDetails()


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ((), ""),
        ((SURE, SURE), ""),
        ((SURE, DieDetails(confirmed_by=2, proposed=16)), "; d20:17 confirmed by seat 2, proposed 16"),
        ((DieDetails(confirmed_by="nobody"), SURE), "; 4 confirmed by no one"),
    ],
)
def test_a_value_that_was_confirmed_is_said_to_be(details: tuple[DieDetails, ...], said: str) -> None:
    thrown = Thrown(DICE, None, details=details)
    assert load(dump(thrown)) == thrown
    assert reader.sentence(thrown) == reader.sentence(Thrown(DICE, None)) + said
    assert reader.sentence(Revealed("ann", DICE, None, details=details)).endswith(said)


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ((SURE, DieDetails(vouched_by=2)), "; seat 2 vouches for d20:17"),
        ((DieDetails(vouched_by=2), DieDetails(vouched_by=2)), f"; seat 2 vouches for {words.dice(DICE)}"),
        ((DieDetails(vouched_by="nobody"), SURE), "; 4 not seen to roll"),
        (
            (DieDetails(confirmed_by=2, proposed=3, vouched_by=2), SURE),
            "; 4 confirmed by seat 2, proposed 3; seat 2 vouches for 4",
        ),
    ],
)
def test_dice_that_were_not_seen_to_roll_are_said_to_be(details: tuple[DieDetails, ...], said: str) -> None:
    thrown = Thrown(DICE, None, details=details)
    assert load(dump(thrown)) == thrown
    assert reader.sentence(thrown) == reader.sentence(Thrown(DICE, None)) + said


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (Sitting.PLAYS, "Ann plays"),
        (Sitting.SITS_OUT, "Ann sits out"),
        (Sitting.JOINS_NEXT, "Ann joins next"),
        (Sitting.LEAVES, "Ann leaves"),
    ],
)
def test_who_plays_sits_out_or_leaves_is_said_by_name(how: Sitting, said: str) -> None:
    assert reader.sentence(Sat(2, "Ann", how)) == said


def test_a_row_from_before_it_was_known_who_vouched_is_read_on() -> None:
    thrown = Thrown(DICE, None, details=(SURE, DieDetails(confirmed_by=2, proposed=16)))
    assert load(dump(thrown).replace(b',"vouched_by":null', b"")) == thrown


def test_details_are_of_all_dice_or_of_none() -> None:
    with pytest.raises(ValueError, match="details of 1 dice for 2"):
        Thrown(DICE, None, details=(SURE,))
    text = dump(Thrown(DICE, None, details=(SURE, SURE)))
    with pytest.raises(BadEntry, match="details of 2 dice for 1"):
        load(text.replace(b'["d6",4],', b""))
