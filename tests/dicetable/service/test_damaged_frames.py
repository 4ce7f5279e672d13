"""The doctor asks a running table how many damaged frames its camera has sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dicetable.service.doctor_machine import damaged_frames
from tests.gateway.serving import PretendTable


def asked(path: Path, body: bytes | None) -> int:
    table = PretendTable(path, lambda kind, _: body if kind == "meters" else None)
    try:
        return damaged_frames(path)
    finally:
        table.close()


def test_the_frames_that_the_table_has_counted(tmp_path: Path) -> None:
    assert asked(tmp_path / "table.sock", json.dumps({"gauges": {"bad_frames": 12}}).encode()) == 12


@pytest.mark.parametrize("body", [None, b"", b"no JSON", b"{}", b'{"gauges":{"bad_frames":null}}'])
def test_a_table_that_does_not_say_has_none(tmp_path: Path, body: bytes | None) -> None:
    assert asked(tmp_path / "table.sock", body) == 0


def test_without_a_table_there_are_none(tmp_path: Path) -> None:
    assert damaged_frames(tmp_path / "table.sock") == 0
