"""Why a broker cannot be used: in one sentence, with what would help."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import aiomqtt

if TYPE_CHECKING:
    from dicetable.gateway.settings import Mqtt

NOT_ALLOWED: Final = (134, 135)
"""CONNACK reason codes for a wrong user or password, and for one that may not come in."""
ADDRESS: Final = "correct mqtt.host and mqtt.port"
SIGNED_BY: Final = "name whose signature it bears in mqtt.ca_file, and in mqtt.host the name that it is for"
READ: Final = "see `dicetable check-config`; the group dicetable-web must be allowed to read it"
LOG: Final = "see the broker's log"


@dataclass(frozen=True, slots=True)
class BrokerDegraded:
    """What is wrong and the remedy."""

    what: str
    remedy: str


def fault(error: BaseException, mqtt: Mqtt) -> BrokerDegraded:
    """What an error of a connection means to people."""
    where = f"{mqtt.host} port {mqtt.port}"
    if isinstance(error, aiomqtt.MqttCodeError):
        return refused(where, error)
    cause = error.__context__ if isinstance(error, aiomqtt.MqttError) else error
    match cause:
        case socket.gaierror():
            return BrokerDegraded(
                f"no machine is called {mqtt.host}", "correct mqtt.host, or name its address"
            )
        case ssl.SSLCertVerificationError():
            why = cause.verify_message or "it cannot be verified"
            return BrokerDegraded(f"the certificate of {where} is refused: {why}", SIGNED_BY)
        case ssl.SSLError():
            what = f"{where} does not talk TLS ({cause.reason or cause})"
            return BrokerDegraded(what, "correct mqtt.port, or take mqtt.tls out")
        case ConnectionRefusedError():
            return BrokerDegraded(f"nobody listens at {where}", f"start the broker, or {ADDRESS}")
        case TimeoutError() if isinstance(error, aiomqtt.MqttError) and "Operation" in str(error):
            what = f"{where} takes the connection and does not answer as a broker"
            return BrokerDegraded(what, f"{ADDRESS}; a port for TLS needs mqtt.tls")
        case TimeoutError():
            return BrokerDegraded(f"{where} does not answer", f"{ADDRESS}, or look at its firewall")
        case OSError() if cause.filename:
            return BrokerDegraded(f"{cause.filename}: {cause.strerror}", READ)
        case OSError():
            return BrokerDegraded(f"{where}: {cause.strerror or cause}", f"{ADDRESS}, or look at the network")
    return BrokerDegraded(f"the connection to {where} ended", LOG)


def refused(where: str, error: aiomqtt.MqttCodeError) -> BrokerDegraded:
    """What the broker answered, or that the connection ended."""
    code = getattr(error.rc, "value", None)
    if code in NOT_ALLOWED:
        what = f"the broker at {where} does not take this user and password"
        return BrokerDegraded(what, "correct mqtt.username and the file mqtt.password_file")
    return BrokerDegraded(f"the broker at {where} ended the connection: {error}", LOG)
