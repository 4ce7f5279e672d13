"""The section [ledger]: where the games are stored."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dicetable.config.section import FilePath, Section


class LedgerSection(Section):
    """The record of every game, and the pictures of its throws."""

    folder: FilePath = Field(default=Path("/var/lib/dicetable"), examples=["/var/lib/dicetable"])
    """The folder, writable by the service. It is created if its parent exists."""

    @property
    def calibration(self) -> Path:
        """Where the files of the calibrated rig are."""
        return self.folder / "calibration"
