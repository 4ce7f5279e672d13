"""What stays until 2.0.0 (docs/promises.md), as this version has it: names, and the shapes of JSON.

`python -m tests.promises` prints it. A part of it that has gone is a broken promise; what has come goes into
promised.json, from then on promised too.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from functools import reduce
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from common.snapshot import Contents
from dicetable.__main__ import COMMANDS
from dicetable.config.file import Config
from dicetable.config.form import resolved, sections
from dicetable.ledger import database
from dicetable.ledger.entries import (
    Cause,
    Closed,
    Corrected,
    DieDetails,
    Ending,
    Epoch,
    LyingDie,
    MemoryJournal,
    OldHead,
    Opened,
    Revealed,
    Sat,
    Sitting,
    Thrown,
    dump,
)
from dicetable.service.publisher import snapshot
from dicetable.service.throws import Board, MatchThrows
from dicetable.table.display import narrated
from dicetable.table.meters import Meters
from dicetable.table.set_up import ChooseGame, draft_for
from dicetable.table.table import Table
from docs.make_config import allowed, repeated
from games import errors
from games.match import Match
from games.players import LEVELS
from games.registry import GAMES
from gateway.signals import home_assistant
from gateway.signals.metrics import GatewayStats, exposition, families
from hardware.ports import Degraded
from tests.games.tabletop import Tabletop
from tests.gateway.signals.signalling import connected
from tests.league.bars import entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dicetable.ledger.entries import Entry

FILE: Final = Path(__file__).with_name("promised.json")
SEATS: Final = ("Ann", "Bob", "Cleo")
MOST_ROWS: Final = 60
MOST_STEPS: Final = 400
OPEN: Final = {"position", "options"}
"""Objects of a snapshot that are the game's own; the engine's shapes have them."""


def shape(value: Any) -> Any:
    """Names and types of JSON, without its values; empty where nothing tells."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [reduce(merged, map(shape, value), "")]
    if value is None or isinstance(value, str):
        return "" if value is None else "text"
    return "true or false" if isinstance(value, bool) else "number"


def merged(one: Any, other: Any) -> Any:
    """The shape of what has either of these shapes."""
    if not one or not other or one == other:
        return one or other
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: merged(one.get(name, ""), other.get(name, "")) for name in one | other}
    if isinstance(one, list) and isinstance(other, list):
        return [merged(one[0], other[0])]
    return " or ".join(sorted({str(one), str(other)}))


def shapes(values: Iterable[Any]) -> Any:
    """The shape of all of them."""
    return reduce(merged, map(shape, values), "")


def missing(promised: Any, now: Any, where: str = "") -> Iterator[str]:
    """What is in the one and not in the other."""
    if isinstance(promised, dict) and isinstance(now, dict):
        for name, part in promised.items():
            at = f"{where}/{name}"
            yield from missing(part, now[name], at) if name in now else [at]
    elif isinstance(promised, list) and isinstance(now, list) and all(type(each) is str for each in promised):
        yield from (f"{where}: {each}" for each in promised if each not in now)
    elif isinstance(promised, list) and isinstance(now, list):
        yield from missing(promised[0], now[0], f"{where}[]")
    elif promised != now:
        yield f"{where}: {promised!r} is {now!r}"


def commands() -> dict[str, list[str]]:
    """Every command with its options."""
    subparsers = argparse.ArgumentParser().add_subparsers()
    for name, text in COMMANDS.items():
        import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers, text)
    found: dict[str, list[str]] = {}

    def look(name: str, parser: argparse.ArgumentParser) -> None:
        found[name] = sorted(option for action in parser._actions for option in action.option_strings)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for inner, its in action.choices.items():
                    look(f"{name} {inner}", its)

    for name, parser in subparsers.choices.items():
        look(name, parser)
    return found


def config() -> dict[str, str]:
    """Every setting, by section and driver, with the values that it takes."""
    schema = Config.model_json_schema()
    found = {}
    for name, table in schema["properties"].items():
        for driver, section in sections(table, schema):
            parts = {f"{name} {driver}".strip(): section}
            parts |= {f"{name}.{inner}": many for inner, many in repeated(section, schema)}
            for where, part in parts.items():
                for setting, field in part["properties"].items():
                    if setting != "driver":
                        found[f"{where}: {setting}"] = allowed(resolved(field, schema))
    return found


def engine() -> dict[str, Any]:
    """The codes of errors, and for each game the shapes of what random players are answered."""
    kinds = vars(errors).values()
    codes = sorted({kind.code for kind in kinds if getattr(kind, "code", "")})
    return {"errors": codes, "games": {game: answers(game) for game in GAMES}}


def answers(game: str) -> dict[str, Any]:
    """The shapes of state, prompts and events."""
    states: Any = ""
    prompts: dict[str, Any] = {}
    events: dict[str, Any] = {}
    for seed in range(6):
        match = Match.new(game, SEATS, seed=seed)
        played = Tabletop(match, {name: LEVELS["random"](seed) for name in SEATS}, seed)
        for _ in range(MOST_STEPS):
            match = played.match
            states = merged(states, shape(match.state()))
            prompt = match.prompt.to_json()
            prompts[prompt["kind"]] = merged(prompts.get(prompt["kind"], ""), shape(prompt))
            for event in match.events:
                events[event["event"]] = merged(events.get(event["event"], ""), shape(event))
            if prompt["kind"] == "over":
                break
            played.step()
    return {"state": states, "prompts": prompts, "events": events}


