"""Which devices are found in a tree such as the kernel's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hardware.attached import Attached, attached_cameras, serial_ports, usb_cameras

if TYPE_CHECKING:
    from pathlib import Path


def device(root: Path, node: str, where: str, kind: str, **files: str) -> None:
    """A node of /dev with its entry in /sys/class, for a device at a place in /sys/devices."""
    inner = root / "sys/devices" / where
    inner.mkdir(parents=True, exist_ok=True)
    entry = root / "sys/class" / kind / node
    entry.mkdir(parents=True)
    (entry / "device").symlink_to(inner)
    for name, text in files.items():
        (entry / name).write_text(text + "\n")
    (root / "dev").mkdir(exist_ok=True)
    (root / "dev" / node).touch()


def link(root: Path, name: str, node: str) -> Path:
    """A link that udev made."""
    made = root / "dev" / name
    made.parent.mkdir(parents=True, exist_ok=True)
    made.symlink_to(root / "dev" / node)
    return made


USB = "platform/scb/pci0000:00/0000:01:00.0/usb1/1-1/1-1."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    device(tmp_path, "video0", f"{USB}2/1-1.2:1.0", "video4linux", name="HD Pro Webcam C920", index="0")
    device(tmp_path, "video1", f"{USB}2/1-1.2:1.0", "video4linux", name="HD Pro Webcam C920", index="1")
    device(tmp_path, "video10", f"{USB}3/1-1.3:1.0", "video4linux", name="Cheap\x1b[2J\x07cam", index="0")
    device(tmp_path, "video2", "platform/fe801000.csi", "video4linux", name="unicam-image", index="0")
    device(tmp_path, "ttyUSB0", f"{USB}4/1-1.4:1.0/ttyUSB0", "tty")
    device(tmp_path, "ttyACM0", f"{USB}1/1-1.1:1.0", "tty")
    device(tmp_path, "ttyS0", "platform/serial8250", "tty")
    board = tmp_path / f"sys/devices/{USB}4"
    (board / "product").write_text("USB Serial\n")
    (board / "manufacturer").write_text("1a86\n")
    return tmp_path


def test_usb_cameras_are_found_and_no_other_video_device(root: Path) -> None:
    kept = link(root, "v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0", "video0")
    link(root, "v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index1", "video1")
    assert usb_cameras(root) == [
        Attached(kept, "HD Pro Webcam C920"),
        Attached(root / "dev/video10", "Cheap[2Jcam"),
    ]


def test_a_camera_without_a_serial_number_is_known_by_its_port(root: Path) -> None:
    kept = link(root, "v4l/by-path/pci-0000:01:00.0-usb-0:1.2:1.0-video-index0", "video0")
    assert usb_cameras(root)[0].path == kept


def test_serial_ports_are_those_on_usb_and_the_pi_s_own(root: Path) -> None:
    board = link(root, "serial/by-id/usb-1a86_USB_Serial-if00-port0", "ttyUSB0")
    assert serial_ports(root) == [
        Attached(root / "dev/ttyACM0", "ttyACM0"),
        Attached(board, "1a86 USB Serial"),
    ]
    own = link(root, "serial0", "ttyS0")
    assert serial_ports(root)[-1] == Attached(own, "serial0")


def test_every_camera_is_listed_and_those_on_a_plug_come_first(root: Path) -> None:
    (root / f"sys/devices/{USB}2/1-1.2:1.0" / "removable").write_text("fixed\n")
    found = [(camera.path.name, camera.on_usb) for camera in attached_cameras(root)]
    assert found == [("video10", True), ("video0", False), ("video2", False)]


def test_a_machine_without_devices_has_none(tmp_path: Path) -> None:
    assert usb_cameras(tmp_path) == serial_ports(tmp_path) == []
