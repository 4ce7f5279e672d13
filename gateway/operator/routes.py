"""The paths of the operator page and what answers them. Pages first, then `/operator/api/…`."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from common import texts
from gateway.certificate import folder_of
from gateway.link import BusyError, TableLink
from gateway.logo import Logo
from gateway.operator.filming import FilmingPages
from gateway.operator.game import GamePages
from gateway.operator.health import HealthPages
from gateway.operator.login import Access, Login
from gateway.operator.pages import PACKAGE, PAGES, page, path_of
from gateway.operator.set_up import SettingsPages, SetUpPages, picture_body
from gateway.pages import compressible, static_files
from gateway.requests import RequestRefusedError, answer
from gateway.sessions import OperatorSession
from gateway.settings import GatewaySettings

Handler = Callable[..., Awaitable[Response]]
Answer = Callable[[Request], Awaitable[Response]]
Admit = Callable[[Request], Awaitable[Sequence[Any]]]
"""Checks a request, and returns the handler's further parameters: the session, and the body of a change."""


def operator(
    settings: GatewaySettings, link: TableLink, logo: Logo, lasting: Path | None
) -> tuple[Login, list[Route]]:
    """The operator page of a gateway with these settings: how people log in, and its paths.

    `lasting` is the folder of what outlives the gateway; None on a laptop, where it forgets paired displays,
    but not the passphrase.
    """
    runtime = os.environ.get("RUNTIME_DIRECTORY")  # from systemd; else the socket lies beside the table's
    folder = Path(runtime) if runtime else Path(settings.socket).parent
    access = Access(settings, folder, lasting, kept_in=folder_of(os.environ))
    game = GamePages(link)
    login = Login(access, game.show_code)
    health = HealthPages(settings, link)
    config = SettingsPages(settings, logo)
    set_up = SetUpPages(link)
    filming = FilmingPages(access)

    async def shown(request: Request, name: str) -> Response:
        """A page; without a session the page to log in."""
        access.check(request)
        if access.session_of(request) is None:
            return login.form(request)
        if access.passphrase.is_due:
            return page("passphrase", {})
        return page(name, {})

    async def token(_: Request, session: OperatorSession) -> Response:
        """Another token, in the header `x-operator-token`: each change takes one."""
        return answer({}, session)

    async def paired(request: Request) -> Response:
        """Whether this display is `paired`."""
        access.check(request)
        return answer({"paired": access.displays.shows_codes(request)})

    pages: dict[str, Answer] = {path_of(name): partial(shown, name=name) for name in PAGES}
    open_reads: dict[str, Answer] = {
        "pair": login.pair_page,
        "static/{name}": static,
        "api/pair": paired,
    }
    reads: dict[str, Handler] = {
        "overview": game.overview,
        "seats": game.seats,
        "eye/{what}": set_up.look,
        "picture/{name}.jpg": set_up.picture,
        "dice": set_up.dice,
        "devices": set_up.devices,
        "doctor": health.doctor,
        "logs": health.logs,
        "link": health.serial,
        "ledger": game.ledger,
        "ledger.jsonl": game.export,
        "history/{name}.svg": game.plot,
        "settings": config.show,
        "logo": config.logo,
        "set_up": set_up.state,
        "sheets/{name}.pdf": set_up.sheet,
        "filming": filming.state,
        "filming/code.svg": filming.code,
    }
    open_changes: dict[str, Answer] = {
        "login/code": login.code,
        "login": login.log_in,
        "pair": login.pair_code,
    }
    changes: dict[str, Handler] = {
        "unpair": login.unpair,
        "do/{what}": game.act,
        "eye/{what}": set_up.step,
        "devices/{what}": set_up.try_device,
        "filming": filming.invite,
        "bundle": health.bundle,
        "settings/check": config.check,
        "settings/save": config.save,
        "logo/remove": config.remove_logo,
    }

    first_changes: dict[str, Handler] = {"passphrase": login.choose, "logout": login.log_out}

    async def uploads(request: Request) -> Sequence[Any]:
        return await access.sent(request, picture_body)

    async def operators(request: Request) -> Sequence[Any]:
        return (access.session(request),)

    async def first_operator(request: Request) -> Sequence[Any]:
        return (access.first_session(request),)

    def route(method: str, path: str, handler: Handler, admit: Admit = anyone) -> Route:
        return Route(path, answers(access, handler, admit), methods=[method])

    api = "/operator/api/"
    return login, [
        *(route("GET", path, handler) for path, handler in pages.items()),
        *(route("GET", f"/operator/{path}", handler) for path, handler in open_reads.items()),
        route("GET", f"{api}token", token, first_operator),
        *(route("GET", api + path, handler, operators) for path, handler in reads.items()),
        *(route("POST", api + path, handler) for path, handler in open_changes.items()),
        *(route("POST", api + path, handler, access.first_change) for path, handler in first_changes.items()),
        *(route("POST", api + path, handler, access.change) for path, handler in changes.items()),
        route("POST", f"{api}logo", config.send_logo, uploads),
    ]


async def anyone(_: Request) -> Sequence[Any]:
    return ()


def answers(access: Access, handler: Handler, admit: Admit) -> Answer:
    """Answers with what `admit` gives the handler.

    A refusal is a sentence, with the next token if the browser is logged in; in place of a page it is a page.
    """

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            return await handler(request, *await admit(request))
        except BusyError:
            refusal = RequestRefusedError(503, texts.operator.TABLE_AWAY)
        except RequestRefusedError as error:
            refusal = error
        if request.url.path in map(path_of, PAGES):
            return page("refused", {}, refusal.status)
        session = None if refusal.status in (401, 403, 429) else access.session_of(request, used=False)
        return refusal.response(session)

    return answered


async def static(request: Request) -> Response:
    """What the pages are made of."""
    file = static_files(PACKAGE).get(request.path_params["name"])
    if file is None:
        return RequestRefusedError(404, texts.operator.NOTHING).response()
    return compressible(request, *file)
