"""Odds for screens and players. Exact fractions; Six By 6 as floats within 1e-12.

Nothing here looks under a cup: what a seat knows of hidden dice is an argument. All dice are assumed fair.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod

from games import liars_dice, money_shot, six_by_6, six_shooter, sixes
from games.dice import FACES, KINDS, Kind
from games.money_shot import MONEY_SHOT
from games.prompts import Bid

ZERO, ONE = Fraction(0), Fraction(1)

REMEMBERED = 2_000
"""Size of the cache for Six Shooter: one question takes some hundreds of entries, and they keep changing."""


@cache
def throws(count: int) -> Mapping[tuple[int, ...], Fraction]:
    """Every throw of `count` d6, as ascending faces, with its probability."""
    chances = {}
    for faces in combinations_with_replacement(range(1, 7), count):
        orders = factorial(count) // prod(factorial(times) for times in Counter(faces).values())
        chances[faces] = Fraction(orders, 6**count)
    return chances


# Liar's Dice


@cache
def at_least(successes: int, dice: int) -> Fraction:
    """The probability that at least `successes` of `dice` unseen d6 show one of two given faces."""
    if successes <= 0:
        return ONE
    ways = sum(comb(dice, k) * 2 ** (dice - k) for k in range(successes, dice + 1))
    return Fraction(ways, 3**dice)


def bid_holds(bid: Bid, on_table: int, own: Sequence[int] = ()) -> Fraction:
    """The probability that a bid holds with `on_table` dice in all, for a seat that sees its `own` faces."""
    quantity, face = bid
    return at_least(quantity - liars_dice.matching(own, face), on_table - len(own))


# Sixes


@cache
def reads_at_least(call: int, faces: tuple[int, ...] = ()) -> Fraction:
    """The probability that `faces`, with fresh dice three together, read `call` or higher."""
    fresh = throws(sixes.DICE - len(faces))
    return sum((p for others, p in fresh.items() if sixes.reading(faces + others) >= call), ZERO)


def call_beaten(call: int, faces: tuple[int, ...] = ()) -> Fraction:
    """The probability that a recast that keeps these dice reads higher than `call`."""
    return reads_at_least(call + 1, faces)


def best_recast(call: int, faces: tuple[int, ...]) -> tuple[tuple[int, ...], Fraction]:
    """The dice to keep for the best chance of a higher reading (the most dice if equal), and that chance."""
    options = []
    for pattern in product((True, False), repeat=len(faces)):
        subset = tuple(sorted(face for face, keep in zip(faces, pattern, strict=True) if keep))
        options.append((call_beaten(call, subset), len(subset), subset))
    chance, _, subset = max(options)
    return subset, chance


# Six Shooter


@dataclass(frozen=True, slots=True)
class Purchase:
    """The outcome of buying one kind of die: the chance to bust with it, and to win the pot in the end."""

    kind: Kind
    bust: Fraction
    win: Fraction


@dataclass(frozen=True, slots=True)
class Rivals:
    """The score to beat if every other seat sticks now: the best (total, dice), and who wins ties."""

    best: tuple[int, int]
    wins_ties: bool


def rivals(state: six_shooter.State, seat: int) -> Rivals:
    """The rivals of a seat that sticks now; a seat that buys first loses ties, because it sticks last."""
    others = [rival for rival in state.seats_that_are("in", "stuck") if rival != seat]
    marks = {rival: (state.total(rival), len(state.dice[rival])) for rival in others}
    best = max(marks.values())
    return Rivals(best, not any(marks[rival] == best for rival in others if rival in state.stuck))


def stick_wins(state: six_shooter.State, seat: int) -> bool:
    """Whether sticking now wins the pot if every other seat sticks too."""
    against = rivals(state, seat)
    mark = (state.total(seat), len(state.dice[seat]))
    return mark > against.best or (mark == against.best and against.wins_ties)


def dice_to_buy(state: six_shooter.State, seat: int) -> int:
    """The number of further dice that the seat can pay for and has."""
    return min(state.chips[seat] // state.options.price, len(state.dice_left(seat)))


def bust(kind: Kind, total: int, target: int) -> Fraction:
    """The probability that one more die of this kind takes a total over the target."""
    return Fraction(max(0, min(FACES[kind], FACES[kind] - (target - total))), FACES[kind])


def purchases(state: six_shooter.State, seat: int) -> list[Purchase]:
    """The chances to bust and to win for each die that the seat could buy, if every other seat sticks now.

    The chance to win assumes that the seat continues optimally with the chips it has. Empty if it
    cannot buy.
    """
    spare = dice_to_buy(state, seat)
    if spare < 1:
        return []
    target, best, left = state.options.target, rivals(state, seat).best, state.dice_left(seat)
    total = state.total(seat)
    return [
        Purchase(
            kind,
            bust(kind, total, target),
            win_with(kind, total, left, min(spare, len(left)), target, best),
        )
        for kind in left
    ]


@lru_cache(maxsize=REMEMBERED)
def win_with(
    kind: Kind, total: int, left: tuple[Kind, ...], spare: int, target: int, best: tuple[int, int]
) -> Fraction:
    """The chance to beat `best` by buying this die and continuing optimally, with chips for `spare` dice."""
    after = tuple(later for later in left if later != kind)
    thrown = len(KINDS) - len(after)
    won = ZERO
    for face in range(1, min(FACES[kind], target - total) + 1):
        if not after or (total + face, thrown) > best:
            won += 1
        elif spare > 1:
            won += max(win_with(later, total + face, after, spare - 1, target, best) for later in after)
    return won / FACES[kind]


def opening_bust(kinds: Sequence[Kind], target: int) -> Fraction:
    """The probability that an opening throw of two dice passes the target."""
    first, second = (FACES[kind] for kind in kinds)
    over = sum(a + b > target for a, b in product(range(1, first + 1), range(1, second + 1)))
    return Fraction(over, first * second)


# Money Shot


def over_peak(peak: int) -> Fraction:
    """The probability that a d12 shows more than the peak; 0 if there is none yet."""
    return Fraction(MONEY_SHOT - peak, MONEY_SHOT)


def peak_beaten(state: money_shot.State) -> Fraction:
    """The chance of a new peak or the money shot with the next throw; without a bet, of the money shot."""
    if state.phase == "throw" and state.fader is None:
        return Fraction(1, MONEY_SHOT)
    return over_peak(state.peak or 0)


# Six By 6


@dataclass(frozen=True, slots=True)
class TurnOdds:
    """The prospects of a turn of Six By 6: the chance of a rack, mean score and mean number of throws."""

    rack: float
    score: float
    throws: float


# Beyond this carry a rack is practically certain: it fails with less than (5/6)^250 < 1e-19, and each further
# carry is worth one point.
MOST_CARRY = 250

Levels = list[list[tuple[float, float, float]]]
"""(rack, score, throws) by dice posted and carry."""


def turn_odds(posted: int, carry: int) -> TurnOdds:
    """The odds before throwing the dice not posted; `carry` is what remains after paying for the throw."""
    levels = _turn_levels()
    rack, score, count = levels[posted][min(carry, MOST_CARRY)]
    return TurnOdds(rack, score + max(0, carry - MOST_CARRY), count)


@cache
def _throw_effects(posted: int) -> list[tuple[int, int, int, float]]:
    """The outcomes of a throw with `posted` dice posted: (dice posted, carry earned, face sum, chance)."""
    effects: dict[tuple[int, int, int], Fraction] = {}
    for faces, chance in throws(six_by_6.DICE - posted).items():
        effect = (*six_by_6.earnings(faces), sum(faces))
        effects[effect] = effects.get(effect, ZERO) + chance
    return [(*effect, float(chance)) for effect, chance in effects.items()]


@cache
def _turn_levels() -> Levels:
    """The odds of every turn, solved from five posted down to none."""
    levels: Levels = [[] for _ in range(six_by_6.DICE)]
    for posted in reversed(range(six_by_6.DICE)):
        levels[posted] = _solve_level(posted, levels)
    return levels


def _solve_level(posted: int, levels: Levels) -> list[tuple[float, float, float]]:
    """Solves value(c) = known(c) + Σ chance(e) · value(c + e − 1) over the throws that post nothing.

    Only e = 0 refers back, by one step, so elimination upwards and substitution downwards solve it.
    """
    stay = [0.0] * six_by_6.DICE
    for newly, earned, _, chance in _throw_effects(posted):
        if newly == 0:
            stay[earned] += chance
    # Once c − 1 is eliminated, row c holds: value(c) = constants + Σ_k ahead[k] · value(c + k), k ≥ 1.
    rows: list[tuple[list[float], list[float]]] = []
    for carry in range(MOST_CARRY + 1):
        ahead, constants = stay[1:], _known(posted, carry, levels)
        if carry:
            before, constants_before = rows[-1]
            constants = [k + stay[0] * b for k, b in zip(constants, constants_before, strict=True)]
            ahead = [a + stay[0] * b for a, b in zip(ahead, [*before, 0.0], strict=True)]
        scale = 1 - ahead[0]
        rows.append(([a / scale for a in ahead[1:]], [k / scale for k in constants]))
    values = [(0.0, 0.0, 0.0)] * len(rows)
    for carry in reversed(range(len(rows))):
        ahead, (rack, score, count) = rows[carry]
        for step, chance in enumerate(ahead, 1):
            if carry < MOST_CARRY:
                later = values[min(carry + step, MOST_CARRY)]
                rack += chance * later[0]
                score += chance * later[1]
                count += chance * later[2]
            score += chance * max(0, carry + step - MOST_CARRY)
        if carry == MOST_CARRY:
            # Here value(c + k) is value(c) again, for the score plus k.
            scale = 1 - sum(ahead)
            rack, score, count = rack / scale, score / scale, count / scale
        values[carry] = (rack, score, count)
    return values


def _known(posted: int, carry: int, levels: Levels) -> list[float]:
    """The part of (rack, score, throws) at a carry that does not depend on the same number posted."""
    rack, score, count = 0.0, 0.0, 1.0
    for newly, earned, showing, chance in _throw_effects(posted):
        after = carry + earned
        if posted + newly == six_by_6.DICE:
            rack += chance
            score += chance * (six_by_6.RACK_SCORE + after)
        elif after == 0:
            score += chance * (six_by_6.DICE * posted + showing)
        elif newly:
            later = levels[posted + newly][min(after - 1, MOST_CARRY)]
            rack += chance * later[0]
            score += chance * (later[1] + max(0, after - 1 - MOST_CARRY))
            count += chance * later[2]
    return [rack, score, count]
