"""The section [eye]: enrolled dice and models."""

from __future__ import annotations

from pydantic import Field

from dicetable.config.section import CHOSEN, FilePath, Section


class EyeSection(Section):
    """How dice are read."""

    dice: FilePath | None = Field(
        default=None, examples=["/var/lib/dicetable/dice.npz"], json_schema_extra=CHOSEN
    )
    """A file of enrolled dice, made by `dicetable enrol`; no other dice count. Leave it out to play with
    any."""
    models: FilePath | None = Field(default=None, examples=["/var/lib/dicetable/models"])
    """A folder of your own models, with the file names of `vision/models`. Leave it out for the models that
    come with the program; those are checked, and a modified one is rejected."""
