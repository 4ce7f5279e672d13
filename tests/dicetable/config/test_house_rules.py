"""House rules in the config: what is wrong with them, where, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.config.file import load
from dicetable.config.games import GamesSection, HouseRules, unusable
from dicetable.config.mistakes import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = '[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n'
ANCHOR = HouseRules(name="The Anchor's", game="ten_thousand", options={"target": 5000})
SHORT = HouseRules(name="Short", game="ten_thousand", options={"rounds": 3})


def written(folder: Path, *rules: str, games: str = "") -> Path:
    file = folder / "table.toml"
    file.write_text(
        f"{TABLE}[games]\n{games}\n" + "".join(f"[[games.house_rules]]\n{each}\n" for each in rules)
    )
    return file


def mistakes(folder: Path, *rules: str, games: str = "") -> dict[str, str]:
    with pytest.raises(ConfigError) as told:
        load(written(folder, *rules, games=games))
    return {mistake.where: str(mistake) for mistake in told.value.mistakes}


def rules(name: str = "Ours", game: str = "ten_thousand", options: str = "{ target = 5000 }") -> str:
    return f'name = "{name}"\ngame = "{game}"\noptions = {options}'


def test_house_rules_are_read(tmp_path: Path) -> None:
    games = load(written(tmp_path, rules(), games='favourites = ["yacht", "ours"]')).games
    assert games.house_rules == [HouseRules(name="Ours", game="ten_thousand", options={"target": 5000})]
    assert games.favourites == ["yacht", "ours"]


@pytest.mark.parametrize(
    ("wrong", "where", "what", "right"),
    [
        (rules(game="yacth"), ".game", "there is no game 'yacth'", 'game = "yacht"'),
        (rules(options="{ targets = 1 }"), ".options.targets", "has no such option", "target"),
        (rules(options="{ first = 1 }"), ".options.first", "has no such option", "target, opening"),
        (rules(options="{ target = 0 }"), ".options.target", "a whole number from 1", "target = 10000"),
        (rules(options="{ target = 1.5 }"), ".options.target", "a whole number from 1", "target = 10000"),
        (rules(options="{ rounds = 0 }"), ".options.rounds", "a whole number from 1", "rounds = 10"),
        (rules(options="{ hot_dice = 2 }"), ".options.hot_dice", "must be 0 or 1", "hot_dice = 1"),
        (rules(options="{}"), ".options", "at least 1 entry", "target = 5000"),
        (rules(name="Yacht"), ".name", "'Yacht' is a game's title", "The Anchor's"),
        (rules(name="x" * 41), ".name", "at most 40 characters", "Ten Thousand"),
        (
            rules(game="money_shot", options="{ chips = 1, min_bet = 5 }"),
            ".options",
            "chips must be at least min_bet",
            "options = { chips = 50, min_bet = 1 }",
        ),
    ],
)
def test_each_mistake_is_one_sentence_at_its_place(
    tmp_path: Path, wrong: str, where: str, what: str, right: str
) -> None:
    found = mistakes(tmp_path, wrong)
    assert list(found) == [f"games.house_rules.0{where}"]
    (said,) = found.values()
    assert what in said
    assert right in said


def test_no_two_house_rules_have_the_same_name(tmp_path: Path) -> None:
    found = mistakes(tmp_path, rules(), rules(name="ours", game="yacht", options="{ joker = 0 }"))
    assert list(found) == ["games.house_rules.1.name"]
    assert "'ours' is taken" in found["games.house_rules.1.name"]


def test_a_favourite_is_a_game_or_the_name_of_house_rules(tmp_path: Path) -> None:
    found = mistakes(tmp_path, games='favourites = ["yacht", "Ours"]')
    assert found == {
        "games.favourites": "games.favourites: there is no game 'Ours' (for example: favourites = "
        '["six_shooter"])'
    }


def test_house_rules_of_a_game_from_a_folder_wait_until_it_is_loaded(tmp_path: Path) -> None:
    games = load(written(tmp_path, rules(game="pig"), games=f'folder = "{tmp_path}"')).games
    (left_out,) = unusable(games)
    assert left_out[0] == "Ours"
    assert left_out[1].what == "there is no game 'pig'"
    assert not list(unusable(games, others=True))


def test_check_config_names_the_place_of_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(written(tmp_path, rules(options="{ target = 0 }")))]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "table.toml: games.house_rules.0.options.target: must be a whole number" in told


@pytest.mark.parametrize(
    ("options", "governed"),
    [
        ({"target": 5000}, True),
        ({"target": 5000, "opening": 500}, True),  # the game's own
        ({"target": 5000, "first": "ann", "rounds": 2}, True),
        ({"target": 5000, "opening": 350}, False),
        ({"target": 6000}, False),
        ({}, False),
    ],
)
def test_a_game_is_played_by_house_rules_while_its_options_are_theirs(
    options: dict[str, object], governed: bool
) -> None:
    assert ANCHOR.govern(options) is governed


def test_the_length_of_a_game_is_a_rule_where_the_house_says_so() -> None:
    assert SHORT.govern({"rounds": 3})
    assert not SHORT.govern({"rounds": 4})


def test_a_section_without_house_rules_has_no_mistakes() -> None:
    assert not list(unusable(GamesSection()))
