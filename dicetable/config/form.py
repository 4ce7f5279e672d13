"""The config as a form: every section and setting, with its allowed values, help text and value.

The form is built from the models, so a new setting appears on the page automatically. The models also say
which settings the page may change, and which of them are secret; a new one is shown, and closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dicetable.config.file import Config
from dicetable.config.reference import resolved, sections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dicetable.config.reference import Schema

HIDDEN: Final = "(set)"
UNITS: Final = {
    "_px": "px",
    "_ms": "ms",
    "_s": "s",
    "_k": "K",
    "_hz": "Hz",
    "_deg": "°",
    "_mm": "mm",
    "_mb": "MB",
    "_days": "days",
    "_dioptres": "dpt",
    "_per_s": "1/s",
}


def form_of(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sections in the order of the models; `settings` are as parsed from TOML."""
    schema = Config.model_json_schema()
    return [
        {
            "name": name,
            "help": table.get("description", ""),
            "there": name in settings,
            "fields": fields(name, table, schema, settings),
        }
        for name, table in schema["properties"].items()
    ]


def fields(name: str, table: Schema, schema: Schema, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The settings of one section, for the configured driver."""
    given = settings.get(name)
    given = given if isinstance(given, dict) else {}
    of_drivers = dict(sections(table, schema))
    section = of_drivers.get(given.get("driver", "") if "" not in of_drivers else "", {})
    found = []
    for key, each in section.get("properties", {}).items():
        field = resolved(each, schema)
        told = kind_of(key, field)
        found.append(
            {
                "key": f"{name}.{key}",
                "name": key,
                "help": " ".join(each.get("description", "").split()),
                "unit": unit_of(key),
                "value": visible(given.get(key), each, schema),
                "default": each.get("default"),
                "required": key in section.get("required", ()),
                "example": next(iter(each.get("examples", ())), None),
                "read_only": not each.get("on_page"),
                "chosen": bool(each.get("chosen")),
                **told,
            }
        )
    return found


def unit_of(key: str) -> str:
    """The unit in a setting's name; empty if there is none."""
    endings = sorted((ending for ending in UNITS if key.endswith(ending)), key=len)
    return UNITS[endings[-1]] if endings else ""


def kind_of(key: str, field: Schema) -> dict[str, Any]:
    """The type of a setting for the page, with its limits or choices."""
    choices = [choice for choice in field.get("anyOf", ()) if choice.get("type") != "null"]
    optional = len(choices) < len(field.get("anyOf", ()))
    if any(choice.get("format") == "path" for choice in choices):
        return {"type": "path", "optional": optional}
    if len(choices) == 1:
        return {**kind_of(key, choices[0]), "optional": optional}
    told: dict[str, Any] = {"optional": optional}
    if "enum" in field or "const" in field:
        return {**told, "type": "choice", "choices": field.get("enum") or [field["const"]]}
    kind = field.get("type", "string")
    if kind in ("integer", "number"):
        limits = {"least": field.get("minimum"), "most": field.get("maximum")}
        return {**told, "type": kind, **limits}
    if kind == "array":
        return {**told, "type": "list", "items": kind_of(key, field["items"]), "most": field.get("maxItems")}
    if kind == "object":
        return {**told, "type": "map"}
    if kind == "boolean":
        return {**told, "type": "boolean"}
    return {
        **told,
        "type": "path" if field.get("format") == "path" else "text",
        "most": field.get("maxLength"),
    }


def read_only_keys(settings: Mapping[str, Any]) -> set[str]:
    """The settings that the page may not change, as `table.name`."""
    return {field["key"] for table in form_of(settings) for field in table["fields"] if field["read_only"]}


def known_keys(settings: Mapping[str, Any]) -> set[str]:
    """All settings that there are, as `table.name`."""
    return {field["key"] for table in form_of(settings) for field in table["fields"]}


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with HIDDEN in the place of each secret, and of whatever no model knows."""
    schema = Config.model_json_schema()
    return {name: visible(given, schema["properties"].get(name), schema) for name, given in settings.items()}


def visible(given: Any, field: Schema | None, schema: Schema) -> Any:
    """A value without the secrets in it; `field` is its part of the schema, None if there is none."""
    if given is None:
        return None
    if field is None or field.get("secret"):
        return HIDDEN
    inner = resolved(field, schema)
    if "discriminator" in field:
        driver = given.get("driver") if isinstance(given, dict) else None
        inner = dict(sections(field, schema)).get(str(driver), {"properties": {}})
    if isinstance(given, dict) and "properties" in inner:
        return {key: visible(value, inner["properties"].get(key), schema) for key, value in given.items()}
    if isinstance(given, list) and "$ref" in inner.get("items", {}):
        return [visible(each, inner["items"], schema) for each in given]
    return HIDDEN if "properties" in inner or "$ref" in inner.get("items", {}) else given
