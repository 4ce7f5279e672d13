"""The house as a player: it plays every game, by its strength, and knows only what everyone sees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from games.house import SLIPS, House, Strength
from games.match import Match
from games.prompts import ActPrompt, OverPrompt
from games.registry import GAMES
from games.requests import Act, Dice
from games.sixes import DICE, HIGHEST
from tests.extent import extent, usually
from tests.games.entries import decides
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from games.game import PlayerView

# Seats, options that keep a game short, and the least share of wins of the hard house against easy ones.
CONTESTS: dict[str, tuple[str, dict[str, Any], float]] = {
    "six_shooter": ("ab", {"hands": 2}, 0.75),
    "liars_dice": ("ab", {"dice": 3}, 0.75),
    "sixes": ("abc", {"rounds": 5}, 0.45),
    "money_shot": ("abc", {"rounds": 8}, 0.45),
    "ten_thousand": ("ab", {"rounds": 3}, 0.6),
    "yacht": ("ab", {}, 0.95),
    "mexico": ("ab", {"lives": 3}, 0.6),
    "mia": ("ab", {"lives": 3}, 0.6),
    "midnight": ("ab", {}, 0.8),
    "shut_the_box": ("ab", {"rounds": 2}, 0.65),
    "bar_dice": ("ab", {}, 0.65),
}
BY_LUCK = ("six_by_6", "rolls", "ship_captain_crew")
"""Games where a decision is worth little, or there is none."""
WITH_CUPS = ("liars_dice", "sixes", "mia")


def fewest(game: str) -> str:
    return "abc"[: max(2, GAMES[game].fewest_seats)]


def share_of_wins(game: str, strength: Strength, games: int) -> float:
    """How often a house of that strength wins against easy ones; a shared win counts in part."""
    seats, options, _ = CONTESTS[game]
    won = 0.0
    for seed in range(games):
        hero = seats[seed % len(seats)]
        players = {seat: House(strength if seat == hero else "easy") for seat in seats}
        match = Tabletop(Match.new(game, list(seats), options, seed=seed), players, seed).play()
        assert isinstance(match.prompt, OverPrompt)
        won += (hero in match.prompt.winners) / len(match.prompt.winners)
    return won / games


@pytest.mark.parametrize("game", usually(WITH_CUPS, CONTESTS, slow=CONTESTS))
def test_the_hard_house_beats_the_easy_one(game: str) -> None:
    assert share_of_wins(game, "hard", extent(30, 60)) > CONTESTS[game][2]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["liars_dice", "midnight", "bar_dice"])
def test_the_medium_house_lies_between_easy_and_hard(game: str) -> None:
    easy, medium, hard = (share_of_wins(game, strength, 400) for strength in SLIPS)
    assert easy + 0.05 < medium < hard - 0.03


def test_every_game_has_a_contest_or_is_one_of_luck() -> None:
    assert {*CONTESTS, *BY_LUCK} == set(GAMES)


@pytest.mark.parametrize("strength", SLIPS)
@pytest.mark.parametrize("game", [game for game in GAMES if game != "rolls"])  # that one has no end
def test_the_house_plays_every_game_to_its_end(game: str, strength: Strength) -> None:
    seats = fewest(game)
    limit = GAMES[game].limit
    options = {limit: 2} if limit else {}
    for seed in range(extent(1, 2)):
        players = {seat: House(strength) for seat in seats}
        match = Tabletop(Match.new(game, list(seats), options, seed=seed), players, seed).play(3000)
        assert isinstance(match.prompt, OverPrompt), match.state()


class Hidden:
    """The house, which also answers each question with every other hand under the cups."""

    def __init__(self, strength: Strength) -> None:
        self.house = House(strength)
        self.asked = 0

    def act(self, view: PlayerView) -> Any:
        answer = self.house.act(view)
        for cup in ((), (1, 1, 1), (6, 6, 6), (2, 1), tuple(7 - face for face in view.cup)):
            self.asked += 1
            assert self.house.act(replace(view, cup=cup)) == answer
        return answer

    def pick(self, view: PlayerView, prompt: Any) -> Any:
        return self.house.pick(view, prompt)

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        assert self.house.keep(replace(view, cup=(6,) * len(view.cup)), count) == self.house.keep(view, count)
        return self.house.keep(view, count)


@pytest.mark.parametrize("strength", SLIPS)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_hidden_changes_no_decision(game: str, strength: Strength) -> None:
    seats = fewest(game)
    players = {seat: Hidden(strength) for seat in seats}
    for seed in range(extent(1, 3)):
        Tabletop(Match.new(game, list(seats), seed=seed), players, seed).play(120)
    assert (sum(player.asked for player in players.values()) > 0) == decides(game)


@pytest.mark.parametrize("strength", SLIPS)
@pytest.mark.parametrize("game", WITH_CUPS)
def test_tables_that_differ_below_the_cups_alone_see_the_same_house(game: str, strength: Strength) -> None:
    """The tables also differ in the seed of their matches, which nobody at the table knows."""
    tables = [
        Tabletop(
            Match.new(game, list("abc"), {"first": "a"}, seed=seed),
            dict.fromkeys("abc", House(strength)),
            seed,
        )
        for seed in (1, 2)
    ]
    assert tables[0].cups != tables[1].cups
    decisions = 0
    while isinstance(tables[0].match.prompt, ActPrompt):
        for table in tables:
            table.step()
        assert tables[0].match.log[1:] == tables[1].match.log[1:]
        decisions += 1
    assert decisions >= 2


def test_games_with_cups_are_all_tested() -> None:
    hides = {name for name in GAMES if Match.new(name, list("abc"), {"first": "a"}, seed=1).cups}
    assert hides == set(WITH_CUPS)


def decision(match: Match, seat: str, strength: Strength = "hard") -> Any:
    table = Tabletop(match, {}, 1)
    return House(strength).act(table.view(seat))


def test_the_house_casts_all_dice_again_because_it_cannot_choose() -> None:
    match = Match.new("sixes", list("abc"), {"first": "a"}, seed=1)
    for act in (Act("a", {"type": "call", "value": 332}), Act("b", {"type": "accept"})):
        match = match.apply(act)
    for strength in SLIPS:
        assert decision(match, "b", strength) == {"type": "recast", "count": DICE}


def test_without_a_look_the_house_calls_what_dice_reach_as_often_as_not() -> None:
    sixes = Match.new("sixes", list("abc"), {"first": "a"}, seed=1)
    assert decision(sixes, "a") == {"type": "call", "value": 543}
    mia = Match.new("mia", list("ab"), {"first": "a"}, seed=1)
    assert decision(mia, "a") == {"type": "call", "value": 61}


def test_a_call_that_dice_seldom_reach_is_raised_by_the_least() -> None:
    match = Match.new("sixes", list("abc"), {"first": "a"}, seed=1)
    for act in (
        Act("a", {"type": "call", "value": 664}),
        Act("b", {"type": "accept"}),
        Act("b", {"type": "recast", "count": 3}),
    ):
        match = match.apply(act)
    assert decision(match, "b") == {"type": "call", "value": 665}
    assert HIGHEST == 666


def test_the_house_bids_by_the_odds_of_dice_that_it_cannot_see() -> None:
    match = Match.new("liars_dice", list("ab"), {"first": "a", "dice": 6}, seed=1)
    bid = decision(match, "a")
    # Of twelve unseen dice four show a face or a wild one on average; three do with a chance of 0.82.
    assert bid == {"type": "bid", "quantity": 3, "face": 6}


def test_the_house_picks_the_dice_that_people_throw_for_it() -> None:
    match = Match.new("six_shooter", list("ab"), {}, seed=1)
    prompt: Any = match.prompt
    table = Tabletop(match, {}, 1)
    picked = {strength: House(strength).pick(table.view(prompt.seat), prompt) for strength in SLIPS}
    assert all(len(set(kinds)) == 2 for kinds in picked.values())
    assert match.apply(Dice(tuple((kind, 1) for kind in picked["hard"]))).revision == 1
