"""The list of games: its order, its house rules, and what is written down of them."""

from __future__ import annotations

from typing import Any

import pytest

from common import texts
from dicetable.config.games import HouseRules
from dicetable.ledger.entries import Closed, Ending, Opened
from dicetable.table.game_list import GameList, OfferedGame
from dicetable.table.set_up import ChooseGame, draft_for
from games.registry import GAMES
from tests.dicetable.table.hands_on import EMPTY, HandsOn

ANCHOR = HouseRules(name="The Anchor's Ten Thousand", game="ten_thousand", options={"target": 5000})
QUICK = HouseRules(name="Quick", game="ten_thousand", options={"target": 2000})
SUDDEN = HouseRules(name="Sudden Yacht", game="yacht", options={"rounds": 3})


def at_the_bar(favourites: tuple[str, ...] = (), **given: Any) -> HandsOn:
    at = HandsOn(**given)
    at.table.games = GameList([ANCHOR, QUICK, SUDDEN], favourites)
    return at


def titles(games: GameList, seats: int = 2) -> list[str]:
    return [offered.title for offered in games.offered(seats)]


def opened(game: str, house_rules: str | None = None) -> Opened:
    return Opened(game, ("ann", "bob"), {}, 1, (), (1, 2), None, house_rules=house_rules)


def test_house_rules_stand_beside_their_game() -> None:
    found = titles(GameList([ANCHOR, QUICK, SUDDEN]))
    assert len(found) == len(GAMES) + 3
    at = found.index("Ten Thousand")
    assert found[at : at + 5] == ["Ten Thousand", ANCHOR.name, "Quick", "Yacht", "Sudden Yacht"]


def test_favourites_come_first_then_what_was_played_most() -> None:
    games = GameList([ANCHOR, QUICK, SUDDEN], ["midnight", "the ANCHOR's ten thousand"])
    for _ in range(3):
        games.count(opened("bar_dice"))
    games.count(opened("mia"))
    for _ in range(2):
        games.count(opened("yacht", SUDDEN.name))
    assert titles(games)[:8] == [
        *("Midnight", ANCHOR.name, "Ten Thousand", "Quick"),
        *("Bar Dice", "Sudden Yacht", "Yacht", "Mia"),
    ]


def test_games_for_other_numbers_of_seats_come_last() -> None:
    games = GameList(favourites=["sixes"])  # for three
    assert (
        titles(games, 3)[0] == titles(games, 1)[0] == "Sixes"
    )  # one seat alone: the others are on their way
    assert titles(games, 2)[0] == "Six Shooter"
    assert titles(games, 2)[-2:] == ["Sixes", "Money Shot"]


def test_the_panel_says_for_how_many_a_game_is_and_which_dice_it_needs() -> None:
    at = at_the_bar()
    at.tap("1.ok")
    at.walk(1, "Ten Thousand")
    pages = set()
    for _ in range(4):
        pages.add(at.lines[2])
        at.wait(2.5)
    assert pages == {"2 to 8 players", "six d6"}


def test_house_rules_are_chosen_opened_and_written_down() -> None:
    at = at_the_bar(favourites=("the anchor's ten thousand",))
    at.settle(EMPTY)
    at.tap("1.ok")
    assert at.choice in ("The Anchor's Ten", "Thousand")
    at.tap("1.ok", "2.ok", "1.ok")
    assert at.heading == "Ten Thousand"
    assert at.lines[2] == "The Anchor's Ten"
    at.take(1, "START")
    entry = at.journal.entries[-1]
    assert isinstance(entry, Opened)
    assert (entry.game, entry.options, entry.house_rules) == ("ten_thousand", {"target": 5000}, ANCHOR.name)
    assert at.table.games.played["ten_thousand", ANCHOR.name] == 1


def test_with_another_option_it_is_no_longer_played_by_the_house_rules() -> None:
    at = at_the_bar(favourites=("quick",))
    at.settle(EMPTY)
    at.tap("1.ok", "1.ok", "2.ok", "1.ok")
    assert at.heading == "Quick"
    at.take(1, "Opening score", "501", "START")
    entry = at.journal.entries[-1]
    assert isinstance(entry, Opened)
    assert (entry.options, entry.house_rules) == ({"target": 2000, "opening": 501}, None)


def test_the_last_house_rules_are_offered_again_as_they_are_now() -> None:
    at = at_the_bar()
    assert at.table.write(opened("ten_thousand", "Quick"))
    assert at.table.write(Closed(Ending.OVER))
    draft = draft_for(at.table, 1)
    assert draft.offered == OfferedGame("ten_thousand", QUICK)
    assert draft.options == {"target": 2000}
    at.table.games = GameList()
    assert draft_for(at.table, 1).offered == OfferedGame("ten_thousand")


def test_another_game_begins_with_its_own_options() -> None:
    at = at_the_bar()
    at.tap("1.ok")
    at.take(1, "Quick")
    at.hold("1.ok")  # back to the list
    base = at.table.base
    assert isinstance(base, ChooseGame)
    assert base.walk.current.house_rules == QUICK
    at.take(1, "Ten Thousand")
    at.hold("1.ok")
    assert isinstance(at.table.base, ChooseGame)
    assert at.table.base.draft.options == {}


def test_a_phone_offers_the_games_that_fit_with_their_facts_and_the_others_small() -> None:
    at = at_the_bar()
    at.table.seated = frozenset({1, 2})
    at.tap("1.ok")
    choices = {choice.label: choice for choice in at.table.phone(1).choices}
    assert choices[ANCHOR.name].note == "Ten Thousand\n2 to 8 players\nsix d6"
    assert choices["Yacht"].note == "1 to 8 players\nfive d6"
    small = [label for label, choice in choices.items() if choice.small]
    assert small[:2] == ["Sixes", "Money Shot"]
    assert at.table.choose(1, ANCHOR.name, ())
    assert at.table.phone(1).text.splitlines()[:2] == [f"{ANCHOR.name}: 2 to 8 players", "six d6"]


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        ("ten_thousand", {}, "six d6"),
        ("liars_dice", {"dice": 9}, "9 d6 each"),
        ("six_shooter", {}, "d4 d6 d8 d10 d12 d20"),
        ("money_shot", {}, "one d12"),
        ("rolls", {}, texts.games.ANY_DICE),
    ],
)
def test_the_dice_that_a_game_needs_fit_the_panel(game: str, options: dict[str, int], said: str) -> None:
    rules = HouseRules(name="Ours", game=game, options=options) if options else None
    assert OfferedGame(game, rules).dice == said
    assert len(said) <= 20
