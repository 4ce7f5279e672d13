"""Seats on phones: claim one by its code, press for it, give it back. The table decides, this only asks.

A phone keeps its token in a cookie that no script reads and no other site sends. Each press says when it was
made, by the gateway's clock as the phone knows it: what was held up on its way is not carried out.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.guard import RequestRefusedError, answer, check_origin, json_body, text_of
from dicetable.gateway.operator.limits import Limit
from dicetable.gateway.streams import event

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.control_link import ControlAnswer, ControlLink

COOKIE: Final = "dicetable_seat"
WHERE: Final = "/phone"
DAY_S: Final = 24 * 3600
STALE_MS: Final = 1500
"""A press that was on its way for longer waited out an interruption: nobody means it any more."""
ALIVE_S: Final = 5.0
MOST_KNOWN: Final = 256
CLAIMS: Final = (5, 10.0)
"""Codes of one address: five at once, then one every ten seconds."""
PRESSES: Final = (30, 0.05)
"""Presses of one phone: thirty at once, then twenty a second."""


class Seats:
    """What phones do with their seats. `now_s` never goes back."""

    def __init__(self, control: ControlLink, now_s: Callable[[], float] = time.monotonic) -> None:
        self.control = control
        self.now_s = now_s
        self.claims = Limit(now_s, *CLAIMS)
        self.presses = Limit(now_s, *PRESSES)
        self.strangers = Limit(now_s, *PRESSES)
        self.mine: OrderedDict[str, list[int]] = OrderedDict()

    # Changes, each from our own page alone.

    async def claim(self, request: Request) -> Response:
        """Takes the seat of a code."""
        body = await self.body(request)
        if not self.claims.allows(address(request)):
            raise RequestRefusedError(429, texts.phones.TOO_MANY)
        code = "".join(text_of(body, "code", 20).split())
        said = await self.ask("claim", {"code": code[:12], "token": token_of(request)})
        if not said.accepted:
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
        """The phone is there."""
        await self.body(request)
        return answer({"seats": await self.seats_of(token_of(request))})

    async def leave(self, request: Request) -> Response:
        """Gives the seat back."""
        await self.body(request)
        await self.ask("leave", {"token": token_of(request)})
        self.knows(token_of(request), [])
        response = answer({"seats": []})
        response.delete_cookie(COOKIE, path=WHERE)
        return response

    async def press(self, request: Request) -> Response:
        """Presses a control of the phone's seat."""
        body = await self.body(request)
        token, at = token_of(request), body.get("at")
        if not self.presses.allows(token):
            raise RequestRefusedError(429, texts.phones.TOO_FAST)
        if not isinstance(at, int | float) or not abs(self.clock_ms() - at) <= STALE_MS:
            raise RequestRefusedError(409, texts.phones.HELD_UP)
        question = body.get("question")
        if type(question) is not int:
            raise RequestRefusedError(400, texts.phones.NO_CONTROL)
        asked = {"token": token, "question": question}
        asked |= {"control": text_of(body, "control", 16), "how": text_of(body, "how", 8)}
        said = await self.ask("press", asked)
        if not said.accepted:
            raise RequestRefusedError(409, said.sentence)
        return answer({})

    async def body(self, request: Request) -> dict[str, Any]:
        """The body of a change; RequestRefusedError for one that is not from our own page, or too much."""
        check_origin(request)
        if not self.strangers.allows(address(request) if not token_of(request) else token_of(request)):
            raise RequestRefusedError(429, texts.phones.TOO_FAST)
        return await json_body(request)

    async def ask(self, kind: str, payload: dict[str, Any]) -> ControlAnswer:
        """The table's answer; RequestRefusedError if it gives none."""
        try:
            return await self.control.ask(kind, payload, STALE_MS / 1000)
        except BusyError:
            raise RequestRefusedError(503, texts.phones.NO_TABLE) from None

    async def seats_of(self, token: str) -> list[int]:
        """The seats that the table says the phone has."""
        if not token:
            return []
        said = await self.ask("here", {"token": token[:64]})
        seats = list(said.result["seats"]) if said.accepted else []
        self.knows(token, seats)
        return seats

    def knows(self, token: str, seats: list[int]) -> None:
        """Remembers whose seats they are, for the streams; wakes them if that is new."""
        if token and self.mine.pop(token, []) != seats:
            self.control.tell()
        if token and seats:
            self.mine[token] = seats
            while len(self.mine) > MOST_KNOWN:
                self.mine.popitem(last=False)

    # What flows to phones.

    def clock_ms(self) -> float:
        """The gateway's clock, as presses are dated."""
        return round(self.now_s() * 1000, 1)

    def shown(self, token: str) -> dict[str, Any] | None:
        """What the phone shows of the panel; None where phones are not the panel, or the table is away."""
        panel = self.control.events.get("panel")
        if panel is None:
            return None
        mine = self.mine.get(token, [])
        holds = {"lines": panel["lines"], "lamps": panel["lamps"]} if mine else {}
        return {"mine": mine, "question": panel["question"], "seats": panel["seats"], **holds}

    async def stream(self, token: str) -> AsyncGenerator[bytes, None]:
        """Events for one phone: `panel` with what it shows, `clock` without news; each has the clock."""
        told: object = ()
        asked_of: object = None
        while True:
            if self.control.writer is not asked_of:  # the table is there, or there again
                asked_of = self.control.writer
                with suppress(RequestRefusedError):
                    await self.seats_of(token)
            news, shown = self.control.news, self.shown(token)
            name = "clock" if shown == told else "panel"
            told = shown
            yield event(name, json.dumps({"clock": self.clock_ms(), "panel": shown}).encode())
            while self.shown(token) == told and self.control.writer is asked_of:
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await news.wait()
                except TimeoutError:
                    break
                news = self.control.news


def token_of(request: Request) -> str:
    """What the phone has from before; empty if nothing."""
    return request.cookies.get(COOKIE, "")[:64]


def address(request: Request) -> str:
    """Where the request comes from."""
    return request.client.host if request.client else ""


def guarded(change: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """A refusal becomes an answer."""

    async def answered(request: Request) -> Response:
        try:
            return await change(request)
        except RequestRefusedError as refused:
            return refused.response()

    return answered
