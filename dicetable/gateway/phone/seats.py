"""Seats on phones: claim one by its code, choose for it, give it back. The table decides, this only asks.

A phone keeps its token in a cookie that no script reads and no other site sends. Each choice says when it was
made, by the gateway's clock as the phone knows it: what was held up on its way is not carried out.

Phones with a seat are served first: everyone else is counted by the address that the request comes from, and
all of them together get only a share of what the table answers. A seat that somebody else's requests may have
silenced is kept for a minute.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.guard import RequestRefusedError, answer, check_origin, json_body, text_of
from dicetable.gateway.streams import event
from dicetable.network.addresses import client_of
from dicetable.network.limits import Limit

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response

    from dicetable.gateway.link import TableLink
    from dicetable.messages import Answer

COOKIE: Final = "dicetable_seat"
WHERE: Final = "/phone"
DAY_S: Final = 24 * 3600
STALE_MS: Final = 1500
"""A choice that was on its way for longer waited out an interruption: nobody means it any more."""
ALIVE_S: Final = 5.0
MOST_KNOWN: Final = 256
CLAIMS: Final = (5, 10.0)
"""Codes of one client: five at once, then one every ten seconds."""
REFUSED: Final = (5, 60.0)
"""Refused codes of one client: five at once, then one a minute. The table allows twelve times as many from
all clients together (`hardware.seat_claims`), so a few who guess cannot lock the others out."""
HOLDER: Final = (30, 0.05)
"""Requests of one phone with a seat: thirty at once, then twenty a second."""
PLAYER: Final = (10, 1.0)
"""Requests of one kind for one seat: ten at once, then one a second. So no player uses up what the table
accepts from all eight (`state.phones`)."""
STRANGER: Final = (20, 0.25)
"""Requests of one client without a seat: twenty at once, then four a second."""
STRANGERS: Final = (60, 0.05)
"""Requests of all of them together: sixty at once, then twenty a second."""
MOST_STRANGERS: Final = 8
"""Their requests that wait for the table at once; none goes there while the table is behind."""
HELD_S: Final = 3.0
"""How long to hold back a refusal: a crowd that waits for its answers asks less often, which leaves the
gateway time for players."""
MOST_HELD: Final = 200
"""Refusals held back at once, half of all connections; more go out at once, or no one could connect."""
KEEP_S: Final = 1.0
BUSY_S: Final = 5.0
"""So long after the gateway turned somebody away, a phone's silence may be the crowd's doing."""
KEPT_S: Final = 60.0
"""So long the gateway then speaks for a phone that it has heard from."""


class TurnedAwayError(RequestRefusedError):
    """A client asks too often, or has no seat while the gateway is overloaded."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The seats that the table said a phone has, and when the phone was last heard from."""

    seats: list[int]
    heard_s: float


