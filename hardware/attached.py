"""The cameras and serial ports that are attached to this machine, by name, without opening any of them.

A path is the one in /dev that stays the same after replugging, if udev made one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from hardware.v4l2 import Mode, modes_of

ROOT: Final = Path("/")
OWN_PORT: Final = "serial0"
"""The Raspberry Pi's own serial port."""
LONGEST: Final = 60


class Attached(NamedTuple):
    """A device: its path, and what its maker calls it."""

    path: Path
    name: str


class AttachedCamera(NamedTuple):
    """A camera: its path, its maker's name for it, whether it hangs on a USB port, and its modes.

    The camera in a laptop's lid usually hangs on an inner USB port; the kernel says `fixed` of such a port.
    """

    path: Path
    name: str
    on_usb: bool
    modes: list[Mode]


def attached_cameras(root: Path = ROOT) -> list[AttachedCamera]:
    """All cameras, those on a plug first."""
    cameras = []
    for node in sorted((root / "sys/class/video4linux").glob("video*"), key=lambda entry: number(entry.name)):
        if text_in(node / "index", "0") == "0":
            links = [root / "dev/v4l/by-id", root / "dev/v4l/by-path"]
            path = root / "dev" / node.name
            plugged = on_usb(node / "device", root) and not is_fixed(node / "device", root)
            name = text_in(node / "name", node.name)
            cameras.append(AttachedCamera(lasting(path, links), name, plugged, modes_of(path)))
    return sorted(cameras, key=lambda camera: not camera.on_usb)


def is_fixed(device: Path, root: Path) -> bool:
    """Whether the USB device is built into the machine, as far as its firmware says."""
    return any(text_in(folder / "removable", "") == "fixed" for folder in above(device, root))


def usb_cameras(root: Path = ROOT) -> list[Attached]:
    devices = []
    for node in sorted((root / "sys/class/video4linux").glob("video*"), key=lambda entry: number(entry.name)):
        if text_in(node / "index", "0") == "0" and on_usb(node / "device", root):
            links = [root / "dev/v4l/by-id", root / "dev/v4l/by-path"]
            devices.append(
                Attached(lasting(root / "dev" / node.name, links), text_in(node / "name", node.name))
            )
    return devices


def serial_ports(root: Path = ROOT) -> list[Attached]:
    """The serial ports of USB devices, and the Raspberry Pi's own."""
    ports = []
    for node in sorted((root / "sys/class/tty").glob("tty*")):
        if on_usb(node / "device", root):
            links = [root / "dev/serial/by-id", root / "dev/serial/by-path"]
            ports.append(Attached(lasting(root / "dev" / node.name, links), product(node / "device", root)))
    own = root / "dev" / OWN_PORT
    return [*ports, Attached(own, OWN_PORT)] if own.exists() else ports


def lasting(node: Path, folders: list[Path]) -> Path:
    """The first link to the node in these folders; the node itself if there is none."""
    for folder in folders:
        for link in sorted(folder.glob("*")):
            if link.resolve() == node.resolve():
                return link
    return node


def on_usb(device: Path, root: Path) -> bool:
    """Whether the device of a class in /sys hangs on a USB port."""
    return device.exists() and any(folder.name.startswith("usb") for folder in above(device, root))


def product(device: Path, root: Path) -> str:
    """The names of maker and product, from the USB device."""
    for folder in above(device, root):
        if (folder / "product").is_file():
            words = [text_in(folder / name, "") for name in ("manufacturer", "product")]
            return " ".join(word for word in words if word)[:LONGEST]
    return device.parent.name


def above(device: Path, root: Path) -> Iterator[Path]:
    inner = device.resolve()
    top = (root / "sys").resolve()
    yield from (folder for folder in (inner, *inner.parents) if top in folder.parents)


def text_in(file: Path, otherwise: str) -> str:
    """The line in a file of /sys, without unprintable characters."""
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return otherwise
    return "".join(character for character in text.strip() if character.isprintable())[:LONGEST] or otherwise


def number(name: str) -> int:
    digits = "".join(character for character in name if character.isdecimal())
    return int(digits or 0)
