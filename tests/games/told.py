"""One game of each, told: what every request led to, in the state, the events and the words for people.

Each file in tests/games/told_games/ begins with the opening of a match. Each request stands behind `>`, and
below it all that changed. `python -m tests.games.told` tells the same requests again: read the difference
before you commit it. `python -m tests.games.told NAME OPTIONS` first plays a new game of this name, with the
options of a JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games import requests
from games.game import read_options
from games.match import Match
from games.players import TipsyPlayer
from games.words import TableView
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).with_name("told_games")
SEATS = ("ann", "bob", "cleo")
MOST_STEPS = 60


def compact(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False)


def changes(state: Any, before: Any, name: str = "") -> Iterator[str]:
    """The parts of a public state that differ from the state before, one a line."""
    if state == before:
        return
    if isinstance(state, dict) and isinstance(before, dict) and state.keys() == before.keys():
        for key, value in state.items():
            yield from changes(value, before[key], f"{name}.{key}" if name else key)
    elif (
        isinstance(state, list) and isinstance(before, list) and len(state) == len(before) and name == "seats"
    ):
        for one, old in zip(state, before, strict=True):
            yield from changes(one, old, one["seat"])
    else:
        yield f"  {name} = {compact(state)}"


def shown(match: Match) -> Iterator[str]:
    """What people are asked and shown, one thing a line."""
    words, state = match.rules.words, match.state()
    yield f"  prompt {compact(match.prompt.to_json())}"
    options = read_options(match.rules.options, match.opening.options, match.seats)
    stage = words.staged(TableView(state, getattr(match.prompt, "seat", None), options))
    parts = {name: getattr(stage, name) for name in stage.__dataclass_fields__ if name != "seats"}
    yield f"  stage {compact({name: value for name, value in parts.items() if value})}"
    for seat in state["seats"]:
        cell = words.seat_stage(stage, state, seat)
        texts = (cell.number, words.score(state, seat), words.standing(state, seat), cell.note)
        yield f"  {seat['seat']} {compact(texts)} {compact(cell.dice)}{' out' if cell.out else ''}"
    yield f"  facts {compact(list(words.facts(state)))}"


def told_of(match: Match, before: Match | None) -> Iterator[str]:
    """The events that led to a match, and what is no longer as it was in the match `before`."""
    words = match.rules.words
    for event in match.events:
        moment = words.moment(event, match.log)
        yield f"  {compact(event)}: {words.event(event)}{f' [{moment}]' if moment else ''}"
    yield from changes(match.state(), before and before.state())
    seen = set(shown(before)) if before else set()
    yield from (line for line in shown(match) if line not in seen)


def tell(lines: list[str]) -> str:
    """The whole file of a game, from the opening and the requests in its lines."""
    opening, *asked = (line[2:] for line in lines if line.startswith("> "))
    match = Match.replay([json.loads(opening)])
    told = [f"> {opening}", *told_of(match, None)]
    for request in asked:
        before, match = match, match.apply(requests.from_json(json.loads(request)))
        told += ["", f"> {request}", *told_of(match, before)]
    return "\n".join(told) + "\n"


def play(game: str, options: dict[str, Any]) -> list[str]:
    """The opening and the requests of a new game, as the lines of a file."""
    match = Match.new(game, SEATS, options, seed=1)
    players = {seat: TipsyPlayer(number) for number, seat in enumerate(SEATS)}
    played = Tabletop(match, players, seed=1).play(MOST_STEPS)
    return [f"> {compact(entry)}" for entry in played.log]


def main() -> None:
    match sys.argv[1:]:
        case [name, options]:
            (FOLDER / f"{name}.txt").write_text("\n".join(play(name, json.loads(options))))
    for path in sorted(FOLDER.glob("*.txt")):
        path.write_text(tell(path.read_text().splitlines()))


if __name__ == "__main__":
    main()
