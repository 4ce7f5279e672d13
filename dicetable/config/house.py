"""The section [house]: house rules."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dicetable.config.section import ON_PAGE, Section


class HouseSection(Section):
    """What the people at this table agreed on."""

    throws: Literal["strict", "friendly"] = Field(default="strict", json_schema_extra=ON_PAGE)
    """`strict`: dice count only if the camera saw them roll by themselves, and a throw that does not count is
    void as a whole; it needs 12 frames per second, and still calls some honest throws void. `friendly`:
    whatever lies in the tray counts once it has moved, and only the die that does not count is thrown again.
    A folder of photographs knows no motion, so its throws are always friendly."""
