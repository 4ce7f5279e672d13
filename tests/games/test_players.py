"""Simulated players: sharp ones beat random ones, and none sees more than a person in that seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from games.match import Match
from games.players import LEVELS
from games.prompts import ActPrompt, AnyDicePrompt, OverPrompt
from games.registry import GAMES
from tests.extent import extent
from tests.games.entries import decides
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from games.game import Player, PlayerView
    from games.requests import JsonObject

# Seats, options that keep a game short, and the share of wins that a sharp seat must have. Without skill
# it would have one in as many as there are seats. Seeds are fixed, so a run never differs from another.
CONTESTS: dict[str, tuple[str, dict[str, Any], float]] = {
    "six_shooter": ("ab", {"hands": 3}, 0.80),
    "liars_dice": ("ab", {"dice": 3}, 0.85),
    "sixes": ("abc", {"rounds": 5}, 0.65),
    "money_shot": ("abc", {"rounds": 8}, 0.45),
    "ten_thousand": ("ab", {"rounds": 5}, 0.65),
    "yacht": ("ab", {}, 0.95),
    "ship_captain_crew": ("ab", {"rounds": 15}, 0.5),
    "mexico": ("ab", {}, 0.65),
    "mia": ("ab", {}, 0.9),
    "midnight": ("ab", {}, 0.9),
    "shut_the_box": ("ab", {"rounds": 3}, 0.85),
    "bar_dice": ("ab", {}, 0.8),
}


def share_of_wins(game: str, level: str, games: int) -> float:
    """How often a seat of that level wins against random ones; a shared win counts in part."""
    seats, options, _ = CONTESTS[game]
    won = 0.0
    for seed in range(games):
        hero = seats[seed % len(seats)]
        players = {
            seat: LEVELS[level if seat == hero else "random"](10 * seed + place)
            for place, seat in enumerate(seats)
        }
        match = Tabletop(Match.new(game, list(seats), options, seed=seed), players, seed).play()
        assert isinstance(match.prompt, OverPrompt)
        winners = match.prompt.winners
        won += (hero in winners) / len(winners)
    return won / games


@pytest.mark.slow
@pytest.mark.parametrize("game", CONTESTS)
def test_sharp_beats_random_over_many_games(game: str) -> None:
    assert share_of_wins(game, "sharp", extent(150, 1000)) > CONTESTS[game][2]


@pytest.mark.slow
@pytest.mark.parametrize("game", CONTESTS)
def test_tipsy_lies_between_random_and_sharp(game: str) -> None:
    random, tipsy, sharp = (share_of_wins(game, level, 100) for level in ("random", "tipsy", "sharp"))
    assert random < tipsy < sharp


def test_every_game_with_decisions_has_a_contest() -> None:
    assert set(CONTESTS) == {name for name in GAMES if decides(name)}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", GAMES)
def test_every_level_plays_every_game(game: str, level: str) -> None:
    for seed in range(extent(1, 5)):
        seats = "abcd"
        players = {seat: LEVELS[level](seed) for seat in seats}
        match = Tabletop(Match.new(game, list(seats), seed=seed), players, seed).play(most_steps=300)
        assert match.revision > 20 or isinstance(match.prompt, OverPrompt)


@pytest.mark.parametrize("level", LEVELS)
def test_where_any_number_of_dice_may_be_thrown_one_to_six_are(level: str) -> None:
    match = Match.new("rolls", ["a"], seed=1)
    prompt = match.prompt
    assert isinstance(prompt, AnyDicePrompt)
    player, table = LEVELS[level](1), Tabletop(match, {}, 1)
    view = table.view("a")
    assert {len(player.pick(view, prompt)) for _ in range(200)} == {1, 2, 3, 4, 5, 6}


class Witness:
    """A player that notes what it is shown, and plays as another does."""

    def __init__(self, inner: Player) -> None:
        self.inner = inner
        self.views: list[PlayerView] = []

    def act(self, view: PlayerView) -> JsonObject:
        self.views.append(view)
        return self.inner.act(view)

    def pick(self, view: PlayerView, prompt: Any) -> Any:
        self.views.append(view)
        return self.inner.pick(view, prompt)

    def keep(self, view: PlayerView, count: int) -> tuple[int, ...]:
        return self.inner.keep(view, count)


def witnessed(game: str, seed: int) -> tuple[dict[str, Witness], Match]:
    witnesses = {seat: Witness(LEVELS["sharp"](seed)) for seat in "abc"}
    table = Tabletop(Match.new(game, list("abc"), {"first": "a"}, seed=1), witnesses, seed)
    return witnesses, table.play(most_steps=40)


def test_a_liars_dice_seat_sees_its_own_dice_only() -> None:
    witnesses, match = witnessed("liars_dice", 3)
    for seat, witness in witnesses.items():
        for view in witness.views:
            assert len(view.cup) == view.state.dice[match.seats.index(seat)]


def test_a_sixes_seat_sees_the_dice_only_after_it_accepts_or_casts() -> None:
    witnesses, _ = witnessed("sixes", 3)
    seen = {"answer": set[int](), "call": set[int](), "recast": set[int]()}
    for witness in witnesses.values():
        for view in witness.views:
            seen[view.state.phase].add(len(view.cup))
    assert seen == {"answer": {0}, "call": {3}, "recast": {3}}


def test_kept_dice_stay_under_the_cup() -> None:
    table = Tabletop(
        Match.new("sixes", list("abc"), {"first": "a"}, seed=1), {s: LEVELS["sharp"](1) for s in "abc"}, 5
    )
    for _ in range(300):
        before = table.cups
        prompt = table.match.prompt
        table.step()
        if isinstance(prompt, ActPrompt) and table.match.log[-1].get("action", {}).get("type") == "recast":
            count = table.match.log[-1]["action"]["count"]
            (old,), (new,) = before.values(), table.cups.values()
            assert len(new) == 3
            assert all(new[: 3 - count].count(face) <= old.count(face) for face in new[: 3 - count])
        if isinstance(table.match.prompt, OverPrompt):
            break


def test_the_same_seeds_play_the_same_game() -> None:
    def log(seed: int) -> Any:
        players = {seat: LEVELS["tipsy"](seed) for seat in "abc"}
        return Tabletop(Match.new("money_shot", list("abc"), seed=seed), players, seed).play(100).log

    assert log(1) == log(1) != log(2)
