"""Values of small games of hidden dice, as linear programmes over the rules' own states."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import block_array, coo_array, csr_array

from games import liars_dice, odds, sixes
from games.prompts import ActPrompt, OverPrompt

pytestmark = pytest.mark.slow

History = tuple[Any, ...]


class LiarsDiceRound:
    """The round of two seats with one die each, in sequence form: a sequence is (own die, what was said)."""

    def __init__(self, sides: int) -> None:
        self.sides = sides
        self.sequences: tuple[dict[Any, int], dict[Any, int]] = ({None: 0}, {None: 0})
        self.choices: tuple[dict[Any, list[int]], dict[Any, list[int]]] = ({}, {})
        self.payoff: dict[tuple[int, int], float] = {}
        options = liars_dice.Options(dice=1, first="ann")
        state, _ = liars_dice.start(("ann", "bob"), options, lambda _: 0)
        self.walk(state, ())

    def sequence(self, seat: int, die: int, said: History) -> int:
        """The number of the sequence that ends with the seat's last word in `said`."""
        own = own_end(seat, len(said))
        key = (die, said[:own]) if own else None
        return self.sequences[seat].setdefault(key, len(self.sequences[seat]))

    def walk(self, state: liars_dice.State, said: History) -> None:
        prompt = liars_dice.prompt(state)
        assert isinstance(prompt, ActPrompt)
        actions = [a for offer in prompt.actions for a in offer.actions() if a.get("face", 2) <= self.sides]
        seat = state.turn
        for die in range(1, self.sides + 1):
            choices = self.choices[seat].setdefault((die, said), [self.sequence(seat, die, said)])
            for action in actions:
                choices.append(self.sequence(seat, die, (*said, tuple(action.values()))))
        for action in actions:
            following, _ = liars_dice.act(state, action)
            after = (*said, tuple(action.values()))
            if following.challenged:
                self.pay(following, after)
            else:
                self.walk(following, after)

    def pay(self, state: liars_dice.State, said: History) -> None:
        for ann in range(1, self.sides + 1):
            for bob in range(1, self.sides + 1):
                over, _ = liars_dice.throw(state, (("d6", ann), ("d6", bob)))
                won = liars_dice.prompt(over) == OverPrompt(("ann",))
                cell = (self.sequence(0, ann, said), self.sequence(1, bob, said))
                self.payoff[cell] = (1 if won else -1) / self.sides**2

    def value(self) -> float:
        """What the round is worth to the seat that opens, if both play as well as can be."""
        rows, columns = zip(*self.payoff, strict=True)
        shape = (len(self.sequences[0]), len(self.sequences[1]))
        payoff = coo_array((list(self.payoff.values()), (rows, columns)), shape=shape)
        mine, theirs = (self.constraints(seat) for seat in (0, 1))
        own, their_sets = mine.shape[1], theirs.shape[0]
        # Maximise q[0] over x and q with mine·x = e and theirsᵀ·q ≤ payoffᵀ·x.
        at_most = stack([[-payoff.T, theirs.T]])
        equal = stack([[mine, csr_array((mine.shape[0], their_sets))]])
        first = np.zeros(mine.shape[0])
        first[0] = 1
        goal = np.zeros(own + their_sets)
        goal[own] = -1
        bounds = [(0, None)] * own + [(None, None)] * their_sets
        solved = linprog(
            goal, A_ub=at_most, b_ub=np.zeros(shape[1]), A_eq=equal, b_eq=first, bounds=bounds, method="highs"
        )
        assert solved.status == 0
        return -float(solved.fun)

    def constraints(self, seat: int) -> Any:
        """What each set of choices shares out is what led to it; the empty sequence is certain."""
        cells = [(0, 0, 1.0)]
        for row, (parent, *choices) in enumerate(self.choices[seat].values(), 1):
            cells.append((row, parent, -1.0))
            cells += [(row, choice, 1.0) for choice in choices]
        rows, columns, values = zip(*cells, strict=True)
        shape = (len(self.choices[seat]) + 1, len(self.sequences[seat]))
        return coo_array((values, (rows, columns)), shape=shape)


def own_end(seat: int, length: int) -> int:
    """How much of a history of that length ends with the seat's last word; seat 0 speaks first."""
    return length if length % 2 != seat else max(0, length - 1)


def stack(blocks: Any) -> Any:
    return block_array(blocks, format="csr")


