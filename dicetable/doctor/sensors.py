"""Temperature, throttling and supply voltage of this machine, from /sys. Absent sensors are reported.

Under-voltage is the alarm `in*_lcrit_alarm` of a hwmon driver; on a Raspberry Pi that is `rpi_volt`.
Throttling is read from the Raspberry Pi firmware's `get_throttled`, elsewhere from cooling devices that slow
the processor down.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Final

from dicetable.doctor.check import Check
from dicetable.texts import doctor

SYS: Final = Path("/sys")
FIRMWARE: Final = "devices/platform/soc/soc:firmware/get_throttled"
"""Bits in hexadecimal; see "vcgencmd get_throttled" in the documentation of Raspberry Pi OS."""
SLOWED_NOW: Final = 0b1110
"""Clock capped, throttled, soft limit of the temperature."""
SLOWED_SINCE_START: Final = SLOWED_NOW << 16
LOW_NOW: Final = 0b1
LOW_SINCE_START: Final = LOW_NOW << 16
PROCESSOR_COOLERS: Final = ("processor", "cpufreq", "thermal-cpufreq", "cpu-cooling")
"""Prefixes of the types of cooling devices that slow a processor down."""
LIMIT_C: Final = 80.0
"""The temperature at which a Raspberry Pi slows down; also used for zones without trip points."""
SLOWING_TRIPS: Final = ("passive", "hot", "critical")
"""Trip points that do more than switch a fan on."""
PI_ZONE: Final = "cpu-thermal"


def sensors(sys: Path = SYS) -> list[Check]:
    """Temperature, throttling and voltage, in this order."""
    return [temperature(sys), throttling(sys), voltage(sys)]


def machine() -> dict[str, Any]:
    """Sensors, load, memory and free disk, for programs."""
    return {
        "sensors": [found.json() for found in sensors()],
        "load": os.getloadavg(),
        "memory": memory(Path("/proc/meminfo")),
        "disk_free_mb": shutil.disk_usage("/").free // 1_000_000,
    }


def memory(file: Path) -> dict[str, int]:
    """The machine's memory in megabytes, total and available; empty if the kernel does not report it."""
    try:
        lines = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
        return {
            "total_mb": int(lines["MemTotal"].split()[0]) // 1000,
            "available_mb": int(lines["MemAvailable"].split()[0]) // 1000,
        }
    except (OSError, KeyError, ValueError):
        return {}


def temperature(sys: Path) -> Check:
    """The thermal zone that is nearest to its limit."""
    part = "bench.temperature"
    found = hottest(sys)
    if found is None:
        return Check(part, ok=True, state=doctor.NO_THERMOMETER)
    celsius, limit, kind = found
    state = doctor.temperature(celsius, kind, limit)
    return Check(part, ok=celsius < limit, state=state, remedy="" if celsius < limit else doctor.COOLER)


def hottest(sys: Path = SYS) -> tuple[float, float, str] | None:
    """Degrees Celsius, limit and kind of the thermal zone nearest to its limit; None without one."""
    zones = []
    for zone in sorted(sys.glob("class/thermal/thermal_zone*")):
        celsius = number(zone / "temp")
        if celsius is not None:
            kind = word(zone / "type") or zone.name
            zones.append((celsius / 1000, limit_c(zone, kind), kind))
    return max(zones, key=lambda zone: zone[0] - zone[1], default=None)


def limit_c(zone: Path, kind: str) -> float:
    """The temperature at which the machine slows down."""
    if kind == PI_ZONE:
        return LIMIT_C
    trips = [
        number(trip.with_name(trip.name.replace("_type", "_temp")))
        for trip in zone.glob("trip_point_*_type")
        if word(trip) in SLOWING_TRIPS
    ]
    return min((trip / 1000 for trip in trips if trip is not None and trip > 0), default=LIMIT_C)


def throttling(sys: Path) -> Check:
    """Whether the processor is slowed down, because of heat or supply."""
    part = "bench.throttling"
    told = bits(sys)
    if told is not None:
        if told & SLOWED_NOW:
            return Check(part, ok=False, state=doctor.slowed_now(told), remedy=doctor.COOLER)
        if told & SLOWED_SINCE_START:
            return Check(part, ok=False, state=doctor.slowed_before(told), remedy=doctor.COOLER)
        return Check(part, ok=True, state=doctor.never_slowed(told))
    coolers = [
        number(device / "cur_state")
        for device in sys.glob("class/thermal/cooling_device*")
        if (word(device / "type") or "").lower().startswith(PROCESSOR_COOLERS)
    ]
    known = [state for state in coolers if state is not None]
    if not known:
        return Check(part, ok=True, state=doctor.NO_THROTTLING)
    if any(known):
        return Check(part, ok=False, state=doctor.SLOWED_NOW, remedy=doctor.COOLER)
    return Check(part, ok=True, state=doctor.NOT_SLOWED_NOW)


def voltage(sys: Path) -> Check:
    """Whether the supply is too weak."""
    part = "bench.voltage"
    alarms = {
        word(alarm.parent / "name") or alarm.parent.name: number(alarm)
        for alarm in sorted(sys.glob("class/hwmon/hwmon*/in*_lcrit_alarm"))
    }
    told = bits(sys)
    low = [name for name, alarm in alarms.items() if alarm]
    if low or (told is not None and told & LOW_NOW):
        by = ", ".join(low) or doctor.FIRMWARE
        return Check(part, ok=False, state=doctor.low_voltage(by), remedy=doctor.STRONGER)
    if told is not None and told & LOW_SINCE_START:
        return Check(part, ok=False, state=doctor.low_voltage_before(told), remedy=doctor.STRONGER)
    if not alarms and told is None:
        return Check(part, ok=True, state=doctor.NO_VOLTAGE)
    return Check(part, ok=True, state=doctor.enough_voltage(", ".join(alarms) or doctor.FIRMWARE))


def bits(sys: Path) -> int | None:
    """The Raspberry Pi firmware's flags for supply and temperature; None on other machines."""
    try:
        return int(word(sys / FIRMWARE) or "", 16)
    except ValueError:
        return None


def number(file: Path) -> float | None:
    """The whole number in a file; None if there is none."""
    try:
        return int(word(file) or "")
    except ValueError:
        return None


def word(file: Path) -> str | None:
    """The text of a file without surrounding whitespace; None if it cannot be read."""
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
