"""What the config says of broker, metrics, webhooks and league, as the gateway is told it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.gateway.signal_settings import Metrics, Mqtt, Signals, Webhook, Webhooks

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.config.file import Config
    from dicetable.config.gateway import MqttSection, WebhooksSection


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
