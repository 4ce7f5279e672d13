"""Writes the page of messages from the program: the gateway's paths, and the table's socket."""

from __future__ import annotations

import inspect
import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter
from starlette.routing import Route

from common import messages as wire
from common.messages import Answer, Event
from dicetable.commands.camera_check import CameraCheck
from dicetable.eye.wizards import Wizards
from dicetable.ledger.entries import MemoryJournal, Thrown
from dicetable.service.league_client import LeagueClient
from dicetable.service.operator_requests import OperatorRequests
from dicetable.service.phones import Phones
from dicetable.service.publisher import Publisher, snapshot
from dicetable.service.server import Request
from dicetable.service.throws import ListedThrow
from dicetable.table.set_up import open_game
from dicetable.table.table import Table
from gateway.app import application
from gateway.link import TableLink
from gateway.settings import GatewaySettings, Metrics, Signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dicetable.service.server import RequestKind

HEAD: Final = """# Messages

*Written by `make docs` from the program itself.*

Programs on the network reach the table over [HTTP](#http), if [the web pages](screen.md) are on. On the
machine itself a Unix socket publishes the state and takes [requests](#tablesock). MQTT, webhooks and metrics
are described with the [signals](signals.md), what tables and a league say to one another with
[leagues](league.md#protocol-version-1). [What stays](promises.md) says what you can build on.
"""
HTTP: Final = """## HTTP

Bodies are JSON, and so are answers unless the path says otherwise. A change is a POST of `application/json`
with the `Origin` of the gateway's own pages; below `/operator` it also needs the session's cookie, and in
`x-operator-token` a token that was never used. A refusal has a status of 400 or more and says why:
`{"error": "…"}`.
"""
GROUPS: Final = {"Guests": "", "Phones as the panel": "/phone", "The operator page": "/operator"}
"""What paths are for by how they begin; the last that fits counts."""
SNAPSHOT: Final = """## The snapshot

The body of `/api/state` and of the events `state` of `/events` and `table.sock`.
[The web pages](screen.md#for-programs) describe every field. A game of Six By 6 after its first throw:
"""
EYE: Final = """## What the eye is asked

`what` of `operator_eye` and, except `rigged`, of `/operator/api/eye/`:
"""
INNERMOST: Final = re.compile(r"[\[{][^][{}]*[]}]")
LONGEST: Final = 80
WORDS: Final = {"integer": "whole number", "boolean": "true or false", "object": "object", "null": "`null`"}
NEVER: Final = Path("/nonexistent")
"""Where the sockets of the gateway lie that only says what its paths are."""


def messages() -> str:
    """The whole page, Markdown."""
    return "\n".join([HEAD, *http(), *table_socket(), *eye()])


def http() -> Iterator[str]:
    """Every path of a gateway."""
    yield HTTP
    made = routes()
    for heading in GROUPS:
        yield f"### {heading}\n"
        own = [route for route in made if group_of(route.path) == heading]
        yield from table("request", "what it does", {title_of(route): said(handler(route)) for route in own})


def routes() -> list[Route]:
    """The paths of a gateway with everything on, and what answers them."""
    signals = Signals(metrics=Metrics(("127.0.0.1",)))
    settings = GatewaySettings("127.0.0.1", 8080, str(NEVER / wire.SOCKET), signals=signals)
    made = application(TableLink(Path(settings.socket)), settings)
    return [route for route in made.routes if isinstance(route, Route)]


def group_of(path: str) -> str:
    """The heading that the path belongs below."""
    return [heading for heading, prefix in GROUPS.items() if path.startswith(prefix)][-1]


def title_of(route: Route) -> str:
    """Method and path."""
    [method] = (route.methods or set()) - {"HEAD"}
    return f"{method} {route.path.replace(':path', '')}"


def handler(route: Route) -> Callable[..., Any]:
    """The function that answers, whatever guards it."""
    found = inspect.unwrap(route.endpoint)
    return found.func if isinstance(found, partial) else found


def example() -> dict[str, Any]:
    """A snapshot of a game that has begun."""
    table_ = Table(MemoryJournal(), lambda: 7)
    open_game(table_, "six_by_6", {1: "Ann", 3: "Bob"}, {})
    dice = tuple(("d6", value) for value in (1, 6, 3, 6, 2, 5))
    thrown = ListedThrow(2, 1, "six_by_6", table_.state.to_act or "", dice, by_hand=False)
    table_.write(Thrown(dice, None))
    return snapshot(table_, [thrown], row=2)


