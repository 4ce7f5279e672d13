"""What a table needs to have screens: its socket, and with `--web` the gateway as a process beside it."""

from __future__ import annotations

import logging
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from dicetable.config.web import WebSection, address
from dicetable.gateway.settings import GatewaySettings
from dicetable.state import listener
from dicetable.state.server import StateServer

if TYPE_CHECKING:
    import socket
    from collections.abc import MutableMapping
    from pathlib import Path

    from dicetable.state.throws import Archive
    from dicetable.table.table import Table

LIBRARIES: Final = ("starlette", "uvicorn")
"""The extra `gateway`."""
FAREWELL_S: Final = 3.0

log = logging.getLogger(__name__)


def installed() -> bool:
    """Whether the gateway's libraries are there."""
    return all(find_spec(name) is not None for name in LIBRARIES)


def command(web: WebSection, environment: MutableMapping[str, str], config: Path | None = None) -> list[str]:
    """The gateway's own program; `config` is the file that the operator page shows and changes."""
    host, port = address(web.listen)
    settings = GatewaySettings(
        host=host,
        port=port,
        state=str(listener.path_of(environment)),
        hosts=tuple(web.hosts),
        config=str(config.absolute()) if config else "",
        tls_cert=str(web.tls_cert or ""),
        tls_key=str(web.tls_key or ""),
        plain_http=web.operator_plain_http,
        passphrase=web.operator_passphrase or "",
    )
    return [sys.executable, "-m", "dicetable.gateway", settings.to_json()]


class Screens:
    """The socket on which a table tells its state, if it has one, and the gateway that it started, if any."""

    def __init__(
        self,
        web: WebSection | None,
        environment: MutableMapping[str, str],
        *,
        beside: bool = False,
        quiet: bool = False,
        config: Path | None = None,
    ) -> None:
        """Takes the socket of systemd; without systemd it opens one if `web` is set.

        Args:
            web: the settings; None: nobody wants screens.
            environment: of this process.
            beside: start the gateway too. OSError if the socket cannot be opened then.
            quiet: the gateway says nothing at the terminal, which shows a game.
            config: the file that the settings come from, if they do.
        """
        self.own: socket.socket | None = None
        self.gateway: subprocess.Popen[bytes] | None = None
        handed = listener.inherited(environment)
        if handed is None and web is not None:
            try:
                self.own = listener.opened(environment)
            except OSError as error:
                if beside:
                    raise
                log.warning("state_socket=none error=%r", str(error))
        listening = handed or self.own
        self.server = StateServer(listening) if listening is not None else None
        if beside and web is not None:
            output = subprocess.DEVNULL if quiet else None
            self.gateway = subprocess.Popen(  # noqa: S603
                command(web, environment, config), stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Serves whoever is connected; never waits."""
        if self.server is not None:
            self.server.turn(now_s, table, archive)

    def close(self) -> None:
        """Ends the gateway that was started, and takes the socket away."""
        if self.gateway is not None:
            self.gateway.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.gateway.wait(FAREWELL_S)
            self.gateway.kill()
            self.gateway.wait()
        if self.own is not None:
            listener.removed(self.own)
        if self.server is not None:
            self.server.close()


NO_SCREENS: Final = Screens(None, {})
"""Of a table that tells nobody."""
