"""One suite over every game of the registry. A game without its entry, or without its page, fails here."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from games import errors, requests
from games.dice import VALUES
from games.match import Match, dump
from games.players import LEVELS
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from games.protocol import Engine
from games.registry import GAMES
from games.requests import ACTION_FIELDS, Act, Dice, Request
from tests.games.entries import ENTRIES, decides
from tests.games.notation import act, lie, play
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.dice import Die
    from games.prompts import Prompt

DOCS = Path(__file__).resolve().parents[2] / "docs" / "games"
every_game = pytest.mark.parametrize("game", GAMES)


def begin(game: str) -> Match:
    entry = ENTRIES[game]
    return Match.new(game, list(entry.seats), entry.options, seed=1)


def played(game: str, seed: int, level: str = "random", **given: Any) -> Match:
    seats = ENTRIES[game].seats
    players = {seat: LEVELS[level](seed + place) for place, seat in enumerate(seats)}
    return Tabletop(Match.new(game, list(seats), given, seed=seed), players, seed).play(most_steps=400)


def test_every_game_has_an_entry() -> None:
    assert set(ENTRIES) == set(GAMES)


@every_game
def test_every_game_has_a_page_that_names_its_options(game: str) -> None:
    page = (DOCS / f"{game}.md").read_text(encoding="utf-8")
    assert [name for name in GAMES[game].options.__dataclass_fields__ if f"`{name}`" not in page] == []


def answers(prompt: Prompt) -> Iterator[Request]:
    """Every request that answers the prompt, dice showing 1 or their highest face."""
    if isinstance(prompt, ActPrompt):
        for offer in prompt.actions:
            for action in offer.actions():
                yield Act(prompt.seat, action)
    elif not isinstance(prompt, OverPrompt):
        count = prompt.count if isinstance(prompt, ThrowPrompt) else len(prompt.dice)
        extremes: list[Die] = [
            (kind, face) for kind in set(prompt.dice) for face in (VALUES[kind][0], VALUES[kind][-1])
        ]
        throws = {tuple(sorted(dice)) for dice in product(extremes, repeat=count)}
        due = Counter(prompt.dice)
        yield from (Dice(dice) for dice in throws if Counter(kind for kind, _ in dice) <= due)


@every_game
def test_counts_of_legal_lines(game: str) -> None:
    lines = [begin(game)]
    found = []
    for _ in ENTRIES[game].counts:
        lines = [match.apply(request) for match in lines for request in answers(match.prompt)]
        found.append(len(lines))
    assert tuple(found) == ENTRIES[game].counts


@every_game
def test_sample_game(game: str) -> None:
    entry = ENTRIES[game]
    match = play(begin(game), entry.sample)
    assert match.prompt == OverPrompt(entry.winners)
    assert match.cups == {}  # all were lifted


@every_game
def test_log_replays_to_the_same_state_byte_for_byte(game: str) -> None:
    for seed in range(5):
        match = played(game, seed)
        replayed = Match.resume(dump(match.log))
        assert dump(replayed.log) == dump(match.log)
        assert json.dumps(replayed.state()) == json.dumps(match.state())
        assert (replayed.prompt, replayed.revision) == (match.prompt, match.revision)
        assert replayed.events == match.events


@every_game
def test_a_draw_is_recorded_and_a_replay_follows_the_record(game: str) -> None:
    match = Match.new(game, list(ENTRIES[game].seats), seed=1)
    entries = [dict(entry) for entry in match.log]
    entries[0]["seed"] = 2
    assert Match.replay(entries).state() == match.state()
    first = Match.new(game, list(ENTRIES[game].seats), {"first": "a"}, seed=1)
    assert first.log[0]["draws"] == []
    if match.log[0]["draws"]:
        with pytest.raises(errors.BadLog):
            Match.replay([{**entries[0], "draws": []}])
        with pytest.raises(errors.BadLog):
            Match.replay([{**entries[0], "draws": [99]}])


@every_game
def test_the_same_seed_draws_the_same_and_every_seat_is_drawn(game: str) -> None:
    entry = ENTRIES[game]
    states = [Match.new(game, list(entry.seats), seed=seed).state() for seed in [*range(40), *range(40)]]
    assert states[:40] == states[40:]
    drawn = {state.get("button") or state.get("active") for state in states}
    assert drawn in ({None}, set(entry.seats))


@every_game
def test_states_are_immutable_values(game: str) -> None:
    match = begin(game)
    assert hash(match.current) == hash(begin(game).current)
    assert match.current == begin(game).current
    with pytest.raises(AttributeError):
        match.current.seats = ()
    with pytest.raises(AttributeError):
        match.prompt.seat = "x"  # type: ignore[union-attr, misc]


@every_game
def test_no_prompt_offers_a_field_that_no_action_may_have(game: str) -> None:
    match = begin(game)
    for request in ENTRIES[game].sample:
        if isinstance(match.prompt, ActPrompt):
            assert all(ACTION_FIELDS.issuperset(offer.fields) for offer in match.prompt.actions)
        match = match.apply(request)


# Refusals


def refusal(game: str, before: int, request: Request) -> str:
    """The code with which the request is refused after so much of the sample; nothing may have changed."""
    engine = Engine(draw_seed=lambda: 1)
    engine.match = play(begin(game), ENTRIES[game].sample[:before])
    state = engine.answer(b'{"op":"state"}')
    answer = engine.answer(json.dumps(request.to_json()).encode())
    assert set(answer) == {"ok", "error"}
    assert set(answer["error"]) == {"code", "message"}
    assert answer["error"]["message"]
    assert engine.answer(b'{"op":"state"}') == state
    code: str = answer["error"]["code"]
    return code


@every_game
def test_refusals(game: str) -> None:
    refused = ENTRIES[game].refused
    assert [refusal(game, before, request) for _, before, request in refused] == [row[0] for row in refused]


@every_game
def test_every_code_of_a_prompt_is_tested(game: str) -> None:
    tested = {code for code, _, _ in ENTRIES[game].refused}
    of_actions = {"not_your_turn", "illegal_action", "bad_request"} if decides(game) else set()
    assert tested == {"wrong_dice", "not_now"} | of_actions


@every_game
def test_game_over_comes_before_what_else_is_wrong(game: str) -> None:
    end = len(ENTRIES[game].sample)
    assert refusal(game, end, act("a", "fly")) == "game_over"
    assert refusal(game, end, act("nobody", "stick")) == "game_over"
    assert refusal(game, end, lie("d7 99")) == "game_over"


@every_game
def test_bad_options_and_seats(game: str) -> None:
    entry = ENTRIES[game]
    seats = list(entry.seats)
    for given in (*entry.bad_options, {"first": "nobody"}, {"first": 1}, {"colour": "red"}, {"": None}):
        with pytest.raises(errors.BadOption):
            Match.new(game, seats, given, seed=1)
    for bad in (*map(list, entry.bad_seats), [*seats[:-1], ""]):
        with pytest.raises(errors.BadOption):
            Match.new(game, bad, seed=1)


@pytest.mark.parametrize(
    "name", [" ", "\t", "\u3000", "a" * 65, "\x1b[2Jx", "a\x00", "a\x7f", "a\x9b", "\ud800"]
)
@every_game
def test_a_name_that_cannot_be_shown_is_a_bad_option(game: str, name: str) -> None:
    engine = Engine(draw_seed=lambda: 1)
    seats = [*ENTRIES[game].seats[:-1], name]
    answer = engine.answer(json.dumps({"op": "new", "game": game, "seats": seats}).encode())
    assert answer["error"]["code"] == "bad_option"
    assert engine.match is None


@every_game
def test_a_name_of_64_letters_of_any_script_is_a_name(game: str) -> None:
    match = Match.new(game, [*ENTRIES[game].seats[:-1], "ž" * 64], seed=1)
    assert "ž" * 64 in json.dumps(match.state(), ensure_ascii=False)


@every_game
def test_null_is_an_option_where_it_is_the_default(game: str) -> None:
    for name, entry in GAMES[game].options.__dataclass_fields__.items():
        if entry.default is None:
            Match.new(game, list(ENTRIES[game].seats), {name: None}, seed=1)
        else:
            with pytest.raises(errors.BadOption):
                Match.new(game, list(ENTRIES[game].seats), {name: None}, seed=1)


@every_game
def test_a_new_that_fails_leaves_the_game_and_one_that_does_not_replaces_it(game: str) -> None:
    engine = Engine(draw_seed=lambda: 1)
    engine.match = begin(game)
    before = engine.match
    bad = {"op": "new", "game": game, "seats": []}
    unknown = {**bad, "game": "chess"}
    shapeless = {**unknown, "seats": None}
    codes = [engine.answer(json.dumps(m).encode())["error"]["code"] for m in (bad, unknown, shapeless)]
    assert codes == ["bad_option", "unknown_game", "bad_request"]
    assert engine.match is before
    assert engine.answer(json.dumps({**bad, "seats": list("abc")}).encode())["ok"]
    assert engine.match is not before


def up_to_the_reveal(game: str, hidden: int) -> tuple[list[str], str]:
    """Everything that can be seen until the cups are lifted, and what is seen then."""
    chance, under_cups = Random(5), Random(hidden)
    match = begin(game)
    seen: list[str] = []
    for _ in range(60):
        with pytest.raises(errors.RuleError) as refused:
            match.apply(lie("d20 21"))
        open_parts = [match.state(), match.prompt.to_json(), match.events, match.log, str(refused.value)]
        seen.append(json.dumps(open_parts) + repr(match.current))
        prompt = match.prompt
        if isinstance(prompt, RevealPrompt):
            dice = [(kind, under_cups.choice(VALUES[kind])) for kind in prompt.dice]
            return seen, json.dumps(match.apply(Dice(dice)).log)
        if isinstance(prompt, OverPrompt):
            break
        if isinstance(prompt, ThrowPrompt):
            kinds = chance.sample(prompt.dice, prompt.count)
            match = match.apply(Dice([(kind, chance.choice(VALUES[kind])) for kind in kinds]))
        else:
            actions = [action for offer in prompt.actions for action in offer.actions()]
            match = match.apply(Act(prompt.seat, chance.choice(actions)))
    return seen, ""


@every_game
def test_hidden_dice_show_in_nothing_before_their_reveal(game: str) -> None:
    """The same requests with other dice under the cups: every output is the same up to the reveal."""
    runs = [up_to_the_reveal(game, hidden) for hidden in range(20)]
    assert all(seen == runs[0][0] for seen, _ in runs)
    hides = game in ("liars_dice", "sixes", "mia")
    assert (len({revealed for _, revealed in runs}) > 1) == hides


@pytest.mark.parametrize("game", ["liars_dice", "sixes", "mia"])
def test_cast_events_say_who_and_how_many_and_no_more(game: str) -> None:
    for seed in range(10):
        match = Match.replay(played(game, seed).log[:1])
        for entry in played(game, seed).log[1:]:
            match = match.apply(requests.from_json(entry))
            casts = [event for event in match.events if event["event"] == "cast"]
            assert all(set(event) == {"event", "seat", "count"} for event in casts)
