"""When a throw is accepted, as a table of cases: what lay there, what is awaited, what happens, what follows.

A friendly table; strict throws are in test_strict.py.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.texts import throws as texts
from dicetable.ledger.entries import DieDetails
from dicetable.table.acceptance import Accepted, Throw, ThrownDie, likeliest
from dicetable.table.table_state import Awaited
from games.dice import FACES, KINDS
from tests.dicetable.readings import die, lie, place, together
from tests.dicetable.table.trays import (
    EMPTY,
    SIX,
    Tray,
    accepted,
    blind,
    end_of,
    essence,
    lain,
    lies,
    menu_closes,
    menu_opens,
    moves,
    not_saved,
    out_of_sight,
    prompts,
    rejected,
    saved,
    waiting,
    waits,
)
from vision.reading import DieReading, Doubt, Reading, Settled, iou

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind
    from tests.dicetable.table.trays import Step

ONE_OF_EACH = Awaited(KINDS, (2,))
D6_AND_D8 = Reading((die(3, 0, kind="d6"), die(8, 1, kind="d8")))
BOTH_ASIDE = replace(ONE_OF_EACH, aside=(("d6", 3), ("d8", 8)))
AFTER_SIX = lie(6, 6, 1, 1, 2, 3)
"""Six dice were thrown, two of them sixes."""
FOUR = Awaited(("d6",) * 4, (4,), (("d6", 6), ("d6", 6)))
"""The sixes are set aside, the rest is thrown again."""
TWO_OF_FIVE = Awaited(("d6",) * 5, (2, 5), reveal=True)
COCKED, NO_GUESS = die(None, 8, cocked=True), die(None, 9, kind=None)
FOREIGN = replace(die(4, 9, sure=False), doubt=Doubt.UNKNOWN_DIE)


@pytest.mark.parametrize(
    ("baseline", "awaited", "reading", "outcome"),
    [
        # The right number of dice, or not.
        (EMPTY, SIX, AFTER_SIX, accepted(6, 6, 1, 1, 2, 3)),
        (EMPTY, SIX, EMPTY, waiting()),
        (EMPTY, None, lie(1, 2), waiting()),
        (EMPTY, SIX, lie(2), rejected(texts.wrong_count(1, 6))),
        (EMPTY, SIX, lie(*[2] * 5), rejected(texts.wrong_count(5, 6))),
        (EMPTY, SIX, lie(*[2] * 7), rejected(texts.wrong_count(7, 6))),
        (EMPTY, SIX, lie(*[2] * 12), rejected("I see 12 dice, not 6.")),
        # The right kinds, or not.
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4, 5).dice, die(8, 9, kind="d8"))),
            rejected(texts.wrong_kind("d8", ["d6"])),
        ),
        (
            EMPTY,
            ONE_OF_EACH,
            Reading((die(3, 0, kind="d20"), die(4, 1, kind="d20"))),
            rejected(texts.wrong_kind("second d20", KINDS)),
        ),
        (EMPTY, ONE_OF_EACH, Reading((die(3, 0, kind="d20"), die(4, 1, kind="d4"))), accepted(3, 4)),
        # Dice that are not sure: foreign ones are said first, then cocked ones, and none is guessed.
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4).dice, COCKED, FOREIGN)),
            rejected(texts.unknown_dice(1)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4).dice, FOREIGN, replace(FOREIGN, box=place(8)))),
            rejected(texts.unknown_dice(2)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4).dice, COCKED, die(3, 9, sure=False))),
            rejected(texts.cocked("d6", reveal=False)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4, 5).dice, replace(COCKED, kind=None))),
            rejected(texts.cocked(None, reveal=False)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4, 5).dice, die(4, 9, sure=False))),
            rejected(texts.unsure(1, ["4"], reveal=False)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4, 5).dice, NO_GUESS)),
            rejected(texts.unsure(1, [], reveal=False)),
        ),
        (
            EMPTY,
            SIX,
            Reading((*lie(1, 2, 3, 4, 5, 6).dice, NO_GUESS)),
            rejected(texts.unsure(1, [], reveal=False)),
        ),
        # Dice of the baseline do not count, unless they moved.
        (AFTER_SIX, FOUR, together(lie(6, 6), lie(2, 2, 3, 6, start=20)), accepted(2, 2, 3, 6)),
        (AFTER_SIX, FOUR, AFTER_SIX, waiting()),
        (
            AFTER_SIX,
            FOUR,
            together(lie(6, 6), lie(2, start=4), lie(4, 4, 5, start=20)),
            rejected(texts.left_lying(1)),
        ),
        (AFTER_SIX, FOUR, together(lie(6, 5), lie(2, 2, 3, 5, start=20)), rejected(texts.wrong_count(5, 4))),
        (
            AFTER_SIX,
            FOUR,
            together(Reading((die(6, 0), die(None, 1, kind=None))), lie(2, 2, 3, 5, start=20)),
            accepted(2, 2, 3, 5),
        ),
        (
            Reading((die(None, 0, kind=None),)),
            SIX,
            together(lie(4), lie(1, 2, 3, 4, 5, 6, start=20)),
            accepted(1, 2, 3, 4, 5, 6),
        ),
        # A die of the baseline that may only have been pushed is never taken for one that was thrown.
        (
            AFTER_SIX,
            FOUR,
            together(lie(6), lie(6, start=30), lie(2, 2, 3, 5, start=20)),
            rejected(texts.wrong_count(5, 4)),
        ),
        (
            AFTER_SIX,
            FOUR,
            together(lie(6), lie(6, start=30), lie(2, 2, 3, start=20)),
            rejected(texts.old_die_moved(reveal=False)),
        ),
        (
            AFTER_SIX,
            FOUR,
            together(lie(6, 6, start=30), lie(2, 2, start=20)),
            rejected(texts.old_die_moved(reveal=False)),
        ),
        (
            AFTER_SIX,
            FOUR,
            together(lie(6), lie(3, start=5), lie(6, start=30), lie(2, 2, 4, start=20)),
            rejected(texts.old_die_moved(reveal=False)),
        ),
        (AFTER_SIX, FOUR, lie(2, 2, 3, 5, start=20), rejected(texts.old_die_moved(reveal=False))),
        (
            D6_AND_D8,
            BOTH_ASIDE,
            Reading((die(5, 30, kind="d6"), die(8, 1, kind="d8"), die(2, 20, kind="d4"))),
            rejected(texts.old_die_moved(reveal=False)),
        ),
        (
            D6_AND_D8,
            BOTH_ASIDE,
            Reading((die(2, 20, kind="d4"), die(9, 21, kind="d10"))),
            accepted(2, 9),
        ),
        # A reveal: one seat's dice or all, and nothing is ever to be thrown again.
        (EMPTY, TWO_OF_FIVE, lie(5, 3), accepted(5, 3)),
        (EMPTY, TWO_OF_FIVE, lie(1, 2, 3, 4, 5), accepted(1, 2, 3, 4, 5)),
        (EMPTY, TWO_OF_FIVE, lie(1, 2, 3), rejected(texts.wrong_count(3, 2))),
        (EMPTY, TWO_OF_FIVE, Reading((COCKED, die(2, 1))), rejected(texts.cocked("d6", reveal=True))),
        (EMPTY, TWO_OF_FIVE, Reading((die(None, 0), die(2, 1))), rejected(texts.unsure(1, [], reveal=True))),
        (EMPTY, TWO_OF_FIVE, Reading((COCKED, FOREIGN)), rejected(texts.unknown_dice(1))),
        (lie(3), TWO_OF_FIVE, lie(5, 3, start=20), rejected(texts.old_die_moved(reveal=True))),
        (None, TWO_OF_FIVE, lie(5, 3), rejected(texts.not_seen(reveal=True))),
    ],
)
def test_one_reading(
    baseline: Reading | None, awaited: Awaited | None, reading: Reading, outcome: tuple[type, object]
) -> None:
    tray = Tray(awaited, baseline=None if baseline is None else lain(baseline))
    assert essence(tray.lie(reading)) == outcome
    if isinstance(tray.said, Accepted):
        assert tray.said.baseline == lain(reading)
    if awaited is not None and awaited.reveal and isinstance(outcome[1], str):
        assert "throw" not in outcome[1]


THERE = lie(1, 2, 3, 4, 5, 6, start=40)
ELSEWHERE = lie(1, 2, 3, 4, 5, 6, start=20)


@pytest.mark.parametrize(
    ("baseline", "awaited", "steps", "outcome"),
    [
        # A throw is accepted once.
        (EMPTY, SIX, [lies(THERE), saved, lies(THERE)], waiting()),
        (
            EMPTY,
            SIX,
            [lies(THERE), saved, prompts(SIX), moves, lies(THERE)],
            rejected(texts.nothing_thrown(6)),
        ),
        (EMPTY, SIX, [lies(THERE), menu_opens, menu_closes], None),
        (EMPTY, SIX, [lies(THERE), saved, lies(ELSEWHERE)], accepted(1, 2, 3, 4, 5, 6)),
        # One that could not be saved is accepted again, if it still lies there.
        (EMPTY, SIX, [lies(THERE), not_saved, waits(1.9)], None),
        (EMPTY, SIX, [lies(THERE), not_saved, waits(2.0)], accepted(1, 2, 3, 4, 5, 6)),
        (EMPTY, SIX, [lies(THERE), not_saved, moves, waits(2.0)], None),
        (EMPTY, SIX, [lies(THERE), not_saved, waits(2.0), saved, waits(2.0)], None),
        # Dice set aside may be taken out, and others taken up one by one, if that is seen.
        (AFTER_SIX, FOUR, [lies(EMPTY), lies(lie(2, 2, 3, 5, start=20))], accepted(2, 2, 3, 5)),
        (
            AFTER_SIX,
            FOUR,
            [lies(lie(6, 6, 1, 1)), lies(together(lie(6, 6), lie(2, 2, 3, 5, start=20)))],
            accepted(2, 2, 3, 5),
        ),
        # People are reminded once, when something moved and nothing came of it.
        (AFTER_SIX, FOUR, [moves, lies(AFTER_SIX)], rejected(texts.nothing_thrown(4))),
        (EMPTY, SIX, [lies(EMPTY), waits(60.0)], None),
        (EMPTY, SIX, [moves, lies(EMPTY), waits(5.9)], None),
        (EMPTY, SIX, [moves, lies(EMPTY), waits(6.0)], waiting("I see no dice: throw 6 dice.")),
        (EMPTY, SIX, [moves, lies(EMPTY), waits(6.0), waits(60.0)], None),
        (EMPTY, SIX, [moves, lies(EMPTY), moves, waits(60.0)], None),
        (EMPTY, SIX, [moves, lies(EMPTY), blind, waits(60.0)], None),
        (EMPTY, SIX, [moves, lies(EMPTY), prompts(None), waits(60.0)], None),
        (
            AFTER_SIX,
            FOUR,
            [moves, lies(lie(6, 6)), waits(6.0)],
            waiting(texts.nothing_new(4, old=True, reveal=False)),
        ),
        # Dice that came while nobody saw do not count; those that come later do.
        (EMPTY, SIX, [out_of_sight, lies(THERE)], rejected(texts.not_seen(reveal=False))),
        (None, SIX, [lies(THERE)], rejected(texts.not_seen(reveal=False))),
        (None, SIX, [lies(THERE), lies(THERE)], waiting()),
        (None, SIX, [lies(THERE), lies(ELSEWHERE)], accepted(1, 2, 3, 4, 5, 6)),
        (AFTER_SIX, FOUR, [out_of_sight, lies(AFTER_SIX)], waiting()),
        (
            AFTER_SIX,
            FOUR,
            [out_of_sight, lies(AFTER_SIX), lies(together(lie(6, 6), lie(1, 2, 2, 3, start=20)))],
            accepted(1, 2, 2, 3),
        ),
        # Nothing is accepted while a menu is open; afterwards what was thrown meanwhile is.
        (EMPTY, SIX, [menu_opens, lies(THERE)], None),
        (EMPTY, SIX, [menu_opens, lies(THERE), menu_closes], accepted(1, 2, 3, 4, 5, 6)),
        (EMPTY, SIX, [menu_opens, lies(THERE), moves, menu_closes], None),
        (EMPTY, SIX, [moves, lies(EMPTY), menu_opens, waits(60.0)], None),
        # What lay there before a prompt to throw is no throw; what is revealed may lie there already.
        (EMPTY, None, [lies(THERE), prompts(SIX)], rejected(texts.TOO_EARLY)),
        (EMPTY, None, [lies(THERE), prompts(SIX), menu_opens, menu_closes], None),
        (EMPTY, None, [lies(THERE), prompts(SIX), lies(THERE)], waiting()),
        (EMPTY, None, [lies(THERE), prompts(SIX), lies(ELSEWHERE)], accepted(1, 2, 3, 4, 5, 6)),
        (EMPTY, None, [lies(EMPTY), prompts(SIX)], waiting()),
        (EMPTY, None, [moves, prompts(SIX), lies(THERE, taken_s=10.9)], rejected(texts.TOO_EARLY)),
        (EMPTY, None, [moves, prompts(SIX), lies(THERE, taken_s=11.1)], accepted(1, 2, 3, 4, 5, 6)),
        (EMPTY, None, [lies(lie(5, 3)), prompts(TWO_OF_FIVE)], accepted(5, 3)),
        (AFTER_SIX, None, [moves, lies(AFTER_SIX), prompts(FOUR)], waiting()),
    ],
)
def test_what_happens_at_the_tray(
    baseline: Reading | None,
    awaited: Awaited | None,
    steps: Sequence[Step],
    outcome: tuple[type, object] | None,
) -> None:
    tray = Tray(awaited, baseline=None if baseline is None else lain(baseline))
    assert end_of(tray, *steps) == outcome


@st.composite
def dice(draw: st.DrawFn) -> DieReading:
    """Any die at one of a few places, often a sure d6."""
    often: list[Kind | None] = ["d6"] * 12
    kind = draw(st.sampled_from([*often, *KINDS, None]))
    value = draw(st.integers(1, FACES[kind])) if kind is not None and draw(st.integers(0, 9)) else None
    read = die(value, draw(st.integers(0, 15)), kind=kind, sure=draw(st.integers(0, 9)) > 0)
    x, y, w, h = read.box
    return replace(read, box=(x + draw(st.sampled_from([0, 0, 0, 3, 9])), y, w, h))


readings = st.lists(dice(), max_size=9, unique_by=lambda d: d.box[0] // 60 + 10 * (d.box[1] // 60))


def likely(tray: Tray, count: int, seed: int) -> Reading:
    """A reading that fits: some old dice lie on, the rest is thrown anew."""
    rng = Random(seed)
    baseline = tray.acceptance.baseline
    kept = [die(old.value, 0, kind=old.kind) for old in baseline[: rng.choice((0, 6 - count))]]
    kept = [replace(new, box=old.box) for new, old in zip(kept, baseline, strict=False)]
    free = [n for n in range(100, 160) if all(place(n) != old.box for old in baseline)]
    return Reading((*kept, *(die(rng.randint(1, 6), n) for n in rng.sample(free, count))))


@given(
    st.lists(st.one_of(readings.map(tuple), st.integers(0, 2**20)), max_size=25),
    st.lists(st.integers(1, 6), min_size=25, max_size=25),
)
@settings(max_examples=60)
def test_only_sure_dice_that_fit_and_moved_ever_count(offered: list[Any], counts: list[int]) -> None:
    tray = Tray()
    for given_dice, count in zip(offered, counts, strict=False):
        tray.move()
        tray.ask(Awaited(SIX.kinds[:count], (count,)))
        reading = likely(tray, count, given_dice) if isinstance(given_dice, int) else Reading(given_dice)
        baseline = tray.acceptance.baseline
        outcome = tray.lie(reading)
        assert tray.acceptance.baseline == baseline
        if not isinstance(outcome, Accepted):
            continue
        assert len(outcome.dice) == count
        fresh = [
            seen
            for seen in reading.dice
            if not any(iou(seen.box, old.box) >= 0.7 and not turned(seen, old) for old in baseline)
        ]
        assert all(seen.sure and seen.kind == "d6" for seen in fresh)
        assert sorted(face for _, face in outcome.faces) == sorted(seen.value or 0 for seen in fresh)
        tray.save()


def turned(seen: DieReading, old: Any) -> bool:
    """Whether a die in the same place shows something else."""
    return seen.sure and old.value is not None and (seen.kind, seen.value) != (old.kind, old.value)


@pytest.mark.parametrize(("read", "taken"), [(4, None), (10, 10)])
def test_a_doubtful_d10_where_a_d100_is_due_keeps_the_value_that_both_bear(
    read: int, taken: int | None
) -> None:
    doubtful = die(read, 0, kind="d10", sure=False)
    assert likeliest((doubtful,), Awaited(("d100",), (1,))) == (("d100", taken),)
    assert likeliest((doubtful,), Awaited(("d10",), (1,))) == (("d10", read),)


def test_a_die_has_its_rank_from_the_left_wherever_it_lies_in_the_other_direction() -> None:
    lying = Reading((die(1, 3), die(2, 11), die(3, 20)))
    dice = tuple(
        ThrownDie(number, lying.dice[number], "d6", value, DieDetails()) for number, value in ((0, 1), (2, 3))
    )
    assert [Throw(Settled(lying, 0.0), dice).rank(die) for die in dice] == [3, 1]
