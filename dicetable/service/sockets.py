"""What a table needs for the gateway: its sockets, and with `--web` the gateway as a process beside it."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import socket
import stat
import subprocess
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.config.screen import ScreenSection
from dicetable.config.web import WebSection, address
from dicetable.gateway.settings import PROGRAM, GatewaySettings, Look
from dicetable.gateway.signal_settings import NO_SIGNALS, Metrics, Mqtt, Signals, Webhook, Webhooks
from dicetable.service.control import ControlServer
from dicetable.service.phones import Phones
from dicetable.service.server import StateServer
from hardware.ports import Degraded
from hardware.web_panel import NO_WEB, WHAT, WebPanel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from dicetable.config.file import Config
    from dicetable.config.mqtt import MqttSection
    from dicetable.config.webhooks import WebhooksSection
    from dicetable.service.league_client import LeagueClient
    from dicetable.service.requests import RequestKind
    from dicetable.service.throws import Archive
    from dicetable.table.table import Table
    from hardware.ports import Panel

STATE: Final = "state.sock"


CONTROL: Final = "control.sock"


NAMES: Final = (STATE, CONTROL)


SYSTEM: Final = Path("/run/dicetable")


FIRST_DESCRIPTOR: Final = 3
"""The first file descriptor that systemd passes (sd_listen_fds)."""


WAITING: Final = 8


def own_folder(environment: MutableMapping[str, str]) -> Path:
    """The folder for a table that a user runs directly."""
    runtime = environment.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "dicetable"
    return Path(tempfile.gettempdir()) / f"dicetable-{os.getuid()}"


def path_of(environment: MutableMapping[str, str]) -> Path:
    """The `state.sock` of the table that a gateway serves: the user's own if it exists, else the system's."""
    own = own_folder(environment) / STATE
    return SYSTEM / STATE if not own.exists() and (SYSTEM / STATE).exists() else own


def inherited(environment: MutableMapping[str, str]) -> dict[str, socket.socket]:
    """The sockets that systemd passed, by name; removes the environment variables that announce them."""
    pid, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    found: dict[str, socket.socket] = {}
    for descriptor in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count)):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it has no name
        handed = socket.socket(fileno=descriptor)
        name = Path(handed.getsockname()).name if handed.family == socket.AF_UNIX else ""
        if name in NAMES and name not in found:
            found[name] = handed
        else:
            handed.close()
    return found


def opened(environment: MutableMapping[str, str]) -> dict[str, socket.socket]:
    """Sockets to which only this user can connect. Raises OSError if another table uses them."""
    folder = own_folder(environment)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "is not a folder of yours alone: remove it", str(folder))
    made: dict[str, socket.socket] = {}
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # tables that start at once take turns
        for name in NAMES:
            made[name] = bound(folder / name)
    except OSError:
        for path, listener in zip((folder / name for name in NAMES), made.values(), strict=False):
            path.unlink(missing_ok=True)
            listener.close()
        raise
    finally:
        os.close(descriptor)
    return made


def bound(path: Path) -> socket.socket:
    """A listening socket. Raises OSError if that is not possible."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if answers(path):
            raise OSError(errno.EADDRINUSE, "another table uses it: end that one first", str(path))
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(WAITING)
    except OSError:
        listener.close()
        raise
    return listener


def answers(path: Path) -> bool:
    """Whether a table listens there, even one that hangs and accepts no more connections."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.0)
        return probe.connect_ex(str(path)) in (0, errno.EAGAIN)


def place_of(listener: socket.socket) -> tuple[Path, int]:
    """The socket's path and the inode there, which is 0 if the path is gone."""
    path = Path(listener.getsockname())
    with suppress(OSError):
        return path, path.lstat().st_ino
    return path, 0


def signals_of(config: Config) -> Signals:
    """All that is switched on."""
    return Signals(
        mqtt_of(config.mqtt, config.table.seats) if config.mqtt else None,
        Metrics(tuple(config.metrics.allow)) if config.metrics else None,
        webhooks_of(config.webhooks) if config.webhooks else None,
        config.league.server if config.league else "",
    )


