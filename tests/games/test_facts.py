"""Known figures of the games, computed through the rules: an off-by-one error does not survive them."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import pytest

from games import money_shot, odds, six_by_6, six_shooter, sixes
from games.dice import FACES, KINDS, Die

HALF_UNIT = 5e-11


# Six By 6


@cache
def kinds_of_throw(count: int) -> list[tuple[tuple[int, ...], Fraction]]:
    """A throw of each kind that the rules tell apart, with the chance of all throws of that kind."""
    kinds: dict[tuple[int, ...], tuple[tuple[int, ...], Fraction]] = {}
    for faces, chance in odds.throws(count).items():
        kind = (*six_by_6.earnings(faces), sum(faces))
        alike, so_far = kinds.get(kind, (faces, Fraction(0)))
        kinds[kind] = (alike, so_far + chance)
    return list(kinds.values())


@cache
def outcomes(state: six_by_6.State) -> list[tuple[six_by_6.State, list[dict[str, object]], float]]:
    """What each kind of throw leads to by the rules, with its chance."""
    found = []
    for faces, chance in kinds_of_throw(six_by_6.DICE - state.posted):
        following, events = six_by_6.throw(state, tuple(("d6", face) for face in faces))
        found.append((following, events, float(chance)))
    return found


class SixBySixTurn:
    """The distribution of one turn, by following every throw through the rules."""

    def __init__(self) -> None:
        self.racks: dict[int, float] = defaultdict(float)
        self.misses: dict[int, float] = defaultdict(float)
        self.fewest_posted = six_by_6.DICE
        self.throws = 0.0
        start, _ = six_by_6.start(("ann",), six_by_6.Options(), lambda _: 0)
        now = {start: 1.0}
        while sum(now.values()) > 1e-14:
            after: dict[six_by_6.State, float] = defaultdict(float)
            for state, chance in now.items():
                self.throws += chance
                for following, events, share in outcomes(state):
                    if not following.over:
                        after[following] += chance * share
                    elif events[1]["rack"]:
                        self.racks[following.points[0]] += chance * share
                    else:
                        self.misses[following.points[0]] += chance * share
                        self.fewest_posted = min(self.fewest_posted, state.posted)
            now = {state: chance for state, chance in after.items() if chance > 1e-18}


@pytest.fixture(scope="module")
def turn() -> SixBySixTurn:
    return SixBySixTurn()


@pytest.mark.slow
def test_six_by_6_rack_chance_mean_score_and_mean_throws(turn: SixBySixTurn) -> None:
    scores = turn.racks.items() | turn.misses.items()
    assert sum(turn.racks.values()) == pytest.approx(0.565376901923, abs=1e-12)
    assert sum(score * chance for score, chance in scores) == pytest.approx(37.1833390320, abs=HALF_UNIT)
    assert turn.throws == pytest.approx(10.5355650769, abs=HALF_UNIT)


@pytest.mark.slow
def test_six_by_6_lowest_and_highest_scores(turn: SixBySixTurn) -> None:
    assert min(turn.misses) == 22
    assert turn.misses[22] == pytest.approx(0.00011340, abs=5e-9)
    assert max(turn.misses) == 35
    assert min(turn.racks) == 37
    assert turn.fewest_posted == 2


@pytest.mark.slow
def test_six_by_6_odds_are_those_of_the_rules(turn: SixBySixTurn) -> None:
    start = odds.turn_odds(0, 0)
    assert start.rack == pytest.approx(sum(turn.racks.values()), abs=1e-12)
    assert start.throws == pytest.approx(turn.throws, abs=1e-11)


def test_six_by_6_rack_on_the_first_throw() -> None:
    chance = sum(p for faces, p in odds.throws(6).items() if six_by_6.earnings(faces)[0] == 6)
    assert chance == Fraction(121, 7776) == Fraction(6 + 720, 6**6)


# Sixes


def test_sixes_has_56_calls_from_111_to_666() -> None:
    assert len(sixes.CALLS) == 56
    assert (sixes.CALLS[0], sixes.CALLS[-1]) == (111, 666)


def test_sixes_chances_of_a_cast() -> None:
    assert odds.reads_at_least(532) == Fraction(134, 216)
    assert odds.reads_at_least(654) == Fraction(25, 216)


# Six Shooter


def six_shooter_state() -> six_shooter.State:
    """Ann has the button; bob is to throw second. One hand is the game."""
    options = six_shooter.Options(hands=1, first="ann")
    return six_shooter.start(("ann", "bob"), options, lambda _: 0)[0]


def open_with(ann: tuple[Die, Die], bob: tuple[Die, Die] = (("d4", 1), ("d6", 1))) -> six_shooter.State:
    return six_shooter.throw(six_shooter.throw(six_shooter_state(), ann)[0], bob)[0]


def test_six_shooter_chance_that_an_opening_pair_busts() -> None:
    found = {}
    for one, two in combinations(KINDS, 2):
        outcomes = [
            open_with(((one, a), (two, b))).status[0] == "bust"
            for a, b in product(range(1, FACES[one] + 1), range(1, FACES[two] + 1))
        ]
        found[one, two] = Fraction(sum(outcomes), len(outcomes))
        assert odds.opening_bust((one, two), 21) == found[one, two]
    with_d20 = [found.pop((kind, "d20")) for kind in ("d4", "d6", "d8", "d10", "d12")]
    assert with_d20 == [Fraction(n, 40) for n in (3, 5, 7, 9, 11)]
    assert found.pop(("d10", "d12")) == Fraction(1, 120)
    assert set(found.values()) == {0}


def test_six_shooter_always_buying_fills_the_chamber() -> None:
    every = [[(kind, face) for face in range(1, FACES[kind] + 1)] for kind in KINDS]
    won = Fraction(0)
    alive: dict[six_shooter.State, Fraction] = {}
    for a, b in product(every[0], every[1]):
        state = merged(open_with((a, b)))
        alive[state] = alive.get(state, Fraction(0)) + Fraction(1, len(every[0]) * len(every[1]))
    for faces in every[2:]:
        after: dict[six_shooter.State, Fraction] = {}
        for state, chance in alive.items():
            for die in faces:
                following = buy(state, die)
                share = chance / len(faces)
                if following.phase == "over":
                    won += share if following.chips[0] > following.chips[1] else 0
                else:
                    key = merged(following)
                    after[key] = after.get(key, Fraction(0)) + share
        alive = after
    assert won == Fraction(3909, 51200)


def buy(state: six_shooter.State, die: Die) -> six_shooter.State:
    """Ann buys and throws; bob, whose turn may be next, sticks."""
    state, _ = six_shooter.act(state, {"type": "buy"})
    state, _ = six_shooter.throw(state, (die,))
    if state.phase == "act" and state.turn == 1:
        state, _ = six_shooter.act(state, {"type": "stick"})
    return state


def merged(state: six_shooter.State) -> six_shooter.State:
    """One state for all with the same kinds and total of ann's dice: their faces do not matter further."""
    left = state.total(0) - len(state.dice[0])
    dice: list[Die] = []
    for kind, _ in sorted(state.dice[0], key=lambda die: KINDS.index(die[0])):
        more = min(left, FACES[kind] - 1)
        dice.append((kind, 1 + more))
        left -= more
    return state._replace(dice=(tuple(dice), state.dice[1]))


