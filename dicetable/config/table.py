"""The table [table]: the people around it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dicetable.config.section import Section
from hardware.ports import COLUMNS, SEATS

Name = Annotated[str, Field(min_length=1, max_length=COLUMNS // 2, pattern=r"^[!-~]+( [!-~]+)*$")]


class TableSection(Section):
    """Who sits at the table."""

    seats: int = Field(default=4, ge=1, le=SEATS, examples=[4])
    """How many seats the table has; each has its controls on the panel."""
    names: list[Name] = Field(default=[], max_length=SEATS, examples=[["Ann", "Bob"]])
    """Names of the seats in order, up to ten letters; a seat without one is called by its number."""