def mqtt_of(section: MqttSection, seats: int) -> Mqtt:
    """The broker."""
    return Mqtt(
        host=section.host,
        port=section.port_used,
        topic=section.topic,
        discovery=section.discovery,
        seats=seats,
        username=section.username,
        password_file=path(section.password_file),
        tls=section.tls,
        ca_file=path(section.ca_file),
        commands=section.commands,
    )


def webhooks_of(section: WebhooksSection) -> Webhooks:
    """Who is sent something."""
    hooks = [Webhook(hook.url, tuple(hook.events), hook.body) for hook in section.to]
    return Webhooks(tuple(section.allow), str(section.secret_file.absolute()), tuple(hooks))


def path(given: Path | None) -> str | None:
    """A path as text."""
    return str(given.absolute()) if given is not None else None


LIBRARIES: Final = ("starlette", "uvicorn", "aiomqtt", "segno")
"""The extra `gateway`."""


PLAIN_SCREEN: Final = ScreenSection()


FAREWELL_S: Final = 3.0


RETRY_S: Final = 5.0


log = logging.getLogger(__name__)


def installed() -> bool:
    """Whether the gateway's libraries are there."""
    return all(find_spec(name) is not None for name in LIBRARIES)


def settings_of(
    web: WebSection | None,
    environment: MutableMapping[str, str],
    config: Path | None = None,
    signals: Signals = NO_SIGNALS,
    screen: ScreenSection = PLAIN_SCREEN,
) -> GatewaySettings:
    """What the gateway is told.

    Args:
        web: the settings of its pages; None: it serves none.
        environment: of this process.
        config: the file that the operator page shows and changes.
        signals: who else is told what happens.
        screen: how its pages look.
    """
    host, port = address(web.listen) if web else ("", 0)
    web = web or WebSection()
    return GatewaySettings(
        host=host,
        port=port,
        state=str(path_of(environment)),
        hosts=tuple(web.hosts),
        config=str(config.absolute()) if config else "",
        tls_cert=str(web.tls_cert or ""),
        tls_key=str(web.tls_key or ""),
        plain_http=web.operator_plain_http,
        proxied=web.proxied,
        passphrase=web.operator_passphrase or "",
        signals=signals,
        odds=web.odds,
        records=web.records != "off",
        look=Look(screen.name, str(screen.logo or ""), screen.colour or "", screen.pause),
    )