@cache
def exactly(state: six_shooter.State) -> Fraction:
    """Ann's best chance to stand at exactly the target, to decide in `state`."""
    if state.total(0) == state.options.target:
        return Fraction(1)
    best = Fraction(0)
    for kind in state.dice_left(0):
        chance = Fraction(0)
        for face in range(1, FACES[kind] + 1):
            following = buy(state, (kind, face))
            if following.phase == "over":
                chance += following.status[0] != "bust" and following.total(0) == following.options.target
            else:
                chance += exactly(merged(following))
        best = max(best, chance / FACES[kind])
    return best


def test_six_shooter_best_solo_chance_of_exactly_21() -> None:
    best = Fraction(0)
    for one, two in combinations(KINDS, 2):
        chance = Fraction(0)
        for a, b in product(range(1, FACES[one] + 1), range(1, FACES[two] + 1)):
            state = open_with(((one, a), (two, b)))
            if state.phase == "act":
                chance += exactly(merged(state))
        best = max(best, chance / (FACES[one] * FACES[two]))
    assert best == Fraction(73291, 230400)


# Liar's Dice


@pytest.mark.parametrize(("quantity", "ways"), [(3, 435185), (4, 322545), (5, 195825)])
def test_liars_dice_chance_that_a_bid_holds_with_12_dice(quantity: int, ways: int) -> None:
    assert odds.bid_holds((quantity, 5), 12) == Fraction(ways, 531441)
    # Ones are wild, so each die counts with one chance in three.
    tail = sum(comb(12, k) * Fraction(1, 3) ** k * Fraction(2, 3) ** (12 - k) for k in range(quantity, 13))
    assert odds.bid_holds((quantity, 2), 12) == tail


# Money Shot


@cache
def pot_chances(state: money_shot.State) -> tuple[Fraction, ...]:
    """Each seat's chance of the pot if nobody ever bows out."""
    if state.phase == "over":
        return tuple(Fraction(chips == max(state.chips)) for chips in state.chips)
    if state.phase == "bet":
        return pot_chances(level(money_shot.act(state, {"type": "bet", "amount": 1})[0]))
    if state.phase == "fade":
        return pot_chances(level(money_shot.act(state, {"type": "fade"})[0]))
    outcomes = [pot_chances(level(money_shot.throw(state, (("d12", face),))[0])) for face in range(1, 13)]
    return tuple(sum(chances, Fraction(0)) / 12 for chances in zip(*outcomes, strict=True))


def level(state: money_shot.State) -> money_shot.State:
    """The same state with plenty of chips for all: what has been paid does not matter until the end."""
    if state.phase == "over":
        return state
    return state._replace(chips=(100,) * len(state.seats), pot=1000)


def money_shot_start(seats: int) -> money_shot.State:
    names = ("ann", "bob", "cat", "dan")[:seats]
    return level(money_shot.start(names, money_shot.Options(rounds=1, first="ann"), lambda _: 0)[0])


def test_money_shot_three_seats_if_nobody_ever_bows_out() -> None:
    chances = pot_chances(money_shot_start(3))
    assert sum(chances) == 1
    assert [float(chance) for chance in chances] == pytest.approx([0.484488, 0.287935, 0.227576], abs=5e-7)


def test_money_shot_two_left_against_peak_6() -> None:
    state = money_shot_start(3)._replace(status=("in", "in", "bowed"), active=0, peak=6, leader=1)
    assert float(pot_chances(state)[0]) == pytest.approx(0.406708, abs=5e-7)
