"""What the suite over all games needs for each game: counts, a sample game, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from games.requests import Act
from tests.games.notation import act, bid, lie

if TYPE_CHECKING:
    from games.requests import Request


@dataclass(frozen=True)
class Entry:
    """`counts` are the numbers of legal lines of 1, 2, 3 … requests, dice showing 1 or their highest face.

    `sample` leads from the start to the end of a game, `end` is the state there. `refused` holds a
    request for each code that depends on the game, each after so many requests of the sample.
    """

    seats: str
    options: dict[str, Any]
    counts: tuple[int, ...]
    sample: tuple[Request, ...]
    end: dict[str, Any]
    winners: tuple[str, ...]
    bad_options: tuple[dict[str, Any], ...]
    bad_seats: tuple[str, ...]
    refused: tuple[tuple[str, int, Request], ...]


ENTRIES = {
    "six_shooter": Entry(
        seats="ab",
        options={"hands": 1, "first": "b", "chips": 4},
        counts=(60, 3600),
        sample=(
            lie("d20 13", "d4 3"),
            lie("d10 10", "d12 4"),
            act("b", "buy"),
            lie("d6 4"),
            act("a", "buy"),
            lie("d6 6"),
            act("b", "stick"),
            act("a", "stick"),
        ),
        end={
            "game": "six_shooter",
            "hand": 1,
            "button": "b",
            "pot": 0,
            "seats": [
                {
                    "seat": "a",
                    "chips": 1,
                    "dice": [["d10", 10], ["d12", 4], ["d6", 6]],
                    "total": 20,
                    "status": "stuck",
                },
                {
                    "seat": "b",
                    "chips": 7,
                    "dice": [["d4", 3], ["d20", 13], ["d6", 4]],
                    "total": 20,
                    "status": "stuck",
                },
            ],
        },
        winners=("b",),
        bad_options=(
            {"chips": 0},
            {"chips": 1},
            {"ante": 21},
            {"ante": 0},
            {"price": 0},
            {"target": -1},
            {"target": None},
            {"hands": 0},
            {"hands": "1"},
            {"rounds": 3},
        ),
        bad_seats=("", "a", "abcdefghi", "aba"),
        refused=(
            ("wrong_dice", 0, lie("d20 13")),
            ("wrong_dice", 0, lie("d20 13 13")),
            ("wrong_dice", 0, lie("d20 13", "d4 5")),
            ("wrong_dice", 0, lie("d20 13", "d7 5")),
            ("wrong_dice", 3, lie("d20 4")),
            ("not_now", 0, act("b", "stick")),
            ("not_now", 2, lie("d6 4")),
            ("not_your_turn", 2, act("a", "buy")),
            ("not_your_turn", 2, act("nobody", "fly")),
            ("illegal_action", 2, act("b", "fly")),
            ("illegal_action", 2, act("b", "bet", amount=1)),
            ("bad_request", 2, act("b", "stick", amount=1)),
        ),
    ),
    "liars_dice": Entry(
        seats="ab",
        options={"dice": 1, "first": "a"},
        counts=(10, 55),
        sample=(bid("a", 1, 4), bid("b", 2, 4), act("a", "challenge"), lie("d6 1 3")),
        end={
            "game": "liars_dice",
            "round": 1,
            "bid": None,
            "on_table": 1,
            "seats": [{"seat": "a", "dice": 1, "drinks": 0}, {"seat": "b", "dice": 0, "drinks": 3}],
        },
        winners=("a",),
        bad_options=(
            {"dice": 0},
            {"dice": 21},
            {"dice": 3.0},
            {"dice": None},
            {"drinks": -1},
            {"drinks": True},
            {"drinks": 10**9 + 1},
            {"chips": 3},
        ),
        bad_seats=("", "a", "abcdefghi", "aa"),
        refused=(
            ("wrong_dice", 3, lie("d6 1")),
            ("wrong_dice", 3, lie("d6 1 7")),
            ("wrong_dice", 3, lie("d6 1", "d8 1")),
            ("not_now", 0, lie("d6 1 1")),
            ("not_now", 3, act("b", "challenge")),
            ("not_your_turn", 1, bid("a", 2, 4)),
            ("illegal_action", 0, act("a", "challenge")),
            ("illegal_action", 0, bid("a", 0, 4)),
            ("illegal_action", 0, bid("a", 1, 1)),
            ("illegal_action", 0, bid("a", 1, 7)),
            ("illegal_action", 0, bid("a", 3, 2)),
            ("illegal_action", 1, bid("b", 1, 4)),
            ("bad_request", 0, act("a", "bid", quantity=1)),
            ("bad_request", 0, act("a", "bid", quantity=1, face=True)),
            ("bad_request", 0, act("a", "bid", quantity=9, face=2.0)),
            ("bad_request", 0, act("a", "bid", quantity=1, face=2, amount=1)),
        ),
    ),
    "sixes": Entry(
        seats="abc",
        options={"rounds": 1, "first": "c"},
        counts=(56, 111, 55 * 4 + 56 * 4),
        sample=(
            act("c", "call", value=532),
            act("a", "accept"),
            act("a", "recast", count=2),
            act("a", "call", value=661),
            act("b", "challenge"),
            lie("d6 6 1 6"),
        ),
        end={
            "game": "sixes",
            "round": 1,
            "call": None,
            "seats": [{"seat": "a", "losses": 0}, {"seat": "b", "losses": 1}, {"seat": "c", "losses": 0}],
        },
        winners=("a", "c"),
        bad_options=({"rounds": 0}, {"rounds": None}, {"rounds": [1]}, {"drinks": 3}),
        bad_seats=("", "ab", "abcdefghi", "aab"),
        refused=(
            ("wrong_dice", 5, lie("d6 6 1")),
            ("wrong_dice", 5, lie("d6 6 1 0")),
            ("wrong_dice", 5, lie("d6 6 1", "d4 1")),
            ("not_now", 0, lie("d6 6 1 6")),
            ("not_now", 5, act("b", "challenge")),
            ("not_your_turn", 1, act("c", "accept")),
            ("illegal_action", 0, act("c", "call", value=123)),
            ("illegal_action", 0, act("c", "accept")),
            ("illegal_action", 2, act("a", "recast", count=4)),
            ("illegal_action", 3, act("a", "call", value=532)),
            ("bad_request", 0, act("c", "call", value="532")),
            ("bad_request", 2, act("a", "recast")),
        ),
    ),
    "six_by_6": Entry(
        seats="ab",
        options={"first": "b"},
        counts=(7, 7 + 6 + 5 + 4 + 3 + 2 + 7),
        sample=(lie("d6 1 2 3 4 5 6"), lie("d6 6 6 1 3 4 5"), *[lie("d6 1 3 4 5")] * 3),
        end={
            "game": "six_by_6",
            "game_no": 1,
            "set_no": 1,
            "turn": None,
            "seats": [
                {"seat": "a", "points": 25, "total": 25, "games": 0},
                {"seat": "b", "points": 47, "total": 47, "games": 1},
            ],
        },
        winners=("b",),
        bad_options=({"sets": 0}, {"games": 0}, {"sets": None}, {"sets": 1.0}, {"rounds": 1}),
        bad_seats=("", "abcdefghi", "aa"),
        refused=(
            ("wrong_dice", 0, lie("d6 1 2 3 4 5")),
            ("wrong_dice", 0, lie("d6 1 2 3 4 5 6 6")),
            ("wrong_dice", 0, lie("d6 1 2 3 4 5", "d8 6")),
            ("wrong_dice", 0, lie("d6 1 2 3 4 5 -1")),
            ("wrong_dice", 2, lie("d6 1 2 3 4 5 6")),
            ("not_now", 0, act("b", "stick")),
            ("not_now", 0, act("nobody", "fly")),
        ),
    ),
    "rolls": Entry(
        seats="ab",
        options={"rolls": 1, "first": "b", "formula": "2d20kh+1"},
        counts=(3, 9),
        sample=(lie("d20 20 3"), lie("d20 1 1")),
        end={
            "game": "rolls",
            "turn": None,
            "formula": "2d20kh+1",
            "rolls": 2,
            "highest": 21,
            "last": [
                {"seat": "a", "dice": [["d20", 1], ["d20", 1]], "kept": [True, False], "total": 2},
                {"seat": "b", "dice": [["d20", 20], ["d20", 3]], "kept": [True, False], "total": 21},
            ],
            "seats": [{"seat": "a", "rolls": 1, "highest": 2}, {"seat": "b", "rolls": 1, "highest": 21}],
        },
        winners=("b",),
        bad_options=(
            {"rolls": 0},
            {"rolls": None},
            {"formula": 6},
            {"formula": "d6" * 60},
            {"formula": "2d7"},
        ),
        bad_seats=("", "abcdefghi", "aa"),
        refused=(
            ("wrong_dice", 0, lie("d20 1")),
            ("wrong_dice", 0, lie("d20 1 2 3")),
            ("wrong_dice", 0, lie("d20 1", "d12 1")),
            ("wrong_dice", 0, lie("d20 1 21")),
            ("not_now", 0, act("b", "stick")),
            ("not_now", 0, act("nobody", "fly")),
        ),
    ),
    "money_shot": Entry(
        seats="abc",
        options={"rounds": 1, "first": "b", "chips": 5, "max_bet": 3},
        counts=(3, 6),
        sample=(
            act("b", "bet", amount=3),
            act("c", "bow_out"),
            act("a", "fade"),
            lie("d12 6"),
            act("a", "bet", amount=1),
            act("b", "fade"),
            lie("d12 12"),
        ),
        end={
            "game": "money_shot",
            "round": 1,
            "pot": 0,
            "peak": 6,
            "leader": "b",
            "active": "a",
            "bet": None,
            "seats": [
                {"seat": "a", "chips": 11, "status": "in"},
                {"seat": "b", "chips": 0, "status": "in"},
                {"seat": "c", "chips": 4, "status": "bowed"},
            ],
        },
        winners=("a",),
        bad_options=(
            {"chips": 0},
            {"min_bet": 11},
            {"min_bet": 0},
            {"max_bet": 0},
            {"max_bet": 1, "min_bet": 2},
            {"chips": 2, "min_bet": 3},
            {"rounds": 0},
            {"rounds": False},
            {"ante": 1},
        ),
        bad_seats=("", "ab", "abcdefghi", "aba"),
        refused=(
            ("wrong_dice", 3, lie("d12 6 6")),
            ("wrong_dice", 3, lie("d12 13")),
            ("wrong_dice", 3, lie("d6 6")),
            ("not_now", 0, lie("d12 6")),
            ("not_now", 3, act("a", "fade")),
            ("not_your_turn", 1, act("b", "fade")),
            ("illegal_action", 0, act("b", "bow_out")),
            ("illegal_action", 0, act("b", "bet", amount=4)),
            ("illegal_action", 0, act("b", "bet", amount=0)),
            ("bad_request", 0, act("b", "bet")),
            ("bad_request", 0, act("b", "bet", amount=1.0)),
            ("bad_request", 1, act("c", "fade", amount=3)),
        ),
    ),
}


def decides(game: str) -> bool:
    """Whether the game has decisions, and not only throws."""
    return any(isinstance(request, Act) for request in ENTRIES[game].sample)
