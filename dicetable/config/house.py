"""The section [house]: house rules."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dicetable.config.section import ON_PAGE, Section


class HouseSection(Section):
    """What the people at this table agreed on."""

    throws: Literal["strict", "friendly"] = Field(default="strict", json_schema_extra=ON_PAGE)
    """`strict`: a die that a hand set down or touched makes the whole throw void, and another seat vouches
    with one press for dice that the camera did not see roll; below 12 frames per second these are all.
    `friendly`: whatever lies in the tray counts once it has moved, only the die that does not count is thrown
    again, and the ledger marks dice that were not seen to roll.
    A folder of photographs knows no motion, so its throws are always friendly."""
