"""What a phone may send: every frame is bounded before it is decoded, and one that goes away comes back."""

from __future__ import annotations

import socket
import struct
import time
from io import BytesIO
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image

from common.camera_socket import HEAD, FrameDoor
from hardware import phone_camera as phones
from hardware.capture import CaptureCamera
from hardware.errors import BadFrameError, LinkLostError, NoDeviceError, WrongDeviceError
from hardware.ports import SystemClock
from tests.hardware.phone_frames import door_at, jpeg, sending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LIMIT_S = 300.0


def claiming(width: int, height: int) -> bytes:
    """A small JPEG whose header promises another size."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


DAMAGED: dict[str, bytes] = {
    "100 megapixels": claiming(12_000, 8_500),
    "one pixel too many": claiming(1920, 1081),
    "no height": claiming(96, 0),
    "cut short": jpeg()[:-40],
    "rubbish": b"\xff\xd8\xff" + b"rubbish" * 40 + b"\xff\xd9",
    "a PNG": cv2.imencode(".png", np.zeros((64, 96, 3), np.uint8))[1].tobytes(),
    "in many passes": jpeg(0, (96, 64), cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "headers without end": b"\xff\xd8" + b"\xff\xe0\x00\x03\x00" * 100 + b"\xff\xd9",
    "a scan before the frame": b"\xff\xd8\xff\xda\x00\x03\x03\xff\xd9",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_frame_that_is_no_plain_picture_of_bounded_size_is_left_out(data: bytes) -> None:
    with pytest.raises(BadFrameError) as refused:
        phones.decoded(data)
    assert refused.value.remedy


def test_a_frame_as_phones_send_it_is_decoded() -> None:
    assert phones.decoded(jpeg(0, (1280, 720))).shape == (720, 1280, 3)
    assert phones.decoded(jpeg(0, (1080, 1920))).shape == (1920, 1080, 3)


@pytest.mark.parametrize("seed", range(40))
def test_damage_anywhere_in_a_header_raises_nothing_else(seed: int) -> None:
    draw = np.random.default_rng(seed)
    data = bytearray(jpeg())
    for at in draw.integers(0, 620, 6):
        data[at] = draw.integers(256)
    try:
        phones.decoded(bytes(data))
    except BadFrameError:
        return


@pytest.fixture
def door(tmp_path: Path) -> Iterator[FrameDoor]:
    with door_at(tmp_path / "sockets") as made:
        yield made


Gateway = socket.socket


def connected(door: FrameDoor) -> Gateway:
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(door.path))
    return made


def head(size: int, taken_s: float, *, photograph: bool = False) -> bytes:
    return HEAD.pack(size, taken_s, photograph)


def opened(door: FrameDoor) -> tuple[phones.PhoneSource, Gateway]:
    gateway = connected(door)
    source = phones.PhoneSource(door)
    source.open()
    return source, gateway


def test_without_a_phone_it_names_the_code_to_scan(door: FrameDoor) -> None:
    with pytest.raises(NoDeviceError) as refused:
        phones.PhoneSource(door).open()
    assert "dicetable gateway camera" in refused.value.remedy


def test_a_frame_of_a_gigabyte_ends_the_connection_unread(door: FrameDoor) -> None:
    source, gateway = opened(door)
    with gateway:
        gateway.sendall(head(1_000_000_000, time.monotonic()))
        with pytest.raises(WrongDeviceError, match="1000000000 bytes"):
            source.read()
        source.close()


def test_a_gateway_that_leaves_within_a_frame_is_a_lost_link(door: FrameDoor) -> None:
    source, gateway = opened(door)
    gateway.sendall(head(1000, time.monotonic()) + b"\xff\xd8")
    gateway.close()
    with pytest.raises(LinkLostError):
        source.read()
    source.close()


def test_a_gateway_that_stalls_within_a_frame_is_a_lost_link(
    door: FrameDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "SILENT_S", 0.05)
    source, gateway = opened(door)
    with gateway:
        gateway.sendall(head(1000, time.monotonic()) + b"\xff\xd8")
        with pytest.raises(LinkLostError):
            source.read()
        source.close()


@pytest.mark.parametrize("claim", [float("nan"), float("inf"), -1e300, 0.0, 1e12])
def test_a_time_that_cannot_be_is_replaced_by_that_of_the_arrival(door: FrameDoor, claim: float) -> None:
    before_s = time.monotonic()
    source, gateway = opened(door)
    with gateway:
        data = jpeg()
        gateway.sendall(head(len(data), claim) + data)
        assert before_s <= source.read().time_s <= time.monotonic()
        source.close()


def test_a_photograph_stands_upright_until_the_next_picture_comes(
    door: FrameDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "AGAIN_S", 0.01)
    file = BytesIO()
    orientation = Image.Exif()
    orientation[0x0112] = 6  # the camera was held upright
    Image.new("RGB", (96, 64)).save(file, "JPEG", exif=orientation)
    source, gateway = opened(door)
    with gateway:
        gateway.sendall(head(len(file.getvalue()), 0.0, photograph=True) + file.getvalue())
        first, again = source.read(), source.read()
        assert (first.pixels.shape, first.photograph) == ((96, 64, 3), True)
        assert again.pixels is first.pixels
        assert again.time_s >= first.time_s
        gateway.sendall(head(len(jpeg()), 0.0) + jpeg())
        assert not source.read().photograph
        source.close()


def test_the_gateway_learns_what_became_of_each_frame(door: FrameDoor) -> None:
    source, gateway = opened(door)
    with gateway:
        for data in (jpeg(), b"rubbish", jpeg()):
            gateway.sendall(head(len(data), time.monotonic()) + data)
        source.read()
        with pytest.raises(BadFrameError):
            source.read()
        source.read()
        gateway.settimeout(LIMIT_S)
        assert gateway.recv(1) + gateway.recv(1) == b"+-"
        source.close()


def test_frames_are_read_no_faster_than_twenty_a_second(
    door: FrameDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    with connected(door) as gateway:
        line = door.accept(LIMIT_S)
        assert line is not None
        line.came_s = 100.0
        monkeypatch.setattr("common.camera_socket.time.monotonic", lambda: 100.01)
        monkeypatch.setattr("common.camera_socket.time.sleep", slept.append)
        line.answer(taken=True)
        assert slept == [pytest.approx(0.04)]
        assert gateway.recv(1) == b"+"
        line.close()


def test_another_user_is_not_let_in(door: FrameDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("common.local_sockets.peer_of", lambda _: 12345)
    with connected(door):
        assert door.accept(LIMIT_S) is None


def until(camera: CaptureCamera, reached: Callable[[], object]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not reached():
        assert time.monotonic() < end_s, camera.degraded
        camera.frame(0.05)


def test_a_phone_that_leaves_is_an_unplugged_camera_and_heals(door: FrameDoor) -> None:
    camera = phones.phone_camera(door, SystemClock())
    camera.start()
    with sending(door.path):
        until(camera, lambda: camera.frame(0.05) is not None)
    until(camera, lambda: camera.degraded is not None)
    assert camera.degraded is not None
    assert camera.degraded.remedy
    with sending(door.path):
        until(camera, lambda: camera.frame(0.05) is not None)
        assert camera.degraded is None
    camera.stop()
