"""Which pictures may be shown where rows of the ledger cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dicetable.ledger.entries import Entry, MemoryJournal, Opened, Thrown
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.throws import ListedThrow, MatchThrows, RecentThrows, formula_of, sums_of
from dicetable.table.table_state import Recorded, TableState
from games.dice import Die
from tests.dicetable.ledger.scripts import script


class Damaged(MemoryArchive):
    """Some of its rows cannot be read."""

    def __init__(self, entries: list[Entry], gone: set[int]) -> None:
        notebook = MemoryJournal()
        notebook.entries = entries
        super().__init__(notebook)
        self.gone = gone

    def row(self, number: int) -> tuple[int, Entry] | None:
        return None if number in self.gone else super().row(number)


def evening() -> list[Entry]:
    """A game of Liar's Dice whose cups are down."""
    return script("liars_dice", 1)[:2]


def test_pictures_wait_when_the_newest_row_cannot_be_read_at_the_start() -> None:
    entries = evening()
    throws = RecentThrows(Damaged(entries, {len(entries)}))
    throws.step(1000)
    assert throws.match.hides(len(entries))
    state = TableState()
    for number, entry in enumerate(script("sixes", 1)[:2], len(entries) + 1):
        throws.recorded.append(Recorded(number, entry, state, state := state.after(entry)))
        throws.step(0)
        hides = throws.match.hides(number)
        assert not hides, "a new match is known from its first row"


def test_pictures_wait_when_a_row_that_may_have_put_cups_down_cannot_be_read() -> None:
    entries = script("liars_dice", 1)
    state, down = TableState(), 0
    while state.match is None or not state.match.cups:
        state, down = state.after(entries[down]), down + 1
    throws = RecentThrows(Damaged(entries[: down + 1], {down}))
    throws.step(down)
    assert throws.match.hides(1)
    throws.step(1000)
    assert throws.match.hides(1), "the row after it does not fit"
    harmless = RecentThrows(Damaged(evening(), {1}))
    harmless.step(1000)
    assert harmless.match.hides(1), "nothing is known of a match without its opening"


def test_pictures_wait_from_the_first_row_after_the_cups_went_down() -> None:
    entries = script("liars_dice", 1)
    match, number = MatchThrows(), 0
    while match.state.match is None or not match.state.match.cups:
        number += 1
        match.follow(number, entries[number - 1])
    assert not match.hides(number)
    assert match.hides(number + 1)


def test_a_picture_may_be_shown_as_soon_as_its_throw_is_recorded() -> None:
    entries = script("six_shooter", 3)
    journal = MemoryJournal()
    throws = RecentThrows(MemoryArchive(journal))
    throws.step(1000)
    state = TableState()
    for entry in entries[:2]:
        number = journal.append(entry, b"\xff\xd8 a picture \xff\xd9")
        throws.recorded.append(Recorded(number, entry, state, state := state.after(entry)))
    picture, _ = throws.evidence(2)
    assert picture


