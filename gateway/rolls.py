"""The throws for other programs and for streams: `/roll`, JSON or server-sent events, and `/overlay`."""

import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from common import texts
from common.snapshot import AskedDie, ShownDie, Snapshot, parse_snapshot
from gateway.link import BusyError, TableLink
from gateway.pages import compressible, looks, template
from gateway.settings import Look
from gateway.signals.events import COUNTS
from gateway.streams import ALIVE_S, Streams, event, streaming, wait_at_most

VERSION: Final = 1
VERDICTS: Final = {"throw": "vouch", "value": "confirm"}
"""The verdict on a throw that people are asked about, by what the table asks."""
NO_ROLL: Final[dict[str, Any]] = {
    "v": VERSION,
    "throw": None,
    "verdict": None,
    "reason": None,
    "game": None,
    "seat": "",
    "colour": 0,
    "dice": [],
    "total": None,
    "formula": None,
    "result": None,
    "natural": None,
}
"""What `/roll` answers before the first throw."""
LAST_ID: Final = re.compile(r"\d{1,15}", re.ASCII)
SECONDS: Final = re.compile(r"\d{1,4}(\.\d)?", re.ASCII)
LONGEST_S: Final = 3600.0
DIE_COLOUR: Final = re.compile(r"[0-9A-Fa-f]{6}")
ALIGNED: Final = ("left", "center", "right")
SWITCHES: Final = {"name": "on", "total": "on", "motion": "on"}
OVERLAY: Final = {"seconds": "8", "align": "center", "colour": "", **SWITCHES}
"""The options of `/overlay` and their defaults."""

Roll = dict[str, Any]


def rolls_of(state: Snapshot) -> list[Roll]:
    """The last throws, oldest first; the newest of them may still wait for people."""
    colours = {seat["name"]: seat["colour"] for seat in state["seats"]}
    rolls = [
        NO_ROLL
        | {
            "throw": throw["number"],
            "verdict": COUNTS,
            "colour": colours.get(throw["seat"], 0),
            "game": throw["game"],
            "seat": throw["seat"],
            "dice": dice_of(throw["dice"], throw["kept"]),
            "total": throw["total"],
            "formula": throw["formula"],
            "result": throw["result"],
            "natural": throw["natural"],
        }
        for throw in reversed(state["throws"])
    ]
    question = state["question"]
    if question is not None and question["about"] in VERDICTS:
        waiting = {
            "verdict": VERDICTS[question["about"]],
            "reason": question["text"],
            "game": state["game"],
            "seat": question["seat"],
            "colour": colours.get(question["seat"], 0),
            "dice": dice_of(question["dice"], [True] * len(question["dice"])),
        }
        rolls.append(NO_ROLL | waiting)
    return rolls


def dice_of(dice: Sequence[ShownDie | AskedDie], counting: Sequence[bool]) -> list[Roll]:
    """The dice, and whether each counts for the formula."""
    return [
        {"kind": die["kind"], "value": die["value"], "kept": counts}
        for die, counts in zip(dice, counting, strict=True)
    ]


class NewRolls:
    """Finds the rolls that no earlier state had, and those that were corrected since.

    `after` is the newest throw that a client already has; None if it has none, and then all that have been
    thrown so far is past.
    """

    def __init__(self, after: int | None) -> None:
        self.newest = after
        self.known: dict[int | None, Roll] = {}

    def of(self, rolls: list[Roll]) -> list[Roll]:
        """The new ones, oldest first; none if the rows of the ledger begin anew, as after a repair."""
        numbers = [roll["throw"] for roll in rolls if roll["throw"] is not None]
        newest = max(numbers, default=0)
        earlier, self.known = self.known, {roll["throw"]: roll for roll in rolls}
        before, self.newest = self.newest, newest
        if before is None or newest < before:
            return []
        return [
            roll
            for roll in rolls
            if (roll["throw"] is None and roll != earlier.get(None))
            or (roll["throw"] is not None and roll["throw"] > before)
            or (roll["throw"] in earlier and roll != earlier[roll["throw"]])
        ]


