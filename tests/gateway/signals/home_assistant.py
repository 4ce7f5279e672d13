"""A validator of Home Assistant's device discovery messages, written from its documentation.

Version: Home Assistant 2024.11, the first with device discovery, to 2025.12 (`integrations/mqtt`, section
"Device discovery payload", and the pages of the platforms `sensor.mqtt`, `binary_sensor.mqtt`, `event.mqtt`,
`switch.mqtt` and `notify.mqtt`). It is stricter than Home Assistant itself, which drops what it does not
know: here an unknown key is a mistake. Keys are given in full, not abbreviated.
"""

from __future__ import annotations

import re
from typing import Any

import jinja2

VERSIONS = ("2024.11", "2025.12")

TOPIC = re.compile(r"^[^\s#+\x00/]+(/[^\s#+\x00/]+)*$")
CONFIG_TOPIC = re.compile(r"^[a-zA-Z0-9_/-]+/device/[a-zA-Z0-9_-]+/config$")
AVAILABILITY = {"availability_topic", "payload_available", "payload_not_available", "availability_template"}
TOP = {"device", "origin", "components", "state_topic", "command_topic", "qos", "encoding", *AVAILABILITY}
DEVICE = {
    "identifiers", "connections", "configuration_url", "hw_version", "manufacturer", "model", "model_id",
    "name", "serial_number", "suggested_area", "sw_version", "via_device",
}  # fmt: skip
ORIGIN = {"name", "sw_version", "support_url"}
COMMON = {
    "platform", "unique_id", "name", "device_class", "entity_category", "enabled_by_default", "icon",
    "json_attributes_topic", "json_attributes_template", "qos", "encoding", *AVAILABILITY,
}  # fmt: skip
PLATFORMS: dict[str, tuple[set[str], set[str]]] = {
    "sensor": (
        {"state_topic"},
        {
            "value_template", "unit_of_measurement", "state_class", "options", "expire_after", "force_update",
            "suggested_display_precision", "last_reset_value_template",
        },
    ),
    "binary_sensor": (
        {"state_topic"},
        {"value_template", "payload_on", "payload_off", "expire_after", "force_update", "off_delay"},
    ),
    "event": ({"state_topic", "event_types"}, {"value_template"}),
    "switch": (
        {"command_topic"},
        {
            "state_topic", "value_template", "payload_on", "payload_off", "state_on", "state_off",
            "optimistic", "retain", "command_template",
        },
    ),
    "notify": ({"command_topic"}, {"command_template", "retain"}),
}  # fmt: skip
"""The keys that each platform requires and those it also knows."""
SHARED = {"state_topic", "command_topic", *AVAILABILITY}
"""What the device may say once for all its components."""
DEVICE_CLASSES = {
    "sensor": {"enum", "temperature", "duration", "timestamp"},
    "binary_sensor": {"problem", "connectivity", "running"},
    "event": {"button", "doorbell", "motion"},
    "switch": {"switch", "outlet"},
    "notify": set[str](),
}
"""Those that a dice table could have."""
CATEGORIES = {"diagnostic", "config"}
MOST_CHARACTERS = 255
"""Of the state of an entity."""


def mistakes(topic: str, message: Any) -> list[str]:
    """What Home Assistant would refuse or miss; empty if nothing."""
    found = [] if CONFIG_TOPIC.match(topic) else [f"{topic}: not <prefix>/device/<id>/config"]
    found += [f"unknown key {key}" for key in message.keys() - TOP]
    found += [f"{key} is missing" for key in ("device", "origin", "components") if key not in message]
    if found:
        return found
    device, origin = message["device"], message["origin"]
    found += [f"device: unknown key {key}" for key in device.keys() - DEVICE]
    found += [f"origin: unknown key {key}" for key in origin.keys() - ORIGIN]
    if not (device.get("identifiers") or device.get("connections")):
        found.append("device: nothing identifies it")
    if not origin.get("name"):
        found.append("origin: has no name")
    if message.get("qos", 0) not in (0, 1, 2):
        found.append("qos is none")
    components = message["components"]
    ids = [component.get("unique_id") for component in components.values()]
    if None in ids or len(set(ids)) != len(ids):
        found.append("not every component has a unique_id of its own")
    for name, component in components.items():
        shared = {key: message[key] for key in SHARED & message.keys()}
        found += [f"{name}: {what}" for what in component_mistakes({**shared, **component})]
    return found


def component_mistakes(component: dict[str, Any]) -> list[str]:
    """The same for one component, with what the device says for all."""
    platform = component.get("platform")
    if platform not in PLATFORMS:
        return [f"there is no platform {platform}"]
    required, known = PLATFORMS[platform]
    found = [f"{key} is missing" for key in required - component.keys()]
    found += [f"unknown key {key}" for key in component.keys() - required - known - COMMON - SHARED]
    found += [
        f"{key}: {component[key]!r} is no topic"
        for key in component
        if key.endswith("_topic") and not TOPIC.match(component[key])
    ]
    device_class = component.get("device_class")
    if device_class is not None and device_class not in DEVICE_CLASSES[platform]:
        found.append(f"device_class {device_class} is none of a {platform}")
    if component.get("entity_category", "diagnostic") not in CATEGORIES:
        found.append("entity_category is none")
    if platform in ("sensor", "binary_sensor") and component.get("entity_category") == "config":
        found.append("what can only be read cannot be config")
    if "options" in component and (device_class != "enum" or "state_class" in component):
        found.append("options are for the device class enum alone")
    if (device_class == "temperature") != (component.get("unit_of_measurement") in ("°C", "°F", "K")):
        found.append("a temperature has a unit of temperature, and nothing else has")
    if platform == "event" and not component.get("event_types"):
        found.append("an event entity has types")
    return found


def states(message: dict[str, Any], payload: str) -> dict[str, str | None]:
    """What each entity with a value template shows after this payload of the state topic; None is unknown."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.globals["value_json"] = __import__("json").loads(payload)
    found: dict[str, str | None] = {}
    for name, component in message["components"].items():
        if "value_template" in component:
            shown = environment.from_string(component["value_template"]).render()
            assert len(shown) <= MOST_CHARACTERS
            found[name] = None if shown == "None" else shown
    return found
