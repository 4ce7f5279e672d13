"""The section [house]: house rules."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dicetable.config.section import ON_PAGE, Section


class HouseSection(Section):
    """What the people at this table agreed on."""

    throws: Literal["strict", "friendly"] = Field(default="strict", json_schema_extra=ON_PAGE)
    """`strict`: a die that a hand set down or touched makes the whole throw void, and another seat vouches
    with one press for dice that the camera didn't see roll (below 7 frames per second it sees none roll).
    `friendly`: whatever comes into the tray counts, only a die that can't count is thrown again, and the
    ledger marks dice that the camera didn't see roll. Throws from a folder of photographs are always
    friendly."""
