"""The paths of the operator page, joined to what answers them. Pages first, then `/operator/api/…`."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING

from starlette.routing import Route

from dicetable import texts
from dicetable.gateway.compressed import compressible
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from dicetable.gateway.operator.pages import PAGES, page, path_of, static_files

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.operator.entrance import Entrance
    from dicetable.gateway.operator.login import Login

    Answer = Callable[[Request], Awaitable[Response]]


def routes(
    entrance: Entrance, login: Login, asked: Mapping[str, Answer], changes: Mapping[str, Answer]
) -> list[Route]:
    """All of them: `asked` by GET, `changes` by POST, each checked in here; both by path below the API's."""

    async def shown(request: Request, name: str) -> Response:
        """A page; without a session the page to log in."""
        entrance.check(request)
        if entrance.session_of(request) is None:
            return login.form(request)
        return page(name, {})

    async def token(request: Request) -> Response:
        """Another token, in the header `x-operator-token`: each change takes one."""
        return answer({}, entrance.session(request))

    async def paired(request: Request) -> Response:
        """Whether this display is `paired`."""
        entrance.check(request)
        return answer({"paired": entrance.displays.shows_codes(request)})

    pages = {path_of(name): partial(shown, name=name) for name in PAGES}
    asked = {
        "/operator/pair": login.pair_page,
        "/operator/static/{name}": static,
        "/operator/api/token": token,
        "/operator/api/pair": paired,
        **{f"/operator/api/{path}": each for path, each in asked.items()},
    }
    changes = {
        "/operator/api/login/code": login.code,
        "/operator/api/login": login.log_in,
        "/operator/api/logout": login.log_out,
        "/operator/api/pair": login.pair_code,
        "/operator/api/unpair": login.unpair,
        **{f"/operator/api/{path}": each for path, each in changes.items()},
    }
    made = [Route(path, in_words(entrance, each, html=True), methods=["GET"]) for path, each in pages.items()]
    made += [Route(path, in_words(entrance, each), methods=["GET"]) for path, each in asked.items()]
    made += [Route(path, in_words(entrance, each), methods=["POST"]) for path, each in changes.items()]
    return made


def in_words(entrance: Entrance, does: Answer, *, html: bool = False) -> Answer:
    """Answers, or says in a sentence why not; whoever is logged in gets the next token with it."""

    @wraps(does)
    async def answered(request: Request) -> Response:
        try:
            return await does(request)
        except RequestRefusedError as error:
            if html:
                return page("refused", {}, error.status)
            known = None if error.status in (401, 403, 429) else entrance.session_of(request, used=False)
            return error.response(known)
        except BusyError:
            return RequestRefusedError(503, texts.operator.TABLE_AWAY).response(
                entrance.session_of(request, used=False)
            )

    return answered


async def static(request: Request) -> Response:
    """What the pages are made of."""
    found = static_files().get(request.path_params["name"])
    if found is None:
        return RequestRefusedError(404, texts.operator.NOTHING).response()
    return compressible(request, *found)
