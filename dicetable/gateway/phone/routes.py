"""The paths of the phone page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.routing import Route

from dicetable.gateway.compressed import compressible
from dicetable.gateway.phone.odds import odds_of
from dicetable.gateway.phone.page import phone_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.phone.seats import Seats
    from dicetable.gateway.settings import GatewaySettings


def routes(
    settings: GatewaySettings, link: TableLink, seats: Seats, follow: Callable[..., Response]
) -> list[Route]:
    """All of them; `follow` answers with one stream of what every screen is told and of what it is given."""

    async def phone(request: Request) -> Response:
        """The phone page."""
        return compressible(
            request, phone_page(settings.look, records=settings.records), "text/html; charset=utf-8"
        )

    async def events(request: Request) -> Response:
        """What `/events` tells, and `panel` with what the phone shows, or `clock` without news."""
        return follow(request, seats.stream(request))

    async def odds(_: Request) -> Response:
        """Chances of what may come next, in words, if they are `on`."""
        told = odds_of(link.state) if settings.odds else []
        return JSONResponse(
            {"v": 1, "on": settings.odds, "odds": told}, headers={"cache-control": "no-store"}
        )

    asked = {
        "/phone": phone,
        "/phone/events": events,
        "/api/odds": odds,
    }
    changes = {
        "/phone/claim": seats.claim,
        "/phone/here": seats.here,
        "/phone/leave": seats.leave,
        "/phone/choose": seats.choose,
        "/phone/name": seats.name,
        "/phone/colour": seats.colour,
    }
    return [
        *(Route(path, each, methods=["GET"]) for path, each in asked.items()),
        *(Route(path, seats.guarded(each), methods=["POST"]) for path, each in changes.items()),
    ]
