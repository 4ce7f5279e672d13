"""What the config says of broker, metrics, webhooks and league, for the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.gateway.settings import Metrics, Mqtt, Signals, Webhook, Webhooks

if TYPE_CHECKING:
    from dicetable.config.file import Config


def signals_of(config: Config) -> Signals:
    """All that is switched on."""
    mqtt, hooks = config.mqtt, config.webhooks
    return Signals(
        mqtt=Mqtt(
            **mqtt.model_dump(mode="json", exclude={"port"}), port=mqtt.port_used, seats=config.table.seats
        )
        if mqtt
        else None,
        metrics=Metrics(tuple(config.metrics.allow)) if config.metrics else None,
        webhooks=Webhooks(
            tuple(hooks.allow),
            str(hooks.secret_file),
            tuple(Webhook(hook.url, tuple(hook.events), hook.body) for hook in hooks.to),
        )
        if hooks
        else None,
        league=config.league.server if config.league else "",
    )
