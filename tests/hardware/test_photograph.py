"""Files as photographs: every kind is read upright in three channels; what is none is refused in words."""

from __future__ import annotations

import logging
import os
import socket
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image

from hardware import photograph
from hardware.photograph import PhotographError, load_photograph
from tests.hardware.files import CORNERS, bmp_header, exif_turned, jpeg_header, png, quarters, write

if TYPE_CHECKING:
    from hardware.ports import Pixels

HEIC = Path(__file__).parent / "heic"
MIDDLES = [(16, 24), (16, 72), (48, 24), (48, 72)]


def refusal(path: Path) -> str:
    with pytest.raises(PhotographError) as refused:
        load_photograph(path)
    text = str(refused.value)
    assert "\n" not in text
    return text


def stored_lying(upright: Pixels, orientation: int) -> Pixels:
    """How a camera held like this stores the picture."""
    return {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: np.rot90(upright, 1),
        7: upright[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(upright, -1),
    }[orientation]


def seen_corners(path: Path) -> list[tuple[int, ...]]:
    """The quarters of what is loaded, each made pure."""
    pixels = load_photograph(path).pixels
    h, w = pixels.shape[:2]
    at = [pixels[y * h // 4, x * w // 4] for y in (1, 3) for x in (1, 3)]
    return [tuple(255 * int(level > 127) for level in colour) for colour in at]


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.jpg") == "there is no such file"


@pytest.mark.parametrize(("name", "coding"), [("a.mp4", "mp4v"), ("a.mkv", "MJPG"), ("a.avi", "MJPG")])
def test_a_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, coding: str) -> None:
    path = tmp_path / name
    video = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*coding), 30, (64, 48))
    video.write(np.zeros((48, 64, 3), np.uint8))
    video.release()
    said = "it is a video: use `dicetable watch FILE` or `dicetable roll --camera FILE`"
    assert refusal(path) == said
    monkeypatch.setattr(photograph, "MOST_FILE_MB", 0)  # films are often larger
    assert refusal(path) == said


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    assert refusal(tmp_path / "empty.jpg") == "the file is empty"


def test_a_folder(tmp_path: Path) -> None:
    assert "it is a folder" in refusal(tmp_path)


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be opened" in refusal(tmp_path / "file" / "photo.jpg")


@pytest.mark.parametrize("name", ["photo.jpg", "photo.png"])
@pytest.mark.parametrize("part", [0.2, 0.6, 0.97])
def test_a_file_that_is_cut_short(tmp_path: Path, name: str, part: float) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (80, 120, 3), dtype=np.uint8)
    path = write(tmp_path / name, noise)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    assert "cut short" in refusal(path)


