"""Each game's rules, events and words, as one told game of it shows them."""

from __future__ import annotations

import pytest

from games.registry import GAMES
from tests.games.told import FOLDER, tell


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_told_as_before(game: str) -> None:
    written = (FOLDER / f"{game}.txt").read_text()
    assert tell(written.splitlines()) == written
