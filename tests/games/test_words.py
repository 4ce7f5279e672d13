"""Words of games: their own, and the derived ones for what a game does not define."""

from __future__ import annotations

from fractions import Fraction

import pytest

from games import words
from games.match import Match
from games.prompts import ActPrompt, BetOffer, BidOffer, CallOffer, Plain
from games.registry import GAMES
from games.words import PLAIN_WORDS, Words
from tests.games.entries import ENTRIES

every_game = pytest.mark.parametrize("game", GAMES)


def sample(game: str) -> list[Match]:
    """The sample game of an entry, step by step."""
    entry = ENTRIES[game]
    matches = [Match.new(game, tuple(entry.seats), entry.options, seed=1)]
    for request in entry.sample:
        matches.append(matches[-1].apply(request))
    return matches


@every_game
def test_a_game_has_its_own_words_for_all_that_happens(game: str) -> None:
    its = GAMES[game].words
    names = {event["event"] for match in sample(game) for event in match.events}
    assert names <= set(its.events)
    assert its.title
    assert its.rules


@every_game
def test_a_game_asks_a_question_of_its_own_before_every_decision(game: str) -> None:
    its = GAMES[game].words
    for match in sample(game):
        if not isinstance(match.prompt, ActPrompt):
            continue
        state = match.state()
        part = next(seat for seat in state["seats"] if seat["seat"] == match.prompt.seat)
        question = its.question(match.prompt.actions[0], state, part)
        assert question.endswith("?")
        assert question != PLAIN_WORDS.question(match.prompt.actions[0], state, part)
        assert len(question) <= 60
        assert its.gives_up == () or set(its.gives_up) < set(its.actions)


@every_game
def test_words_are_made_of_the_rules_names_where_a_game_brings_none(game: str) -> None:
    for match in sample(game):
        state = match.state()
        said = [PLAIN_WORDS.event(event) for event in match.events]
        said += PLAIN_WORDS.facts(state)
        said += [PLAIN_WORDS.score(state, seat) for seat in state["seats"]]
        if isinstance(match.prompt, ActPrompt):
            said += [PLAIN_WORDS.action(offer) for offer in match.prompt.actions]
        assert all(line and line.isprintable() for line in said)
        assert [PLAIN_WORDS.standing(state, seat) for seat in state["seats"]] == [""] * len(match.seats)


def test_plain_words() -> None:
    event = {"event": "rolled_out", "seat": "ann", "face": 3, "dice": [1, 2]}
    assert PLAIN_WORDS.event(event) == "ann: rolled out, face 3"
    assert PLAIN_WORDS.event({"event": "shared", "chips": 4}) == "shared, chips 4"
    state = {"game": "pig", "pot": 12, "bid": {"seat": "ann", "face": 3}, "call": None, "seats": []}
    assert PLAIN_WORDS.facts(state) == ["pot 12", "face 3"]
    assert PLAIN_WORDS.score(state, {"seat": "ann", "dice": [], "points": 7, "chips": 3}) == "7 points"
    assert PLAIN_WORDS.score(state, {"seat": "ann"}) == ""
    assert PLAIN_WORDS.option("min_bet") == "Min bet"
    assert words.titled("six_by_6") == "Six By 6"


def test_a_phone_has_the_panels_word_for_an_action_on_its_button() -> None:
    roll = Plain("roll")
    assert GAMES["mexico"].words.button(roll, {}, {}) == GAMES["mexico"].words.action(roll) == "Roll again"
    assert PLAIN_WORDS.button(roll, {}, {}) == "Roll"


def test_one_die_is_not_said_in_the_plural() -> None:
    said = GAMES["liars_dice"].words.events["revealed"]
    assert [said({"count": count}) for count in (0, 1, 2)] == ["there are 0", "there is 1", "there are 2"]


def test_an_action_is_named_as_far_as_its_numbers_are_chosen() -> None:
    its = Words(actions={"bow_out": "Leave"})
    assert its.action(Plain("bow_out")) == "Leave"
    assert its.action(Plain("roll_on")) == "Roll on"
    assert [its.action(BetOffer(1, 9), values) for values in ([], [3])] == ["Bet...", "Bet 3"]
    assert its.action(CallOffer((111, 666)), [666]) == "Call 666"
    bids = [its.action(BidOffer((1, 2), (9, 6)), values) for values in ([], [4], [4, 3])]
    assert bids == ["Bid...", "Bid 4...", "Bid 4 threes"]


def test_dice_have_one_notation() -> None:
    assert words.dice([("d6", 6), ("d6", 1)]) == "6 1"
    assert words.dice([("d6", 6), ("d20", 17)]) == "d6:6 d20:17"
    assert words.die("d6", 4) == "4"
    assert words.die("d10", 10) == "d10:10"
    assert words.dice([("d6", face) for face in (2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2)]) == "1 one, 10 twos"


@pytest.mark.parametrize(
    ("chance", "written"),
    [
        (Fraction(0), "0 %"),
        (Fraction(1, 3**48), "< 0.1 %"),
        (Fraction(1, 3), "33.3 %"),
        (1 - Fraction(1, 3**48), "> 99.9 %"),
        (Fraction(1), "100 %"),
        (0.0, "0 %"),
        (1 - 2**-50, "100 %"),
        (0.99999, "> 99.9 %"),
    ],
)
def test_only_what_is_certain_is_said_to_be(chance: float | Fraction, written: str) -> None:
    assert words.percent(chance) == written
