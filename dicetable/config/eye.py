"""The table [eye]: what is known of the dice."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import FilePath, Section


class EyeSection(Section):
    """How dice are read."""

    dice: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/dice.npz"])
    """The table's own dice, as `dicetable enrol` keeps them, and no others; leave it out to play with any."""
