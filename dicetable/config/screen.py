"""The section [screen]: the bar's own name, logo and colour, and how long a moment lasts."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import ON_PAGE, FilePath, Section

GROUND = (0x10, 0x14, 0x1B)
"""The colour of the pages behind everything."""
LEAST_CONTRAST = 7.0


def luminance(rgb: tuple[int, int, int]) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = [value / 255 for value in rgb]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable_colour(colour: str) -> str:
    """The same colour, if its text can be read on the dark pages."""
    red, green, blue = bytes.fromhex(colour[1:])
    if (luminance((red, green, blue)) + 0.05) / (luminance(GROUND) + 0.05) < LEAST_CONTRAST:
        raise PydanticCustomError("colour", "must be lighter: its text can't be read on the dark screen")
    return colour


class ScreenSection(Section):
    """How the television and the phones look."""

    name: str = Field(
        default="",
        max_length=20,
        pattern=r"^[^\x00-\x1f]*$",
        examples=["The Anchor"],
        json_schema_extra=ON_PAGE,
    )
    """The bar's name, in place of "Dice Table"."""
    logo: FilePath | None = Field(default=None, examples=["/etc/dicetable/logo.svg"])
    """A picture (PNG, JPEG, WebP or SVG, at most 500 kB) that the television shows between games and beside
    the title; the user `dicetable-web` must be able to read it."""
    colour: Annotated[str, AfterValidator(readable_colour)] | None = Field(
        default=None, pattern=r"^#[0-9A-Fa-f]{6}$", examples=["#ffd166"], json_schema_extra=ON_PAGE
    )
    """The bar's colour, for headings and numbers. It must be light: the pages are dark."""
    pause: float = Field(default=2.0, ge=0.0, le=3.0, examples=[2.5], json_schema_extra=ON_PAGE)
    """How many seconds a throw, a bust or a win owns the television; 0 for not at all. The next decision of
    a player, or a click, ends it."""
