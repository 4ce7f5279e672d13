"""The section [league]: the league's server."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import Section


class LeagueSection(Section):
    """The league to which this table sends its rows, once it is registered ([leagues](league.md))."""

    server: str = Field(
        pattern=r"^https?://[A-Za-z0-9.\-\[\]:]{1,255}(/[A-Za-z0-9._~/\-]{0,200})?$",
        examples=["https://league.example.org"],
    )
    """The server's address. Rows are signed but not encrypted; `https` prevents others from reading them.
    No picture is sent."""
