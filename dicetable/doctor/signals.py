"""Whether broker and webhooks of a config can be used. Nothing is published or sent."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.config.gateway import file_faults
from dicetable.doctor.check import Check
from dicetable.network import allowed_as
from dicetable.service.signals import signals_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.config.file import Config
    from dicetable.gateway.settings import Mqtt


def of_signals(config: Config) -> Iterator[Check]:
    """The files that the settings name, then the broker; nothing if nothing is configured."""
    faults = list(file_faults(config.mqtt, config.webhooks))
    for fault in faults:
        yield Check(fault.where, ok=False, state=fault.what, remedy=fault.right)
    signals = signals_of(config)
    if signals.mqtt is not None and not any(fault.where.startswith("mqtt.") for fault in faults):
        yield broker(signals.mqtt)
    if signals.webhooks is not None and not any(fault.where.startswith("webhooks.") for fault in faults):
        hosts = ", ".join(sorted({allowed_as(hook.url) for hook in signals.webhooks.to}))
        yield Check("webhooks", ok=True, state=texts.doctor.events_go_to(hosts))


def broker(mqtt: Mqtt) -> Check:
    """Whether the broker takes a connection with these settings; takes some seconds at most."""
    part = f"broker ({mqtt.host})"
    if find_spec("aiomqtt") is None:
        return Check(part, ok=False, state=texts.doctor.BROKER_UNASKED, remedy=texts.gateway.NOT_INSTALLED)
    return asyncio.run(reach(part, mqtt))


async def reach(part: str, mqtt: Mqtt) -> Check:
    """Connects once."""
    from aiomqtt import MqttError

    from dicetable.gateway import mqtt as client
    from dicetable.gateway.mqtt import broker_fault

    try:
        made = client(mqtt, probe=True)
        try:
            async with made:
                pass
        finally:
            with suppress(Exception):  # what it was is told already
                made.abandon()
    except (MqttError, OSError, ValueError) as error:
        found = broker_fault(error, mqtt)
        return Check(part, ok=False, state=found.what, remedy=found.remedy)
    say = texts.doctor.takes_encrypted_connections if mqtt.tls else texts.doctor.takes_connections
    return Check(part, ok=True, state=say(mqtt.port))
