"""The dice that each game needs, by hand from the pages in docs/games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games import registry
from games.dice_needed import DiceNeeded, dice_needed
from games.errors import NotNow
from games.registry import GAMES

NEEDED: dict[str, DiceNeeded] = {
    "six_shooter": DiceNeeded(tuple((kind, 1) for kind in ("d4", "d6", "d8", "d10", "d12", "d20"))),
    "liars_dice": DiceNeeded((("d6", 6),), per_seat=True),
    "sixes": DiceNeeded((("d6", 3),)),
    "six_by_6": DiceNeeded((("d6", 6),)),
    "money_shot": DiceNeeded((("d12", 1),)),
    "rolls": DiceNeeded(any=True),
    "ten_thousand": DiceNeeded((("d6", 6),)),
    "yacht": DiceNeeded((("d6", 5),)),
    "ship_captain_crew": DiceNeeded((("d6", 5),)),
    "mexico": DiceNeeded((("d6", 2),)),
    "mia": DiceNeeded((("d6", 2),)),
    "midnight": DiceNeeded((("d6", 6),)),
    "shut_the_box": DiceNeeded((("d6", 2),)),
    "bar_dice": DiceNeeded((("d6", 5),)),
}  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_the_prompts_of_each_game_say_which_dice_it_needs(game: str) -> None:
    assert dice_needed(game, {}) == NEEDED[game]


def test_options_change_the_dice_that_a_game_needs() -> None:
    assert dice_needed("liars_dice", {"dice": 3}) == DiceNeeded((("d6", 3),), per_seat=True)


def test_a_game_with_a_fault_needs_what_is_known_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise NotNow("a fault")

    monkeypatch.setitem(registry.GAMES, "yacht", replace(GAMES["yacht"], dice=fails))
    assert dice_needed("yacht", {}) == DiceNeeded((("d6", 5),))
    monkeypatch.setitem(registry.GAMES, "yacht", replace(GAMES["yacht"], start=fails))
    assert dice_needed("yacht", {}) == DiceNeeded()
