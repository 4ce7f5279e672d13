"""Temperature, throttling and supply, with the /sys of several machines as folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.service.doctor_machine import FIRMWARE, memory, sensors, temperature, throttling, voltage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PI = {
    "class/thermal/thermal_zone0/type": "cpu-thermal",
    "class/thermal/thermal_zone0/temp": "54530",
    "class/thermal/thermal_zone0/trip_point_0_type": "critical",
    "class/thermal/thermal_zone0/trip_point_0_temp": "110000",
    "class/hwmon/hwmon0/name": "cpu_thermal",
    "class/hwmon/hwmon1/name": "rpi_volt",
    "class/hwmon/hwmon1/in0_lcrit_alarm": "0",
    FIRMWARE: "0",
}
LAPTOP = {
    "class/thermal/thermal_zone0/type": "acpitz",
    "class/thermal/thermal_zone0/temp": "27800",
    "class/thermal/thermal_zone1/type": "x86_pkg_temp",
    "class/thermal/thermal_zone1/temp": "85000",
    "class/thermal/thermal_zone1/trip_point_0_type": "active",
    "class/thermal/thermal_zone1/trip_point_0_temp": "50000",
    "class/thermal/thermal_zone1/trip_point_1_type": "passive",
    "class/thermal/thermal_zone1/trip_point_1_temp": "95000",
    "class/thermal/cooling_device0/type": "Processor",
    "class/thermal/cooling_device0/cur_state": "0",
    "class/thermal/cooling_device1/type": "Fan",
    "class/thermal/cooling_device1/cur_state": "3",
}


def machine(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.mark.parametrize(
    ("files", "states"),
    [
        (
            PI,
            [
                "55 °C in cpu-thermal; it slows down at 80 °C",
                "never slowed down since power-on (0x0)",
                "no under-voltage, reported by rpi_volt",
            ],
        ),
        (
            LAPTOP,
            [
                "85 °C in x86_pkg_temp; it slows down at 95 °C",
                "not slowed down now",
                "this machine does not report under-voltage",
            ],
        ),
        (
            {},
            [
                "this machine has no temperature sensor",
                "this machine does not report throttling",
                "this machine does not report under-voltage",
            ],
        ),
    ],
)
def test_a_machine_that_is_well(tmp_path: Path, files: Mapping[str, str], states: list[str]) -> None:
    found = sensors(machine(tmp_path, files))
    assert [finding.state for finding in found] == states
    assert [(finding.ok, finding.remedy) for finding in found] == [(True, "")] * 3


def test_a_hot_machine_is_to_be_cooled(tmp_path: Path) -> None:
    found = temperature(machine(tmp_path, PI | {"class/thermal/thermal_zone0/temp": "81200"}))
    assert not found.ok
    assert "heat sink" in found.remedy


@pytest.mark.parametrize(
    ("bits", "state"),
    [
        ("4", "slowed down now (0x4)"),
        ("0x50008", "slowed down now (0x50008)"),
        ("40000", "slowed down at some point since power-on (0x40000), but not now"),
        ("20000", "slowed down at some point since power-on (0x20000), but not now"),
        ("10001", ""),
    ],
)
def test_what_the_firmware_of_a_pi_says_of_throttling(tmp_path: Path, bits: str, state: str) -> None:
    found = throttling(machine(tmp_path, PI | {FIRMWARE: bits}))
    assert found.ok == (not state)
    assert found.state == (state or "never slowed down since power-on (0x10001)")


def test_a_processor_that_is_slowed_down_elsewhere(tmp_path: Path) -> None:
    assert not throttling(machine(tmp_path, LAPTOP | {"class/thermal/cooling_device0/cur_state": "2"})).ok


@pytest.mark.parametrize(
    ("files", "state"),
    [
        ({"class/hwmon/hwmon1/in0_lcrit_alarm": "1"}, "under-voltage, reported by rpi_volt"),
        ({FIRMWARE: "10001"}, "under-voltage, reported by the firmware"),
        ({FIRMWARE: "10000"}, "under-voltage at some point since power-on (0x10000), but not now"),
    ],
)
def test_a_weak_supply_is_to_be_replaced(tmp_path: Path, files: Mapping[str, str], state: str) -> None:
    found = voltage(machine(tmp_path, {**PI, **files}))
    assert (found.ok, found.state) == (False, state)
    assert "power supply" in found.remedy


def test_files_that_hold_no_number_are_no_sensors(tmp_path: Path) -> None:
    odd = {name: "\x00?" for name in PI | LAPTOP if not name.endswith("type")}
    assert all(
        finding.ok and finding.state.startswith("this machine ")
        for finding in sensors(machine(tmp_path, odd))[:2]
    )


def test_a_kernel_that_does_not_report_its_memory(tmp_path: Path) -> None:
    assert memory(tmp_path / "meminfo") == {}
    (tmp_path / "meminfo").write_text("MemTotal:  8000000 kB\nMemAvailable:  2000000 kB\n")
    assert memory(tmp_path / "meminfo") == {"total_mb": 8000, "available_mb": 2000}