class RollPages:
    """`/roll` and `/overlay`; pages of the `origins` may read them too.

    `share_of` says whose streams a request counts among; it raises BusyError if that client has too many.
    """

    def __init__(
        self,
        link: TableLink,
        look: Look,
        origins: Sequence[str],
        share_of: Callable[[Request], tuple[Streams, str]],
    ) -> None:
        self.link = link
        self.share_of = share_of
        self.look = look
        self.origins = origins
        self.read: bytes | None = None
        self.rolls: list[Roll] = []

    def newest(self) -> list[Roll]:
        """The rolls of the newest state, parsed once for all clients. Raises BusyError without one."""
        if self.link.state is None:
            raise BusyError
        if self.link.state is not self.read:
            self.rolls = rolls_of(parse_snapshot(self.link.state))
            self.read = self.link.state
        return self.rolls

    async def roll(self, request: Request) -> Response:
        """The last throw, or a stream of all that come for a client that asks for one."""
        if "text/event-stream" in request.headers.get("accept", ""):
            return await self.follow(request)
        rolls = self.newest()
        body = json.dumps(rolls[-1] if rolls else NO_ROLL, ensure_ascii=False)
        return Response(body, media_type="application/json", headers={"cache-control": "no-store"})

    async def overlay(self, request: Request) -> Response:
        """The page for a stream: nothing but the last throw, over a transparent ground."""
        wrong = wrong_option(request.query_params)
        if wrong:
            body = json.dumps({"error": wrong}) + "\n"
            return Response(body, 400, media_type="application/json")
        options = OVERLAY | dict(request.query_params)
        return compressible(request, overlay_page(self.look, urlencode(options)), "text/html; charset=utf-8")

    async def follow(self, request: Request) -> Response:
        """The rolls as they come, as server-sent events, for a client that may hold one more stream."""
        streams, client = self.share_of(request)
        last_id = request.headers.get("last-event-id", "")
        after = int(last_id) if LAST_ID.fullmatch(last_id) else None
        return streaming(self.stream(streams, client, NewRolls(after)))

    async def stream(self, streams: Streams, client: str, new: NewRolls) -> AsyncGenerator[bytes, None]:
        """Yields `last` with the last throw, then `roll` with each new one; `away` without a table."""
        streams.open[client] += 1
        try:
            yield b"retry: 1000\n\n"
            sent: bytes | None = b""
            first = True
            while streams.allows(client):
                news, state = self.link.news, self.link.state
                if state is sent:
                    if not await wait_at_most(news, ALIVE_S):
                        yield event("alive", b"{}")
                    continue
                sent = state
                if state is None:
                    yield event("away", b"{}")
                    continue
                rolls = self.newest()
                if first:
                    first = False
                    yield told("last", rolls[-1] if rolls else NO_ROLL)
                for roll in new.of(rolls):
                    yield told("roll", roll)
        finally:
            streams.open -= Counter((client,))

    def routes(self) -> list[Route]:
        """The routes of both."""
        opened = [Middleware(CORSMiddleware, allow_origins=self.origins)] if self.origins else []
        return [
            Route("/roll", self.roll, middleware=opened),
            Route("/overlay", self.overlay, middleware=opened),
        ]


def told(name: str, roll: Roll) -> bytes:
    """A server-sent event; its id is the number of the throw, if it has one."""
    number = roll["throw"]
    mark = b"" if number is None else b"id: %d\n" % number
    return mark + event(name, json.dumps(roll, ensure_ascii=False).encode())


def wrong_option(options: Mapping[str, str]) -> str:
    """Says what is wrong with an option in the address, and which values it has; empty if all are right."""
    for name, value in options.items():
        if name not in OVERLAY:
            return f"{name[:20]}: no option of the overlay: use {', '.join(OVERLAY)}"
        if name == "seconds" and not (SECONDS.fullmatch(value) and float(value) <= LONGEST_S):
            return f"seconds: a number from 0 to {LONGEST_S:g}; 0 leaves the throw until the next one"
        if name == "align" and value not in ALIGNED:
            return f"align: {', '.join(ALIGNED)}"
        if name == "colour" and not DIE_COLOUR.fullmatch(value):
            return "colour: six hexadecimal digits, such as f6f1e3"
        if name in SWITCHES and value not in ("on", "off"):
            return f"{name}: on or off"
    return ""


@lru_cache(maxsize=16)
def overlay_page(look: Look, options: str) -> bytes:
    words = {f"natural_{face}": escape(texts.rolls.natural(face)) for face in (1, 20)}
    return template("overlay.html").substitute(looks(look), **words, options=escape(options)).encode()
