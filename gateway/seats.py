"""Seats on phones: claim one by its code, choose for it, give it back. The table decides each time.

A phone keeps its token in a cookie that no script reads and no other site sends. Each choice has the time at
which it was made, by the gateway's clock as the phone knows it: choices that were held up are refused.

Phones with a seat are served first, and so are those that bring the secret of a QR code, which cannot be
guessed. All others are counted by the address that the request comes from, and together they get only a share
of the table's answers. A phone that a crowd's requests may have silenced keeps
its seat for a minute.
"""

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from common import texts
from common.messages import Answer
from common.network import RateLimit, client_of
from gateway.link import BusyError, TableLink
from gateway.requests import (
    RequestRefusedError,
    answer,
    check_origin,
    json_body,
    keep_cookie,
    text_of,
)
from gateway.sessions import OperatorSession
from gateway.streams import event, wait_at_most

COOKIE: Final = "dicetable_seat"
COOKIE_PATH: Final = "/phone"
COOKIE_LIVES_S: Final = 24 * 3600
STALE_MS: Final = 1500
"""A choice that was on its way for longer was held up, and the player may no longer mean it."""
ALIVE_S: Final = 5.0
MOST_KNOWN: Final = 256
TYPED_BY_CLIENT: Final = (5, 10.0)
"""Typed codes of one client: five at once, then one every ten seconds."""
TYPED_BY_ALL: Final = (20, 1.0)
"""Typed codes of all clients: twenty at once, then one a second, half of what the table accepts. The other
half is for secrets, so a crowd that guesses keeps no phone from scanning its way to a seat."""
CLAIMS_OF_SECRET: Final = (8, 1.0)
"""Claims with one secret: a table full of friends at once, then one a second."""
LONGEST_TYPED: Final = 12
REFUSED_TO_CLIENT: Final = (5, 60.0)
"""Refused codes of one client: five at once, then one a minute. The table allows twelve times as many from
all clients together (`hardware.web_panel`), so a few who guess cannot lock the others out."""
REQUESTS_OF_HOLDER: Final = (30, 0.05)
"""Requests of one phone with a seat: thirty at once, then twenty a second."""
REQUESTS_OF_SEAT: Final = (10, 1.0)
"""Requests of one kind for one seat: ten at once, then one a second. So no player uses up what the table
accepts from all eight (`service.phones`)."""
REQUESTS_OF_STRANGER: Final = (20, 0.25)
"""Requests of one client without a seat: twenty at once, then four a second."""
REQUESTS_OF_STRANGERS: Final = (60, 0.05)
"""Requests of all clients without a seat together: sixty at once, then twenty a second."""
MOST_STRANGERS: Final = 8
"""Requests of clients without a seat that may wait for the table at once; a table that is behind gets no
more."""
REFUSAL_WAITS_S: Final = 3.0
"""How long to hold back a refusal: a crowd that waits for its answers sends less, which leaves the
gateway time for players."""
MOST_REFUSALS_WAITING: Final = 200
"""Refusals held back at once, half of all connections; more go out at once, or no one could connect."""
REPORT_EVERY_S: Final = 1.0
BUSY_S: Final = 5.0
"""How long a phone's silence may be the crowd's doing after the gateway turned a client away, and how long
strangers get no more of a table that was behind."""
PRESENT_S: Final = 60.0
"""How long the gateway then reports a phone as present after it last heard from it."""


class HeldUpError(RequestRefusedError):
    """A choice was made too long ago, or the phone has the `clock` wrong: the refusal says what it is."""

    def __init__(self, clock_ms: float) -> None:
        super().__init__(409, texts.phones.HELD_UP)
        self.clock_ms = clock_ms

    def response(self, session: OperatorSession | None = None) -> Response:
        return answer({"error": self.sentence, "clock": self.clock_ms}, session, self.status)


class TurnedAwayError(RequestRefusedError):
    """A client sends too much, or has no seat while the gateway is overloaded."""


