"""Mistakes in a config file, in words: where, what, and a correct example."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from dicetable.texts.plain import shortened

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

LONGEST_VALUE = 60
LONGEST_MISTAKE = 400
MOST_MISTAKES = 20
"""The number of mistakes that are listed; the rest are only counted."""


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One mistake; `where` is empty if it concerns the file as a whole."""

    where: str
    what: str
    right: str

    def __str__(self) -> str:
        if not self.where:
            return f"{self.what}: {self.right}"
        return f"{self.where}: {self.what} (for example: {self.right})"


class ConfigError(Exception):
    """The file cannot be used; `mistakes` has every reason, `lines` the first of them in words."""

    def __init__(self, path: Path, mistakes: list[Mistake]) -> None:
        told = [shortened(f"{path}: {mistake}", LONGEST_MISTAKE) for mistake in mistakes[:MOST_MISTAKES]]
        if len(mistakes) > MOST_MISTAKES:
            told.append(shortened(f"{path}: and {len(mistakes) - MOST_MISTAKES} more", LONGEST_MISTAKE))
        super().__init__("\n".join(told))
        self.lines = told
        self.path = path
        self.mistakes = mistakes


def mistakes_of(error: ValidationError, model: type[BaseModel]) -> list[Mistake]:
    """Pydantic's errors in the words of this module; pin maps have their own."""
    details = [detail for detail in error.errors(include_url=False) if detail["type"] != "impossible_map"]
    details.sort(key=lambda detail: ".".join(map(str, detail["loc"])))
    worded = [mistake(detail, model) for detail in details[:MOST_MISTAKES]]
    return worded + [Mistake(".".join(map(str, d["loc"])), "is wrong", "") for d in details[MOST_MISTAKES:]]


def mistake(detail: ErrorDetails, model: type[BaseModel]) -> Mistake:
    """One of pydantic's errors, in words."""
    path, field, section = followed(detail["loc"], model)
    kind, given = detail["type"], shown(detail["input"])
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        drivers = detail.get("ctx", {}).get("expected_tags", "") or ", ".join(tags(field))
        name = (
            f"there is no driver {detail['ctx']['tag']!r}" if kind == "union_tag_invalid" else "has no driver"
        )
        return Mistake(f"{path}.driver", name, "driver = one of " + drivers.replace("'", '"'))
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(detail["loc"][-1]), section.model_fields, n=1)
        known = near or list(section.model_fields)
        return Mistake(path, "there is no such setting", " or ".join(known))
    if kind == "missing":
        return Mistake(path, "is missing", example(path, field))
    what = detail["msg"].replace("Input should be", "must be")
    told = f"{what[0].lower()}{what[1:]}"
    return Mistake(path, told if hides(field) else f"{told}, and is {given}", example(path, field))


def hides(field: FieldInfo | None) -> bool:
    """Whether the value of a field is a secret, or a section in which one may be."""
    extra = field.json_schema_extra if field is not None else None
    return field is None or bool(choices(field)) or (isinstance(extra, dict) and bool(extra.get("secret")))


def followed(
    loc: tuple[int | str, ...], model: type[BaseModel]
) -> tuple[str, FieldInfo | None, type[BaseModel]]:
    """The path as in the file, the field that it leads to if any, and the section of the last name."""
    names: list[str] = []
    section, field = model, None
    rest = list(loc)
    while rest:
        step = rest.pop(0)
        field = section.model_fields.get(str(step))
        names.append(str(step))
        if field is None:
            break
        if inner := choices(field):
            if rest and isinstance(rest[0], int):  # the index in an array of tables
                names.append(str(rest.pop(0)))
            # Within a table that has several drivers, pydantic names the driver's tag next.
            tag = rest.pop(0) if len(inner) > 1 and rest else None
            chosen = (
                inner.get(str(tag))
                if tag is not None
                else next(iter(inner.values()))
                if len(inner) == 1
                else None
            )
            if chosen is None:
                break
            section = chosen
        elif rest:
            names += [str(part) for part in rest if str(part).isdecimal()]
            break
    return ".".join(names), field, section


def choices(field: FieldInfo) -> dict[str, type[BaseModel]]:
    """The sections that a field may hold, by driver."""
    models = [
        kind
        for kind in (field.annotation, *get_args(field.annotation))
        if isinstance(kind, type) and issubclass(kind, BaseModel)
    ]
    return {driver_of(kind): kind for kind in models}


def driver_of(model: type[BaseModel]) -> str:
    """The name of the driver that a section is for; empty if it has none."""
    field = model.model_fields.get("driver")
    return str(get_args(field.annotation)[0]) if field else ""


def tags(field: FieldInfo | None) -> list[str]:
    """The drivers that a section may name, quoted."""
    return [f"'{name}'" for name in choices(field)] if field else []


def example(path: str, field: FieldInfo | None) -> str:
    """How the setting is written."""
    name = next((part for part in reversed(path.split(".")) if not part.isdecimal()), path)
    if field is None:
        return name
    if drivers := sorted(filter(None, choices(field))):
        return f"[{name}] with driver = one of {', '.join(drivers)}"
    if choices(field) and field.examples:
        return str(field.examples[0])
    value = (field.examples or literal_values(field) or [field.default])[0]
    return f"{name} = {toml(value)}"


def literal_values(field: FieldInfo) -> list[Any]:
    """The values of a field with a fixed set of them."""
    return [value for value in get_args(field.annotation) if isinstance(value, str)]


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    return f'"{value}"'


def safe_repr(value: Any) -> str:
    """Python's representation of the value, or a description of a number with thousands of digits."""
    try:
        return repr(value)
    except ValueError:
        return "a number of too many digits"


def shown(value: Any) -> str:
    """The given value, shortened if it is long."""
    text = safe_repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
