"""Which thrown dice count, from entries as the table writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import (
    Closed,
    Corrected,
    Decided,
    DieDetails,
    Ending,
    Entry,
    Opened,
    Revealed,
    Thrown,
    dump,
)
from dicetable.statistics.fold import Folded, details_of, fold
from dicetable.statistics.tapes import ALONE, ASKED
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Die

NOON = "2026-11-21T12:00:00.000+00:00"
SEATS = ("ann", "bob")


def opened(game: str = "six_by_6", seed: int = 1, draws: tuple[int, ...] = ()) -> Opened:
    return Opened(game, SEATS, {}, seed, draws, (1, 2), ())


def six(faces: Sequence[int]) -> tuple[Die, ...]:
    return tuple(("d6", face) for face in faces)


def folded(entries: Sequence[Entry], since: str = "") -> Folded:
    return fold(((NOON, dump(entry)) for entry in entries), since)


def d6(found: Folded) -> list[int]:
    return list(map(int, found.tapes.kinds["d6"].counts))


def test_every_die_of_a_game_counts() -> None:
    entries = script("six_by_6", 3)
    dice = [face for entry in entries if isinstance(entry, Thrown) for _, face in entry.dice]
    found = folded(entries)
    assert d6(found) == [dice.count(face) for face in range(1, 7)]
    assert len(found.tapes) == len(dice)
    assert found.throws == sum(isinstance(entry, Thrown) for entry in entries)


def test_dice_set_aside_are_not_thrown_again() -> None:
    """The six is posted and lies in the tray; the next throw has five dice."""
    found = folded([opened(), Thrown(six([6, 1, 2, 3, 4, 4]), ()), Thrown(six([1, 1, 2, 3, 4]), ())])
    assert sum(d6(found)) == 11
    assert d6(found)[5] == 1


def test_dice_entered_by_hand_do_not_count() -> None:
    found = folded([opened(), Thrown(six([6, 6, 6, 6, 6, 6]), (), by_hand=True, by=(1, 2))])
    assert found.by_hand == 6
    assert len(found.tapes) == 0
    assert found.throws == 0


def test_a_confirmed_die_is_marked_and_a_wrong_proposal_is_counted() -> None:
    details = (DieDetails(), DieDetails(confirmed_by=2, proposed=3), *[DieDetails()] * 3)
    confirmed = (*details, DieDetails(confirmed_by="nobody", proposed=1))
    found = folded([opened(), Thrown(six([1, 3, 2, 2, 2, 4]), (), details=confirmed)])
    tape = found.tapes.kinds["d6"]
    assert list(tape.faces[tape.marked(ASKED)]) == [3, 4]
    assert found.misproposed == 1
    assert tape.proposed == {3: 1, 1: 1}


def test_dice_that_were_not_seen_to_roll_are_marked_whoever_vouched_for_them() -> None:
    vouched = (DieDetails(), DieDetails(vouched_by=2), DieDetails(vouched_by="nobody"), *[DieDetails()] * 3)
    old = dump(Thrown(six([6] * 6), (), details=(DieDetails(position_mm=(1.0, 2.0)),) * 6))
    found = folded([opened(), Thrown(six([1, 3, 5, 2, 2, 4]), (), details=vouched)])
    tape = found.tapes.kinds["d6"]
    assert list(tape.faces[tape.marked(ASKED)]) == [3, 5]
    assert (found.vouched, found.misproposed) == (2, 0)
    assert not details_of(old, 6)
    assert not details_of(old.replace(b',"vouched_by":null', b""), 6)


def test_a_die_with_a_name_has_a_tape_of_its_own() -> None:
    details = (DieDetails(die_id="red"), DieDetails(die_id="blue"), *[DieDetails()] * 4)
    found = folded([opened(), Thrown(six([6, 5, 2, 2, 2, 4]), (), details=details)])
    tapes = found.tapes.all()
    assert list(tapes) == ["d6", "blue", "red"]
    assert list(tapes["red"].faces) == [6]
    assert bool(tapes["red"].marked(ALONE).all())
    assert not tapes["d6"].marked(ALONE).any()
    assert len(tapes["d6"]) == 6


def test_a_die_that_was_taken_for_another_kind_is_told() -> None:
    entries: list[Entry] = [
        Thrown((die,), (), details=(DieDetails(die_id="red"),)) for die in (("d8", 3), ("d6", 1), ("d6", 2))
    ]
    found = folded(entries)
    assert found.tapes.all()["red"].kind == "d6"
    assert found.tapes.strays() == {"red": {"d8": 1}}


def test_a_correction_replaces_what_was_read_and_marks_what_it_changed() -> None:
    entries: list[Entry] = [
        opened(),
        Thrown(six([1, 2, 3, 4, 5, 5]), ()),
        Corrected(1, six([1, 2, 3, 4, 5, 1]), (1,)),
    ]
    found = folded(entries)
    assert d6(found) == [2, 1, 1, 1, 1, 0]
    tape = found.tapes.kinds["d6"]
    assert list(tape.faces[tape.marked(ASKED)]) == [1]
    assert (found.corrected, found.unplaced) == (1, 0)


def test_a_correction_in_another_order_changes_only_what_differs() -> None:
    entries: list[Entry] = [
        opened(),
        Thrown(six([1, 2, 3, 4, 5, 5]), ()),
        Corrected(1, six([4, 5, 5, 3, 2, 2]), (1,)),
    ]
    found = folded(entries)
    assert d6(found) == [0, 2, 1, 1, 2, 0]
    assert found.corrected == 1


def test_the_last_of_two_corrections_counts() -> None:
    throw = Thrown(six([1, 2, 3, 4, 5, 5]), ())
    both = [Corrected(1, six([1, 2, 3, 4, 5, 1]), (1,)), Corrected(1, six([1, 2, 3, 4, 5, 4]), (1,))]
    found = folded([opened(), throw, *both])
    assert d6(found) == [1, 1, 1, 2, 1, 0]
    assert found.corrected == 1


def test_throws_that_no_longer_count_in_the_game_were_thrown_all_the_same() -> None:
    """The correction ends the turn, so that the throw after it no longer fits."""
    throws = [Thrown(six([6, 1, 2, 3, 4, 4]), ()), Thrown(six([1, 1, 2, 3, 4]), ())]
    found = folded([opened(), *throws, Corrected(1, six([5, 1, 2, 3, 4, 4]), (1,))])
    assert d6(found) == [3, 2, 2, 3, 1, 0]


def test_dice_under_cups_do_not_count_but_those_of_the_opening_throws_do() -> None:
    """Ann and Bob throw for the first bid, then cast under cups; the reveal is one by one or of all."""
    opening = Opened("liars_dice", SEATS, {}, 1, (), (1, 2), ())
    begun: list[Entry] = [
        opening,
        Thrown(six([1, 1, 1, 1, 1, 1]), ()),
        Thrown(six([2, 2, 2, 2, 2, 2]), ()),
        Decided("bob", {"type": "bid", "quantity": 2, "face": 3}),
        Decided("ann", {"type": "challenge"}),
    ]
    one_by_one: list[Entry] = [Revealed("ann", six([3] * 6), ()), Revealed("bob", six([4] * 6), ())]
    at_once: list[Entry] = [Thrown(six([3] * 6 + [4] * 6), ())]
    for reveal in (one_by_one, at_once):
        found = folded([*begun, *reveal])
        assert d6(found) == [6, 6, 0, 0, 0, 0]
        assert (found.hidden, found.throws) == (12, 2)
    found = folded([*begun, *one_by_one, Corrected(5, six([3] * 6 + [4] * 5 + [6]), (1,))])
    assert (found.hidden, found.unplaced) == (12, 0)


def test_an_unknown_game_counts_no_dice() -> None:
    found = folded([Opened("yahtzee", SEATS, {}, 1, (), (1, 2), ()), Thrown(six([1, 1]), ())])
    assert (len(found.tapes), found.hidden) == (0, 2)


def test_a_correction_of_a_throw_that_is_lost_is_told() -> None:
    found = folded([opened(), Thrown(six([1, 1, 1]), ()), Corrected(1, six([1, 2, 3, 4, 5, 6]), (1,))])
    assert found.unplaced == 1
    assert d6(found) == [3, 0, 0, 0, 0, 0]


def test_since_leaves_out_earlier_throws() -> None:
    throws = [Thrown(six([6, 1, 2, 3, 4, 4]), ()), Thrown(six([1, 1, 2, 3, 4]), ())]
    dated = [
        ("2026-11-20", dump(opened())),
        ("2026-11-20T23:59", dump(throws[0])),
        ("2026-11-21T00:01", dump(throws[1])),
    ]
    assert d6(fold(dated, "2026-11-21")) == [2, 1, 1, 1, 0, 0]
    assert d6(fold(dated, "2026-11-21T00:01")) == [2, 1, 1, 1, 0, 0]


def test_a_throw_before_since_may_be_corrected_after_it() -> None:
    throw = Thrown(six([1, 2, 3, 4, 5, 5]), ())
    correction = Corrected(1, six([1, 2, 3, 4, 5, 1]), (1,))
    dated = [
        ("2026-11-20", dump(opened())),
        ("2026-11-20", dump(throw)),
        ("2026-11-22", dump(correction)),
    ]
    assert len(fold(dated, "2026-11-21").tapes) == 0
    assert fold(dated, "2026-11-20").corrected == 1


def test_a_corrected_die_may_have_been_of_another_kind() -> None:
    entries: list[Entry] = [
        Opened("six_shooter", SEATS, {"first": "ann"}, 1, (), (1, 2), ()),
        Thrown((("d8", 8), ("d10", 3)), ()),
        Corrected(1, (("d4", 3), ("d8", 8)), (1,)),
    ]
    found = folded(entries)
    assert {kind: list(tape.faces) for kind, tape in found.tapes.kinds.items()} == {"d8": [8], "d4": [3]}
    assert found.corrected == 1


@pytest.mark.parametrize("game", ["six_shooter", "money_shot", "liars_dice", "sixes"])
def test_every_die_of_every_game_is_accounted_for(game: str) -> None:
    entries = script(game, 5)
    found = folded([*entries, Closed(Ending.OVER)])
    assert len(found.tapes) + found.hidden == sum(len(e.dice) for e in entries if isinstance(e, Thrown))
    assert (found.hidden > 0) == (game in ("liars_dice", "sixes"))