def table_socket() -> Iterator[str]:
    """Lines and kinds of requests on the table's socket, and the snapshot."""
    yield f"## {wire.SOCKET}\n"
    yield literal(wire)
    yield (
        f"A body has at most {wire.MOST_BYTES // 1024} KiB; a number is at most 2^53 − 1. [The table's "
        "socket](control.md) says what else is checked.\n"
    )
    for heading, line in {"A request": Request, "An answer": Answer, "An event": Event}.items():
        yield f"### {heading}\n\n{said(line)}\n"
        yield from fields(line, sent=line is not Request)
    for name, kind in sorted(kinds().items()):
        yield f"### `{name}`\n\n{said(kind.do)}\n"
        yield from fields(kind.payload)
        yield f"{kind.pace.burst} at once, then one every {kind.pace.every_s:g} s.\n"
    yield SNAPSHOT
    yield fenced({**example(), "revision": 7})


def kinds() -> Mapping[str, RequestKind[Any]]:
    """All kinds of requests; with no table behind them they cannot be carried out."""
    return {
        name: kind
        for part in (Publisher, Phones, OperatorRequests, LeagueClient, CameraCheck)
        for name, kind in object.__new__(part).kinds().items()
    }


def eye() -> Iterator[str]:
    """The questions to the eye that a kind of request passes on."""
    yield EYE
    answers = Wizards(None, None, None).answers  # type: ignore[arg-type]  # only its names are read
    yield from table("what", "what it does", {what: said(answer) for what, answer in answers.items()})


def fields(model: type, *, sent: bool = False) -> Iterator[str]:
    """A table of a message's fields, and of those of the objects in it; what is `sent` has them all."""
    schema = TypeAdapter(model).json_schema()
    for title, part in {"": schema, **schema.get("$defs", {})}.items():
        if title:
            yield f"{title}: {part['description']}\n"
        if given := {name: field for name, field in part.get("properties", {}).items() if name != "body"}:
            required = given if sent else part.get("required", ())
            optional = {name: f"; {value(given[name].get('default'))} if left out" for name in given}
            optional |= dict.fromkeys(required, "")
            yield from table(
                "field", "value", {name: kind_of(field) + optional[name] for name, field in given.items()}
            )


def kind_of(field: Mapping[str, Any]) -> str:
    """What a field may be, in words."""
    match field:
        case {"anyOf": choices}:
            return " or ".join(map(kind_of, choices))
        case {"$ref": name}:
            return str(name).rpartition("/")[2]
        case {"enum": choices}:
            return " or ".join(map(value, choices))
        case {"type": "array", "items": items}:
            return f"list{span(field, 'minItems', 'maxItems')}, each: {kind_of(items)}"
        case {"type": "object", "additionalProperties": dict(items)}:
            return f"object{span(field, 'minProperties', 'maxProperties')}, each value: {kind_of(items)}"
        case {"type": "string", "pattern": pattern}:
            return f"text like `{pattern}`"
        case {"type": "string"}:
            return "text" + span(field, "minLength", "maxLength", " characters")
    return WORDS[field["type"]] + span(field, "minimum", "maximum")


def span(field: Mapping[str, Any], least: str, most: str, unit: str = "") -> str:
    """The limits, if there are any."""
    low, high = field.get(least), field.get(most)
    if high is None:
        return "" if low is None else f" of at least {low}{unit}"
    return f" of {low if low == high else f'{low or 0} to {high}'}{unit}"


def value(given: object) -> str:
    """As JSON writes it."""
    return f"`{json.dumps(given)}`"


def table(name: str, meaning: str, rows: Mapping[str, str]) -> Iterator[str]:
    """A table of two columns, the first of code."""
    yield f"| {name} | {meaning} |\n| --- | --- |"
    for key, text in rows.items():
        yield f"| `{key}` | {text.replace('|', chr(92) + '|')} |"
    yield ""


def said(of: object) -> str:
    """What something says of itself, as one paragraph."""
    return " ".join((inspect.getdoc(of) or "").split())


def literal(module: object) -> str:
    """A module's docstring, whose examples follow two colons, as Markdown; without its first line."""
    _, _, text = (inspect.getdoc(module) or "").partition("\n\n")
    return text.replace("::\n", ":\n") + "\n"


def fenced(given: object) -> str:
    """JSON as a block of code; short lists and objects stand in one line."""
    text = INNERMOST.sub(in_a_line, json.dumps(given, indent=2, ensure_ascii=False))
    return f"```json\n{text}\n```\n"


def in_a_line(found: re.Match[str]) -> str:
    """A list or an object in one line, if it is short."""
    line = " ".join(found[0].split())
    return line if len(line) <= LONGEST else found[0]
