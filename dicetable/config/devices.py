"""The devices that the operator page may choose: those attached to this machine, and phones as the panel.

The page names one of this list and never a path, and its choice writes only settings whose model says
`CHOSEN`. So the page can neither name a file nor open a way in.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from common import texts
from dicetable.config.camera import CameraOfDevice, PiCamera
from dicetable.config.panel import AnyPanel
from dicetable.config.sections import LedgerSection
from hardware import attached
from hardware.attached import Attached

Part = Literal["camera", "panel", "dice"]
PARTS: Final[tuple[Part, ...]] = ("camera", "panel", "dice")
SECTIONS: Final[Mapping[Part, str]] = {"camera": "camera", "panel": "panel", "dice": "eye"}
SHARED: Final = {"camera": CameraOfDevice.model_fields, "panel": AnyPanel.model_fields}
"""Settings that stay when the driver changes; the others belong to the old driver."""
OWN_DICE: Final = "dice.npz"
"""The file of enrolled dice in the ledger's folder."""
DEFAULTS: Final = {"number": PiCamera.model_fields["number"].default}
LEDGER: Final = str(LedgerSection.model_fields["folder"].default)
PI_CAMERA: Final = re.compile(r"pi:([0-7])")


@dataclass(frozen=True, slots=True)
class Choice:
    """A device that can be chosen for a part, as the page shows it.

    `settings` is what it sets in the part's section; None removes a setting.
    """

    part: Part
    name: str
    label: str
    detail: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def changes(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings that it changes in these, as `section.name`; None for those to remove."""
        section = SECTIONS[self.part]
        values = section_in(settings, section)
        changed: dict[str, Any] = {}
        if "driver" in self.settings and values.get("driver") != self.settings["driver"]:
            changed = {name: None for name in values if name not in SHARED[section]}
        return {f"{section}.{name}": value for name, value in {**changed, **self.settings}.items()}

    def is_in(self, settings: Mapping[str, Any]) -> bool:
        values = section_in(settings, SECTIONS[self.part])
        return all(same(values.get(name, DEFAULTS.get(name)), value) for name, value in self.settings.items())


def section_in(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A section as it was read; empty if there is none."""
    section = settings.get(name)
    return section if isinstance(section, dict) else {}


def same(first: Any, second: Any) -> bool:
    """Whether two values of a setting are equal; paths are if they lead to the same device."""
    if isinstance(first, int) and isinstance(second, str) and not isinstance(first, bool):
        first = f"/dev/video{first}"
    if isinstance(first, str) and isinstance(second, str) and second.startswith("/"):
        return Path(first).expanduser().resolve() == Path(second).expanduser().resolve()
    return bool(first == second)


def usb(device: Attached) -> Choice:
    settings = {"driver": "usb", "device": str(device.path)}
    return Choice("camera", f"usb:{device.path}", device.name, str(device.path), settings)


def pi(number: int, model: str = "") -> Choice:
    settings = {"driver": "pi", "number": number}
    return Choice("camera", f"pi:{number}", texts.operator.pi_camera(number), model, settings)


def serial(port: Attached) -> Choice:
    settings = {"driver": "serial", "device": str(port.path)}
    return Choice("panel", f"serial:{port.path}", port.name, str(port.path), settings)


def choices(
    settings: Mapping[str, Any], pi_cameras: Sequence[tuple[int, str]] = (), root: Path = attached.ROOT
) -> list[Choice]:
    """All choices there are now; `pi_cameras` are the numbers and models of the Pi's camera modules."""
    choices = [
        *(usb(device) for device in attached.usb_cameras(root)),
        *(pi(number, model) for number, model in pi_cameras),
        Choice("panel", "web", texts.operator.PHONES, texts.operator.PHONES_DETAIL, {"driver": "web"}),
        *(serial(port) for port in attached.serial_ports(root)),
        Choice("dice", "any", texts.operator.ANY_DICE, "", {"dice": None}),
    ]
    folder = section_in(settings, "ledger").get("folder", LEDGER)
    if isinstance(folder, str) and folder:
        file = str(Path(folder) / OWN_DICE)
        choices.append(Choice("dice", "own", texts.operator.OWN_DICE, file, {"dice": file}))
    return choices


def chosen(settings: Mapping[str, Any], part: str, name: str) -> Choice | None:
    """The choice of this name for a part; None if there is none.

    Any number of a Pi camera is accepted: it is no path, and without the camera the table only sees nothing.
    """
    if part == "camera" and (camera := PI_CAMERA.fullmatch(name)):
        return pi(int(camera[1]))
    return next((choice for choice in choices(settings) if (choice.part, choice.name) == (part, name)), None)
