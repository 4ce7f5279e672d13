"""Keeps the broker up to date, for months if need be: connects, publishes all anew, then what changes.

It holds the newest state and a few events, whatever the broker does.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import aiomqtt

from dicetable.gateway.mqtt import topics
from dicetable.gateway.mqtt.client import OFFLINE, ONLINE, client
from dicetable.gateway.mqtt.discovery import discovery
from dicetable.gateway.mqtt.faults import fault
from dicetable.gateway.mqtt.state import payload

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.gateway.events import Event
    from dicetable.gateway.mqtt.client import MqttClient
    from dicetable.gateway.mqtt.commands import Commands
    from dicetable.gateway.settings import Mqtt

FIRST_RETRY_S: Final = 0.5
LAST_RETRY_S: Final = 30.0
MOST_EVENTS: Final = 64
STALE_S: Final = 10.0
"""An event that could not be published for so long is dropped: no lamp flashes for what is long past."""
TEMPERATURE_S: Final = 30.0
"""The temperature is looked at so often."""
FAREWELL_S: Final = 1.0

log = logging.getLogger(__name__)


class Publisher:
    """What the broker is to hold, and the connection that brings it there.

    Args:
        mqtt: the settings.
        version: of this program.
        temperature: of this machine, °C; None if it has no sensor.
        commands: takes what the broker asks for, if the settings allow it.
    """

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
        self.device = json.dumps(discovery(mqtt, version), ensure_ascii=False)
        self.state: dict[str, Any] | None = None
        self.events: deque[tuple[float, Event]] = deque(maxlen=MOST_EVENTS)
        self.changed = asyncio.Event()
        self.connected = False
        self.connections = self.published = self.dropped = 0
        self.told = ""
        self.celsius: float | None = None
        self.felt_s = float("-inf")

    def tell(self, state: dict[str, Any] | None, events: list[Event]) -> None:
        """The newest state, None while the table is away, and what has newly happened."""
        now_s = asyncio.get_running_loop().time()
        self.state = state
        self.dropped += max(0, len(self.events) + len(events) - MOST_EVENTS)
        self.events += [(now_s, event) for event in events]
        self.changed.set()

    async def run(self) -> None:
        """Connects, publishes, and again, until it is cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            before = self.connections
            try:
                await self.connect()
            except (aiomqtt.MqttError, OSError, ValueError) as error:
                self.note(error)
            if self.connections > before:
                retry_s = FIRST_RETRY_S
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    async def connect(self) -> None:
        """One connection, from its beginning to its end; raises what ended it."""
        made = client(self.mqtt)
        try:
            async with made:
                await self.session(made)
        finally:
            self.connected = False
            made.abandon()

    async def session(self, made: MqttClient) -> None:
        """Listens and publishes until the connection ends."""
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
                    await self.retain(made, topics.availability(self.mqtt.topic), OFFLINE)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def listen(self, made: MqttClient) -> None:
        """Takes commands, if any may come, until the end of the connection; MqttError then."""
        topic = self.mqtt.topic
        if self.commands is not None:
            await made.subscribe([(topics.pause(topic), 1), (topics.message(topic), 1)])
        async for message in made.messages:
            if self.commands is not None and not message.retain:
                await self.commands.take(message.topic.value, topic, message.payload)

    async def publish(self, made: MqttClient) -> None:
        """Everything once, then what changes."""
        topic = self.mqtt.topic
        await self.retain(made, topics.device(self.mqtt.discovery, topic), self.device)
        self.connected = True
        self.connections += 1
        self.note(None)
        held: dict[str, str] = {}
        while True:
            self.changed.clear()
            news = {where: what for where, what in self.retained().items() if held.get(where) != what}
            # All at once, in this order: none waits until the broker has confirmed the one before.
            await asyncio.gather(
                *(self.retain(made, where, what) for where, what in news.items()),
                *(self.happen(made, event) for event in self.fresh()),
            )
            held |= news
            with suppress(TimeoutError):
                async with asyncio.timeout(TEMPERATURE_S):
                    await self.changed.wait()

    def retained(self) -> dict[str, str]:
        """What the broker is to hold now, by topic; the availability last."""
        topic, now_s = self.mqtt.topic, asyncio.get_running_loop().time()
        if now_s >= self.felt_s + TEMPERATURE_S:
            self.felt_s, self.celsius = now_s, self.temperature()
        if self.state is None:
            return {topics.availability(topic): OFFLINE}
        return {
            topics.state(topic): payload(self.state, self.mqtt.seats, self.celsius),
            topics.availability(topic): ONLINE,
        }

    def fresh(self) -> list[Event]:
        """The events that wait, without those that are too old; none waits any more."""
        since_s = asyncio.get_running_loop().time() - STALE_S
        found = [event for came_s, event in self.events if came_s >= since_s]
        self.dropped += len(self.events) - len(found)
        self.events.clear()
        return found

    async def happen(self, made: MqttClient, event: Event) -> None:
        """Publishes an event."""
        told = {"event_type": event["event"], **{k: v for k, v in event.items() if k != "event"}}
        where = topics.event(self.mqtt.topic, event["event"])
        await made.publish(where, json.dumps(told, ensure_ascii=False), qos=1)
        self.published += 1

    async def retain(self, made: MqttClient, topic: str, text: str) -> None:
        """Publishes what is to last."""
        await made.publish(topic, text, qos=1, retain=True)
        self.published += 1

    def note(self, error: BaseException | None) -> None:
        """Says once in the log why nothing can be published, and once that it can again."""
        found = fault(error, self.mqtt) if error is not None else None
        what = found.what if found else ""
        if what == self.told:
            return
        self.told = what
        if found:
            log.warning("broker=lost what=%r remedy=%r", found.what, found.remedy)
        else:
            log.info("broker=connected host=%s port=%d", self.mqtt.host, self.mqtt.port)
