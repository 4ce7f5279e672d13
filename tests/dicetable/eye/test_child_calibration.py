"""The eye's process starts with the saved calibration, or without it if it is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.eye.child import calibrated
from dicetable.eye.rig import Calibration
from tests.vision.tray.poses import VIEW, seen, usual

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_known_of_the_rig_is_used(tmp_path: Path) -> None:
    assert calibrated(None) is None
    assert calibrated(tmp_path) is None
    Calibration(usual(), seen(VIEW)).save(tmp_path)
    known = calibrated(tmp_path)
    assert known is not None
    assert known.tray.moved_mm(usual()) < 0.1
    (tmp_path / "tray.json").write_text("{")
    assert calibrated(tmp_path) is None
