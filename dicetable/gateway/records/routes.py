"""The paths of the pages about players and dice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dicetable import texts
from dicetable.gateway.compressed import compressible, packed
from dicetable.gateway.link import BusyError
from dicetable.gateway.records import pages, pictures
from dicetable.gateway.records.desk import CountingError, RecordsDesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.settings import Look

Told: TypeAlias = Mapping[str, Any]
HTML: Final = "text/html; charset=utf-8"
NO_STORE: Final = {"cache-control": "no-store"}


@dataclass(frozen=True, slots=True)
class Made:
    """A page of everything, plain and as gzip, and what it was made of."""

    told: Told
    plain: bytes
    packed: bytes


class NoneError(Exception):
    """There is nothing of that name; a sentence for guests."""


class RecordsPages:
    """What each path answers."""

    def __init__(self, look: Look, control: TableLink) -> None:
        self.look = look
        self.desk = RecordsDesk(control)
        self.newest: dict[str, Made] = {}

    async def records(self, request: Request) -> Response:
        """The newest evening and all players."""
        return await self.everything(request, "players", texts.records.RECORDS, pages.records)

    async def dice(self, request: Request) -> Response:
        """Every die."""
        return await self.everything(request, "dice", texts.records.DICE, pages.dice)

    async def everything(
        self, request: Request, what: str, heading: str, make: Callable[[Look, Told], bytes]
    ) -> Response:
        """A long page, which is made once for each counting, however many guests ask for it."""

        def answered(told: Told) -> Response:
            made = self.newest.get(what)
            if made is None or made.told is not told:
                plain = make(self.look, told)
                made = self.newest[what] = Made(told, plain, packed(plain))
            return compressible(request, made.plain, HTML, lambda _: made.packed)

        return await self.page(what, heading, answered)

    async def player(self, request: Request) -> Response:
        """One player."""
        name = request.path_params["name"]

        def answered(told: Told) -> Response:
            found = pages.player(self.look, named(told, name), told["players"])
            return compressible(request, found, HTML, packed)

        return await self.page("players", name, answered)

    async def evening_picture(self, _: Request) -> Response:
        """The newest evening as a picture."""
        return await self.picture(lambda told: pictures.evening(self.look, evening_of(told)))

    async def player_picture(self, request: Request) -> Response:
        """One player as a picture."""
        name = request.path_params["name"]
        return await self.picture(lambda told: pictures.player(self.look, named(told, name), told["players"]))

    async def best(self, _: Request) -> Response:
        """The records of all time, JSON; 503 while the table has not counted them."""
        try:
            found = await self.told("players")
        except (BusyError, CountingError):
            return Response(status_code=503)
        return JSONResponse({"v": 1, "best": found.get("best", [])}, headers=NO_STORE)

    async def page(self, what: str, heading: str, answered: Callable[[Told], Response]) -> Response:
        """A page of what the table told, or one that says why there is none."""
        status, state = 503, ""
        try:
            return answered(await self.told(what))
        except CountingError:
            sentence, status, state = texts.records.COUNTING, 200, "counting"
        except NoneError as error:
            sentence, status = str(error), 404
        except BusyError as error:
            sentence = str(error) or texts.records.AWAY
        return Response(pages.note(self.look, heading, sentence, state), status, NO_STORE, HTML)

    async def picture(self, make: Callable[[Told], bytes]) -> Response:
        """A picture of what the table told of its players; 404 where a page says why there is none."""
        try:
            drawn = make(await self.told("players"))
        except (BusyError, CountingError, NoneError):
            return Response(status_code=404)
        return Response(drawn, 200, NO_STORE, "image/svg+xml")

    async def told(self, what: str) -> Told:
        """What the table counted; BusyError with a sentence if it could not."""
        found = await self.desk.told(what)
        if found.get("failed"):
            raise BusyError(texts.records.FAILED)
        return found


def routes(look: Look, control: TableLink) -> list[Route]:
    """All of them."""
    shown = RecordsPages(look, control)
    asked = {
        "/records": shown.records,
        "/players/{name:path}": shown.player,
        "/dice": shown.dice,
        "/api/best": shown.best,
        "/pictures/evening": shown.evening_picture,
        "/pictures/players/{name:path}": shown.player_picture,
    }
    return [Route(path, each, methods=["GET"]) for path, each in asked.items()]


def named(told: Told, name: str) -> Told:
    """The player of that name. Raises NoneError."""
    for one in told["players"]:
        if one["name"] == name:
            return dict(one)
    raise NoneError(texts.records.NO_PLAYER)


def evening_of(told: Told) -> Told:
    """The newest evening. Raises NoneError."""
    if told["evening"] is None:
        raise NoneError(texts.records.NO_GAMES)
    return dict(told["evening"])
