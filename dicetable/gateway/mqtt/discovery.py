"""The device discovery message of Home Assistant (2024.11 or newer) for one table.

One retained message names all entities. They share one state topic with a JSON object, and one availability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.gateway.events import KINDS
from dicetable.gateway.mqtt import topics

if TYPE_CHECKING:
    from dicetable.gateway.settings import Mqtt

USUAL = "dicetable"
"""The topic of a home's only table."""
PHASES = ("idle", "set_up", "play", "over", "off")


def discovery(mqtt: Mqtt, version: str) -> dict[str, Any]:
    """The whole message; `version` is this program's."""
    own = f"dicetable_{mqtt.topic}"
    name = texts.signals.DEVICE if mqtt.topic == USUAL else f"{texts.signals.DEVICE} {mqtt.topic}"
    found = {**sensors(mqtt.seats), **events(mqtt.topic), **(controls(mqtt.topic) if mqtt.commands else {})}
    return {
        "device": {
            "identifiers": [own],
            "name": name,
            "manufacturer": "dicetable",
            "model": "dicetable",
            "sw_version": version,
        },
        "origin": {"name": "dicetable", "sw_version": version},
        "availability_topic": topics.availability(mqtt.topic),
        "state_topic": topics.state(mqtt.topic),
        "qos": 1,
        "components": {name: {**entity, "unique_id": f"{own}_{name}"} for name, entity in found.items()},
    }


def sensors(seats: int) -> dict[str, dict[str, Any]]:
    """What can only be read."""
    names = texts.signals.ENTITIES
    flag = "{{{{ 'ON' if value_json.{} else 'OFF' }}}}"
    return {
        "phase": sensor(names["phase"], "phase", device_class="enum", options=list(PHASES)),
        "game": sensor(names["game"], "title"),
        "turn": sensor(names["turn"], "turn"),
        "todo": sensor(names["todo"], "todo"),
        "last_throw": sensor(names["last_throw"], "last_throw"),
        "winners": sensor(names["winners"], "winners"),
        **{
            f"score_{seat}": sensor(texts.signals.score(seat), f"scores['{seat}']")
            for seat in range(1, seats + 1)
        },
        "paused": {
            "platform": "binary_sensor",
            "name": names["paused"],
            "value_template": flag.format("paused"),
        },
        "trouble": {
            "platform": "binary_sensor",
            "name": names["trouble"],
            "device_class": "problem",
            "entity_category": "diagnostic",
            "value_template": flag.format("troubles"),
        },
        "trouble_text": sensor(names["trouble_text"], "trouble_text", entity_category="diagnostic"),
        "temperature": sensor(
            names["temperature"],
            "temperature",
            device_class="temperature",
            state_class="measurement",
            unit_of_measurement="°C",
            entity_category="diagnostic",
        ),
    }


def sensor(name: str, key: str, **more: Any) -> dict[str, Any]:
    """A sensor that shows one key of the state; null is unknown."""
    return {"platform": "sensor", "name": name, "value_template": f"{{{{ value_json.{key} }}}}", **more}


def events(topic: str) -> dict[str, dict[str, Any]]:
    """One event entity for each kind."""
    return {
        f"event_{kind}": {
            "platform": "event",
            "name": texts.signals.EVENTS[kind],
            "event_types": [kind],
            "state_topic": topics.event(topic, kind),
        }
        for kind in KINDS
    }


def controls(topic: str) -> dict[str, dict[str, Any]]:
    """What the broker may ask for, where the config allows it."""
    names = texts.signals.ENTITIES
    return {
        "pause": {
            "platform": "switch",
            "name": names["pause"],
            "command_topic": topics.pause(topic),
            "value_template": "{{ 'ON' if value_json.paused else 'OFF' }}",
        },
        "message": {
            "platform": "notify",
            "name": names["message"],
            "command_topic": topics.message(topic),
        },
    }
