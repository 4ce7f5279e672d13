"""Skill: what a decision is worth, by hand and by playing it out."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from random import Random
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Corrected, Decided, Entry, Opened, Thrown
from dicetable.statistics import matches, players
from dicetable.statistics.matches import decision, last_to_act
from games.dice import FACES
from games.match import Match
from games.prompts import ActPrompt, OverPrompt, ThrowPrompt
from games.requests import Act, Dice
from tests.dicetable.ledger.scripts import script

if TYPE_CHECKING:
    from dicetable.statistics.matches import Played

BUY, STICK = {"type": "buy"}, {"type": "stick"}


def played(entries: list[Entry]) -> list[Played]:
    return matches.played(("2026-11-21T20:00:00.000+00:00", entry) for entry in entries)


def hand(*decisions: Entry) -> list[Entry]:
    """Ann has 18 with two dice, Bob 17, and the pot is 4."""
    opened = Opened("six_shooter", ("ann", "bob"), {"first": "ann", "hands": 1}, 1, (), (1, 2), ())
    pairs = (Thrown((("d8", 8), ("d12", 10)), ()), Thrown((("d8", 8), ("d12", 9)), ()))
    return [opened, *pairs, *decisions]


def test_who_is_behind_and_sticks_gives_away_what_the_best_die_brings() -> None:
    """With the d4: 2, 3 or 4 beat 18, or 1 ties with a die more, so it never loses. One chip buys five."""
    (match,) = played(hand(Decided("ann", STICK), Decided("bob", STICK)))
    (bob,) = match.decisions
    assert (bob.seat, bob.best, bob.chosen, bob.loss) == ("bob", 4.0, 0.0, 4.0)


def test_the_wrong_die_gives_away_what_the_right_one_brings() -> None:
    buys: list[Entry] = [Decided("ann", STICK), Decided("bob", BUY), Thrown((("d20", 3),), ())]
    (match,) = played(hand(*buys))
    bought, thrown = match.decisions
    assert bought.loss == 0
    assert thrown.best == 5.0
    assert thrown.chosen == pytest.approx(4 / 20 * 5)


def test_while_others_can_buy_nothing_is_told() -> None:
    (match,) = played(hand(Decided("ann", STICK)))
    assert match.decisions == ()


def test_what_the_table_decides_for_an_absent_player_is_not_the_players_skill() -> None:
    (match,) = played(hand(Decided("ann", STICK), Decided("bob", STICK, by_table=True)))
    assert match.decisions == ()


def test_a_correction_leaves_what_the_table_decided_to_the_table() -> None:
    correction = Corrected(2, (("d8", 8), ("d12", 8)), (1,))
    absent = [Decided("ann", STICK), Decided("bob", STICK, by_table=True)]
    assert [match.decisions for match in played(hand(*absent, correction))] == [()]


def test_other_games_tell_nothing() -> None:
    assert [match.decisions for match in played(script("liars_dice", 1))] == [()]


def test_nobody_does_better_than_the_best() -> None:
    found = [
        each for seed in range(6) for match in played(script("six_shooter", seed)) for each in match.decisions
    ]
    assert len(found) > 30
    assert all(each.loss >= 0 for each in found)
    assert any(each.loss > 0 for each in found)


def test_what_a_choice_is_worth_is_what_it_brings_when_it_is_played_out() -> None:
    """From positions of games by chance: the best choice, made again and again, brings its worth."""
    chance = Random(3)
    gains: list[float] = []
    variance = 0.0
    for seed in range(40):
        match = Match.new("six_shooter", ("ann", "bob", "cleo"), {"hands": 1}, seed=seed)
        while not isinstance(match.prompt, OverPrompt) and not last_to_act(match.current):
            match = step(match, chance, well=False)
        if isinstance(match.prompt, OverPrompt) or match.current.phase != "act":
            continue
        seat = match.current.turn
        worth = decision(match, Act(match.seats[seat], STICK))
        if worth is None:
            continue
        for _ in range(30):
            end = match
            while not isinstance(end.prompt, OverPrompt):
                end = step(end, chance, well=True)
            gain = end.current.chips[seat] - match.current.chips[seat]
            gains.append(gain - worth.best)
            variance += gains[-1] ** 2
    assert len(gains) > 300
    assert abs(sum(gains)) < 3.5 * sqrt(variance)


def step(match: Match, chance: Random, *, well: bool) -> Match:
    """One decision or throw; the best one if it is to be played well."""
    prompt = match.prompt
    if isinstance(prompt, ActPrompt):
        choices = [action for offer in prompt.actions for action in offer.actions()]
        if well:
            return match.apply(
                max((Act(prompt.seat, each) for each in choices), key=lambda a: worth_of(match, a))
            )
        return match.apply(Act(prompt.seat, chance.choice(choices)))
    assert isinstance(prompt, ThrowPrompt)
    kinds = chance.sample(prompt.dice, prompt.count)
    if well and prompt.count == 1:
        kinds = [max(prompt.dice, key=lambda kind: worth_of(match, Dice(((kind, 1),))))]
    return match.apply(Dice(tuple((kind, chance.randint(1, FACES[kind])) for kind in kinds)))


def worth_of(match: Match, request: Act | Dice) -> Fraction:
    known = decision(match, request)
    return Fraction(0) if known is None else Fraction(known.chosen)


def test_the_players_lines_have_their_skill() -> None:
    found = players.players(played(hand(Decided("ann", STICK), Decided("bob", STICK))))
    lines = {player.name: "\n".join(players.player_lines(player)) for player in found}
    assert "; 4.0 chips given away in 1 decision" in lines["bob"]
    assert "given away" not in lines["ann"]
    assert {player.name: player.to_json()["skill"] for player in found}["bob"] == {
        "six_shooter": {"decisions": 1, "chips_lost": 4.0}
    }


def test_names_are_left_out_of_decisions_too() -> None:
    found = played(hand(Decided("ann", STICK), Decided("bob", STICK)))
    shown = matches.renamed(found, matches.numbered(found))
    assert [each.seat for match in shown for each in match.decisions] == ["player 2"]
