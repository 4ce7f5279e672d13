"""Mistakes in a config file, in words: where, what, and a correct example."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from common.texts.plain import shortened

LONGEST_VALUE = 60
LONGEST_MISTAKE = 400
WORDS: Final = {
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
    "string_type": "must be a text in quotes",
    "string_pattern_mismatch": "must be written as in the example",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "list_type": "must be a list in [ ]",
    "tuple_type": "must be a list in [ ]",
    "dict_type": "must be a table in {{ }}",
    "is_instance_of": "must be a path in quotes",
    "path_type": "must be a path in quotes",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
}
"""What a person reads in place of pydantic's words, by the type of the error."""
ONE: Final = "must have at least 1 "
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
    """The file cannot be used; `mistakes` has all reasons, `lines` the first of them in words."""

    def __init__(self, path: Path, mistakes: list[Mistake]) -> None:
        lines = [str(mistake) for mistake in mistakes[:MOST_MISTAKES]]
        if len(mistakes) > MOST_MISTAKES:
            lines.append(f"and {len(mistakes) - MOST_MISTAKES} more")
        self.lines = [shortened(f"{path}: {line}", LONGEST_MISTAKE) for line in lines]
        super().__init__("\n".join(self.lines))
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
    kind = detail["type"]
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        context = detail.get("ctx", {})
        drivers = context.get("expected_tags") or ", ".join(f"'{name}'" for name in sections_in(field))
        fault = f"there is no driver {context['tag']!r}" if kind == "union_tag_invalid" else "has no driver"
        return Mistake(f"{path}.driver", fault, "driver = one of " + drivers.replace("'", '"'))
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(detail["loc"][-1]), section.model_fields, n=1)
        return Mistake(path, "there is no such setting", " or ".join(near or section.model_fields))
    if kind == "missing":
        return Mistake(path, "is missing", example(path, field))
    fault = worded(detail)
    extra = field.json_schema_extra if field is not None else None
    secret = isinstance(extra, dict) and bool(extra.get("secret"))
    if field is not None and not sections_in(field) and not secret:  # a section may have secrets in it
        fault = f"{fault}, and is {shown(detail['input'])}"
    return Mistake(path, fault, example(path, field))


def worded(detail: ErrorDetails) -> str:
    """Says in words for people what is wrong with a value."""
    if words := WORDS.get(detail["type"]):
        sentence = words.format(**detail.get("ctx", {}))
        if sentence.startswith(ONE):
            return sentence.replace("characters", "character").replace("entries", "entry")
        return sentence
    message = detail["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return f"{message[0].lower()}{message[1:]}"


def followed(
    loc: tuple[int | str, ...], model: type[BaseModel]
) -> tuple[str, FieldInfo | None, type[BaseModel]]:
    """The path as in the file, the field that it leads to if any, and the section of the last name."""
    names: list[str] = []
    section, field = model, None
    rest = list(loc)
    while rest:
        names.append(str(rest.pop(0)))
        field = section.model_fields.get(names[-1])
        inner = sections_in(field)
        if not inner:
            names += [str(part) for part in rest if field is not None and str(part).isdecimal()]
            break
        if rest and isinstance(rest[0], int):  # the index in an array of tables
            names.append(str(rest.pop(0)))
        # Within a section that has several drivers, pydantic names the driver next.
        driver = str(rest.pop(0)) if len(inner) > 1 and rest else ""
        if driver not in inner:
            break
        section = inner[driver]
    return ".".join(names), field, section


def sections_in(field: FieldInfo | None) -> dict[str, type[BaseModel]]:
    """The sections that a field may have, by driver; the driver is empty if there is only one."""
    kinds = () if field is None else (field.annotation, *get_args(field.annotation))
    sections = {}
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            driver = kind.model_fields.get("driver")
            sections[str(get_args(driver.annotation)[0]) if driver else ""] = kind
    return sections


def example(path: str, field: FieldInfo | None) -> str:
    name = next((part for part in reversed(path.split(".")) if not part.isdecimal()), path)
    if field is None:
        return name
    inner = sections_in(field)
    if drivers := sorted(filter(None, inner)):
        return f"[{name}] with driver = one of {', '.join(drivers)}"
    if inner and field.examples:
        return str(field.examples[0])
    literals = [value for value in get_args(field.annotation) if isinstance(value, str)]
    return example_of(name, (field.examples or literals or [field.default])[0])


def example_of(name: str, value: Any) -> str:
    """A setting as the file has it: `target = 5000`."""
    return f"{name} = {toml(value)}"


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    return f'"{value}"'


def shown(value: Any) -> str:
    """The given value as Python writes it, shortened if it is long."""
    try:
        text = repr(value)
    except ValueError:  # of a number with thousands of digits
        return "a number with too many digits"
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
