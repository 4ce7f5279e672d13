"""The table [eye]: what is known of the dice."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import FilePath, Section


class EyeSection(Section):
    """How dice are read."""

    dice: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/dice.npz"])
    """The table's own dice, as `dicetable enrol` keeps them, and no others; leave it out to play with any."""
    models: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/models"])
    """A folder of your own models, with the file names of `vision/models`. Leave it out for the models that
    come with the program; those are checked, and a changed one is refused."""
