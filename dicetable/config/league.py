"""The table [league]: where the results go."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import Section


class LeagueSection(Section):
    """The league whose server gets the rows of this table, once it is registered ([leagues](league.md))."""

    server: str = Field(
        pattern=r"^https?://[A-Za-z0-9.\-\[\]:]{1,255}(/[A-Za-z0-9._~/\-]{0,200})?$",
        examples=["https://league.example.org"],
    )
    """Its address. Rows are signed, not secret; `https` keeps others from reading along."""
