"""A match of any game: purity, revisions, the log and its replay, corrections."""

from __future__ import annotations

import json

import pytest

from games import errors
from games.match import Match, Stopped, dump
from games.requests import Act, Dice


def d6(faces: str) -> Dice:
    return Dice(tuple(("d6", int(face)) for face in faces))


@pytest.fixture
def match() -> Match:
    return Match.new("six_by_6", ["ann", "bob"], options={"sets": 2}, seed=7)


def test_apply_leaves_the_match_as_it_was(match: Match) -> None:
    before = match.state()
    after = match.apply(d6("112345"))
    assert (match.revision, after.revision) == (0, 1)
    assert match.state() == before
    assert match.log == after.log[:1]


def test_a_stale_answer_is_refused(match: Match) -> None:
    after = match.apply(d6("112345"), revision=0)
    with pytest.raises(errors.Stale):
        after.apply(d6("112345"), revision=0)
    assert after.apply(d6("112345"), revision=1).revision == 2


def test_changing_what_the_match_gave_out_does_not_change_it(match: Match) -> None:
    match = match.apply(d6("112345"))
    state, entries = json.dumps(match.state()), json.dumps(match.log)
    match.state()["seats"].clear()
    match.log[0]["seats"].append("eve")
    match.log[1]["dice"].clear()
    assert (json.dumps(match.state()), json.dumps(match.log)) == (state, entries)


def test_a_request_keeps_no_hold_on_what_it_was_made_of() -> None:
    action = {"type": "bet", "amount": 3}
    act = Act("ann", action)
    action["amount"] = 4
    assert act.to_json() == {"op": "act", "seat": "ann", "action": {"type": "bet", "amount": 3}}


def test_the_log_is_the_new_request_and_what_was_accepted(match: Match) -> None:
    match = match.apply(d6("112345"))
    with pytest.raises(errors.WrongDice):
        match.apply(d6("1"))
    assert match.log == (
        {
            "op": "new",
            "game": "six_by_6",
            "seats": ["ann", "bob"],
            "options": {"sets": 2},
            "seed": 7,
            "draws": [],
        },
        {"op": "dice", "dice": [["d6", 1], ["d6", 1], ["d6", 2], ["d6", 3], ["d6", 4], ["d6", 5]]},
    )


def test_a_torn_last_line_resumes_before_it(match: Match) -> None:
    before = match.apply(d6("112345"))
    after = before.apply(d6("123456"))
    whole, kept = dump(after.log), len(dump(before.log))
    for length in range(kept, len(whole) + 1):
        resumed = Match.resume(whole[:length])
        # The line feed alone says nothing: a entry without it is whole.
        expected = after if length >= len(whole) - 1 else before
        assert resumed.log == expected.log
        assert resumed.state() == expected.state()


def test_a_broken_line_in_the_middle_is_no_tear(match: Match) -> None:
    first, second = dump(match.apply(d6("112345")).log).splitlines(keepends=True)
    with pytest.raises(errors.BadLog, match="line 2"):
        Match.resume(first + second[:20] + b"\n" + second)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [{"op": "dice", "dice": []}],
        [{"op": "new", "game": "six_by_6", "seats": ["ann"], "options": {}, "seed": 1}],
        [{"op": "new", "game": "six_by_6", "seats": ["ann"], "options": {}, "seed": 1, "draws": [0]}],
        [{"op": "new", "game": "six_by_6", "seats": ["ann"], "options": {}, "seed": 1, "draws": [True]}],
        [{"op": "new", "game": "chess", "seats": ["ann"], "options": {}, "seed": 1, "draws": []}],
        [{"op": "new", "game": "six_by_6", "seats": ["ann"], "options": {}, "seed": 1, "draws": [], "x": 1}],
    ],
)
def test_what_is_no_opening_is_refused(entries: list[object]) -> None:
    with pytest.raises(errors.BadLog, match="entry 0"):
        Match.replay(entries)


@pytest.mark.parametrize(
    "entry",
    [
        {"op": "dice", "dice": []},
        {"op": "act", "seat": "ann", "action": {"type": "stick"}},
        {"op": "state"},
        {"op": "correct", "throw": 1, "dice": [["d6", 1]] * 6},
        {"op": "correct", "throw": True, "dice": []},
        17,
    ],
)
def test_a_record_that_does_not_fit_is_named(match: Match, entry: object) -> None:
    with pytest.raises(errors.BadLog, match="entry 1"):
        Match.replay([*match.log, entry])


def test_correct_refolds_and_replays(match: Match) -> None:
    misread = match.apply(d6("123456")).apply(d6("112345"))
    corrected = misread.correct(2, d6("112344"))
    assert corrected.revision == 3
    assert corrected.stopped is None
    assert corrected.state()["turn"]["carry"] == 1
    assert misread.state()["turn"]["carry"] == 0
    assert corrected.log[:3] == misread.log
    assert corrected.log[3] == {"op": "correct", "throw": 2, "dice": d6("112344").to_json()["dice"]}
    replayed = Match.resume(dump(corrected.log))
    assert (replayed.log, replayed.state(), replayed.prompt) == (
        corrected.log,
        corrected.state(),
        corrected.prompt,
    )


def test_a_correction_stops_the_match_before_the_first_request_that_no_longer_fits(match: Match) -> None:
    # Two sixes were read where there was one: the next throw of four dice should have been of five.
    match = match.apply(d6("661234")).apply(d6("1123")).apply(d6("1123"))
    corrected = match.correct(1, d6("611234"))
    assert corrected.stopped == Stopped(2, "wrong_dice", "5 dice are due, not 4")
    assert corrected.events[-1] == {"event": "stopped", "revision": 2, "code": "wrong_dice"}
    assert corrected.state()["turn"] == {"seat": "ann", "posted": 1, "carry": 1, "dice": 5}
    # It goes on from there, and the throws that were dropped can no longer be corrected.
    resumed = corrected.apply(d6("12345"))
    assert resumed.revision == 5
    assert resumed.stopped is None
    with pytest.raises(errors.BadCorrection):
        resumed.correct(3, d6("1123"))
    assert Match.replay(resumed.log).state() == resumed.state()


def test_a_throw_can_be_corrected_twice(match: Match) -> None:
    match = match.apply(d6("112345")).apply(d6("112345"))
    twice = match.correct(1, d6("111145")).correct(1, d6("111345"))
    assert twice.state()["turn"]["carry"] == 1
    assert Match.replay(twice.log).state() == twice.state()


def test_a_correction_with_impossible_dice_changes_nothing(match: Match) -> None:
    match = match.apply(d6("112345"))
    with pytest.raises(errors.WrongDice):
        match.correct(1, d6("11234"))
    for revision in (0, 2, -1):
        with pytest.raises(errors.BadCorrection):
            match.correct(revision, d6("112345"))
    with pytest.raises(errors.Stale):
        match.correct(1, d6("112345"), revision=0)


def test_a_seed_that_the_log_could_not_hold_is_refused() -> None:
    Match.resume(dump(Match.new("six_by_6", ["ann"], seed=2**53).log))
    with pytest.raises(errors.BadRequest):
        Match.new("six_by_6", ["ann"], seed=2**53 + 1)


def test_a_correction_of_throw_true_is_not_one_of_throw_1(match: Match) -> None:
    match = match.apply(d6("112345"))
    entry = {"op": "correct", "throw": True, "dice": d6("112344").to_json()["dice"]}
    with pytest.raises(errors.BadLog, match="entry 2"):
        Match.replay([*match.log, entry])
