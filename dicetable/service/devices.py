"""`python -m dicetable.service.devices list|preview|try FILE [NAME]`: the devices that the page may choose.

`list` prints the choices of each part. `preview` takes one picture with a camera that is not in use yet, at
the settings of the config FILE; `try` looks whether a panel's board answers. The answer is a line of JSON,
which a JPEG follows if there is a picture.
"""

import importlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from common import texts
from dicetable.config import devices, drivers
from dicetable.config.camera import CameraSection
from dicetable.config.devices import Choice
from dicetable.config.file import read
from dicetable.config.mistakes import ConfigError
from dicetable.config.panel import PanelSection
from dicetable.eye.evidence import LARGE, packed
from dicetable.service import doctor
from hardware.ports import Camera, Clock, Frame, SystemClock

FRAME_S: Final = 12.0
"""Slow cameras take some seconds to start."""
FRAMES: Final = 6
"""Until exposure and white balance count."""
MOST_PI_CAMERAS: Final = 8


def listed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What can be chosen for each part, and what is chosen now."""
    choices = devices.choices(settings, pi_cameras())
    return {
        part: {
            "now": now(settings, part),
            "choices": [
                {
                    "name": choice.name,
                    "label": choice.label,
                    "detail": choice.detail,
                    "chosen": choice.is_in(settings),
                }
                for choice in choices
                if choice.part == part
            ],
        }
        for part in devices.PARTS
    }


def now(settings: Mapping[str, Any], part: devices.Part) -> str:
    """What the config has for a part, in its own words."""
    section = devices.section_in(settings, devices.SECTIONS[part])
    if part == "dice":
        return str(section.get("dice", ""))
    names = [str(section[name]) for name in ("driver", "device", "number") if name in section]
    return " ".join(names)


def pi_cameras() -> list[tuple[int, str]]:
    """The numbers and models of the Raspberry Pi's camera modules; none where there is no picamera2."""
    try:
        cameras = importlib.import_module("picamera2").Picamera2.global_camera_info()
        listed = [
            (int(camera["Num"]), str(camera.get("Model", "")))
            for camera in cameras
            if "usb" not in str(camera["Id"])
        ]
    except Exception:  # noqa: BLE001 - whatever libcamera raises, the others can still be chosen
        return []
    return listed[:MOST_PI_CAMERAS]


def section(choice: Choice, settings: Mapping[str, Any]) -> dict[str, Any]:
    name = devices.SECTIONS[choice.part]
    changed = {key.partition(".")[2]: value for key, value in choice.changes(settings).items()}
    whole = {**devices.section_in(settings, name), **changed}
    return {key: value for key, value in whole.items() if value is not None}


def preview(choice: Choice, settings: Mapping[str, Any], clock: Clock) -> tuple[dict[str, Any], bytes]:
    wanted: Any = TypeAdapter(CameraSection).validate_python(section(choice, settings))
    camera = drivers.camera_of(wanted, clock)
    camera.start()
    try:
        frame = frame_of(camera, clock)
        if frame is None:
            why = camera.degraded
            return {"error": f"{why.what}: {why.remedy}" if why else texts.health.CAMERA_SILENT}, b""
    finally:
        camera.stop()
    height, width = frame.pixels.shape[:2]
    return {"width": width, "height": height}, packed(frame.pixels, LARGE[1:])


def frame_of(camera: Camera, clock: Clock) -> Frame | None:
    frame, count, until_s = None, 0, clock.now_s() + FRAME_S
    while count < FRAMES and clock.now_s() < until_s and (frame is not None or camera.degraded is None):
        newer = camera.frame(0.25)
        if newer is not None:
            frame, count = newer, count + 1
    return frame


def tried(choice: Choice, settings: Mapping[str, Any], clock: Clock) -> dict[str, Any]:
    """Whether the panel answers, and what it says it is."""
    wanted: Any = TypeAdapter(PanelSection).validate_python(section(choice, settings))
    check = doctor.panel(wanted.driver, drivers.panel_of(wanted, clock))
    if check.ok:
        return {"ok": True, "text": check.state}
    return {"error": f"{check.state}: {check.remedy}"}


def main(action: str, path: Path, name: str = "") -> tuple[dict[str, Any], bytes]:
    try:
        settings = read(path)
        if action == "list":
            return listed(settings), b""
        part = "camera" if action == "preview" else "panel"
        choice = devices.chosen(settings, part, name)
        if choice is None:
            return {"error": ": ".join(texts.operator.not_attached(name))}, b""
        if action == "preview":
            return preview(choice, settings, SystemClock())
        return tried(choice, settings, SystemClock()), b""
    except (ConfigError, ValidationError) as error:
        return {"error": str(error)[:300]}, b""


if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # what the libraries print must not get between
    answer, picture = main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:4])
    with os.fdopen(output, "wb") as out:
        out.write(json.dumps(answer).encode() + b"\n" + picture)
