"""What the MQTT broker gets, as Home Assistant (2024.11 or newer) discovers it: topics, state, entities.

One retained message names all entities. They share one state topic with a JSON object, and one availability.
"""

import json
from typing import Any, Final

from common import texts
from common.snapshot import Contents, Phase, ShownDie
from gateway.settings import Mqtt
from gateway.signals.events import EVENT_KINDS

LONGEST: Final = 255
"""Characters of a state that Home Assistant keeps."""
DEFAULT_TOPIC = "dicetable"
"""The topic of a home's only table."""


def availability_topic(topic: str) -> str:
    """`online` while gateway and table are there, else `offline`; retained."""
    return f"{topic}/availability"


def state_topic(topic: str) -> str:
    """The state of the table, JSON; retained."""
    return f"{topic}/state"


def event_topic(topic: str, kind: str) -> str:
    """Events of one kind, JSON; never retained."""
    return f"{topic}/event/{kind}"


def pause_topic(topic: str) -> str:
    """`ON` pauses the game, `OFF` resumes it."""
    return f"{topic}/pause/set"


def message_topic(topic: str) -> str:
    """A text for every screen."""
    return f"{topic}/message/set"


def device_topic(prefix: str, topic: str) -> str:
    """Where Home Assistant looks for the discovery message; retained."""
    return f"{prefix}/device/dicetable_{topic}/config"


def birth_topic(prefix: str) -> str:
    """Where Home Assistant says `online` when it starts, and `offline` when it ends."""
    return f"{prefix}/status"


def state_payload(state: Contents, seats: int, temperature_c: float | None) -> str:
    """Version 1 of the state topic; what is unknown or absent is null."""
    payload = {
        "v": 1,
        "phase": state["phase"],
        "paused": state["paused"],
        "game": state["game"],
        "title": state["title"] or None,
        "turn": state["asked"],
        "todo": short(state["todo"] or state["wrong"]),
        "last_throw": short(dice(state["throws"][0]["dice"])) if state["throws"] else None,
        "thrower": state["throws"][0]["seat"] or None if state["throws"] else None,
        "winners": short(", ".join(state["winners"])),
        "scores": by_seat({seat["place"]: seat["score"] for seat in state["seats"]}, seats),
        "names": by_seat({seat["place"]: seat["name"] for seat in state["seats"]}, seats),
        "troubles": state["troubles"],
        "trouble_text": short("; ".join(f"{t['part']}: {t['what']}" for t in state["troubles"])),
        "temperature": None if temperature_c is None else round(temperature_c, 1),
    }
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def by_seat(texts_by_place: dict[int, str], count: int) -> dict[str, str | None]:
    """What each seat of the panel has, by its number; an empty seat is null."""
    return {str(seat): short(texts_by_place.get(seat, "")) for seat in range(1, count + 1)}


def dice(thrown: list[ShownDie]) -> str:
    """The dice of a throw: `6 6 1`, or `d8:3 d20:17` where not all are d6."""
    named = any(die["kind"] != "d6" for die in thrown)
    return " ".join(f"{die['kind']}:{die['value']}" if named else str(die["value"]) for die in thrown)


def short(text: str) -> str | None:
    """The text, cut to what Home Assistant keeps; null if it is empty."""
    return (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…") or None


def discovery_message(mqtt: Mqtt, version: str) -> dict[str, Any]:
    own = f"dicetable_{mqtt.topic}"
    name = (
        texts.gateway.HOME_DEVICE
        if mqtt.topic == DEFAULT_TOPIC
        else f"{texts.gateway.HOME_DEVICE} {mqtt.topic}"
    )
    components = {
        **sensors(mqtt.seats),
        **{
            f"event_{kind}": {
                "platform": "event",
                "name": texts.gateway.HOME_EVENTS[kind],
                "event_types": [kind],
                "state_topic": event_topic(mqtt.topic, kind),
            }
            for kind in EVENT_KINDS
        },
        **(controls(mqtt.topic) if mqtt.commands else {}),
    }
    return {
        "device": {
            "identifiers": [own],
            "name": name,
            "manufacturer": "dicetable",
            "model": "dicetable",
            "sw_version": version,
        },
        "origin": {"name": "dicetable", "sw_version": version},
        "availability_topic": availability_topic(mqtt.topic),
        "state_topic": state_topic(mqtt.topic),
        "qos": 1,
        "components": {name: {**entity, "unique_id": f"{own}_{name}"} for name, entity in components.items()},
    }


def sensors(seats: int) -> dict[str, dict[str, Any]]:
    names = texts.gateway.HOME_ENTITIES
    flag = "{{{{ 'ON' if value_json.{} else 'OFF' }}}}"
    return {
        "phase": sensor(names["phase"], "phase", device_class="enum", options=list(Phase)),
        "game": sensor(names["game"], "title"),
        "turn": sensor(names["turn"], "turn"),
        "todo": sensor(names["todo"], "todo"),
        "last_throw": sensor(names["last_throw"], "last_throw"),
        "winners": sensor(names["winners"], "winners"),
        **{
            f"score_{seat}": sensor(texts.gateway.score_of_seat(seat), f"scores['{seat}']")
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


def controls(topic: str) -> dict[str, dict[str, Any]]:
    names = texts.gateway.HOME_ENTITIES
    return {
        "pause": {
            "platform": "switch",
            "name": names["pause"],
            "command_topic": pause_topic(topic),
            "value_template": "{{ 'ON' if value_json.paused else 'OFF' }}",
        },
        "message": {
            "platform": "notify",
            "name": names["message"],
            "command_topic": message_topic(topic),
        },
    }
