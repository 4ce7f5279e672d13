"""Puts the operator page together, for the application to mount."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.gateway.operator.camera import CameraPages
from dicetable.gateway.operator.config import SettingsPages
from dicetable.gateway.operator.devices import DevicePages
from dicetable.gateway.operator.entrance import Entrance
from dicetable.gateway.operator.game import GamePages
from dicetable.gateway.operator.health import HealthPages
from dicetable.gateway.operator.history import HistoryPages
from dicetable.gateway.operator.ledger import LedgerPages
from dicetable.gateway.operator.login import Login
from dicetable.gateway.operator.routes import routes
from dicetable.gateway.operator.set_up import SetUpPages

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request
    from starlette.routing import Route

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.settings import GatewaySettings


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator page: its routes, what paired displays are told, and what runs while the gateway does."""

    entrance: Entrance
    routes: list[Route]
    notices: Callable[[Request], AsyncGenerator[bytes, None]]

    def open(self) -> AbstractAsyncContextManager[None]:
        """Listens for `dicetable gateway pair` meanwhile."""
        return self.entrance.open()


def operator(settings: GatewaySettings, link: TableLink, table: TableLink) -> Operator:
    """The operator page of a gateway with these settings."""
    entrance = Entrance(settings, runtime_folder(settings), kept_folder())
    game = GamePages(entrance, link, table)
    login = Login(entrance, game.show_code)
    camera = CameraPages(entrance, table)
    devices = DevicePages(entrance, table, camera)
    health = HealthPages(entrance, link, table)
    ledger = LedgerPages(entrance, table)
    history = HistoryPages(entrance, table)
    config = SettingsPages(entrance)
    set_up = SetUpPages(entrance, link, table)
    asked = {
        "overview": game.overview,
        "seats": game.seats,
        "eye/{what}": camera.look,
        "picture/{name}.jpg": camera.picture,
        "dice": camera.dice,
        "devices": devices.listed,
        "doctor": health.doctor,
        "logs": health.logs,
        "link": health.serial,
        "ledger": ledger.games,
        "ledger.jsonl": ledger.export,
        "history/{name}.svg": history.plot,
        "settings": config.show,
        "set_up": set_up.state,
        "sheets/{name}.pdf": set_up.sheet,
    }
    changes = {
        "do/{what}": game.act,
        "eye/{what}": camera.step,
        "devices/{what}": devices.looked_at,
        "bundle": health.bundle,
        "settings/check": config.check,
        "settings/save": config.save,
    }
    return Operator(entrance, routes(entrance, login, asked, changes), login.notices)


def runtime_folder(settings: GatewaySettings) -> Path:
    """Where the gateway's own socket lies: systemd's folder for it, or beside the table's of one's own."""
    given = os.environ.get("RUNTIME_DIRECTORY")
    return Path(given) if given else Path(settings.state).parent


def kept_folder() -> Path | None:
    """Where the paired displays are kept; None on a laptop, where they are forgotten with the gateway."""
    given = os.environ.get("STATE_DIRECTORY")
    return Path(given) if given else None
