"""*First time here?*: a short game that says three things at the right moments."""

from __future__ import annotations

from common import texts
from dicetable.ledger.entries import Closed, Ending, Opened
from dicetable.service.questions import guide
from games.prompts import ActPrompt
from tests.dicetable.readings import lie
from tests.dicetable.table.hands_on import EMPTY, HandsOn


def opened() -> HandsOn:
    """A guided game of two people, set up on phones."""
    at = HandsOn()
    at.settle(EMPTY)
    assert at.table.choose(1, texts.phones.FIRST_TIME, ())
    assert at.table.choose(2, texts.phones.JOIN, ())
    assert at.table.choose(1, texts.phones.GO_ON, ())
    assert at.table.choose(1, texts.panel.START, ())
    return at


def test_it_is_one_round_and_explains_each_thing_when_it_comes() -> None:
    at = opened()
    game = at.journal.entries[-1]
    assert isinstance(game, Opened)
    assert (game.game, game.options) == ("ship_captain_crew", {"rounds": 1})
    assert guide(at.table) == texts.phones.FIRST_THROW
    at.settle(lie(6, 1, 1, 1, 1))
    assert guide(at.table) == texts.phones.FIRST_READ
    at.settle(EMPTY)
    at.settle(lie(5, 4, 3, 3))
    match = at.table.state.match
    assert match is not None
    assert isinstance(match.prompt, ActPrompt)
    assert guide(at.table) == texts.phones.FIRST_DECISION


def test_the_next_game_explains_nothing() -> None:
    at = opened()
    assert at.table.write(Closed(Ending.ENDED))
    assert guide(at.table) == ""
    at.tap("1.ok", "1.ok", "1.ok", "1.ok")
    assert at.table.state.match is not None
    assert guide(at.table) == ""
