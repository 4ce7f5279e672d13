"""Keeps the MQTT broker up to date, for months if need be, and carries out its commands.

On each connection it publishes everything anew, then what changes. What someone deletes or overwrites at the
broker it publishes again, and everything whenever Home Assistant starts. It holds the newest state and a few
events, whatever the broker does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import aiomqtt

from common.snapshot import Snapshot, TableEvent
from gateway.link import BusyError, TableLink
from gateway.settings import Mqtt, secret
from gateway.signals.home_assistant import (
    availability_topic,
    birth_topic,
    device_topic,
    discovery_message,
    event_topic,
    message_topic,
    pause_topic,
    state_payload,
    state_topic,
)
from gateway.streams import wait_at_most

FIRST_RETRY_S: Final = 0.5
LAST_RETRY_S: Final = 30.0
MOST_EVENTS: Final = 64
STALE_S: Final = 10.0
"""An event that waited for so long is dropped: no lamp flashes for what is long past."""
TEMPERATURE_S: Final = 30.0
"""How often the temperature is read."""
FAREWELL_S: Final = 1.0
KEEPALIVE_S: Final = 15
"""A broker that is silent for so long is lost; after half as long again, it declares the table offline."""
ANSWER_S: Final = 5.0
"""How long to wait for an answer of the broker."""
MOST_WAITING: Final = 16
"""Messages of the broker that wait; more are dropped."""
MOST_MESSAGE_BYTES: Final = 128 * 1024
"""A broker that announces a longer message is left: ours are shorter. A larger value costs memory."""
MOST_ECHOES: Final = 64
"""How many own messages of a topic are remembered until the broker sends them back."""
ONLINE, OFFLINE = "online", "offline"
LIBRARY: Final = logging.getLogger(f"{__name__}.library")
"""The silenced log of aiomqtt: it would have each lost connection, thousands in a month, which the publisher
logs once."""
LONGEST_MESSAGE: Final = 200
COMMANDS: Final = {"ON": "operator_pause", "OFF": "operator_resume"}
"""The request to the table, by the payload of the topic."""
NOT_ALLOWED: Final = (134, 135)
"""CONNACK reason codes: bad user name or password, and not authorized."""
ADDRESS: Final = "correct mqtt.host and mqtt.port"
SIGNED_BY: Final = (
    "set mqtt.ca_file to the certificate of the authority that signed it, and mqtt.host to its name"
)
READ: Final = "see `dicetable check-config`; the group dicetable-web must be allowed to read it"
LOG: Final = "see the broker's log"

log = logging.getLogger(__name__)
LIBRARY.setLevel(logging.CRITICAL)


class MqttPublisher:
    """Publishes states, events and the machine's temperature, °C; takes commands if the settings allow it."""

    def __init__(
        self,
        mqtt: Mqtt,
        version: str,
        temperature: Callable[[], float | None],
        commands: Commands | None = None,
    ) -> None:
        self.mqtt = mqtt
        self.commands = commands if mqtt.commands else None
        self.temperature = temperature
        self.device = json.dumps(discovery_message(mqtt, version), ensure_ascii=False)
        self.state: Snapshot | None = None
        self.events: deque[tuple[float, TableEvent]] = deque(maxlen=MOST_EVENTS)
        self.changed = asyncio.Event()
        self.connected = False
        self.connections = self.published = self.dropped = 0
        self.logged = ""
        self.published_texts: dict[str, str] = {}
        self.echoes: dict[str, deque[str]] = {}
        self.celsius: float | None = None
        self.measured_s = float("-inf")

    def update(self, state: Snapshot | None, events: list[TableEvent]) -> None:
        """Takes the newest state, None while the table is away, and its new events."""
        now_s = asyncio.get_running_loop().time()
        self.state = state
        self.dropped += max(0, len(self.events) + len(events) - MOST_EVENTS)
        self.events += [(now_s, event) for event in events]
        self.changed.set()

    async def run(self) -> None:
        retry_s = FIRST_RETRY_S
        while True:
            before = self.connections
            try:
                await self.connect()
            except (aiomqtt.MqttError, OSError, ValueError) as error:
                self.note(error)
            obey_cancellation()
            if self.connections > before:
                retry_s = FIRST_RETRY_S
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    async def connect(self) -> None:
        made = client(self.mqtt)
        try:
            async with made:
                await self.session(made)
        finally:
            self.connected = False
            made.abandon()

    async def session(self, made: MqttClient) -> None:
        """Listens and publishes until the connection ends."""
        obey_cancellation()
        self.echoes = {topic: deque(maxlen=MOST_ECHOES) for topic in self.own_topics()}
        await made.subscribe([(topic, 1) for topic in self.subscriptions()])
        listening = asyncio.create_task(self.listen(made))
        publishing = asyncio.create_task(self.publish(made))
        tasks = (listening, publishing)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except asyncio.CancelledError:
            publishing.cancel()
            with suppress(aiomqtt.MqttError, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self.retain(made, availability_topic(self.mqtt.topic), OFFLINE)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def listen(self, made: MqttClient) -> None:
        """Takes messages of the broker. Raises MqttError at the end of the connection.

        Retained ones are from before this connection, which publishes everything anew.
        """
        async for message in made.messages:
            if not message.retain:
                await self.take(message.topic.value, message.payload)

    def own_topics(self) -> tuple[str, ...]:
        """The topics of the retained messages, which nothing else may change."""
        topic = self.mqtt.topic
        return device_topic(self.mqtt.discovery, topic), state_topic(topic), availability_topic(topic)

    def subscriptions(self) -> list[str]:
        topic = self.mqtt.topic
        commands = [pause_topic(topic), message_topic(topic)] if self.commands is not None else []
        return [*self.own_topics(), birth_topic(self.mqtt.discovery), *commands]

    async def take(self, topic: str, payload: bytes) -> None:
        """Publishes again what was replaced, or all when Home Assistant starts; or carries out a command."""
        if topic in self.echoes:
            text, echoes = payload.decode(errors="replace"), self.echoes[topic]
            if text in echoes:
                while echoes.popleft() != text:
                    pass  # the broker dropped the ones before
            else:
                self.published_texts.pop(topic, None)
                self.changed.set()
        elif topic == birth_topic(self.mqtt.discovery):
            if payload.decode(errors="replace").strip() == ONLINE:
                self.published_texts.clear()
                self.changed.set()
        elif self.commands is not None:
            await self.commands.take(topic, self.mqtt.topic, payload)

    async def publish(self, made: MqttClient) -> None:
        """Publishes everything once, then what changes."""
        where = device_topic(self.mqtt.discovery, self.mqtt.topic)
        await self.retain(made, where, self.device)
        self.published_texts = {where: self.device}
        self.connected = True
        self.connections += 1
        self.note(None)
        while True:
            self.changed.clear()
            published = self.published_texts
            new = {where: text for where, text in self.retained().items() if published.get(where) != text}
            published |= new
            # All at once, in this order: none waits until the broker has confirmed the one before.
            await asyncio.gather(
                *(self.retain(made, where, text) for where, text in new.items()),
                *(self.publish_event(made, event) for event in self.fresh_events()),
            )
            await wait_at_most(self.changed, TEMPERATURE_S)

    def retained(self) -> dict[str, str]:
        """The retained messages as they should be now, by topic; the device first, the availability last."""
        topic, now_s = self.mqtt.topic, asyncio.get_running_loop().time()
        if now_s >= self.measured_s + TEMPERATURE_S:
            self.measured_s, self.celsius = now_s, self.temperature()
        device = {device_topic(self.mqtt.discovery, topic): self.device}
        if self.state is None:
            return {**device, availability_topic(topic): OFFLINE}
        return {
            **device,
            state_topic(topic): state_payload(self.state, self.mqtt.seats, self.celsius),
            availability_topic(topic): ONLINE,
        }

    def fresh_events(self) -> list[TableEvent]:
        """Takes the waiting events and drops those that are too old."""
        oldest_s = asyncio.get_running_loop().time() - STALE_S
        fresh = [event for came_s, event in self.events if came_s >= oldest_s]
        self.dropped += len(self.events) - len(fresh)
        self.events.clear()
        return fresh

    async def publish_event(self, made: MqttClient, event: TableEvent) -> None:
        body = {"event_type": event["event"], **{k: v for k, v in event.items() if k != "event"}}
        where = event_topic(self.mqtt.topic, event["event"])
        await made.publish(where, json.dumps(body, ensure_ascii=False), qos=1)
        self.published += 1

    async def retain(self, made: MqttClient, topic: str, text: str) -> None:
        if topic in self.echoes:
            self.echoes[topic].append(text)
        await made.publish(topic, text, qos=1, retain=True)
        self.published += 1

    def note(self, error: BaseException | None) -> None:
        """Logs once why nothing can be published, and once that it can again."""
        fault = broker_fault(error, self.mqtt) if error is not None else None
        cause_text = fault.what if fault else ""
        if cause_text == self.logged:
            return
        self.logged = cause_text
        if fault:
            log.warning("broker=lost what=%r remedy=%r", fault.what, fault.remedy)
        else:
            log.info("broker=connected host=%s port=%d", self.mqtt.host, self.mqtt.port)


class Commands:
    """Carries out commands of the broker: pause, resume, and a text for the screens, by `show`."""

    def __init__(self, link: TableLink, show: Callable[[str], None]) -> None:
        self.link = link
        self.show = show

    async def take(self, topic: str, own: str, payload: bytes) -> None:
        """Carries out one message; `own` is the prefix of this table's topics."""
        text = payload.decode(errors="replace").strip()
        if topic == message_topic(own):
            self.show("".join(c if c.isprintable() else " " for c in text)[:LONGEST_MESSAGE])
        elif topic == pause_topic(own) and text.upper() in COMMANDS:
            kind = COMMANDS[text.upper()]
            try:
                answer = await self.link.ask(kind, {})
            except BusyError:
                log.warning("command=%s why='the table does not answer'", kind)
            else:
                if not answer.accepted:
                    log.warning("command=%s why=%r", kind, answer.sentence)
        else:
            log.warning("command=refused topic=%r payload=%r", topic[:100], text[:40])


def obey_cancellation() -> None:
    """Raises CancelledError if the running task was told to end.

    `asyncio.wait_for`, which aiomqtt uses, loses that in Python 3.11 if what it waits for ends just then.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


class MqttClient(aiomqtt.Client):
    """An `aiomqtt.Client` that can be abandoned in any state."""

    abandoned = False

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        receive = self._client._sock_recv  # noqa: SLF001 - paho offers no bound

        def receive_bounded(bufsize: int) -> bytes:
            # paho reserves and collects whatever length the broker announces, up to 256 MB.
            if bufsize > MOST_MESSAGE_BYTES:
                raise ConnectionAbortedError(f"the broker announces a message of {bufsize} bytes")
            return receive(bufsize)

        self._client._sock_recv = receive_bounded  # type: ignore[method-assign]  # noqa: SLF001

    def abandon(self) -> None:
        """Closes the socket now, even if the broker has never answered."""
        self.abandoned = True
        with suppress(Exception):  # it may be gone already
            self._client.disconnect()
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # or else asyncio logs that it was never retrieved

    def _on_disconnect(self, *args: Any, **named: Any) -> None:
        """Ends the connection; aiomqtt would raise CancelledError for one that a timeout called off."""
        if not self._connected.cancelled():
            super()._on_disconnect(*args, **named)

    def _client_connect(self) -> None:
        """Connects in a thread, which goes on if the connection is abandoned meanwhile."""
        super()._client_connect()
        if self.abandoned:
            self._loop.call_soon_threadsafe(self.abandon)


def client(mqtt: Mqtt, *, probe: bool = False) -> MqttClient:
    """A connection that is not open yet. Raises OSError if a file that the settings name cannot be read.

    Its last will says that the table is offline. Each connection has the same name, so that a broker which
    still keeps an old one ends that first, and the old last will cannot follow the new availability. A
    `probe`, which only tries whether the broker can be reached, has another name and no last will.
    """
    will = aiomqtt.Will(availability_topic(mqtt.topic), OFFLINE, qos=1, retain=True)
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


@dataclass(frozen=True, slots=True)
class BrokerDegraded:
    """Why the broker cannot be used, and the remedy, for people."""

    what: str
    remedy: str


def broker_fault(error: BaseException, mqtt: Mqtt) -> BrokerDegraded:
    where = f"{mqtt.host} port {mqtt.port}"
    if isinstance(error, aiomqtt.MqttCodeError):
        return refused_by_broker(where, error)
    cause = error.__context__ if isinstance(error, aiomqtt.MqttError) else error
    match cause:
        case socket.gaierror():
            return BrokerDegraded(
                f"there is no machine {mqtt.host}", "correct mqtt.host, or set it to an address"
            )
        case ssl.SSLCertVerificationError():
            why = cause.verify_message or "it cannot be verified"
            return BrokerDegraded(f"the certificate of {where} is not valid: {why}", SIGNED_BY)
        case ssl.SSLError():
            problem = f"{where} does not speak TLS ({cause.reason or cause})"
            return BrokerDegraded(problem, "correct mqtt.port, or remove mqtt.tls")
        case ConnectionRefusedError():
            return BrokerDegraded(f"{where} refuses connections", f"start the broker, or {ADDRESS}")
        case TimeoutError() if isinstance(error, aiomqtt.MqttError) and "Operation" in str(error):
            problem = f"{where} accepts the connection but does not answer as a broker"
            return BrokerDegraded(problem, f"{ADDRESS}; a port for TLS needs mqtt.tls")
        case TimeoutError():
            return BrokerDegraded(f"{where} does not answer", f"{ADDRESS}, or check its firewall")
        case OSError() if cause.filename:
            return BrokerDegraded(f"{cause.filename}: {cause.strerror}", READ)
        case OSError():
            return BrokerDegraded(f"{where}: {cause.strerror or cause}", f"{ADDRESS}, or look at the network")
    return BrokerDegraded(f"the connection to {where} ended", LOG)


def refused_by_broker(where: str, error: aiomqtt.MqttCodeError) -> BrokerDegraded:
    if getattr(error.rc, "value", None) in NOT_ALLOWED:
        problem = f"the broker at {where} does not take this user and password"
        return BrokerDegraded(problem, "correct mqtt.username and the file mqtt.password_file")
    return BrokerDegraded(f"the broker at {where} ended the connection: {error}", LOG)
