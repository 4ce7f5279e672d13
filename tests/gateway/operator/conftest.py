"""What tests of the operator's pages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the sockets; the certificate is made beside it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    made = tmp_path / "dicetable"
    made.mkdir(mode=0o700)
    return made
