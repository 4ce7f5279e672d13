"""Writes docs/config.md from the config's own models: `make config-reference`.

It prints the docstrings of the models: to change the page, change those.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from dicetable.config.file import Config
from dicetable.config.form import Schema, resolved, sections
from hardware.ports import CONTROLS, LAMPS

HEAD = """# The config file

*Written by `make config-reference` from the program itself; a test keeps it up to date.*

The table has one config file, `/etc/dicetable/table.toml`, in [TOML](https://toml.io). After a change, check
it and restart the service:

    sudo dicetable check-config /etc/dicetable/table.toml
    sudo systemctl restart dicetable

`check-config` lists all mistakes at once, each with its place and an example. Settings that aren't listed
below are rejected. Units are in the names: `_px` pixels, `_ms` milliseconds, `_s` seconds. Start from an
example: [two seats](../examples/two-seats.toml), [four seats](../examples/four-seats.toml),
[eight seats](../examples/eight-seats.toml) or [a laptop](../examples/laptop.toml) with everything simulated.
"""
TAIL = f"""## Controls and lamps

Each control and lamp has a name, and a number that says where it is wired: `"link:3"` is number 3 of the
panel's board, `"gpio:17"` is GPIO 17 of the Pi (the chip's number, not the pin's position on the header).

    controls.seat1.ok = "gpio:17"
    lamps.seat1 = "gpio:27"

- controls: {", ".join(CONTROLS)}
- lamps: {", ".join(LAMPS)}
"""
NUMBERS = {"integer": "whole number", "number": "number"}


def reference() -> str:
    schema = Config.model_json_schema()
    return "\n".join([HEAD, *lines(schema), TAIL])


def lines(schema: Schema) -> Iterator[str]:
    for name, table in schema["properties"].items():
        yield f"## [{name}]\n"
        needed = "required" if name in schema["required"] else "optional"
        yield f"{table['description']} This section is {needed}.\n"
        for driver, section in sections(table, schema):
            if driver:
                yield f"### driver = {value(driver)}\n"
            yield section["description"] + "\n"
            yield from settings(section, schema)
            for inner, many in repeated(section, schema):
                yield f"### [[{name}.{inner}]]\n\n{many['description']}\n"
                yield from settings(many, schema)


def repeated(section: Schema, schema: Schema) -> list[tuple[str, Schema]]:
    """The arrays of tables within a section, by name."""
    fields = section["properties"].items()
    return [
        (name, resolved(field["items"], schema)) for name, field in fields if "$ref" in field.get("items", ())
    ]


def settings(section: Schema, schema: Schema) -> Iterator[str]:
    """A Markdown table of the section's settings, without its driver."""
    required = section.get("required", [])
    fields = {name: field for name, field in section["properties"].items() if name != "driver"}
    rows = dict(sorted(fields.items(), key=lambda row: row[0] not in required))
    if not rows:
        return
    yield "| setting | value | default | meaning |\n| --- | --- | --- | --- |"
    for name, field in rows.items():
        wanted = allowed(resolved(field, schema))
        left_out = "required" if name in required else default(field)
        meaning = " ".join(field.get("description", "").split())
        yield f"| `{name}` | {wanted}{example(field)} | {left_out} | {meaning} |"
    yield ""


def allowed(field: Schema) -> str:
    if "anyOf" in field:
        return " or ".join(allowed(choice) for choice in field["anyOf"] if choice.get("type") != "null")
    if "enum" in field:
        return " or ".join(f"`{value(choice)}`" for choice in field["enum"])
    kind = field.get("type")
    if kind in NUMBERS:
        return NUMBERS[kind] + span(field, "minimum", "maximum")
    if kind == "array" and "$ref" in field["items"]:
        return f"tables{span(field, 'minItems', 'maxItems')}, see below"
    if kind == "array":
        return f"list{span(field, 'minItems', 'maxItems')}, each: {allowed(field['items'])}"
    if kind == "boolean":
        return "`true` or `false`"
    if kind == "object":
        pins = isinstance(field.get("additionalProperties"), dict)
        return "names, [see below](#controls-and-lamps)" if pins else "names and values"
    if field.get("format") == "path":
        return "path"
    return "text" + span(field, "minLength", "maxLength", " characters")


def example(field: Schema) -> str:
    given = field.get("examples", [])[:1] if "$ref" not in field.get("items", ()) else []
    return f"; such as `{value(given[0])}`" if given and given != [field.get("default")] else ""


def span(field: Schema, least: str, most: str, unit: str = "") -> str:
    low, high = field.get(least), field.get(most)
    if low is None and high is None:
        return ""
    if low == high:
        return f" of {low}{unit}"
    if high is None:
        return f", at least {low}{unit}"
    return f", {'at most' if low is None else f'{low} to'} {high}{unit}"


def default(field: Schema) -> str:
    given = field["default"]
    if given is None:
        return "nothing"
    if isinstance(given, dict) and given:
        return "the order of the project's own board"
    return "none" if given in ({}, []) else f"`{value(given)}`"


def value(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(reference())
