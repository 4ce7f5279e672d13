"""The gateway's settings: what it needs of the config, without pydantic.

They are plain dataclasses because the config's own models would cost a gateway 10 of its 45 MB. The process
that has read the config starts the gateway with them on its standard input, as a file in memory: other users
see a program's arguments, and a webhook's address may hold a token. Passwords and signing secrets stay in
their files, which the gateway reads whenever it needs them.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from common.files import first_bytes

PROGRAM: Final = (sys.executable, "-m", "gateway")
"""The gateway as a small process of its own; its standard input is `GatewaySettings.file`."""


@dataclass(frozen=True, slots=True)
class Mqtt:
    """The section [mqtt], and the number of seats at the table."""

    host: str
    port: int
    topic: str
    discovery: str
    seats: int
    username: str | None = None
    password_file: str | None = None
    tls: bool = False
    ca_file: str | None = None
    commands: bool = False


@dataclass(frozen=True, slots=True)
class Webhook:
    """A section [[webhooks.to]]; `body` is sent in place of the event if it is given."""

    url: str
    events: tuple[str, ...]
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The section [webhooks]."""

    allow: tuple[str, ...]
    secret_file: str
    to: tuple[Webhook, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The section [metrics]: the networks that may read /metrics."""

    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signals:
    """All that is switched on; `league` is the address of a league's server, empty without one."""

    mqtt: Mqtt | None = None
    metrics: Metrics | None = None
    webhooks: Webhooks | None = None
    league: str = ""

    @property
    def follow(self) -> bool:
        """Whether anything has to follow what the table does."""
        return self.mqtt is not None or self.webhooks is not None or self.league != ""


NO_SIGNALS: Final = Signals()


@dataclass(frozen=True, slots=True)
class Look:
    """The bar's name, logo (a path) and colour (`#rrggbb`), and how long a moment owns the television, s.

    `volume` is that of its sounds at the start, in percent; it makes none in the `quiet` hours
    (`23:00-08:00`). `sounds` is the path of the folder with its own sounds.
    """

    name: str = ""
    logo: str = ""
    colour: str = ""
    pause: float = 2.0
    volume: int = 60
    quiet: str = ""
    sounds: str = ""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Where the gateway listens, where the table is, and who may use the operator page.

    At port 0 it serves no pages. Beside `socket`, the path of `table.sock`, lie other sockets of the
    machine. `plain_http` lets other machines use the operator page without TLS. `proxied`: a proxy on this
    machine passes requests on, so that none counts as coming from here. `passphrase` is hashed; with
    `code_alone` operators need none but this. `games` is the path of the folder of games; empty without one.
    A phone may be the camera at `camera_host` and `camera_port`; with port 0 it serves none. Pages of the
    `origins` may read the rolls. `house_rules` are names, each after the name of its game. The gateway ends
    with the process `parent`, however that ends; 0 if it stands alone. `first_code` lets one browser of
    another machine look through a laptop's camera.
    """

    host: str
    port: int
    socket: str
    hosts: tuple[str, ...] = ()
    config: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    plain_http: bool = False
    proxied: bool = False
    passphrase: str = ""
    code_alone: bool = False
    signals: Signals = NO_SIGNALS
    odds: bool = True
    records: bool = True
    look: Look = Look()
    games: str = ""
    camera_host: str = ""
    camera_port: int = 0
    origins: tuple[str, ...] = ()
    parent: int = 0
    first_code: str = ""
    house_rules: tuple[tuple[str, str], ...] = ()

    @contextmanager
    def file(self) -> Iterator[int]:
        """The settings as a file in memory, for the standard input of PROGRAM."""
        descriptor = os.memfd_create("gateway settings")
        try:
            with open(descriptor, "wb", closefd=False) as file:
                pickle.dump(self, file)
            os.lseek(descriptor, 0, os.SEEK_SET)
            yield descriptor
        finally:
            os.close(descriptor)

    @classmethod
    def received(cls) -> GatewaySettings:
        """The settings on standard input, which reads as empty from now on."""
        with open(0, "rb", closefd=False) as file:
            settings: GatewaySettings = pickle.load(file)  # noqa: S301 - from the process that started this one
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        return settings


def secret(path: str) -> bytes:
    """The first line of a file, at most 1,001 bytes; OSError if it cannot be read or is no regular file."""
    return first_bytes(Path(path), 1001).partition(b"\n")[0].strip()
