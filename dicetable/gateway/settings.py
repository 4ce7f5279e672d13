"""The gateway's settings: one JSON object in its environment.

They are no argument: the address of a webhook may hold a token, and every user of the machine sees the
arguments of a program.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Final

from dicetable.gateway.signal_settings import NO_SIGNALS, Signals

VARIABLE: Final = "DICETABLE_GATEWAY"
PROGRAM: Final = (sys.executable, "-m", "dicetable.gateway")
"""The gateway as a small process of its own."""


@dataclass(frozen=True, slots=True)
class Look:
    """How the pages look.

    Attributes:
        name: of the bar; empty for the table's own.
        logo: path of a picture; empty if there is none.
        colour: `#rrggbb`; empty for the pages' own.
        pause: seconds that a moment owns the television.
    """

    name: str = ""
    logo: str = ""
    colour: str = ""
    pause: float = 2.0


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """How it is reached, where the table is, and who may come in as the operator.

    Attributes:
        host, port: the address to listen at; port 0: no pages are served.
        state: path of `table.sock`; other sockets of the machine lie beside it.
        hosts: more names of this machine.
        config: path of the config file; empty if the table runs without one.
        tls_cert, tls_key: paths; empty for plain HTTP.
        plain_http: other machines may use the operator page without TLS.
        proxied: a proxy on this machine passes requests on, so that none counts as coming from here.
        odds: whether phones show chances.
        records: whether there are pages about players and dice.
        look: how the pages look.
        passphrase: the operator's, as `dicetable gateway passphrase` writes it; empty if there is none.
        signals: who else is told what happens.
    """

    host: str
    port: int
    state: str
    hosts: tuple[str, ...] = ()
    config: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    plain_http: bool = False
    proxied: bool = False
    passphrase: str = ""
    signals: Signals = NO_SIGNALS
    odds: bool = True
    records: bool = True
    look: Look = Look()

    def environment(self) -> dict[str, str]:
        """The environment of the program: this process's own, with the settings."""
        return {**os.environ, VARIABLE: json.dumps(asdict(self))}

    @classmethod
    def from_environment(cls) -> GatewaySettings:
        """The settings in this process's environment, which holds them no longer."""
        given = json.loads(os.environ.pop(VARIABLE))
        signals = Signals.from_json(given.get("signals", {}))
        look = Look(**given.get("look", {}))
        return cls(**{**given, "hosts": tuple(given.get("hosts", ())), "signals": signals, "look": look})
