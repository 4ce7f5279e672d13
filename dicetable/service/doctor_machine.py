"""The result of a check of the doctor, and its checks of the machine: sensors, storage, a running table.

Under-voltage is the alarm `in*_lcrit_alarm` of a hwmon driver; on a Raspberry Pi that is `rpi_volt`.
Throttling is read from the Raspberry Pi firmware's `get_throttled`, elsewhere from cooling devices that slow
the processor down. Absent sensors are reported. A running table owns camera and panel, so that only their
devices are looked for, and the table is asked for the damaged frames that it has counted.
"""

import asyncio
import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from common import local_sockets, messages, texts
from common.files import MOUNTS, mount_of, mounts, unescaped
from common.texts import doctor
from dicetable.config.camera import PhoneCamera, UsbCamera
from dicetable.config.file import Config
from dicetable.config.panel import SerialPanelSection
from dicetable.ledger.store import LOCK
from dicetable.service.sockets import running_table

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
IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
UNIT = "dicetable.service"
ASK_S = 5.0
READY = "ready"
"""The service's status while everything works."""


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one part. `remedy` is empty if nothing needs to be done; notes are not faults."""

    part: str
    ok: bool
    state: str
    remedy: str = ""
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        head = f"{texts.doctor.GOOD if self.ok else texts.doctor.BAD:5} {self.part}: {self.state}"
        remedy = [f"      -> {self.remedy}"] if self.remedy else []
        return [head, *remedy, *(f"      ({note})" for note in self.notes)]

    def json(self) -> dict[str, Any]:
        return asdict(self)


def sensors(sys: Path = SYS) -> list[Check]:
    """Temperature, throttling and voltage, in this order."""
    return [temperature(sys), throttling(sys), voltage(sys)]


def machine() -> dict[str, Any]:
    """Sensors, load, memory and free disk, for programs."""
    return {
        "sensors": [sensor.json() for sensor in sensors()],
        "load": os.getloadavg(),
        "memory": memory(Path("/proc/meminfo")),
        "disk_free_mb": shutil.disk_usage("/").free // 1_000_000,
    }


def memory(file: Path) -> dict[str, int]:
    try:
        lines = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
        return {
            "total_mb": int(lines["MemTotal"].split()[0]) // 1000,
            "available_mb": int(lines["MemAvailable"].split()[0]) // 1000,
        }
    except (OSError, KeyError, ValueError):
        return {}


def temperature(sys: Path) -> Check:
    part = "bench.temperature"
    sensor = hottest(sys)
    if sensor is None:
        return Check(part, ok=True, state=doctor.NO_THERMOMETER)
    celsius, limit, kind = sensor
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
    if kind == PI_ZONE:
        return LIMIT_C
    trips = [
        number(trip.with_name(trip.name.replace("_type", "_temp")))
        for trip in zone.glob("trip_point_*_type")
        if word(trip) in SLOWING_TRIPS
    ]
    return min((trip / 1000 for trip in trips if trip is not None and trip > 0), default=LIMIT_C)


def throttling(sys: Path) -> Check:
    part = "bench.throttling"
    flags = bits(sys)
    if flags is not None:
        if flags & SLOWED_NOW:
            return Check(part, ok=False, state=doctor.slowed_now(flags), remedy=doctor.COOLER)
        if flags & SLOWED_SINCE_START:
            return Check(part, ok=False, state=doctor.slowed_before(flags), remedy=doctor.COOLER)
        return Check(part, ok=True, state=doctor.never_slowed(flags))
    coolers = [
        number(device / "cur_state")
        for device in sys.glob("class/thermal/cooling_device*")
        if (word(device / "type") or "").lower().startswith(PROCESSOR_COOLERS)
    ]
    states = [state for state in coolers if state is not None]
    if not states:
        return Check(part, ok=True, state=doctor.NO_THROTTLING)
    if any(states):
        return Check(part, ok=False, state=doctor.SLOWED_NOW, remedy=doctor.COOLER)
    return Check(part, ok=True, state=doctor.NOT_SLOWED_NOW)


def voltage(sys: Path) -> Check:
    part = "bench.voltage"
    alarms = {
        word(alarm.parent / "name") or alarm.parent.name: number(alarm)
        for alarm in sorted(sys.glob("class/hwmon/hwmon*/in*_lcrit_alarm"))
    }
    flags = bits(sys)
    low = [name for name, alarm in alarms.items() if alarm]
    if low or (flags is not None and flags & LOW_NOW):
        by = ", ".join(low) or doctor.FIRMWARE
        return Check(part, ok=False, state=doctor.low_voltage(by), remedy=doctor.STRONGER)
    if flags is not None and flags & LOW_SINCE_START:
        return Check(part, ok=False, state=doctor.low_voltage_before(flags), remedy=doctor.STRONGER)
    if not alarms and flags is None:
        return Check(part, ok=True, state=doctor.NO_VOLTAGE)
    return Check(part, ok=True, state=doctor.enough_voltage(", ".join(alarms) or doctor.FIRMWARE))


def bits(sys: Path) -> int | None:
    """The Raspberry Pi firmware's flags for supply and temperature; None on other machines."""
    try:
        return int(word(sys / FIRMWARE) or "", 16)
    except ValueError:
        return None


