"""`python -m dicetable.config.form show|plain|check|save FILE`: the config as the operator page's form.

It is a program of its own so that the gateway need not load what it needs, and so that root's helper runs the
same code. `show` prints the form, `plain` the file without secrets. `check` and `save` read one JSON object
`{"changes": {…}, "version": …, "chosen": {…}}` from standard input; `chosen` names a device for each part
that gets another one. The answer is one JSON object on standard output.

The form is built from the models, so a new setting appears on the page automatically. The models also say
which settings the page may change, and which are secret; a new one is shown, and closed. Callers name
settings and values, never the text of a file, whose comments and order are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from common import files, strict_json, texts
from common.files import first_bytes
from dicetable.config import devices
from dicetable.config.file import MOST_BYTES, Config, config_of, parsed, read
from dicetable.config.mistakes import ConfigError, Mistake, toml

Schema: TypeAlias = "Mapping[str, Any]"
HIDDEN: Final = "(set)"
LONGEST_REQUEST: Final = 64 * 1024
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
MOST_CHANGES: Final = 100
BACKUP: Final = ".bak"
UNITS: Final = {
    "_per_s": "1/s",
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
}
"""The units that settings name at their end; the first that fits counts."""


def sections(table: Schema, schema: Schema) -> list[tuple[str, Schema]]:
    """The models of a section by driver; the driver is empty if there is only one model."""
    if "discriminator" in table:
        drivers = table["discriminator"]["mapping"]
        return [(driver, resolved({"$ref": ref}, schema)) for driver, ref in drivers.items()]
    return [("", resolved(table, schema))]


def resolved(part: Schema, schema: Schema) -> Schema:
    """What a part of the schema refers to, or the part itself; for an optional section, the section."""
    for choice in part.get("anyOf", ()):
        if "$ref" in choice:
            return resolved(choice, schema)
    if "$ref" not in part:
        return part
    definition: Schema = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return definition


def form_of(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All sections with their fields, in the order of the models; `settings` are as parsed from TOML."""
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
    values = settings.get(name)
    values = values if isinstance(values, dict) else {}
    of_drivers = dict(sections(table, schema))
    section = of_drivers.get(values.get("driver", "") if "" not in of_drivers else "", {})
    rows = []
    for key, part in section.get("properties", {}).items():
        field = resolved(part, schema)
        rows.append(
            {
                "key": f"{name}.{key}",
                "name": key,
                "help": " ".join(part.get("description", "").split()),
                "unit": next((unit for ending, unit in UNITS.items() if key.endswith(ending)), ""),
                "value": visible(values.get(key), part, schema),
                "default": part.get("default"),
                "required": key in section.get("required", ()),
                "example": next(iter(part.get("examples", ())), None),
                "read_only": not part.get("on_page"),
                "chosen": bool(part.get("chosen")),
                **kind_of(key, field),
            }
        )
    return rows


