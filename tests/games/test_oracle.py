"""Random games with some refused requests: both engines must agree after every line."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from games.protocol import Engine
from games.registry import GAMES
from tests.extent import extent
from tests.games.oracle import BOOK, Oracle
from tests.games.requests_at_random import new_game, right_request, wrong_request

REFUSED = 0.1
FEW_CHOICES = ("ship_captain_crew", "bar_dice")
"""Games that take longer until a seat is refused an action."""


def play_both(game: str, seed: int, longest: int = 1500) -> set[str]:
    """Plays one random game on both engines and returns the error codes that came up."""
    rng = Random(f"{game} {seed}")
    ours, theirs = Engine(draw_seed=lambda: rng.getrandbits(53)), Oracle()
    codes = set()
    prompt: Any = None
    for _ in range(longest):
        if rng.random() < (REFUSED if prompt else 0.3) or (prompt and prompt["kind"] == "over"):
            message = wrong_request(rng, game, prompt)
        else:
            message = right_request(rng, prompt) if prompt else new_game(rng, game)
        answer = ours.answer(json.dumps(message).encode())
        drawn = ""
        if answer["ok"] and message["op"] == "new":
            drawn = answer["state"].get(BOOK[message["game"]][-1], "")
        code, their_prompt, their_state, casts = theirs.answer(message, drawn)
        trail = (game, seed, message, answer)
        assert (answer["ok"], answer.get("error", {}).get("code", "ok")) == (code == "ok", code), trail
        if not answer["ok"]:
            codes.add(code)
            if answer["error"]["code"] == "game_over" and rng.random() < 0.2:
                return codes
            continue
        assert answer["prompt"] == their_prompt, trail
        assert answer["state"] == their_state, (trail, their_state)
        assert [[e["seat"], e["count"]] for e in answer["events"] if e["event"] == "cast"] == casts, trail
        prompt = answer["prompt"]
    return codes


@pytest.mark.parametrize("game", GAMES)
def test_random_games_agree(game: str) -> None:
    codes = set().union(
        *(play_both(game, seed) for seed in range(extent(30 if game in FEW_CHOICES else 12, 1000)))
    )
    assert codes >= {"bad_request", "bad_option", "wrong_dice", "not_now", "game_over"}
    assert game in ("six_by_6", "rolls") or codes >= {"not_your_turn", "illegal_action"}
