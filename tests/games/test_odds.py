"""The odds, each compared with counting every case or playing every case through the rules."""

from __future__ import annotations

import gc
from fractions import Fraction
from itertools import combinations, product

import pytest

from games import money_shot, odds, six_by_6, six_shooter, sixes
from games.dice import FACES, KINDS
from tests.games.notation import act, lie, new, play


@pytest.mark.parametrize("own", [(), (1,), (5, 5), (1, 2, 5)])
def test_bid_holds_is_the_share_of_throws_in_which_it_does(own: tuple[int, ...]) -> None:
    others = 6 - len(own)
    for quantity in range(1, 7):
        held = [
            sum(face in (1, 5) for face in own + hidden) >= quantity
            for hidden in product(range(1, 7), repeat=others)
        ]
        assert odds.bid_holds((quantity, 5), 6, own) == Fraction(sum(held), len(held))


def test_call_beaten_is_the_share_of_recasts_that_beat_it() -> None:
    for call in (111, 532, 661, 665):
        for kept in ((), (6,), (6, 6), (2, 5)):
            casts = list(product(range(1, 7), repeat=3 - len(kept)))
            beaten = sum(sixes.reading(kept + cast) > call for cast in casts)
            assert odds.call_beaten(call, kept) == Fraction(beaten, len(casts))
    assert odds.call_beaten(666) == 0
    assert odds.reads_at_least(111) == 1


def test_best_recast_is_the_best_of_all_eight() -> None:
    assert odds.best_recast(532, (2, 3, 5)) == ((5,), odds.call_beaten(532, (5,)))
    assert odds.best_recast(532, (3, 5, 6)) == ((3, 5, 6), Fraction(1))
    assert odds.best_recast(665, (6, 6, 2)) == ((6, 6), Fraction(1, 6))


def decided(*totals: str) -> six_shooter.State:
    """Ann and bob after their opening throws, ann to act, and plenty of chips."""
    state: six_shooter.State = play(
        new("six_shooter", "ab", first="a", hands=1), [lie(*total.split(",")) for total in totals]
    ).current
    return state


def test_purchases_bust_and_win_chances_by_playing_each_face() -> None:
    match = play(
        new("six_shooter", "ab", first="a", hands=1, chips=3), [lie("d12 9", "d10 6"), lie("d20 17", "d4 1")]
    )
    purchases = odds.purchases(match.current, 0)
    assert [purchase.kind for purchase in purchases] == ["d4", "d6", "d8", "d20"]
    for purchase in purchases:
        results = []
        for face in range(1, FACES[purchase.kind] + 1):
            after = play(match, [act("a", "buy"), lie(f"{purchase.kind} {face}")])
            if after.prompt.to_json()["kind"] == "act":
                after = play(after, [act("b", "stick"), act("a", "stick")])
            results.append(after.state()["seats"])
        busts = sum(seats[0]["status"] == "bust" for seats in results)
        wins = sum(seats[0]["chips"] > seats[1]["chips"] for seats in results)
        assert purchase.bust == Fraction(busts, len(results))
        # One chip was all there was to spend: what is thrown is what stands.
        assert purchase.win == Fraction(wins, len(results))


def test_purchases_win_chance_goes_on_buying_where_that_is_better() -> None:
    behind = decided("d12 1,d10 1", "d20 17,d4 2")
    by_kind = {purchase.kind: purchase for purchase in odds.purchases(behind, 0)}
    # A d4 cannot reach 20 by itself; the d20 after it may.
    assert 0 < by_kind["d4"].win < by_kind["d20"].win
    assert by_kind["d4"].bust == 0


def test_without_chips_or_dice_nothing_can_be_bought() -> None:
    broke = decided("d12 1,d10 1", "d20 17,d4 2")._replace(chips=(0, 5))
    assert odds.purchases(broke, 0) == []


@pytest.mark.parametrize(
    ("mine", "theirs", "they_stuck", "wins"),
    [
        ("d12 9,d10 9", "d20 15,d4 2", False, True),
        ("d12 9,d10 8", "d20 15,d4 3", False, False),
        ("d12 9,d10 9", "d20 15,d4 3", False, True),
        ("d12 9,d10 9", "d20 15,d4 3", True, False),
    ],
)
def test_stick_wins_is_what_sticking_brings(mine: str, theirs: str, they_stuck: bool, wins: bool) -> None:
    match = new("six_shooter", "ab", first="b" if they_stuck else "a", hands=1)
    throws = [lie(*theirs.split(",")), lie(*mine.split(","))]
    match = play(match, throws if they_stuck else reversed(throws))
    sticks = [act("a", "stick"), act("b", "stick")]
    if they_stuck:
        match = match.apply(sticks.pop())
    assert odds.stick_wins(match.current, 0) == wins
    end = play(match, sticks).state()["seats"]
    assert (end[0]["chips"] > end[1]["chips"]) == wins


def test_peak_beaten_counts_the_faces_above_it() -> None:
    start = money_shot.start(("a", "b", "c"), money_shot.Options(first="a"), lambda _: 0)[0]
    assert odds.peak_beaten(start) == 1
    assert odds.peak_beaten(start._replace(peak=6, leader=1)) == Fraction(1, 2)
    assert odds.peak_beaten(start._replace(peak=11, leader=1)) == Fraction(1, 12)


def test_peak_beaten_without_a_bet_needs_the_twelve() -> None:
    broke = money_shot.start(("a", "b", "c"), money_shot.Options(first="a", chips=1), lambda _: 0)[0]
    assert broke.phase == "throw"
    assert odds.peak_beaten(broke) == Fraction(1, 12)


def test_turn_odds_satisfy_their_own_equations() -> None:
    """The odds of a state are the mean of those that each throw leads to, within rounding."""
    for posted in range(6):
        for carry in (0, 1, 2, 7, 60, 249, 250, 251, 400):
            rack, score, throws = 0.0, 0.0, 1.0
            for faces, chance in odds.throws(6 - posted).items():
                newly, earned = six_by_6.earnings(faces)
                after, share = carry + earned, float(chance)
                if posted + newly == 6:
                    rack, score = rack + share, score + share * (36 + after)
                elif after == 0:
                    score += share * (6 * posted + sum(faces))
                else:
                    later = odds.turn_odds(posted + newly, after - 1)
                    rack, score = rack + share * later.rack, score + share * later.score
                    throws += share * later.throws
            found = odds.turn_odds(posted, carry)
            assert found.rack == pytest.approx(rack, abs=1e-12)
            assert found.score == pytest.approx(score, abs=1e-12, rel=1e-14)
            assert found.throws == pytest.approx(throws, abs=1e-12)


def test_turn_odds_with_one_die_left_are_a_geometric_series() -> None:
    for carry in range(30):
        assert odds.turn_odds(5, carry).rack == pytest.approx(1 - (5 / 6) ** (carry + 1), abs=1e-13)


def test_ever_new_questions_do_not_fill_the_memory() -> None:
    ask_all_against((15, 2))
    held = chances_held()
    ask_all_against((16, 2))
    assert chances_held() <= held + 100


def ask_all_against(best: tuple[int, int]) -> None:
    """The chance of every die in every position of a seat that has this to beat."""
    for count in range(1, 5):
        for left in combinations(KINDS, count):
            for kind, total in product(left, range(2, 21)):
                odds.win_with(kind, total, left, count, 21, best)


def chances_held() -> int:
    """How many fractions the process holds."""
    gc.collect()
    return sum(isinstance(each, Fraction) for each in gc.get_objects())
