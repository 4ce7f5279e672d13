"""The gateway's settings: one JSON object, the only argument of its program."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from dicetable.gateway.signal_settings import NO_SIGNALS, Signals


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """How it is reached, where the table is, and who may come in as the operator.

    Attributes:
        host, port: the address to listen at; port 0: no pages are served.
        state: path of `state.sock`; the table's other sockets lie beside it.
        hosts: more names of this machine.
        config: path of the config file; empty if the table runs without one.
        tls_cert, tls_key: paths; empty for plain HTTP.
        plain_http: other machines may use the operator page without TLS.
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
    passphrase: str = ""
    signals: Signals = NO_SIGNALS

    def to_json(self) -> str:
        """The argument of the program."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> GatewaySettings:
        """The settings in the argument of the program."""
        given = json.loads(text)
        signals = Signals.from_json(given.get("signals", {}))
        return cls(**{**given, "hosts": tuple(given.get("hosts", ())), "signals": signals})