@pytest.mark.parametrize(
    "data", [b"these are no dice\n" * 20, b"\0" * 500, b"GIF89a", b"\x89PNG\r\n\x1a\nIEND"]
)
def test_what_is_no_picture(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(data)
    assert refusal(path)


@pytest.mark.parametrize("name", ["photo.jpg", "photo.png", "photo.bmp", "photo.webp"])
def test_one_pixel_is_too_few(tmp_path: Path, name: str) -> None:
    assert "1×1 pixels are too few" in refusal(write(tmp_path / name, np.zeros((1, 1, 3), np.uint8)))


@pytest.mark.parametrize(("width", "height"), [(10_000, 10_001), (60_000, 60_000)])
def test_huge_ones_are_refused_from_the_header(tmp_path: Path, width: int, height: int) -> None:
    files = {"photo.png": png(width, height, 8, 2, (b"IDAT", zlib.compress(b"")))}
    files["photo.jpg"] = jpeg_header(width, height)
    files["photo.bmp"] = bmp_header(width, height)
    for name, data in files.items():
        path = tmp_path / name
        path.write_bytes(data)
        assert f"{width}×{height} pixels are too many" in refusal(path), name


def test_a_file_of_many_bytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "photo.tif"
    with path.open("wb") as file:
        file.truncate(400_000_001)
    assert "save it smaller" in refusal(path)


@pytest.mark.parametrize("brand", [b"avif", b"mif1"])
def test_avif_is_read_though_it_shares_a_box_with_heic(tmp_path: Path, brand: bytes) -> None:
    path = write(tmp_path / "photo.avif", quarters())
    data = path.read_bytes()
    assert data[4:12] == b"ftypavif"
    path.write_bytes(data[:8] + brand + data[12:])
    assert seen_corners(path) == list(CORNERS)


@pytest.mark.parametrize("name", ["plain", "turned", "alpha", "ten_bits"])
def test_heic_is_read_upright_in_colour(name: str) -> None:
    path = HEIC / f"{name}.heic"
    assert seen_corners(path) == list(CORNERS)
    first = load_photograph(path).pixels
    assert first.shape == (64, 96, 3)
    for _ in range(20):
        assert np.array_equal(load_photograph(path).pixels, first)


def test_grey_heic_and_a_large_one(tmp_path: Path) -> None:
    levels = [round(float(load_photograph(HEIC / "grey.heic").pixels[y, x].mean())) for y, x in MIDDLES]
    assert np.abs(np.array(levels) - [76, 150, 29, 255]).max() <= 3
    large = load_photograph(HEIC / "24_megapixels.heic")
    assert (large.scale, large.pixels.shape) == (4, (1071, 1428, 3))
    torn = tmp_path / "torn.heic"
    data = (HEIC / "plain.heic").read_bytes()
    for end in (12, 40, 200, len(data) // 2, len(data) - 40):
        torn.write_bytes(data[:end])
        assert refusal(torn)


@pytest.mark.parametrize("ending", ["tif", "avif", "png", "webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_other_kinds_are_upright_too(tmp_path: Path, ending: str, orientation: int) -> None:
    held = Image.Exif()
    held[0x0112] = orientation
    stored = stored_lying(quarters(), orientation)
    path = tmp_path / f"photo.{ending}"
    Image.fromarray(np.ascontiguousarray(stored[..., ::-1])).save(path, exif=held, quality=95)
    assert load_photograph(path).pixels.shape == (64, 96, 3)
    assert seen_corners(path) == list(CORNERS)


def test_what_has_no_end_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/zero")):
        assert "save the photograph in a file" in refusal(path)


def test_damage_within_a_file_is_refused_or_read_but_never_raises_anything_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(sys.stderr)])
    rng = np.random.default_rng(3)
    photograph = Image.fromarray(np.ascontiguousarray(quarters()[..., ::-1]))
    for ending in ("jpg", "png", "bmp", "webp", "tif", "ppm", "gif", "jp2", "avif", "heic"):
        path = tmp_path / f"photo.{ending}"
        if ending != "heic":
            photograph.save(path)
        whole = (HEIC / "plain.heic" if ending == "heic" else path).read_bytes()
        for turn in range(40):
            data = bytearray(whole if turn else whole[: len(whole) // 2])
            for at in rng.integers(0, min(len(data), 400), 3):
                data[at] = rng.integers(256)
            path.write_bytes(data)
            said = ""
            try:
                assert load_photograph(path).pixels.ndim == 3
            except PhotographError as error:
                said = str(error)
            assert said.isprintable()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("progressive", [0, 1])
def test_a_jpeg_damaged_in_the_middle_is_refused_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], progressive: int
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (160, 240, 3), dtype=np.uint8)
    path = write(tmp_path / "photo.jpg", noise, cv2.IMWRITE_JPEG_PROGRESSIVE, progressive)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    path.write_bytes(data)
    assert "damaged" in refusal(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("ending", ["png", "bmp", "tif", "webp"])
def test_decoders_say_nothing_beside_our_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (160, 240, 3), dtype=np.uint8)
    path = write(tmp_path / f"photo.{ending}", noise)
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(data[:middle] + (bytes(400) + data[middle + 400 :] if ending in ("png", "tif") else b""))
    assert "damaged" in refusal(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("spare", "sound"), [(1, True), (16, True), (300, False)])
def test_a_few_spare_bytes_at_the_end_of_a_jpeg_are_no_damage(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], spare: int, sound: bool
) -> None:
    path = write(tmp_path / "photo.jpg", quarters())
    path.write_bytes(path.read_bytes()[:-2] + bytes(spare) + b"\xff\xd9")
    if sound:
        assert seen_corners(path) == list(CORNERS)
    else:
        assert "damaged" in refusal(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("ending", ["jpg", "png", "bmp", "webp", "tif", "ppm"])
def test_every_format_is_read_in_colour(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"photo.{ending}", quarters())
    photograph = load_photograph(path)
    assert (photograph.pixels.shape, photograph.pixels.dtype.name, photograph.scale) == (
        (64, 96, 3),
        "uint8",
        1,
    )
    assert photograph.pixels.flags.c_contiguous
    assert seen_corners(path) == list(CORNERS)


@pytest.mark.parametrize("ending", ["jpg", "png"])
def test_grey_becomes_three_like_channels(tmp_path: Path, ending: str) -> None:
    grey = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (48, 1))
    pixels = load_photograph(write(tmp_path / f"photo.{ending}", grey)).pixels
    assert pixels.shape == (48, 64, 3)
    assert np.abs(pixels.astype(int) - grey[..., None]).max() <= 3


def test_transparency_is_dropped(tmp_path: Path) -> None:
    picture = np.dstack([quarters(), np.full((64, 96), 200, np.uint8)])
    assert seen_corners(write(tmp_path / "photo.png", picture)) == list(CORNERS)
    assert load_photograph(tmp_path / "photo.png").pixels.shape == (64, 96, 3)


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    picture = quarters().astype(np.uint16) * 257
    path = write(tmp_path / "photo.png", picture)
    assert np.array_equal(load_photograph(path).pixels, quarters())


@pytest.mark.parametrize("ending", ["png", "tif", "jp2"])
def test_twelve_bits_in_sixteen_become_eight(tmp_path: Path, ending: str) -> None:
    picture = quarters().astype(np.uint16) * 16
    assert np.array_equal(load_photograph(write(tmp_path / f"photo.{ending}", picture)).pixels, quarters())
    large = quarters(4000, 64).astype(np.uint16) * 16
    reduced = load_photograph(write(tmp_path / f"photo.{ending}", large))
    assert (reduced.scale, reduced.pixels.max()) == (2, 255)
    picture[0, 0, 0] = 4096  # more than twelve bits hold
    bright = load_photograph(write(tmp_path / f"photo.{ending}", picture)).pixels
    assert bright.max() <= 16


def test_a_palette_is_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    palette = bytes(level for colour in CORNERS for level in colour[::-1])
    rows = b"".join(b"\0" + bytes([2 * (y // 32)] * 48 + [2 * (y // 32) + 1] * 48) for y in range(64))
    path.write_bytes(png(96, 64, 8, 3, (b"PLTE", palette), (b"IDAT", zlib.compress(rows))))
    assert seen_corners(path) == list(CORNERS)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_camera_held_aside_gives_an_upright_picture(tmp_path: Path, orientation: int) -> None:
    stored = stored_lying(quarters(), orientation)
    path = write(tmp_path / "photo.jpg", np.ascontiguousarray(stored))
    path.write_bytes(exif_turned(path.read_bytes(), orientation))
    assert load_photograph(path).pixels.shape == (64, 96, 3)
    assert seen_corners(path) == list(CORNERS)


@pytest.mark.parametrize("ending", ["jpg", "png"])
@pytest.mark.parametrize(("longest", "scale"), [(2400, 1), (2401, 2), (4801, 4), (9601, 8), (12_000, 8)])
def test_large_ones_are_reduced_and_tell_by_how_much(
    tmp_path: Path, ending: str, longest: int, scale: int
) -> None:
    path = write(tmp_path / f"photo.{ending}", quarters(longest, 64))
    photograph = load_photograph(path)
    assert photograph.scale == scale
    height, width, channels = photograph.pixels.shape
    assert (height, channels) == (64 // scale, 3)
    assert width in (longest // scale, -(-longest // scale))


def test_a_panorama_may_be_as_long_as_it_likes(tmp_path: Path) -> None:
    photograph = load_photograph(write(tmp_path / "photo.png", quarters(30_000, 64)))
    assert (photograph.pixels.shape, photograph.scale) == ((8, 3750, 3), 8)


@pytest.mark.parametrize("ending", ["png", "webp", "bmp"])
def test_a_large_one_keeps_its_colours(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"photo.{ending}", quarters(3000, 64))
    assert load_photograph(path).scale == 2
    assert seen_corners(path) == list(CORNERS)


def test_names_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(tmp_path / "photo.png", quarters()).read_bytes()
    monkeypatch.chdir(tmp_path)
    for name in (b"two\nlines.png", b"not \xff UTF-8.png", "Würfel.png".encode(), b" .png"):
        path = Path(os.fsdecode(name))
        path.write_bytes(data)
        assert np.array_equal(load_photograph(path).pixels, quarters())
    assert "cannot be opened" in refusal(Path("x" * 5000))
    assert "cannot be opened" in refusal(Path("nothing\0"))
