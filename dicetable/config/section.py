"""The base class of all sections of the config file, and the types that several of them use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema

ON_PAGE: Final[dict[str, JsonValue]] = {"on_page": True}
"""Marks a setting that the operator page may change. All others are for the machine itself, so that nobody at
the page opens a way in or sends a secret to another place."""
CHOSEN: Final[dict[str, JsonValue]] = {"chosen": True}
"""Marks a setting that the operator page writes only by choosing one of the devices that are attached."""
SECRET: Final[dict[str, JsonValue]] = {"secret": True}
"""Marks a setting whose value no page, log or bundle shows."""


class Section(BaseModel):
    """A section of the config file: frozen, no unknown keys, no silent conversions.

    The docstring below a field is its description in docs/config.md; `examples` are shown beside a mistake.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


def path_of(value: Any) -> Any:
    """The text as a path, with `~` expanded."""
    return Path(value).expanduser() if isinstance(value, str) and value else value


FilePath = Annotated[Path, BeforeValidator(path_of), WithJsonSchema({"type": "string", "format": "path"})]

WidthPx = Annotated[int, Field(ge=320, le=4096, examples=[1280], json_schema_extra=ON_PAGE)]
HeightPx = Annotated[int, Field(ge=240, le=4096, examples=[720], json_schema_extra=ON_PAGE)]
FramesPerS = Annotated[int, Field(ge=5, le=120, examples=[30], json_schema_extra=ON_PAGE)]
ExposureMs = Annotated[float, Field(ge=0.1, le=200, examples=[8.0], json_schema_extra=ON_PAGE)]
