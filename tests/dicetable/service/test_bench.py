"""`dicetable doctor --bench`: the names of its parts, and its verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common import texts
from dicetable.__main__ import main
from dicetable.service import doctor_bench

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.service.doctor_machine import Check

PARTS = [
    *(
        f"bench.{name}"
        for name in ("read.0", "read.1", "read.6", "read.30", "watch", "moving", "start", "idle", "memory")
    ),
    *(f"bench.{name}" for name in ("temperature", "throttling", "voltage")),
    "bench",
]


def test_a_budget_holds_up_to_its_limit() -> None:
    held = doctor_bench.measured("watch", 1.5, "ms", 1.5, "to process an idle frame")
    assert (held.ok, held.remedy) == (True, "")
    assert held.state == "1.5 ms to process an idle frame, within the budget of 1.5 ms"
    broken = doctor_bench.measured("read.30", 340.126, "ms", 120.0, "to read it")
    assert not broken.ok
    assert broken.state == "340 ms to read it, over the budget of 120 ms"
    assert broken.remedy == texts.doctor.FASTER
    assert (broken.measured, broken.unit, broken.budget) == (340.126, "ms", 120.0)


def test_the_verdict_names_what_does_not_hold() -> None:
    held = doctor_bench.measured("watch", 1.0, "ms", 1.5, "")
    broken = doctor_bench.measured("idle", 30.0, "%", 25.0, "")
    assert doctor_bench.verdict([held]).state == "all 1 figures are within budget"
    found = doctor_bench.verdict([held, broken])
    assert (found.ok, found.state) == (False, "1 of 2 figures are over budget: bench.idle")


def test_a_table_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicetable.service.doctor_bench.PATIENCE_S", 0.05)
    monkeypatch.setattr(doctor_bench, "record_idle", lambda _file, _seconds: None)
    monkeypatch.setattr("sys.executable", "/bin/true")
    found = list(doctor_bench.service())
    assert [(finding.part, finding.ok) for finding in found] == [("bench.start", False)]


def test_only_who_asks_for_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured() -> Iterator[Check]:
        yield doctor_bench.measured("watch", 2.0, "ms", 1.5, "")

    monkeypatch.setattr("dicetable.commands.doctor.bench", measured)
    file = tmp_path / "table.toml"
    file.write_text(doctor_bench.CONFIG.format(folder=tmp_path))
    monkeypatch.setattr("dicetable.service.doctor.PANEL_S", 0.05)
    assert main(["doctor", "--json", "--config", str(file)]) == 1
    assert "bench.watch" not in capsys.readouterr().out
    assert main(["doctor", "--json", "--bench", "--config", str(file)]) == 1
    told = json.loads(capsys.readouterr().out)["parts"][-1]
    assert (told["part"], told["measured"], told["unit"], told["budget"]) == ("bench.watch", 2.0, "ms", 1.5)


def test_the_docs_name_every_part() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "trouble.md").read_text()
    assert [part for part in PARTS if f"`{part}`" not in page] == []
    for dice, budget_ms in doctor_bench.READ_MS.items():
        assert f"`bench.read.{dice}`" in page
        assert f"{budget_ms:g}" in page


@pytest.mark.slow
def test_this_machine_is_measured() -> None:
    found = list(doctor_bench.bench())
    assert [finding.part for finding in found] == PARTS
    measured = [finding for finding in found if isinstance(finding, doctor_bench.Measured)]
    assert len(measured) == 9
    assert all(finding.measured > 0 for finding in measured)