@pytest.mark.parametrize(("sides", "value"), [(2, 1), (3, 1 / 3), (4, 0), (5, 0), (6, -7 / 327)])
def test_liars_dice_value_of_one_die_each_to_the_opener(sides: int, value: float) -> None:
    assert LiarsDiceRound(sides).value() == pytest.approx(value, abs=1e-7)


class SixesRound:
    """A round of Sixes between two seats. Once a call is accepted both know the dice: a new game."""

    def __init__(self) -> None:
        self.casts = list(odds.throws(sixes.DICE))
        self.number = {cast: number for number, cast in enumerate(self.casts)}
        self.calls = np.array(sixes.CALLS)
        worth = [[self.challenge(cast, call) for call in sixes.CALLS] for cast in self.casts]
        self.challenged = np.array(worth)
        # What a call is worth to its caller if accepted, by cast and call; filled from the highest down.
        self.accepted = np.full((len(self.casts), len(self.calls)), np.nan)
        for level in reversed(range(len(self.calls) - 1)):
            fresh = self.cast_anew(level + 1, [()])
            for cast in self.casts:
                self.accepted[self.number[cast], level] = -self.recast(cast, level + 1, fresh)

    @staticmethod
    def challenge(cast: tuple[int, ...], call: int) -> int:
        """What a challenged call is worth to its caller, by the rules."""
        options = sixes.Options(rounds=1)
        state = sixes.State(("ann", "bob"), options, (0, 0), 1, 1, "reveal", call=call, caller=0)
        over, _ = sixes.throw(state, tuple(("d6", face) for face in cast))
        return over.losses[1] - over.losses[0]

    def recast(self, cast: tuple[int, ...], lowest: int, fresh: float) -> float:
        """The worth of holding a known cast and having to call the `lowest` call or higher."""
        known = self.number[cast]
        worth = np.minimum(
            self.challenged[known, lowest:], np.nan_to_num(self.accepted[known, lowest:], nan=2.0)
        )
        best = max(fresh, float(worth.max()))
        for kept in (2, 1):
            best = max(best, self.cast_anew(lowest, sorted(set(combinations(cast, kept)))))
        return best

    @cache  # noqa: B019 - lives as long as the test
    def solved(self, lowest: int, keeps: tuple[tuple[int, ...], ...]) -> float:
        """The worth to the caster of choosing in secret which of `keeps` to keep.

        The answering seat picks its chance to accept each call; the caster then does its best.
        """
        chances = np.zeros((len(keeps), len(self.casts)))
        for row, kept in enumerate(keeps):
            for faces, chance in odds.throws(sixes.DICE - len(kept)).items():
                chances[row, self.number[tuple(sorted(kept + faces))]] += float(chance)
        possible = np.flatnonzero(chances.any(axis=0))
        challenged = self.challenged[possible, lowest:].astype(float)
        accepted = np.nan_to_num(self.accepted[possible, lowest:], nan=0.0)
        casts, calls = challenged.shape
        # Variables: accept (calls), worth of each cast (casts), worth of the best keep (1).
        cast_of, call_of = np.divmod(np.arange(casts * calls), calls)
        rows = np.tile(np.arange(casts * calls), 2)
        columns = np.concatenate([call_of, calls + cast_of])
        values = np.concatenate([(accepted - challenged).ravel(), -np.ones(casts * calls)])
        first = coo_array((values, (rows, columns)), shape=(casts * calls, calls + casts + 1))
        second = np.hstack([np.zeros((len(keeps), calls)), chances[:, possible], -np.ones((len(keeps), 1))])
        limits = np.concatenate([-challenged.ravel(), np.zeros(len(keeps))])
        goal = np.zeros(calls + casts + 1)
        goal[-1] = 1
        bounds = [(0, 1)] * (calls - 1) + [(0, 0)] + [(None, None)] * (casts + 1)
        solved = linprog(
            goal, A_ub=stack([[first], [csr_array(second)]]), b_ub=limits, bounds=bounds, method="highs"
        )
        assert solved.status == 0
        return float(solved.fun)

    def cast_anew(self, lowest: int, keeps: list[tuple[int, ...]]) -> float:
        return self.solved(lowest, tuple(keeps))


@pytest.mark.nightly
def test_sixes_value_of_a_two_seat_round_to_its_starter() -> None:
    assert SixesRound().cast_anew(0, [()]) == pytest.approx(0.114906407, abs=5e-8)