def number(file: Path) -> float | None:
    try:
        return int(word(file) or "")
    except ValueError:
        return None


def word(file: Path) -> str | None:
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None


def why_in_memory(folder: Path, file: Path = MOUNTS) -> str | None:
    """The sentence about a folder that is only in memory; None if it seems to be on a disk.

    An overlay whose upper layer this process cannot see, as in a container, counts as lasting.
    """
    every_mount = mounts(file)
    mount = mount_of(folder.resolve(), every_mount)
    if mount is None:
        return None
    if mount.kind in IN_MEMORY:
        return texts.doctor.is_in_memory(str(mount.point), mount.kind)
    upper = re.search(r"(?:^|,)upperdir=([^,]*)", mount.options) if mount.kind == "overlay" else None
    if upper is None:
        return None
    below = mount_of(
        Path(unescaped(upper[1])), [candidate for candidate in every_mount if candidate != mount]
    )
    return texts.doctor.is_overlay(str(mount.point)) if below and below.kind in IN_MEMORY else None


def status_of_running(folder: Path) -> str | None:
    """The status of the table that uses this ledger, empty if it has none; None if no table runs."""
    locked = is_locked(folder / LOCK)
    if locked is False:
        return None
    status = service_status()
    return status if status is not None else ("" if locked else None)


def is_locked(lock: Path) -> bool | None:
    """Whether a running table holds the lock of its ledger; None if this user may not read it."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW)
    except PermissionError:
        return None
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def service_status() -> str | None:
    """The status line of the installed service; None if it does not run or systemd cannot be asked."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return None
    command = [systemctl, "show", "--property=ActiveState,StatusText", UNIT]
    try:
        output = subprocess.run(  # noqa: S603 - systemd's own, with words of ours
            command, capture_output=True, text=True, timeout=ASK_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    fields = dict(line.partition("=")[::2] for line in output.splitlines())
    return fields.get("StatusText", "") if fields.get("ActiveState") == "active" else None


def of_running(config: Config, status: str) -> Iterator[Check]:
    if status in ("", READY):
        yield Check("service", ok=True, state=doctor.RUNNING)
    else:
        yield Check("service", ok=False, state=doctor.says(status), remedy=doctor.SEE_LOG)
    camera, panel = config.camera, config.panel
    number = camera.device if isinstance(camera, UsbCamera) else None
    video = Path(f"/dev/video{number}") if isinstance(number, int) else number
    bad = damaged_frames(running_table(os.environ))
    notes = (doctor.bad_frames(bad),) if bad else ()
    yield taken(f"camera ({camera.driver})", video, (*notes, *trusted(config)))
    yield taken(f"panel ({panel.driver})", panel.device if isinstance(panel, SerialPanelSection) else None)


def trusted(config: Config) -> tuple[str, ...]:
    """Whom the table trusts with its pictures, if that is another than its own eye."""
    return (texts.phone_camera.TRUSTS,) if isinstance(config.camera, PhoneCamera) else ()


def taken(part: str, device: Path | None, notes: tuple[str, ...] = ()) -> Check:
    if device is not None and not device.exists():
        return Check(part, ok=False, state=doctor.no_device(str(device)), remedy=doctor.PLUG)
    return Check(part, ok=True, state=doctor.IN_USE, notes=(*notes, doctor.STOP))


def damaged_frames(path: Path) -> int:
    """How many damaged frames the camera of the table behind a socket has sent; 0 if it can't be asked."""

    async def meters() -> Any:
        reader, writer = await local_sockets.open_connection(path, messages.LONGEST_LINE_BYTES)
        writer.write(messages.line_of({"id": 1, "kind": "meters", "payload": {}}))
        try:
            while isinstance(message := await messages.read_message(reader), messages.Event):
                pass
            return json.loads(message.answer.body)
        finally:
            writer.close()

    try:
        return int(asyncio.run(asyncio.wait_for(meters(), ASK_S))["gauges"]["bad_frames"] or 0)
    except (OSError, TimeoutError, ValueError, KeyError, TypeError):
        return 0
