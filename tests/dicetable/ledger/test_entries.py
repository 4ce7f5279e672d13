"""Entries survive the round trip through JSON; anything else is rejected."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dicetable.ledger.entries import (
    BadEntry,
    Cause,
    Closed,
    Corrected,
    Decided,
    DieDetails,
    Ending,
    Entry,
    Epoch,
    JournalError,
    Later,
    LyingDie,
    MemoryJournal,
    OldHead,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
    dump,
    load,
)
from games.dice import EVERY_KIND, VALUES, Die

KNOWN = ("opened", "decided", "thrown", "revealed", "corrected", "sat", "closed", "epoch")
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
wholes = st.integers(-(2**53), 2**53)
dice = st.lists(
    st.sampled_from(EVERY_KIND).flatmap(lambda kind: st.tuples(st.just(kind), st.sampled_from(VALUES[kind]))),
    min_size=1,
    max_size=8,
).map(tuple)
panel_seats = st.lists(st.integers(1, 8), unique=True).map(tuple)
boxes = st.tuples(*[st.integers(0, 5000)] * 4)
positions = st.none() | st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2)
ids = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64)
kinds, values = st.none() | st.sampled_from(EVERY_KIND), st.none() | st.integers(1, 20)
lying = st.none() | st.lists(st.builds(LyingDie, kinds, values, boxes, positions, ids), max_size=4).map(tuple)
confirmed = st.none() | st.integers(1, 8) | st.just("nobody")
detail = st.builds(DieDetails, positions, ids, confirmed, values)


def with_details(dice: tuple[Die, ...]) -> st.SearchStrategy[tuple[DieDetails, ...]]:
    """Details of each die, or of none."""
    return st.just(()) | st.tuples(*[detail] * len(dice))


def places(dice: tuple[Die, ...], lying: tuple[LyingDie, ...] | None) -> st.SearchStrategy[tuple[int, ...]]:
    """Which of the dice in the tray each of the dice is, or nothing."""
    return st.just(()) | st.tuples(*[st.integers(0, len(lying) - 1)] * len(dice)) if lying else st.just(())


in_tray = st.tuples(dice, lying)
options = st.dictionaries(names, st.none() | wholes | names, max_size=4)
heads = st.none() | st.builds(OldHead, wholes, st.text("0123456789abcdef", min_size=64, max_size=64))
lost = st.lists(st.tuples(wholes, wholes), max_size=3).map(tuple)
actions = st.dictionaries(names, wholes | names, max_size=3)
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(
        Opened,
        game=names,
        seats=st.lists(names, max_size=8).map(tuple),
        options=options,
        seed=wholes,
        draws=st.lists(wholes, max_size=3).map(tuple),
        panel_seats=panel_seats,
        lying=lying,
    ),
    st.builds(Decided, names, actions, st.booleans()),
    in_tray.flatmap(
        lambda tray: st.builds(
            Thrown, *map(st.just, tray), places(*tray), st.booleans(), panel_seats, with_details(tray[0])
        )
    ),
    in_tray.flatmap(
        lambda tray: st.builds(Revealed, names, *map(st.just, tray), places(*tray), with_details(tray[0]))
    ),
    st.builds(Corrected, wholes, dice, panel_seats),
    st.builds(Sat, st.integers(1, 8), names, st.sampled_from(Sitting)),
    st.builds(Closed, st.sampled_from(Ending)),
    st.builds(Epoch, st.integers(2), st.sampled_from(Cause), heads, lost),
)


@given(entries)
def test_an_entry_comes_back_as_it_was(entry: Entry) -> None:
    line = dump(entry)
    assert b"\n" not in line
    assert load(line) == entry


@given(entries, st.data())
def test_an_entry_with_a_part_gone_is_refused(entry: Entry, data: st.DataObject) -> None:
    message = json.loads(dump(entry))
    may = {"by_table", "numbers", "by_hand", "by", "details", "lost", "frames_by", "house_rules", "house"}
    must = sorted(set(message) - may)
    del message[data.draw(st.sampled_from(must))]
    with pytest.raises(BadEntry):
        load(json.dumps(message).encode())


@given(entries)
def test_a_field_of_a_later_version_is_ignored(entry: Entry) -> None:
    message = json.loads(dump(entry))
    assert load(json.dumps({**message, "surprise": 1}).encode()) == entry


@given(st.text())
def test_an_entry_of_a_later_version_is_ignored(kind: str) -> None:
    assume(kind not in KNOWN)
    assert load(json.dumps({"entry": kind, "more": [1]}).encode()) == Later(kind)


@given(st.binary())
def test_bytes_that_are_no_entry_are_refused(text: bytes) -> None:
    with pytest.raises(BadEntry):
        load(text)


@pytest.mark.parametrize(
    "line",
    [
        b'{"entry":"sat","panel_seat":9,"name":"ann","how":"plays"}',
        b'{"entry":"sat","panel_seat":"1","name":"ann","how":"plays"}',
        b'{"entry":"thrown","dice":[],"lying":null}',
        b'{"entry":"thrown","dice":[["d7",1]],"lying":null}',
        b'{"entry":"thrown","dice":[["d6",1.0]],"lying":null}',
        b'{"entry":"thrown","dice":[["d6",1]],"lying":[],"numbers":[0]}',
        b'{"entry":"thrown","dice":[["d6",1]],"lying":null,"numbers":[0]}',
        b'{"entry":"decided","seat":"ann","action":[]}',
        b'{"melted":"entry"}',
    ],
)
def test_what_no_table_writes_is_refused(line: bytes) -> None:
    with pytest.raises(BadEntry):
        load(line)


def test_a_journal_in_memory_keeps_every_entry_and_the_twenty_newest_pictures() -> None:
    journal = MemoryJournal()
    assert [journal.append(Closed(Ending.OVER), b"%d" % number) for number in range(1, 26)][-1] == 25
    assert journal.entries == [Closed(Ending.OVER)] * 25
    assert journal.evidence == {number: b"%d" % number for number in range(6, 26)}


def test_an_error_of_the_journal_says_what_and_how_to_help() -> None:
    assert str(JournalError("The disk is full", "make room")) == "The disk is full: make room"
