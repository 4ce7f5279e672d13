"""The section [table]: the seats, and the language."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from dicetable.config.section import ON_PAGE, Section
from dicetable.texts.plain import ascii_letters
from hardware.ports import COLUMNS, SEATS

LONGEST_NAME = COLUMNS // 2


def panel_name(name: str) -> str:
    """The same name, if the panel can show all of it without its accents."""
    on_panel = ascii_letters(name)
    if not on_panel or on_panel != " ".join(on_panel.split()):
        raise PydanticCustomError(
            "name", "must be a name without spaces around it, with one space between words"
        )
    if len(on_panel) > LONGEST_NAME:
        raise PydanticCustomError("name", f"must be at most {LONGEST_NAME} characters on the panel")
    if not (on_panel.isascii() and on_panel.isprintable()):
        raise PydanticCustomError("name", "must be Latin letters, digits and signs: a panel shows no others")
    return name


Name = Annotated[
    str,
    AfterValidator(panel_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}),
]


class TableSection(Section):
    """Who sits at the table, and what language it speaks."""

    seats: int = Field(default=4, ge=1, le=SEATS, examples=[4], json_schema_extra=ON_PAGE)
    """The number of seats; each has its controls on the panel."""
    names: list[Name] = Field(
        default=[], max_length=SEATS, examples=[["Ann", "Bob"]], json_schema_extra=ON_PAGE
    )
    """Names of the seats in order, at most ten characters each; a seat without one is called by its number.
    They must differ from seat to seat. Latin letters may have accents, which the panel leaves out."""
    language: Literal["en", "de", "es"] = Field(default="en", examples=["de"], json_schema_extra=ON_PAGE)
    """The language of panel, pages and commands: English, German or Spanish."""
