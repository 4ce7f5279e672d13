"""Each game under a state machine that makes legal and illegal moves: the invariants hold in every state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from games.dice import VALUES
from games.errors import RuleError
from games.match import Match, dump
from games.prompts import ActPrompt, OverPrompt, ThrowPrompt
from games.registry import GAMES
from games.requests import Act, Dice
from tests.extent import extent
from tests.games.requests_at_random import OPTIONS, SEATS

if TYPE_CHECKING:
    from games.requests import JsonObject

NAMES = "abcdefgh"


class GameMachine(RuleBasedStateMachine):
    game: ClassVar[str]
    match: Match

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        few, many = SEATS[self.game]
        seats = NAMES[: data.draw(st.integers(few, many))]
        given: dict[str, Any] = {
            name: data.draw(st.sampled_from(values)) for name, values in OPTIONS[self.game].items()
        }
        given["first"] = data.draw(st.sampled_from([None, *seats]))
        while "chips" in given and given["chips"] < given.get("ante", given.get("min_bet")):
            given["chips"] += 1
        while "max_bet" in given and given["max_bet"] < given["min_bet"]:
            given["max_bet"] += 1
        self.match = Match.new(self.game, list(seats), given, seed=data.draw(st.integers(0, 99)))
        self.chips = self.all_chips()

    def all_chips(self) -> int:
        state = self.match.state()
        found: int = sum(seat.get("chips", 0) for seat in state["seats"]) + state.get("pot", 0)
        return found

    @precondition(lambda self: not isinstance(self.match.prompt, OverPrompt))
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        prompt, before = self.match.prompt, self.match.revision
        if isinstance(prompt, ActPrompt):
            offer = data.draw(st.sampled_from(prompt.actions))
            action = data.draw(st.sampled_from(list(offer.actions())))
            self.match = self.match.apply(Act(prompt.seat, action), revision=before)
        elif not isinstance(prompt, OverPrompt):
            count = prompt.count if isinstance(prompt, ThrowPrompt) else len(prompt.dice)
            kinds = data.draw(st.permutations(prompt.dice))[:count]
            dice = [(kind, data.draw(st.sampled_from(VALUES[kind]))) for kind in kinds]
            self.match = self.match.apply(Dice(dice), revision=before)
        assert self.match.revision == before + 1

    @rule(
        seat=st.sampled_from([*NAMES, "nobody"]),
        kind=st.sampled_from(["bet", "stick", "bid", "call", "recast", "fade", "keep", "bank", "fly"]),
        fields=st.dictionaries(st.sampled_from(["amount", "count", "face", "value"]), st.integers(-1, 700)),
    )
    def act_at_random(self, seat: str, kind: str, fields: dict[str, int]) -> None:
        self.try_out(Act(seat, {"type": kind, **fields}))

    @rule(dice=st.lists(st.tuples(st.sampled_from([*VALUES, "d7"]), st.integers(-1, 21)), max_size=7))
    def dice_at_random(self, dice: list[Any]) -> None:
        self.try_out(Dice(dice))

    def try_out(self, request: Act | Dice) -> None:
        before: JsonObject = self.match.state()
        match = self.match
        try:
            self.match = match.apply(request)
        except RuleError:
            assert self.match.state() == before
        else:
            assert not isinstance(match.prompt, OverPrompt)

    @invariant()
    def chips_are_conserved(self) -> None:
        assert self.all_chips() == self.chips
        assert all(seat.get("chips", 0) >= 0 for seat in self.match.state()["seats"])

    @invariant()
    def someone_is_awaited_or_has_won(self) -> None:
        prompt = self.match.prompt
        if isinstance(prompt, OverPrompt):
            assert prompt.winners
            assert list(prompt.winners) == [seat for seat in self.match.seats if seat in prompt.winners]
        elif isinstance(prompt, ActPrompt | ThrowPrompt):
            assert prompt.seat in self.match.seats

    @invariant()
    def what_is_said_of_the_game_holds(self) -> None:
        HOLDS[self.game](self.match.state(), self.match)

    def teardown(self) -> None:
        if hasattr(self, "match"):
            replayed = Match.resume(dump(self.match.log))
            assert replayed.state() == self.match.state()
            assert replayed.prompt == self.match.prompt


def six_shooter_holds(state: JsonObject, match: Match) -> None:
    for seat in state["seats"]:
        kinds = [kind for kind, _ in seat["dice"]]
        assert len(set(kinds)) == len(kinds)
        assert seat["total"] == sum(face for _, face in seat["dice"])
        assert seat["status"] != "bust" or seat["total"] > match.current.options.target
    assert state["pot"] == 0 or not isinstance(match.prompt, OverPrompt)


def liars_dice_holds(state: JsonObject, match: Match) -> None:
    assert state["on_table"] == sum(seat["dice"] for seat in state["seats"])
    options = match.current.options
    lost = options.dice * len(match.seats) - state["on_table"]
    assert sum(seat["drinks"] for seat in state["seats"]) == options.drinks * lost
    assert state["round"] == lost + (
        0 if match.current.roll_off or isinstance(match.prompt, OverPrompt) else 1
    )


def sixes_holds(state: JsonObject, match: Match) -> None:
    over = isinstance(match.prompt, OverPrompt)
    lost = sum(seat["losses"] for seat in state["seats"])
    assert lost == (state["round"] if over else max(0, state["round"] - 1))
    assert state["round"] <= match.current.options.rounds


def six_by_6_holds(state: JsonObject, match: Match) -> None:
    assert (state["turn"] is None) == isinstance(match.prompt, OverPrompt)
    if state["turn"]:
        assert state["turn"]["dice"] == 6 - state["turn"]["posted"] > 0
        assert state["turn"]["carry"] >= 0
    assert all(seat["total"] >= seat["points"] for seat in state["seats"])


def money_shot_holds(state: JsonObject, match: Match) -> None:
    assert (state["peak"] is None) == (state["leader"] is None)
    if isinstance(match.prompt, OverPrompt):
        assert (state["pot"], state["bet"]) == (0, None)
        return
    status = {seat["seat"]: seat["status"] for seat in state["seats"]}
    assert status[state["active"]] == "in"
    if state["leader"] is not None:
        # The leader sits just right of the active seat, all between them being out.
        order = match.seats * 2
        between = order[order.index(state["leader"]) + 1 :]
        between = between[: between.index(state["active"])]
        assert state["leader"] != state["active"]
        assert all(status[seat] != "in" for seat in between)


def rolls_holds(state: JsonObject, match: Match) -> None:
    assert (state["turn"] is None) == isinstance(match.prompt, OverPrompt)
    assert state["rolls"] == sum(seat["rolls"] for seat in state["seats"])
    assert len(state["last"]) == min(state["rolls"], 10)
    for roll in state["last"]:
        assert len(roll["kept"]) == len(roll["dice"])
        assert roll["total"] <= state["highest"]
    assert all((seat["highest"] is None) == (seat["rolls"] == 0) for seat in state["seats"])


def ten_thousand_holds(state: JsonObject, match: Match) -> None:
    assert all(seat["points"] % 50 == 0 for seat in state["seats"])
    turn = state["turn"]
    assert (turn is None) == isinstance(match.prompt, OverPrompt)
    if turn:
        assert turn["at_stake"] % 50 == 0
        assert len(turn["kept"]) < 6
        assert not turn["thrown"] or len(turn["kept"]) + len(turn["thrown"]) == 6


def yacht_holds(state: JsonObject, match: Match) -> None:
    filled = [sum(score is not None for score in seat["boxes"].values()) for seat in state["seats"]]
    assert max(filled) - min(filled) <= 1
    last = min(match.current.options.rounds or 12, 12)
    assert (min(filled) == last) == isinstance(match.prompt, OverPrompt)
    assert all(seat["points"] >= sum(filter(None, seat["boxes"].values())) for seat in state["seats"])


def rounds_with_a_stake_hold(state: JsonObject, match: Match) -> None:
    over = isinstance(match.prompt, OverPrompt)
    played = state["round"] if over else state["round"] - 1
    won = sum(seat["points"] for seat in state["seats"])
    # At the end the stake is still that of the last round, which was won or lapses.
    assert won in (played, played - state["stake"]) if over else won + state["stake"] == played + 1
    assert not over or all(seat["score"] is not None for seat in state["seats"])


def lives_hold(state: JsonObject, match: Match) -> None:
    lives = [seat["lives"] for seat in state["seats"]]
    assert min(lives) >= 0
    assert max(lives) >= 1
    if isinstance(match.prompt, OverPrompt):
        assert {seat["seat"] for seat in state["seats"] if seat["lives"] == max(lives)} == set(
            match.prompt.winners
        )
    elif isinstance(match.prompt, ActPrompt | ThrowPrompt):
        assert lives[match.seats.index(match.prompt.seat)] > 0


def shut_the_box_holds(state: JsonObject, match: Match) -> None:
    turn = state["turn"]
    assert (turn is None) == isinstance(match.prompt, OverPrompt)
    if turn:
        assert turn["open"] == sorted(turn["open"]) != []
        assert turn["dice"] != 1 or max(turn["open"]) <= 6


def bar_dice_holds(state: JsonObject, match: Match) -> None:
    wins = [seat["wins"] for seat in state["seats"]]
    over = isinstance(match.prompt, OverPrompt)
    assert sum(wins) == (state["round"] if over else state["round"] - 1)
    assert over or max(wins) < match.current.options.wins
    if state["turn"]:
        assert len(state["turn"]["dice"]) in (0, 5)
        assert len(state["turn"]["kept"]) < 5


HOLDS = {
    "six_shooter": six_shooter_holds,
    "liars_dice": liars_dice_holds,
    "sixes": sixes_holds,
    "six_by_6": six_by_6_holds,
    "money_shot": money_shot_holds,
    "rolls": rolls_holds,
    "ten_thousand": ten_thousand_holds,
    "yacht": yacht_holds,
    "ship_captain_crew": rounds_with_a_stake_hold,
    "mexico": lives_hold,
    "mia": lives_hold,
    "midnight": rounds_with_a_stake_hold,
    "shut_the_box": shut_the_box_holds,
    "bar_dice": bar_dice_holds,
}


@pytest.mark.parametrize("name", GAMES)
def test_every_state_of_a_game_holds_what_is_said_of_it(name: str) -> None:
    machine = type(f"Machine_{name}", (GameMachine,), {"game": name})
    effort = settings(max_examples=extent(4, 100), stateful_step_count=40, deadline=None)
    run_state_machine_as_test(machine, settings=effort)
