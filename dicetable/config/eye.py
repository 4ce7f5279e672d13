"""The section [eye]: enrolled dice and models."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import CHOSEN, FilePath, Section


class EyeSection(Section):
    """How dice are read."""

    dice: FilePath | None = Field(
        default=None, examples=["/var/lib/dicetable/dice.npz"], json_schema_extra=CHOSEN
    )
    """The file of your enrolled dice, from `dicetable enrol`; no other dice count. Leave it out to play with
    any dice."""
    models: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/models"])
    """A folder of your own models, with the file names of `vision/models`. Leave it out to use the program's,
    which are checked: a modified one is rejected."""
