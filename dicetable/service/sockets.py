"""The table's socket for the gateway, and with `--web` the gateway as a process beside the table.

systemd passes the socket; on a laptop it lies in a folder of the user's own.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from common import camera_socket, files, texts
from common.local_sockets import TABLE_FOLDER, is_trusted
from common.messages import SOCKET
from dicetable.config.camera import CameraSection, PhoneCamera
from dicetable.config.file import Config
from dicetable.config.games import HouseRules
from dicetable.config.gateway import ScreenSection, WebSection, address
from dicetable.service.phones import Phones
from dicetable.service.publisher import Publisher
from dicetable.service.server import RequestKind, TableServer
from dicetable.service.throws import Archive
from dicetable.table.table import Table
from gateway.settings import (
    NO_SIGNALS,
    PROGRAM,
    GatewaySettings,
    Look,
    Metrics,
    Mqtt,
    Signals,
    Webhook,
    Webhooks,
)
from hardware.ports import Degraded, Panel
from hardware.web_panel import NO_WEB, WHAT, WebPanel

if TYPE_CHECKING:
    from dicetable.service.league_client import LeagueClient

FIRST_DESCRIPTOR: Final = 3
"""The first file descriptor that systemd passes (sd_listen_fds)."""
WAITING: Final = 8
LIBRARIES: Final = ("starlette", "uvicorn", "aiomqtt", "segno")
"""The extra `gateway`."""
PLAIN_SCREEN: Final = ScreenSection()
FAREWELL_S: Final = 3.0
RETRY_S: Final = 5.0
STEPS: Final = 20
"""Steps of the asyncio loop before and after a turn of `PolledSockets`: enough for some requests."""

log = logging.getLogger(__name__)


def own_folder(environment: MutableMapping[str, str]) -> Path:
    runtime = environment.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "dicetable"
    return Path(tempfile.gettempdir()) / f"dicetable-{os.getuid()}"


def path_of(environment: MutableMapping[str, str]) -> Path:
    """The socket of the table that a gateway serves: the user's own if it exists, else the system's."""
    own, installed_table = own_folder(environment) / SOCKET, TABLE_FOLDER / SOCKET
    if is_trusted(own.parent) and own.exists():
        return own
    return installed_table if installed_table.exists() else own


def running_table(environment: MutableMapping[str, str]) -> Path:
    """The socket of the table that runs here: the installed one's if it answers, else the user's own."""
    installed_table = TABLE_FOLDER / SOCKET
    return installed_table if answers(installed_table) else path_of(environment)


def inherited(environment: MutableMapping[str, str]) -> dict[str, socket.socket]:
    """Our sockets that systemd passed, by name; removes the environment variables that announce them."""
    pid, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    sockets: dict[str, socket.socket] = {}
    for descriptor in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count)):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it has no name
        handed = socket.socket(fileno=descriptor)
        name = Path(handed.getsockname()).name if handed.family == socket.AF_UNIX else ""
        if name in (SOCKET, camera_socket.SOCKET) and name not in sockets:
            sockets[name] = handed
        else:
            handed.close()
    return sockets


def opened(environment: MutableMapping[str, str], name: str = SOCKET) -> socket.socket:
    """A listening socket to which only this user can connect. Raises OSError if another table uses it."""
    folder = own_folder(environment)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PermissionError(
            errno.EPERM, "is not a folder that only you can write to: remove it", str(folder)
        )
    path = folder / name
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        files.lock(descriptor, wait=True)  # tables that start at once take turns
        if answers(path):
            raise OSError(errno.EADDRINUSE, "another table uses it: stop that one first", str(path))
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(WAITING)
    except OSError:
        listener.close()
        raise
    finally:
        os.close(descriptor)
    return listener


def answers(path: Path) -> bool:
    """Whether a table listens there, even one that hangs and accepts no more connections."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.0)
        return probe.connect_ex(str(path)) in (0, errno.EAGAIN)