@dataclass(slots=True)
class Holder:
    """The seats of a phone, as the table last answered, when it was last heard from, and its client."""

    seats: list[int]
    heard_s: float
    client: str = ""


class Seats:
    """Answers phones that claim, use and leave seats. `now_s` never goes back."""

    def __init__(self, link: TableLink, now_s: Callable[[], float] = time.monotonic) -> None:
        self.link = link
        self.now_s = now_s
        self.typed_by_client = RateLimit(now_s, *TYPED_BY_CLIENT)
        self.typed_by_all = RateLimit(now_s, *TYPED_BY_ALL)
        self.claims_of_secret = RateLimit(now_s, *CLAIMS_OF_SECRET)
        self.refused_to_client = RateLimit(now_s, *REFUSED_TO_CLIENT)
        self.requests_of_holder = RateLimit(now_s, *REQUESTS_OF_HOLDER)
        self.requests_of_seat = RateLimit(now_s, *REQUESTS_OF_SEAT)
        self.requests_of_stranger = RateLimit(now_s, *REQUESTS_OF_STRANGER)
        self.requests_of_strangers = RateLimit(now_s, *REQUESTS_OF_STRANGERS)
        self.strangers_waiting = self.refusals_waiting = 0
        self.busy_s = self.behind_s = float("-inf")
        self.seated: OrderedDict[str, Holder] = OrderedDict()

    async def run(self) -> None:
        """Reports phones with a seat as present while others keep the gateway busy, until it is cancelled."""
        while True:
            before_s = self.now_s()
            await asyncio.sleep(REPORT_EVERY_S)
            now_s = self.now_s()
            if now_s - before_s > 2 * REPORT_EVERY_S:  # the loop itself was late
                self.busy_s = now_s
            if now_s - self.busy_s > BUSY_S:
                continue
            for token, holder in list(self.seated.items()):
                if now_s - holder.heard_s < PRESENT_S:
                    with suppress(BusyError):
                        await self.link.ask("here", {"token": token}, STALE_MS / 1000)

    async def claim(self, request: Request) -> Response:
        """Takes the seat of a `code`. Answers with the phone's `seats`, and its token as a cookie."""
        check_origin(request)
        body = await json_body(request)
        code = "".join(text_of(body, "code", 64).split())
        scanned = code in self.link.payloads.get("codes", {}).get("valid", ())
        if not scanned:
            self.admit_typed(request, code)
        elif not self.claims_of_secret.allows(code):
            raise TurnedAwayError(429, texts.phones.TOO_FAST)
        answered = await self.ask(request, "claim", {"code": code}, first=scanned)
        if not answered.accepted:
            self.refused_to_client.allows(client_of(request))
            raise RequestRefusedError(403, answered.sentence)
        token = str(answered.result["token"])
        self.remember(token_of(request), [])
        self.remember(token, list(answered.result["seats"]))
        response = answer({"seats": answered.result["seats"]})
        keep_cookie(response, request, COOKIE, token, COOKIE_PATH, COOKIE_LIVES_S)
        return response

    def admit_typed(self, request: Request, code: str) -> None:
        """Raises RequestRefusedError if the client, or all together, type too much, or if it is too long."""
        self.admit(request)
        client = client_of(request)
        if self.refused_to_client.tokens(client) < 1 or not self.typed_by_client.allows(client):
            raise TurnedAwayError(429, texts.phones.TOO_MANY)
        if len(code) > LONGEST_TYPED:  # a secret whose time is up
            self.refused_to_client.allows(client)
            raise RequestRefusedError(403, texts.phones.WRONG_CODE)
        if not self.typed_by_all.allows(""):
            raise TurnedAwayError(429, texts.phones.TOO_MANY)

    async def here(self, request: Request) -> Response:
        """Reports the phone as present. Answers with its `seats`, none if it has lost them."""
        await self.body(request)
        return answer({"seats": await self.seats_of(request)})

    async def leave(self, request: Request) -> Response:
        """Gives the phone's seats back."""
        await self.body(request)
        if token_of(request) in self.seated or await self.seats_of(request):
            await self.ask(request, "leave", {})
        self.remember(token_of(request), [])
        response = answer({"seats": []})
        response.delete_cookie(COOKIE, path=COOKIE_PATH)
        return response

    async def choose(self, request: Request) -> Response:
        """Chooses for one of the phone's seats.

        The `label` of a choice for a `seat`, the `numbers` in it, the `question` that the phone showed, and
        `at`, the time by the `clock` of its events in milliseconds.
        """
        body = await self.body(request)
        clicked_ms, numbers = body.get("at"), body.get("numbers", [])
        if not isinstance(clicked_ms, int | float) or not abs(self.clock_ms() - clicked_ms) <= STALE_MS:
            raise HeldUpError(self.clock_ms())
        choice = {
            "label": text_of(body, "label", 80),
            "numbers": numbers if isinstance(numbers, list) else [],
        }
        return await self.ask_for_seat(request, "choose", choice | integers(body, "seat", "question"))

    async def name(self, request: Request) -> Response:
        """Gives the player at one of the phone's seats, `seat`, a `name`."""
        body = await self.body(request)
        return await self.ask_for_seat(
            request, "name", {"name": text_of(body, "name", 40)} | integers(body, "seat")
        )

    async def colour(self, request: Request) -> Response:
        """Gives one of the phone's seats, `seat`, a `colour`, by its number from 1 to 8."""
        body = await self.body(request)
        return await self.ask_for_seat(request, "colour", integers(body, "seat", "colour"))

    async def ask_for_seat(self, request: Request, kind: str, choice: dict[str, Any]) -> Response:
        """Asks the table, for the phone's own seats only. Raises RequestRefusedError if the table refuses."""
        if token_of(request) not in self.seated:
            await self.seats_of(request)
        if choice["seat"] not in self.seats_known(token_of(request)):
            raise RequestRefusedError(409, texts.phones.NOT_YOURS)
        answered = await self.ask(request, kind, choice)
        if not answered.accepted:
            raise RequestRefusedError(409, answered.sentence)
        return answer({})

    async def body(self, request: Request) -> dict[str, Any]:
        check_origin(request)
        self.admit(request)
        return await json_body(request)

    def admit(self, request: Request) -> None:
        """Raises RequestRefusedError if the phone, or the client without a seat, sends too much."""
        token, client = token_of(request), client_of(request)
        if token in self.seated:
            allowed = self.requests_of_holder.allows(token)
        else:
            allowed = self.requests_of_stranger.allows(client) and self.requests_of_strangers.allows("")
            if not allowed:
                self.busy_s = self.now_s()
        if not allowed:
            raise TurnedAwayError(429, texts.phones.TOO_FAST)

    async def ask(
        self, request: Request, kind: str, payload: dict[str, Any], *, first: bool = False
    ) -> Answer:
        """The table's answer to a phone. Raises RequestRefusedError if it gives none.

        `first`: the request is not counted as a stranger's, as none of a phone with a seat is.
        """
        token = token_of(request)
        stranger = token not in self.seated and not first
        if stranger and (self.strangers_waiting >= MOST_STRANGERS or self.now_s() < self.behind_s + BUSY_S):
            self.busy_s = self.now_s()
            raise TurnedAwayError(503, texts.phones.NO_TABLE)
        if token in self.seated and not self.requests_of_seat.allows(
            f"{token} {kind} {payload.get('seat', '')}"
        ):
            raise TurnedAwayError(429, texts.phones.TOO_FAST)
        self.strangers_waiting += stranger
        try:
            answered = await self.link.ask(kind, {**payload, "token": token}, STALE_MS / 1000)
            if answered.result.get("later"):  # the table has too many requests
                raise BusyError
            return answered
        except BusyError:
            self.busy_s = self.behind_s = self.now_s()  # what was not answered still waits at the table
            raise RequestRefusedError(503, texts.phones.NO_TABLE) from None
        finally:
            self.strangers_waiting -= stranger

    async def seats_of(self, request: Request) -> list[int]:
        token = token_of(request)
        if not token:
            return []
        answered = await self.ask(request, "here", {})
        seats = list(answered.result["seats"]) if answered.accepted else []
        self.remember(token, seats)
        return seats

    def remember(self, token: str, seats: list[int]) -> None:
        """Remembers a phone's seats for its stream, and wakes the streams if they are new."""
        if not token:
            return
        if self.seats_known(token) != seats:
            self.link.wake(events=True)
        before = self.seated.pop(token, None)
        if seats:
            self.seated[token] = Holder(seats, self.now_s(), before.client if before else "")
            while len(self.seated) > MOST_KNOWN:
                self.seated.popitem(last=False)

    def seat_of(self, request: HTTPConnection) -> str:
        """The token of a phone with a seat, whose client is remembered; empty for other phones."""
        token = token_of(request)
        if token not in self.seated:
            return ""
        self.seated[token].client = client_of(request)
        return token

    def sits_at(self, client: str) -> bool:
        """Whether a phone with a seat was last heard from this client."""
        return any(holder.client == client for holder in self.seated.values())

    def seats_known(self, token: str) -> list[int]:
        """The seats that the phone had by the table's last answer."""
        holder = self.seated.get(token)
        return holder.seats if holder is not None else []

    def guarded(
        self, change: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Turns refusals into responses, delayed ones for clients that are turned away."""

        @wraps(change)
        async def guarded(request: Request) -> Response:
            try:
                return await change(request)
            except RequestRefusedError as refused:
                if isinstance(refused, TurnedAwayError) and self.refusals_waiting < MOST_REFUSALS_WAITING:
                    await self.hold(request)
                return refused.response()

        return guarded

    async def hold(self, request: Request) -> None:
        self.refusals_waiting += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(REFUSAL_WAITS_S):
                    while (await request.receive())["type"] != "http.disconnect":
                        pass
        finally:
            self.refusals_waiting -= 1

    def clock_ms(self) -> float:
        """The gateway's clock, by which choices are dated."""
        return round(self.now_s() * 1000, 1)

    def shown(self, token: str) -> dict[str, Any] | None:
        """The phone's view of the panel; None if phones are not the panel, or the table is away."""
        panel = self.link.payloads.get("panel")
        if panel is None:
            return None
        mine = self.seats_known(token)
        views = {seat: panel["views"][str(seat)] for seat in mine if str(seat) in panel["views"]}
        return {**panel, "mine": mine, "views": views}

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Events for one phone: `panel` with what it shows, `clock` without news; each has the clock."""
        token = token_of(request)
        sent: object = ()
        asked_of: object = None
        while True:
            if self.link.writer is not asked_of:  # the table is there, or there again
                asked_of = self.link.writer
                with suppress(RequestRefusedError):
                    self.admit(request)
                    await self.seats_of(request)
            news, shown = self.link.event_news, self.shown(token)
            name = "clock" if shown == sent else "panel"
            sent = shown
            yield event(name, json.dumps({"clock": self.clock_ms(), "panel": shown}).encode())
            while self.shown(token) == sent and self.link.writer is asked_of:
                if not await wait_at_most(news, ALIVE_S):
                    break
                news = self.link.event_news


def token_of(request: HTTPConnection) -> str:
    return request.cookies.get(COOKIE, "")[:64]


def integers(body: dict[str, Any], *names: str) -> dict[str, int]:
    """These integers of a body. Raises RequestRefusedError if one is missing."""
    if any(type(body.get(name)) is not int for name in names):
        raise RequestRefusedError(400, texts.phones.NO_CONTROL)
    return {name: body[name] for name in names}
