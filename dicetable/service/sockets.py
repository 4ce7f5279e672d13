"""What a table needs for the gateway: its sockets, and with `--web` the gateway as a process beside it."""

from __future__ import annotations

import logging
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.config.gateway import ScreenSection, WebSection, address
from dicetable.gateway.settings import NO_SIGNALS, PROGRAM, GatewaySettings, Look, Signals
from dicetable.state import listener
from dicetable.state.control import ControlServer
from dicetable.state.phones import Phones
from dicetable.state.server import StateServer
from hardware.ports import Degraded
from hardware.web_panel import NO_WEB, WHAT, WebPanel

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, MutableMapping
    from pathlib import Path

    from dicetable.state.league_desk import LeagueDesk
    from dicetable.state.requests import RequestKind
    from dicetable.state.throws import Archive
    from dicetable.table.table import Table
    from hardware.ports import Panel

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
        state=str(listener.path_of(environment)),
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
        listening = listener.inherited(environment)
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
        self.league: LeagueDesk | None = None
        self.server: StateServer | None = None
        self.control: ControlServer | None = None
        self.serve(listening)
        if beside and web is not None:
            output = subprocess.DEVNULL if quiet else None
            with settings_of(web, environment, config, signals, screen).file() as settings:
                self.gateway = subprocess.Popen(  # noqa: S603
                    PROGRAM, stdin=settings, stdout=output, stderr=output
                )

    def opened(self) -> dict[str, socket.socket]:
        """Sockets of its own; OSError while another table of this user has them."""
        listening = listener.opened(self.environment)
        self.own = [(each, listener.place(each)) for each in listening.values()]
        return listening

    @property
    def unreachable(self) -> bool:
        """Whether the name of one of its own sockets is gone, or leads to another table's."""
        return any(listener.place(own) != place for own, place in self.own)

    def serve(self, listening: Mapping[str, socket.socket]) -> None:
        """Answers on these sockets."""
        state, control = listening.get(listener.STATE), listening.get(listener.CONTROL)
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
            inner.out_of_reach = Degraded(WHAT, texts.gateway.INSTALL)
        if self.control is not None or self.missing:
            self.phones = Phones(inner)
            self.offer(self.phones.kinds())

    def join(self, league: LeagueDesk) -> None:
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
            if listener.place(own) == (path, inode):
                path.unlink(missing_ok=True)
        for server in (self.server, self.control):
            if server is not None:
                server.close()
        self.own, self.server, self.control = [], None, None


NO_SOCKETS: Final = Sockets(None, {})
"""Of a table that tells nobody."""