def inode(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_ino
    return 0


def signals_of(config: Config) -> Signals:
    mqtt = webhooks = None
    if config.mqtt is not None:
        settings = config.mqtt.model_dump()
        for name in ("password_file", "ca_file"):
            settings[name] = str(settings[name].absolute()) if settings[name] else None
        mqtt = Mqtt(**settings | {"port": config.mqtt.port_used, "seats": config.table.seats})
    if config.webhooks is not None:
        hooks = tuple(Webhook(hook.url, tuple(hook.events), hook.body) for hook in config.webhooks.to)
        secret_file = str(config.webhooks.secret_file.absolute())
        webhooks = Webhooks(tuple(config.webhooks.allow), secret_file, hooks)
    metrics = Metrics(tuple(config.metrics.allow)) if config.metrics else None
    return Signals(mqtt, metrics, webhooks, config.league.server if config.league else "")


def installed() -> bool:
    return all(find_spec(name) is not None for name in LIBRARIES)


def settings_of(
    web: WebSection | None,
    environment: MutableMapping[str, str],
    config: Path | None = None,
    signals: Signals = NO_SIGNALS,
    screen: ScreenSection = PLAIN_SCREEN,
    camera: CameraSection | None = None,
    house_rules: Sequence[HouseRules] = (),
) -> GatewaySettings:
    """The settings of the gateway: without `web` it serves no pages; `config` is the file they can change."""
    filmed = address(camera.listen) if isinstance(camera, PhoneCamera) else ("", 0)
    host, port = address(web.listen) if web else ("", 0)
    web = web or WebSection()
    return GatewaySettings(
        host=host,
        port=port,
        socket=str(path_of(environment)),
        hosts=tuple(web.hosts),
        origins=tuple(web.origins),
        config=str(config.absolute()) if config else "",
        tls_cert=str(web.tls_cert or ""),
        tls_key=str(web.tls_key or ""),
        plain_http=web.operator_plain_http,
        proxied=web.proxied,
        passphrase=web.operator_passphrase or "",
        code_alone=web.operator_code_alone,
        signals=signals,
        odds=web.odds,
        records=web.records != "off",
        look=Look(
            screen.name,
            str(screen.logo or ""),
            screen.colour or "",
            screen.pause,
            screen.volume,
            screen.quiet or "",
            str(screen.sounds or ""),
        ),
        camera_host=filmed[0],
        camera_port=filmed[1],
        house_rules=tuple((rules.game, rules.name) for rules in house_rules),
    )


class Sockets:
    """What a table needs for the gateway, and the gateway that it started, if it did.

    `kinds` are the requests that the gateway may send. `server` is None without a socket.
    """

    def __init__(
        self,
        web: WebSection | None,
        environment: MutableMapping[str, str],
        *,
        signals: bool = False,
        needed: bool = False,
        camera: bool = False,
    ) -> None:
        """Takes the socket of systemd; without systemd it opens its own for `web` pages or `signals`.

        If it is `needed` and cannot be opened, that is an OSError. `camera`: a phone is the camera, and its
        frames come to a socket of their own.
        """
        self.filmed = camera
        self.environment = environment
        self.web = web
        self.kinds: dict[str, RequestKind[Any]] = {}
        self.phones: Phones | None = None
        self.league: LeagueClient | None = None
        self.server: TableServer | None = None
        self.publisher: Publisher | None = None
        self.own: tuple[Path, int] | None = None
        self.missing = False
        self.tried_s = float("-inf")
        handed = inherited(environment)
        self.listener = handed.pop(SOCKET, None)
        self.door = handed.pop(camera_socket.SOCKET, None)
        if self.door is not None and not camera:
            self.door.close()
            self.door = None
        self.starting: asyncio.Task[None] | None = None
        self.wake: Callable[[], None] = lambda: None
        self.gateway: subprocess.Popen[bytes] | None = None
        if self.listener is None and (web is not None or signals):
            try:
                self.open()
            except OSError as error:
                if needed:
                    raise
                log.warning("socket=none error=%r", str(error))
                self.missing = True
        if camera and self.door is None:
            try:
                self.door = opened(environment, camera_socket.SOCKET)
            except OSError as error:
                if needed:
                    raise
                log.warning("camera_socket=none error=%r", str(error))

    def start_gateway(self, settings: GatewaySettings, *, quiet: bool = False) -> None:
        """Starts the gateway too, which ends with this process.

        A `quiet` one prints nothing at the terminal, which shows a game.
        """
        output = subprocess.DEVNULL if quiet else None
        with replace(settings, parent=os.getpid()).file() as file:
            self.gateway = subprocess.Popen(PROGRAM, stdin=file, stdout=output, stderr=output)  # noqa: S603 - our own program

    @property
    def exists(self) -> bool:
        """Whether there is a socket, or there will be one once another table has left its place."""
        return self.listener is not None or self.missing

    def open(self) -> None:
        """Opens a socket of its own. Raises OSError while another table of this user has it."""
        self.listener = opened(self.environment)
        path = Path(self.listener.getsockname())
        self.own = (path, inode(path))

    def start(self, wake: Callable[[], None]) -> None:
        """Serves clients on the running loop; calls `wake` when one of them may have changed something."""
        self.wake = wake
        if self.listener is not None:
            self.server = TableServer()
            self.publisher = Publisher(self.server)
            self.kinds.update(self.publisher.kinds())
            self.server.kinds = self.kinds
            self.starting = asyncio.get_running_loop().create_task(self.server.start(self.listener, wake))

    def retry(self, now_s: float) -> None:
        """Opens the socket once the table that had it has ended, and again when its name is gone.

        Names go when the user logs out: then systemd removes the folder that they are in.
        """
        if now_s - self.tried_s < RETRY_S:
            return
        self.tried_s = now_s
        if self.own is not None and inode(self.own[0]) != self.own[1]:
            log.warning("socket=gone")
            self.shut()
            self.missing = True
        if not self.missing:
            return
        try:
            self.open()
        except OSError:
            return
        self.missing = False
        log.info("socket=open")
        self.start(self.wake)

    def attach_panel(self, panel: Panel) -> None:
        """Lets phones be the panel, if the config says so."""
        inner = getattr(panel, "panel", panel)
        if not isinstance(inner, WebPanel):
            return
        if self.web is None:
            inner.out_of_reach = NO_WEB
        elif not installed():
            inner.out_of_reach = Degraded(WHAT, texts.gateway.INSTALL)
        if self.exists:
            self.phones = Phones(inner)
            self.kinds.update(self.phones.kinds())

    def attach_league(self, league: LeagueClient) -> None:
        """Lets the table ask a league, if it is in one.

        A table whose frames come through the gateway is in none: the gateway could show it anything.
        """
        if self.filmed:
            return
        self.league = league
        self.kinds.update(league.kinds())

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Publishes what is new; never waits."""
        self.retry(now_s)
        if self.server is None or self.publisher is None:
            return
        self.server.table = table
        if self.phones is not None:
            self.phones.publish(self.server, table, now_s)
        if self.league is not None:
            self.league.publish(self.server, table, now_s)
        self.publisher.turn(now_s, table, archive)

    async def flush(self) -> None:
        if self.server is not None:
            await self.server.flush()

    def close(self) -> None:
        """Ends the gateway that was started, and takes the socket away."""
        if self.gateway is not None:
            self.gateway.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.gateway.wait(FAREWELL_S)
            self.gateway.kill()
            self.gateway.wait()
        if self.door is not None:
            self.door.close()
        self.shut()

    def shut(self) -> None:
        """Closes the socket, and removes its name if it is still its own."""
        if self.own is not None and inode(self.own[0]) == self.own[1]:
            self.own[0].unlink(missing_ok=True)
        if self.starting is not None:
            self.starting.cancel()
        if self.server is not None:
            self.server.close()
        if self.listener is not None:
            self.listener.close()
        self.own = self.listener = self.server = self.publisher = self.starting = None


NO_SOCKETS: Final = Sockets(None, {})
"""The sockets of a table without a gateway: none."""


class PolledSockets(Sockets):
    """The sockets of a program without an asyncio loop, such as a game at a terminal.

    Each turn serves the clients for a moment.
    """

    def __init__(self, *args: Any, loop: asyncio.AbstractEventLoop | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.loop = loop or asyncio.new_event_loop()
        self.started = False

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Publishes what is new, and carries out what clients have asked for by now."""
        self.loop.run_until_complete(self.moment(now_s, table, archive))

    async def moment(self, now_s: float, table: Table, archive: Archive) -> None:
        if not self.started:
            self.started = True
            self.start(lambda: None)
        await self.rest()
        super().turn(now_s, table, archive)
        await self.rest()

    async def rest(self) -> None:
        for _ in range(STEPS):
            await asyncio.sleep(0)

    def close(self) -> None:
        """Ends the loop too."""
        super().close()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()