def test_what_the_table_records_while_rows_are_read_back_counts_after_them() -> None:
    entries = script("six_shooter", 3)
    states = [TableState()]
    for entry in entries:
        states.append(states[-1].after(entry))
    journal = MemoryJournal()
    journal.entries = entries[: len(entries) // 2]
    throws = RecentThrows(MemoryArchive(journal))
    for number in range(len(journal.entries) + 1, len(entries) + 1):
        journal.append(entries[number - 1])
        throws.recorded.append(Recorded(number, entries[number - 1], states[number - 1], states[number]))
        throws.step(1)
    assert not throws.up_to_date
    assert throws.evidence(1) == (b"", b"")
    throws.step(1000)
    journal.entries = entries
    whole = RecentThrows(MemoryArchive(journal))
    whole.step(1000)
    assert throws.up_to_date
    assert (throws.throws, throws.number) == (whole.throws, whole.number)
    assert list(throws.events) == list(whole.events)
    assert throws.board.to_json() == whole.board.to_json()


@pytest.mark.parametrize(
    ("game", "steps", "lines"),
    [
        (
            "six_shooter",
            8,
            [("bob", "Bob sticks"), ("cleo", "Cleo buys a die"), ("cleo", "Cleo: 4. Cleo has 18")],
        ),
        (
            "liars_dice",
            8,
            [
                ("cleo", "Cleo challenges"),
                ("", "All cups: 1 one, 4 twos, 4 fours, 3 fives, 4 sixes. There are 5. Cleo loses a die"),
            ],
        ),
        (
            "ten_thousand",
            6,
            [("ann", "Ann threw 6 5 4 1"), ("ann", "Ann keeps 5 1"), ("ann", "Ann threw 5 1")],
        ),
        ("rolls", 6, [("ann", "Ann: d10:8 d20:18 = 26")]),
        ("six_by_6", 23, [("bob", "Bob: 3. Nothing posted. Bob: 33 points")]),
    ],
)
def test_the_log_tells_each_step_once(game: str, steps: int, lines: list[tuple[str, str]]) -> None:
    match = MatchThrows()
    for number, entry in enumerate(script(game, 3)[:steps], 1):
        match.follow(number, entry)
    told = [(line["seat"], line["text"]) for line in match.log]
    assert told[-len(lines) :] == lines
    assert [line["number"] for line in match.log] == list(range(steps - len(told) + 1, steps + 1))


@pytest.mark.parametrize(
    ("dice", "formula", "line"),
    [
        ([("d4", 1)], "", "Ann: d4:1"),
        ([("d6", 5)], "", "Ann: 5"),
        ([("d6", 2), ("d10", 2), ("d20", 5)], "", "Ann: d6:2 d10:2 d20:5 = 9"),
        ([("d6", 1)] * 13, "", "Ann: 13 ones = 13"),
        ([("d20", 20), ("d20", 3)], "2d20kh+5", "Ann: d20:20 d20:3 (2d20kh+5) = 25, natural 20"),
    ],
)
def test_the_log_names_who_rolled_and_each_die_once(dice: list[Die], formula: str, line: str) -> None:
    match = MatchThrows()
    match.follow(1, Opened("rolls", ("Ann", "Bob"), {"first": "Ann", "formula": formula}, 1, (), (1, 2), ()))
    match.follow(2, Thrown(tuple(dice), ()))
    assert [each["text"] for each in match.log] == [line]


@pytest.mark.parametrize(
    ("game", "adds_up"),
    [
        ("rolls", True),
        ("six_shooter", True),
        ("shut_the_box", True),
        ("mexico", False),
        ("yacht", False),
        ("ten_thousand", False),
    ],
)
def test_a_throw_says_whether_the_game_adds_up_its_dice(game: str, adds_up: bool) -> None:
    match = MatchThrows()
    for number, entry in enumerate(script(game, 3), 1):
        match.follow(number, entry)
    first = next(throw for throw in match.throws if len(throw.dice) > 1)
    assert first.adds_up is adds_up


@pytest.mark.parametrize(
    ("dice", "formula"), [([("d6", 5)], ""), ([("d20", 20), ("d20", 3)], "2d20kh+5")], ids=["one", "result"]
)
def test_nothing_adds_up_one_die_or_dice_that_a_formula_leaves_out(dice: list[Die], formula: str) -> None:
    match = MatchThrows()
    match.follow(1, Opened("rolls", ("Ann",), {"first": "Ann", "formula": formula}, 1, (), (1,), ()))
    match.follow(2, Thrown(tuple(dice), ()))
    assert [throw.adds_up for throw in match.throws] == [False]


def test_the_log_holds_the_last_six_steps_of_the_game() -> None:
    match = MatchThrows()
    for number, entry in enumerate(script("six_shooter", 3)[:12], 1):
        match.follow(number, entry)
    assert [line["number"] for line in match.log] == [7, 8, 9, 10, 11, 12]


def test_a_throw_says_what_its_formula_makes_of_it() -> None:
    dice: tuple[Die, ...] = (("d20", 20), ("d20", 4))
    assert sums_of(dice, "2D20kh + 5") == {
        "total": 24,
        "formula": "2d20kh+5",
        "result": 25,
        "kept": [True, False],
        "natural": 20,
    }
    assert sums_of(dice, "") == {
        "total": 24,
        "formula": None,
        "result": None,
        "kept": [True, True],
        "natural": None,
    }


def test_only_rolls_have_a_formula() -> None:
    (opened,) = [entry for entry in script("sixes", 1) if isinstance(entry, Opened)]
    options = {"formula": "what its author likes"}
    own, rolls = (replace(opened, game=game, options=options) for game in ("sixes", "rolls"))
    assert formula_of(replace(TableState(), opened=own)) == ""
    assert formula_of(replace(TableState(), opened=rolls)) == "what its author likes"


@pytest.mark.parametrize(
    ("by_hand", "hidden", "picture"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_a_picture_is_offered_of_what_was_seen_and_may_be_shown(
    by_hand: bool, hidden: bool, picture: bool
) -> None:
    throw = ListedThrow(7, 3, "yacht", "ann", (("d6", 4),), by_hand=by_hand, hidden=hidden)
    assert throw.to_json()["picture"] is picture


@pytest.mark.parametrize("game", ["liars_dice", "mexico", "mia"])
def test_it_is_known_after_which_row_a_seat_had_nothing_left(game: str) -> None:
    match, out = MatchThrows(), dict[str, int]()
    for number, entry in enumerate(script(game, 1), 1):
        match.follow(number, entry)
        if match.state.match is not None:
            for seat in match.state.match.state()["seats"]:
                if not seat.get("lives", seat.get("dice")):
                    out.setdefault(seat["seat"], number)
    assert out
    assert {seat: match.lasted[seat] for seat in out} == {seat: number - 1 for seat, number in out.items()}


def test_who_begins_with_nothing_has_nothing_to_lose() -> None:
    """A carry that comes and goes breaks no tie at nought."""
    match = MatchThrows()
    for number, entry in enumerate(script("six_by_6", 1), 1):
        match.follow(number, entry)
    assert match.lasted == {}
