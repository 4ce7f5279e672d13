"""When the panel's link dies, the log has the last frames."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from hardware.conformance.panel import until
from hardware.ports import PanelView
from hardware.serial_panel import SerialPanel
from tests.hardware.panels import SerialBench

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_last_frames_are_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        bench = SerialBench(tmp_path)
        panel = bench.panel = SerialPanel(bench.path)
        panel.show(PanelView({}, ["hello"]))
        panel.start(lambda: None)
        await until(lambda: panel.trouble is None, "not linked")
        bench.unplug()
        await until(lambda: panel.trouble is not None, "not lost")
        panel.stop()
        bench.close()

    asyncio.run(story())
    lost, *frames = [
        record.getMessage() for record in caplog.records if record.name == "hardware.serial_panel"
    ]
    assert lost.startswith("link=lost cause='the serial device is gone' path=")
    assert frames
    for line in frames:
        assert re.fullmatch(r"link=frames( [+-]\d+\.\d{3}[<>]([0-9a-f]{2})+)+", line)