class Seats:
    """What phones do with their seats. `now_s` never goes back."""

    def __init__(self, control: TableLink, now_s: Callable[[], float] = time.monotonic) -> None:
        self.control = control
        self.now_s = now_s
        self.claims = Limit(now_s, *CLAIMS)
        self.refused = Limit(now_s, *REFUSED)
        self.holders = Limit(now_s, *HOLDER)
        self.players = Limit(now_s, *PLAYER)
        self.each = Limit(now_s, *STRANGER)
        self.strangers = Limit(now_s, *STRANGERS)
        self.waiting = self.held = 0
        self.busy_s = self.behind_s = float("-inf")
        self.mine: OrderedDict[str, Holder] = OrderedDict()

    async def run(self) -> None:
        """Speaks for phones with a seat while others keep the gateway busy, until it is cancelled."""
        while True:
            before_s = self.now_s()
            await asyncio.sleep(KEEP_S)
            now_s = self.now_s()
            if now_s - before_s > 2 * KEEP_S:
                self.busy_s = now_s
            if now_s - self.busy_s > BUSY_S:
                continue
            for token, holder in list(self.mine.items()):
                if now_s - holder.heard_s < KEPT_S:
                    with suppress(BusyError):
                        await self.control.ask("here", {"token": token}, STALE_MS / 1000)

    # Changes, each from our own page alone.

    async def claim(self, request: Request) -> Response:
        """Takes the seat of a `code`. Answers with the phone's `seats`, and its token as a cookie."""
        body = await self.body(request)
        client = client_of(request)
        if self.refused.left_of(client) < 1 or not self.claims.allows(client):
            raise TurnedAwayError(429, texts.phones.TOO_MANY)
        code = "".join(text_of(body, "code", 20).split())
        said = await self.ask(request, "claim", {"code": code[:12]})
        if not said.accepted:
            self.refused.allows(client)
            raise RequestRefusedError(403, said.sentence)
        token = str(said.result["token"])
        self.knows(token_of(request), [])
        self.knows(token, list(said.result["seats"]))
        response = answer({"seats": said.result["seats"]})
        response.set_cookie(
            COOKIE,
            token,
            max_age=DAY_S,
            path=WHERE,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def here(self, request: Request) -> Response:
        """Tells that the phone is there. Answers with its `seats`, none if it has lost them."""
        await self.body(request)
        return answer({"seats": await self.seats_of(request)})

    async def leave(self, request: Request) -> Response:
        """Gives the phone's seats back."""
        await self.body(request)
        if token_of(request) in self.mine or await self.seats_of(request):
            await self.ask(request, "leave", {})
        self.knows(token_of(request), [])
        response = answer({"seats": []})
        response.delete_cookie(COOKIE, path=WHERE)
        return response

    async def choose(self, request: Request) -> Response:
        """Chooses for one of the phone's seats.

        The `label` of a choice for a `seat`, the `numbers` in it, the `question` that the phone showed, and
        `at`, the time by the `clock` of its events in milliseconds.
        """
        body = await self.body(request)
        at, numbers = body.get("at"), body.get("numbers", [])
        if not isinstance(at, int | float) or not abs(self.clock_ms() - at) <= STALE_MS:
            raise RequestRefusedError(409, texts.phones.HELD_UP)
        asked = {"label": text_of(body, "label", 80), "numbers": numbers if isinstance(numbers, list) else []}
        return await self.done(request, "choose", asked | whole(body, "seat", "question"))

    async def name(self, request: Request) -> Response:
        """Gives the player at one of the phone's seats, `seat`, a `name`."""
        body = await self.body(request)
        return await self.done(request, "name", {"name": text_of(body, "name", 40)} | whole(body, "seat"))

    async def colour(self, request: Request) -> Response:
        """Gives one of the phone's seats, `seat`, a `colour`, by its number from 1 to 8."""
        body = await self.body(request)
        return await self.done(request, "colour", whole(body, "seat", "colour"))

    async def done(self, request: Request, kind: str, asked: dict[str, Any]) -> Response:
        """The answer once the table has done it; RequestRefusedError with its sentence if it refuses.

        It is asked for the phone's own seats alone.
        """
        if token_of(request) not in self.mine:
            await self.seats_of(request)
        if asked["seat"] not in self.seats_known(token_of(request)):
            raise RequestRefusedError(409, texts.phones.NOT_YOURS)
        said = await self.ask(request, kind, asked)
        if not said.accepted:
            raise RequestRefusedError(409, said.sentence)
        return answer({})

    async def body(self, request: Request) -> dict[str, Any]:
        """The body of a change; RequestRefusedError for one that is not from our own page, or too much."""
        check_origin(request)
        self.admit(request)
        return await json_body(request)

    def admit(self, request: Request) -> None:
        """RequestRefusedError if the phone, or the client without a seat, asks too often."""
        token, client = token_of(request), client_of(request)
        if token in self.mine:
            allowed = self.holders.allows(token)
        else:
            allowed = self.each.allows(client) and self.strangers.allows("")
            if not allowed:
                self.busy_s = self.now_s()
        if not allowed:
            raise TurnedAwayError(429, texts.phones.TOO_FAST)

    async def ask(self, request: Request, kind: str, payload: dict[str, Any]) -> Answer:
        """The table's answer to a phone; RequestRefusedError if it gives none."""
        token = token_of(request)
        stranger = token not in self.mine
        if stranger and (self.waiting >= MOST_STRANGERS or self.now_s() < self.behind_s + BUSY_S):
            self.busy_s = self.now_s()
            raise TurnedAwayError(503, texts.phones.NO_TABLE)
        if not stranger and not self.players.allows(f"{token} {kind} {payload.get('seat', '')}"):
            raise TurnedAwayError(429, texts.phones.TOO_FAST)
        self.waiting += stranger
        try:
            said = await self.control.ask(kind, {**payload, "token": token}, STALE_MS / 1000)
            if said.result.get("later"):
                raise BusyError
            return said
        except BusyError:
            self.busy_s = self.behind_s = self.now_s()  # what was not answered still waits at the table
            raise RequestRefusedError(503, texts.phones.NO_TABLE) from None
        finally:
            self.waiting -= stranger

    async def seats_of(self, request: Request) -> list[int]:
        """The seats that the table says the phone has."""
        token = token_of(request)
        if not token:
            return []
        said = await self.ask(request, "here", {})
        seats = list(said.result["seats"]) if said.accepted else []
        self.knows(token, seats)
        return seats

    def knows(self, token: str, seats: list[int]) -> None:
        """Remembers whose seats they are, for the streams; wakes them if that is new."""
        if not token:
            return
        if self.seats_known(token) != seats:
            self.control.wake(events=True)
        self.mine.pop(token, None)
        if seats:
            self.mine[token] = Holder(seats, self.now_s())
            while len(self.mine) > MOST_KNOWN:
                self.mine.popitem(last=False)

    def has_seat(self, asking: HTTPConnection) -> bool:
        """Whether the phone is known to have a seat."""
        return token_of(asking) in self.mine

    def seats_known(self, token: str) -> list[int]:
        """The seats that the table last said a phone has."""
        holder = self.mine.get(token)
        return holder.seats if holder is not None else []

    # Refusals.

    def guarded(
        self, change: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Turns refusals into answers, late ones for clients that are turned away."""

        @wraps(change)
        async def answered(request: Request) -> Response:
            try:
                return await change(request)
            except RequestRefusedError as refused:
                if isinstance(refused, TurnedAwayError) and self.held < MOST_HELD:
                    await self.hold(request)
                return refused.response()

        return answered

    async def hold(self, request: Request) -> None:
        """Waits for HELD_S, or until the client is gone."""
        self.held += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(HELD_S):
                    while (await request.receive())["type"] != "http.disconnect":
                        pass
        finally:
            self.held -= 1

    # What flows to phones.

    def clock_ms(self) -> float:
        """The gateway's clock, as choices are dated."""
        return round(self.now_s() * 1000, 1)

    def shown(self, token: str) -> dict[str, Any] | None:
        """What the phone shows of the panel; None where phones are not the panel, or the table is away."""
        panel = self.control.events.get("panel")
        if panel is None:
            return None
        mine = self.seats_known(token)
        views = {seat: panel["views"][str(seat)] for seat in mine if str(seat) in panel["views"]}
        return {**panel, "mine": mine, "views": views}

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Events for one phone: `panel` with what it shows, `clock` without news; each has the clock."""
        token = token_of(request)
        told: object = ()
        asked_of: object = None
        while True:
            if self.control.writer is not asked_of:  # the table is there, or there again
                asked_of = self.control.writer
                with suppress(RequestRefusedError):
                    self.admit(request)
                    await self.seats_of(request)
            news, shown = self.control.event_news, self.shown(token)
            name = "clock" if shown == told else "panel"
            told = shown
            yield event(name, json.dumps({"clock": self.clock_ms(), "panel": shown}).encode())
            while self.shown(token) == told and self.control.writer is asked_of:
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await news.wait()
                except TimeoutError:
                    break
                news = self.control.event_news


def token_of(request: HTTPConnection) -> str:
    """What the phone has from before; empty if nothing."""
    return request.cookies.get(COOKIE, "")[:64]


def whole(body: dict[str, Any], *names: str) -> dict[str, int]:
    """These whole numbers of a body; RequestRefusedError if one is missing."""
    if any(type(body.get(name)) is not int for name in names):
        raise RequestRefusedError(400, texts.phones.NO_CONTROL)
    return {name: body[name] for name in names}