def kind_of(key: str, field: Schema) -> dict[str, Any]:
    """The type of a setting for the page, with its limits or choices."""
    choices = [choice for choice in field.get("anyOf", ()) if choice.get("type") != "null"]
    optional = len(choices) < len(field.get("anyOf", ()))
    if any(choice.get("format") == "path" for choice in choices):
        return {"type": "path", "optional": optional}
    if len(choices) == 1:
        return {**kind_of(key, choices[0]), "optional": optional}
    kind: dict[str, Any]
    if "enum" in field or "const" in field:
        kind = {"type": "choice", "choices": field.get("enum") or [field["const"]]}
    elif field.get("type") in ("integer", "number"):
        kind = {"type": field["type"], "least": field.get("minimum"), "most": field.get("maximum")}
    elif field.get("type") == "array" and "$ref" in field["items"]:
        kind = {"type": "tables", "most": field.get("maxItems")}
    elif field.get("type") == "array":
        kind = {"type": "list", "items": kind_of(key, field["items"]), "most": field.get("maxItems")}
    elif field.get("type") == "object":
        kind = {"type": "map"}
    elif field.get("type") == "boolean":
        kind = {"type": "boolean"}
    else:
        path = field.get("format") == "path"
        kind = {"type": "path" if path else "text", "most": field.get("maxLength")}
    return {"optional": optional, **kind}


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with HIDDEN in the place of each secret, and of whatever no model knows."""
    schema = Config.model_json_schema()
    return {name: visible(value, schema["properties"].get(name), schema) for name, value in settings.items()}


def visible(setting: Any, field: Schema | None, schema: Schema) -> Any:
    """A value without the secrets in it; `field` is its part of the schema, None if there is none."""
    if setting is None:
        return None
    if field is None or field.get("secret"):
        return HIDDEN
    inner = resolved(field, schema)
    if "discriminator" in field:
        driver = setting.get("driver") if isinstance(setting, dict) else None
        inner = dict(sections(field, schema)).get(str(driver), {"properties": {}})
    if isinstance(setting, dict) and "properties" in inner:
        return {key: visible(value, inner["properties"].get(key), schema) for key, value in setting.items()}
    if isinstance(setting, list) and "$ref" in inner.get("items", {}):
        return [visible(item, inner["items"], schema) for item in setting]
    return HIDDEN if "properties" in inner or "$ref" in inner.get("items", {}) else setting


@dataclass(frozen=True, slots=True)
class Changed:
    """A config file after a change.

    Attributes:
        before, after: the whole text of the file.
        diff: each setting that differs, before with a minus and after with a plus. It has nothing else of the
            file, in whose lines and comments secrets may stand.
        mistakes: why the new text cannot be used; empty if it can.
    """

    before: str
    after: str
    diff: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()


def differences(before: Mapping[str, Any], changes: Mapping[str, Any]) -> Iterator[str]:
    """The settings that differ, by section."""
    heading = ""
    for key, value in sorted(changes.items()):
        section, _, name = key.partition(".")
        old = before.get(section, {}).get(name)
        if old == value:
            continue
        if section != heading:
            heading = section
            yield f"[{section}]"
        if old is not None:
            yield f"-{name} = {toml(old)}"
        if value is not None:
            yield f"+{name} = {toml(value)}"


def version_of(path: Path) -> str:
    return hashlib.sha256(first_bytes(path, MOST_BYTES + 1)).hexdigest()


def changed(
    path: Path, changes: Mapping[str, Any], version: str, chosen: Mapping[str, str] = NOTHING
) -> Changed:
    """The file with these settings changed: maps `section.name` to a value, or to None to remove the setting.

    `chosen` names a device for each part that gets another one. Raises ConfigError if the file cannot be read
    or has changed meanwhile, or a setting may not be changed here.
    """
    import tomlkit  # only for this: the table's process loads this module too
    from tomlkit.exceptions import TOMLKitError

    settings = read(path)
    before = first_bytes(path, MOST_BYTES + 1).decode("utf-8")
    if hashlib.sha256(before.encode()).hexdigest() != version:
        raise ConfigError(path, [Mistake("", *texts.operator.FILE_CHANGED)])
    if len(changes) > MOST_CHANGES:
        raise ConfigError(path, [Mistake("", *texts.operator.TOO_MANY_CHANGES)])
    read_only = {field["key"]: field["read_only"] for table in form_of(settings) for field in table["fields"]}
    wrong = [Mistake("", *texts.operator.no_such_setting(key)) for key in changes if key not in read_only]
    wrong += [Mistake("", *texts.operator.read_only_setting(key)) for key in changes if read_only.get(key)]
    choices = {part: devices.chosen(settings, part, name) for part, name in chosen.items()}
    wrong += [
        Mistake("", *texts.operator.not_attached(chosen[part]))
        for part, choice in choices.items()
        if not choice
    ]
    if wrong:
        raise ConfigError(path, wrong)
    for choice in choices.values():
        changes = {**changes, **(choice.changes(settings) if choice else {})}
    try:
        document = tomlkit.parse(before)
        for key, value in changes.items():
            table, _, name = key.partition(".")
            if value is not None:
                document.setdefault(table, tomlkit.table())[name] = value
            elif name in document.get(table, ()):
                del document[table][name]
        after = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, TypeError) as error:
        raise ConfigError(path, [Mistake("", f"{error}", texts.operator.MEND_BY_HAND)]) from None
    try:
        # As a whole: two settings may each be right and yet contradict each other.
        _, mistakes = config_of(parsed(path, after.encode()))
    except ConfigError as error:
        mistakes = error.mistakes
    return Changed(before, after, tuple(differences(settings, changes)), tuple(mistakes))


def save(
    path: Path, changes: Mapping[str, Any], version: str, chosen: Mapping[str, str] = NOTHING
) -> Changed:
    """Writes the changed file if it has no mistakes; keeps the previous file beside it.

    Raises ConfigError as `changed` does, and OSError, with the old file unchanged.
    """
    with taking_turns(path.parent):
        change = changed(path, changes, version, chosen)
        if not change.mistakes and change.after != change.before:
            about = path.stat()
            files.atomic_write(path.with_name(path.name + BACKUP), change.before.encode(), about)
            files.atomic_write(path, change.after.encode(), about)
    return change


@contextmanager
def taking_turns(folder: Path) -> Iterator[None]:
    """Lets one program at a time save: two that read the same version would undo one another's changes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        files.lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def main(action: str, path: Path) -> dict[str, Any]:
    """The answer; if it fails, `mistakes` or `error` say why."""
    try:
        if action == "show":
            return {"file": str(path), "version": version_of(path), "tables": form_of(read(path))}
        if action == "plain":
            return dict(without_secrets(read(path)))
        changes, version, chosen = request(sys.stdin.buffer.readline(LONGEST_REQUEST + 1))
        change = (save if action == "save" else changed)(path, changes, version, chosen)
        mistakes = [words(mistake) for mistake in change.mistakes]
        return {"saved": action == "save" and not mistakes, "mistakes": mistakes, "diff": change.diff}
    except ConfigError as error:
        return {"saved": False, "mistakes": [words(mistake) for mistake in error.mistakes]}
    except OSError as error:
        return {"saved": False, "error": texts.operator.not_saved(texts.health.not_written(error, path))}
    except ValueError:
        return {"saved": False, "error": texts.operator.MALFORMED}


def request(line: bytes) -> tuple[dict[str, Any], str, dict[str, str]]:
    """The changes, the version of the file that they apply to, and the devices that were chosen.

    Raises ValueError if the request is invalid.
    """
    if len(line) > LONGEST_REQUEST:
        raise ValueError("too long")
    match strict_json.parse_json(line):
        case {"changes": dict(changes), "version": str(version), **rest}:
            chosen = rest.get("chosen", {})
            if isinstance(chosen, dict) and all(isinstance(name, str) for name in chosen.values()):
                return changes, version, chosen
    raise ValueError("no changes")


def words(mistake: Mistake) -> dict[str, str]:
    return {"where": mistake.where, "text": str(mistake)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], Path(sys.argv[2])), default=str) + "\n")
