"""One connection to the broker, as the settings have it, and let go of without a trace."""

from __future__ import annotations

import logging
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import aiomqtt

from dicetable.gateway.mqtt import topics
from dicetable.gateway.settings import secret

if TYPE_CHECKING:
    from dicetable.gateway.settings import Mqtt

KEEPALIVE_S: Final = 15
"""A broker that is silent for so long is lost; it says that the table is offline after half as much more."""
ANSWER_S: Final = 5.0
"""How long to wait for an answer of the broker."""
MOST_WAITING: Final = 16
"""Commands that wait; more are dropped."""
ONLINE, OFFLINE = "online", "offline"
LIBRARY: Final = logging.getLogger(f"{__name__}.library")
"""It speaks up at every lost connection, which may be thousands in a month; the publisher says it once."""
LIBRARY.setLevel(logging.CRITICAL)


class MqttClient(aiomqtt.Client):
    """An `aiomqtt.Client` that can be let go of whatever state it is in."""

    abandoned = False

    def abandon(self) -> None:
        """Closes the socket now, also of a broker that has never answered."""
        self.abandoned = True
        with suppress(Exception):  # it may be gone already
            self._client.disconnect()
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # so that nobody complains that it was never asked for

    def _client_connect(self) -> None:
        """Connects, in a thread that goes on when the connection is abandoned meanwhile."""
        super()._client_connect()
        if self.abandoned:
            self._loop.call_soon_threadsafe(self.abandon)


def client(mqtt: Mqtt, *, probe: bool = False) -> MqttClient:
    """A connection that is not open yet. OSError if a file of the settings cannot be read.

    Its last will is that the table is offline. The same name at each connection: a broker that still keeps
    an old one ends that first, so that its last will cannot come after the new one's word. A `probe` has
    another name and no last will: it only finds out whether there is a connection.
    """
    will = aiomqtt.Will(topics.availability(mqtt.topic), OFFLINE, qos=1, retain=True)
    return MqttClient(
        mqtt.host,
        mqtt.port,
        identifier=f"dicetable-{mqtt.topic}{'-probe' if probe else ''}",
        username=mqtt.username,
        password=secret(mqtt.password_file).decode() if mqtt.password_file else None,
        tls_context=ssl.create_default_context(cafile=mqtt.ca_file) if mqtt.tls else None,
        will=None if probe else will,
        logger=LIBRARY,
        keepalive=KEEPALIVE_S,
        timeout=ANSWER_S,
        max_queued_incoming_messages=MOST_WAITING,
    )
