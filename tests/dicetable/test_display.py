"""The panel's view of every game: four lines of twenty ASCII characters, whatever the state and the names."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicetable import texts
from dicetable.display import panel_view, printable, wrapped
from dicetable.session import Refused, Session
from games.match import Match
from games.prompts import ActPrompt, OverPrompt, ThrowPrompt
from games.registry import GAMES
from games.requests import Act, Dice
from hardware.ports import COLUMNS, LINES, LampMode, PanelView
from tests.dicetable.readings import lie
from tests.games.requests_at_random import right_request

SENTENCES = (
    "",
    texts.NO_DICE_DUE,
    texts.SET_ASIDE_MOVED,
    texts.unsure(6, ["d6 1", "d20 17"]),
    texts.wrong_count(0, 6),
    texts.wrong_kind("second d20", ["d4", "d20"]),
    texts.leaning(None),
)


def at_random(game: str, seats: list[str], seed: int, steps: int) -> Match:
    """A match after so many random requests, or its end."""
    rng = Random(seed)
    match = Match.new(game, seats, seed=seed)
    for _ in range(steps):
        if isinstance(match.prompt, OverPrompt):
            break
        request = right_request(rng, match.prompt.to_json())
        if request["op"] == "dice":
            match = match.apply(Dice([tuple(die) for die in request["dice"]]))
        elif request["op"] == "act":
            match = match.apply(Act(request["seat"], request["action"]))
    return match


def fits(view: PanelView) -> None:
    assert len(view.lines) <= LINES
    for line in view.lines:
        assert len(line) <= COLUMNS
        assert all(" " <= character <= "~" for character in line)


@pytest.mark.parametrize("game", GAMES)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
        min_size=3,
        max_size=8,
        unique=True,
    ),
    st.integers(0, 2**30),
    st.integers(0, 40),
    st.sampled_from(SENTENCES),
)
@settings(max_examples=30, deadline=None)
def test_every_state_fits_the_panel(game: str, seats: list[str], seed: int, steps: int, message: str) -> None:
    match = at_random(game, seats, seed, steps)
    view = panel_view(match, message)
    fits(view)
    assert view.lines[0] == texts.GAMES[game]
    prompt = match.prompt
    if isinstance(prompt, ThrowPrompt | ActPrompt):
        assert view.lamps[f"seat{seats.index(prompt.seat) + 1}"].mode is LampMode.PULSE
    if isinstance(prompt, OverPrompt):
        chasing = {name for name, lamp in view.lamps.items() if lamp.mode is LampMode.CHASE}
        assert chasing == {f"seat{seats.index(winner) + 1}" for winner in prompt.winners}
    assert ("table" in view.lamps) == bool(message)


def test_every_game_has_a_name_that_fits() -> None:
    assert set(texts.GAMES) == set(GAMES)
    assert all(len(name) <= COLUMNS and name.isascii() for name in texts.GAMES.values())


def test_a_game_of_six_by_6_in_words() -> None:
    session = Session(Match.new("six_by_6", ("ann", "bob"), seed=1))
    assert panel_view(session.match).lines[:2] == ["Six By 6", "ann: throw 6 dice"]
    session.offer(lie(6, 6, 1, 1, 2, 3))
    assert panel_view(session.match).lines == ["Six By 6", "ann: throw 4 dice", "posted 2, carry 3"]
    answer = session.offer(lie(1, 2, start=20))
    assert isinstance(answer, Refused)
    view = panel_view(session.match, answer.text)
    assert list(view.lines[2:]) == ["I see 2 dice, 4 are", "due."]


@given(st.text())
def test_any_message_is_wrapped_into_two_lines(message: str) -> None:
    lines = wrapped(message)
    assert 1 <= len(lines) <= 2
    assert all(line == line.strip() for line in lines)
    words = message.split()
    kept = " ".join(lines).split()
    assert kept == words[: len(kept)]
    assert all(len(line) <= COLUMNS or " " not in line for line in lines)


@given(st.text())
def test_any_line_becomes_printable(line: str) -> None:
    assert len(printable(line)) <= COLUMNS
    assert all(" " <= character <= "~" for character in printable(line))