class Sockets:
    """The sockets of a table, if it has any: it tells its state on one and takes requests on the other.

    With them the gateway that it started, if it did. `server` and `control` are None without sockets.
    """

    def __init__(
        self,
        web: WebSection | None,
        environment: MutableMapping[str, str],
        *,
        beside: bool = False,
        quiet: bool = False,
        config: Path | None = None,
        signals: Signals = NO_SIGNALS,
        screen: ScreenSection = PLAIN_SCREEN,
    ) -> None:
        """Takes the sockets of systemd; without systemd it opens its own if anybody wants to be told.

        Args:
            web: the settings; None: no gateway is wanted.
            environment: of this process.
            beside: start the gateway too. OSError if the sockets cannot be opened then.
            quiet: the gateway says nothing at the terminal, which shows a game.
            config: the file that the settings come from, if they do.
            signals: who else is told what happens.
            screen: how the gateway's pages look.
        """
        self.environment = environment
        self.own: list[tuple[socket.socket, tuple[Path, int]]] = []
        self.missing = False
        self.tried_s = float("-inf")
        self.news: Callable[[], None] | None = None
        self.web = web
        self.gateway: subprocess.Popen[bytes] | None = None
        listening = inherited(environment)
        if not listening and (web is not None or signals.follow):
            try:
                listening = self.opened()
            except OSError as error:
                if beside:
                    raise
                log.warning("sockets=none error=%r", str(error))
                self.missing = True
        self.kinds: dict[str, RequestKind[Any]] = {}
        self.phones: Phones | None = None
        self.league: LeagueClient | None = None
        self.server: StateServer | None = None
        self.control: ControlServer | None = None
        self.serve(listening)
        if beside and web is not None:
            output = subprocess.DEVNULL if quiet else None
            self.gateway = subprocess.Popen(  # noqa: S603
                PROGRAM,
                env=settings_of(web, environment, config, signals, screen).environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def opened(self) -> dict[str, socket.socket]:
        """Sockets of its own; OSError while another table of this user has them."""
        listening = opened(self.environment)
        self.own = [(each, place_of(each)) for each in listening.values()]
        return listening

    @property
    def unreachable(self) -> bool:
        """Whether the name of one of its own sockets is gone, or leads to another table's."""
        return any(place_of(own) != place for own, place in self.own)

    def serve(self, listening: Mapping[str, socket.socket]) -> None:
        """Answers on these sockets."""
        state, control = listening.get(STATE), listening.get(CONTROL)
        self.server = StateServer(state) if state is not None else None
        self.control = ControlServer(control, self.kinds) if control is not None else None

    def retry(self, now_s: float) -> None:
        """Opens the sockets that another table had, as soon as it has ended; those whose names are gone anew.

        Names go when the user logs out: then systemd removes the folder that they are in.
        """
        if now_s - self.tried_s < RETRY_S:
            return
        self.tried_s = now_s
        if self.unreachable:
            log.warning("sockets=gone")
            self.shut()
            self.missing = True
        if not self.missing:
            return
        try:
            self.serve(self.opened())
        except OSError:
            return
        self.missing = False
        log.info("sockets=open")
        if self.control is not None and self.news is not None:
            self.control.watch(self.news)

    def offer(self, kinds: Mapping[str, RequestKind[Any]]) -> None:
        """Adds kinds of requests that the gateway may send."""
        self.kinds.update(kinds)

    def lend(self, panel: Panel) -> None:
        """Lets phones be the panel, if they are meant to be."""
        inner = getattr(panel, "panel", panel)
        if not isinstance(inner, WebPanel):
            return
        if self.web is None:
            inner.out_of_reach = NO_WEB
        elif not installed():
            inner.out_of_reach = Degraded(WHAT, texts.web.INSTALL)
        if self.control is not None or self.missing:
            self.phones = Phones(inner)
            self.offer(self.phones.kinds())

    def join(self, league: LeagueClient) -> None:
        """Lets the table ask a league, if it is in one."""
        self.league = league
        self.offer(league.kinds())

    def watch(self, news: Callable[[], None]) -> None:
        """From now on calls `news` on the running loop when there is a request."""
        self.news = news
        if self.control is not None:
            self.control.watch(news)

    def take(self, now_s: float, table: Table) -> None:
        """Carries out what the gateway asks; never waits."""
        self.retry(now_s)
        if self.control is not None:
            self.control.take(now_s, table)

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Tells whoever is connected what is new; never waits."""
        if self.control is not None:
            if self.phones is not None:
                self.phones.tell(self.control, table, now_s)
            if self.league is not None:
                self.league.tell(self.control, table, now_s)
            self.control.give(now_s)
        if self.server is not None:
            self.server.turn(now_s, table, archive)

    def close(self) -> None:
        """Ends the gateway that was started, and takes the sockets away."""
        if self.gateway is not None:
            self.gateway.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.gateway.wait(FAREWELL_S)
            self.gateway.kill()
            self.gateway.wait()
        self.shut()

    def shut(self) -> None:
        """Ends both sockets, and removes the names of its own."""
        for own, (path, inode) in self.own:
            if place_of(own) == (path, inode):
                path.unlink(missing_ok=True)
        for server in (self.server, self.control):
            if server is not None:
                server.close()
        self.own, self.server, self.control = [], None, None


NO_SOCKETS: Final = Sockets(None, {})
"""Of a table that tells nobody."""
