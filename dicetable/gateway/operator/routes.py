"""The paths of the operator page and what answers them. Pages first, then `/operator/api/…`."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dicetable import texts
from dicetable.gateway.link import BusyError
from dicetable.gateway.operator.game import GamePages, HistoryPages, LedgerPages
from dicetable.gateway.operator.health import HealthPages
from dicetable.gateway.operator.login import Access, Login
from dicetable.gateway.operator.pages import PAGES, page, path_of, static_files
from dicetable.gateway.operator.set_up import CameraPages, DevicePages, SetUpPages
from dicetable.gateway.operator.settings import SettingsPages
from dicetable.gateway.pages import compressible
from dicetable.gateway.requests import RequestRefusedError, answer

if TYPE_CHECKING:
    from dicetable.gateway.control_link import ControlLink
    from dicetable.gateway.link import TableLink
    from dicetable.gateway.settings import GatewaySettings

Answer = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator page of a gateway."""

    access: Access
    login: Login
    routes: list[Route]


def operator(settings: GatewaySettings, link: TableLink, table: ControlLink) -> Operator:
    """The operator page of a gateway with these settings."""
    runtime = os.environ.get("RUNTIME_DIRECTORY")  # from systemd; else the socket lies beside the table's
    kept = os.environ.get("STATE_DIRECTORY")  # on a laptop, paired displays are forgotten with the gateway
    access = Access(
        settings,
        Path(runtime) if runtime else Path(settings.state).parent,
        Path(kept) if kept else None,
    )
    game = GamePages(access, link, table)
    login = Login(access, game.show_code)
    camera = CameraPages(access, table)
    devices = DevicePages(access, table, camera)
    health = HealthPages(access, link, table)
    ledger = LedgerPages(access, table)
    history = HistoryPages(access, table)
    config = SettingsPages(access)
    set_up = SetUpPages(access, link, table)

    async def shown(request: Request, name: str) -> Response:
        """A page; without a session the page to log in."""
        access.check(request)
        if access.session_of(request) is None:
            return login.form(request)
        return page(name, {})

    async def token(request: Request) -> Response:
        """Another token, in the header `x-operator-token`: each change takes one."""
        return answer({}, access.session(request))

    async def paired(request: Request) -> Response:
        """Whether this display is `paired`."""
        access.check(request)
        return answer({"paired": access.displays.shows_codes(request)})

    pages = {path_of(name): partial(shown, name=name) for name in PAGES}
    read: dict[str, Answer] = {
        "pair": login.pair_page,
        "static/{name}": static,
        "api/token": token,
        "api/pair": paired,
        "api/overview": game.overview,
        "api/seats": game.seats,
        "api/eye/{what}": camera.look,
        "api/picture/{name}.jpg": camera.picture,
        "api/dice": camera.dice,
        "api/devices": devices.listed,
        "api/doctor": health.doctor,
        "api/logs": health.logs,
        "api/link": health.serial,
        "api/ledger": ledger.games,
        "api/ledger.jsonl": ledger.export,
        "api/history/{name}.svg": history.plot,
        "api/settings": config.show,
        "api/set_up": set_up.state,
        "api/sheets/{name}.pdf": set_up.sheet,
    }
    changes: dict[str, Answer] = {
        "login/code": login.code,
        "login": login.log_in,
        "logout": login.log_out,
        "pair": login.pair_code,
        "unpair": login.unpair,
        "do/{what}": game.act,
        "eye/{what}": camera.step,
        "devices/{what}": devices.step,
        "bundle": health.bundle,
        "settings/check": config.check,
        "settings/save": config.save,
    }
    routes = [
        Route(path, explained(access, each, html=True), methods=["GET"]) for path, each in pages.items()
    ]
    routes += [
        Route(f"/operator/{path}", explained(access, each), methods=["GET"]) for path, each in read.items()
    ]
    routes += [
        Route(f"/operator/api/{path}", explained(access, each), methods=["POST"])
        for path, each in changes.items()
    ]
    return Operator(access, login, routes)


def explained(access: Access, does: Answer, *, html: bool = False) -> Answer:
    """Answers a refused request with a sentence, and with the next token if the browser is logged in."""

    @wraps(does)
    async def answered(request: Request) -> Response:
        try:
            return await does(request)
        except RequestRefusedError as error:
            if html:
                return page("refused", {}, error.status)
            known = None if error.status in (401, 403, 429) else access.session_of(request, used=False)
            return error.response(known)
        except BusyError:
            return RequestRefusedError(503, texts.operator.TABLE_AWAY).response(
                access.session_of(request, used=False)
            )

    return answered


async def static(request: Request) -> Response:
    """What the pages are made of."""
    found = static_files().get(request.path_params["name"])
    if found is None:
        return RequestRefusedError(404, texts.operator.NOTHING).response()
    return compressible(request, *found)