def ledger() -> dict[str, Any]:
    """The tables of the file with their columns, and every kind of entry."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(database.SCHEMA)
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        tables = {
            name: [f"{column[1]} {column[2]}" for column in connection.execute(f"PRAGMA table_info({name})")]
            for (name,) in names
        }
    lying = (LyingDie("d6", 4, (1, 2, 3, 4), (0.5, 0.5), "red"),)
    details = (DieDetails((0.5, 0.5), "red", 1, 2, 3),)
    kinds: dict[str, Any] = {}
    for entry in (
        Opened(
            "sixes",
            SEATS,
            {"rounds": 1},
            7,
            (1,),
            (1, 2, 3),
            lying,
            "gateway",
            "The Anchor's",
            ((3, "easy"),),
        ),
        Thrown((("d6", 4),), lying, (0,), by=(1,), details=details),
        Revealed("Ann", (("d6", 4),), lying, (0,), details),
        Corrected(1, (("d6", 4),), (1,)),
        Sat(1, "Ann", Sitting.PLAYS),
        Closed(Ending.OVER),
        Epoch(2, Cause.REPAIR, OldHead(1, "0" * 64), ((1, 2),)),
        *some_games(),
    ):
        row = json.loads(dump(entry))
        row = {name: {} if name in ("options", "action") else each for name, each in row.items()}
        kinds[row["entry"]] = merged(kinds.get(row["entry"], ""), shape(row))
    words = {"endings": [*Ending], "sittings": [*Sitting], "causes": [*Cause]}
    return {"tables": tables, "entries": kinds, **words}


def some_games() -> list[Entry]:
    """The first entries of every game."""
    return [entry for game in GAMES for entry in entries(game, SEATS, 1, ended_early=True)]


def simulated() -> dict[str, Any]:
    """The lines of `simulate --json` before those at the end of a game."""
    own = Opened("sixes", SEATS, {"rounds": 1}, 7, (1,), (1, 2, 3), None, house_rules="The Anchor's")
    told = (own, *some_games(), Revealed("Ann", (("d6", 4),), None))
    lines = [narrated(entry, None)[0] for entry in told]
    return {line["event"]: shape(line) for line in lines}


def snapshots() -> Iterator[Contents]:
    """The table in every state that guests hear about."""
    journal = MemoryJournal()
    table = Table(journal, lambda: 7, names=SEATS)
    table.degraded["camera"] = Degraded("It is dark", "switch the light on")
    yield snapshot(table, ())
    table.base = ChooseGame(table, replace(draft_for(table, 1), names={1: "Ann"}))
    yield snapshot(table, ())
    for game in (*GAMES, "fairness"):
        yield from snapshots_of(game)


def snapshots_of(game: str) -> Iterator[Contents]:
    """A game from its beginning to its end."""
    throws = MatchThrows()
    board = Board()
    table = Table(MemoryJournal(), lambda: 7, names=SEATS)
    rows = entries(game, SEATS, 1) if game in GAMES else tested()
    for number, entry in enumerate(islice(rows, MOST_ROWS), 1):
        throws.follow(number, entry)
        board.count(throws.happened)
        if not isinstance(entry, Closed):
            assert table.write(entry)
            yield snapshot(table, throws.throws[-1:], number, throws.happened, board, log=throws.log)


def tested() -> Iterator[Entry]:
    """A test of dice."""
    yield Opened("fairness", ("Ann",), {"faces": 6, "dice": 2}, 7, (), (1,), None)
    for faces in ((1, 2), (6, 6), (3, 4)):
        yield Thrown(tuple(("d6", face) for face in faces), None)


def signals() -> dict[str, Any]:
    """Topics, the state topic's keys, names of metrics with their labels, and events."""
    meters = Meters()
    meters.gauges = dict.fromkeys(
        ("table_bytes", "eye_bytes", "eye_restarts", "bad_frames", "link_errors"), lambda: 1.0
    )
    meters.degraded["ledger"] = 1
    own = GatewayStats("1.2.3", 3, 1000, 40.0, *connected())
    seen = list(snapshots())
    text = exposition(families(meters.to_json(), seen[-1], own))
    metrics: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):  # type: ignore[no-untyped-call]
        for sample in family.samples:
            metrics.setdefault(sample.name, set()).update(sample.labels)
    happened = [event for each in seen for event in each["events"]]
    kinds = sorted({event["event"] for event in happened})
    return {
        "metrics": {name: sorted(labels) for name, labels in sorted(metrics.items())},
        "events": {kind: shapes(event for event in happened if event["event"] == kind) for kind in kinds},
        "mqtt": {
            "topics": [
                home_assistant.availability_topic("T"),
                home_assistant.state_topic("T"),
                home_assistant.event_topic("T", "KIND"),
                home_assistant.pause_topic("T"),
                home_assistant.message_topic("T"),
                home_assistant.device_topic("homeassistant", "T"),
            ],
            "state": shapes(json.loads(home_assistant.state_payload(each, 3, 40.0)) for each in seen),
        },
    }


def now() -> dict[str, Any]:
    """All of it."""
    seen = [{name: {} if name in OPEN else part for name, part in each.items()} for each in snapshots()]
    return {
        "commands": commands(),
        "config": config(),
        "engine": engine(),
        "ledger": ledger(),
        "simulate": simulated(),
        "snapshot": shapes(seen),
        "signals": signals(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(now(), indent=1, sort_keys=True) + "\n")
