"""Files that are hostile, odd or very large: each is known to be a photograph, or to be none."""

from __future__ import annotations

import io
import os
import socket
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
from PIL import Image

from tests.hardware.files import chunk, exif_turned, jpeg_header, png, quarters

if TYPE_CHECKING:
    from collections.abc import Callable

HEIC: Final = Path(__file__).parent / "heic"
QUICK: Final = (
    *("png_60000", "png_many_chunks", "jpeg_progressive_12000", "gif_65535", "tiff_one_strip_grey"),
    *("tiff_ifd_loop", "heic_lying_small", "text", "sparse", "fifo", "loop"),
)
"""A few that are made and read in no time."""
FORMS: dict[str, Callable[[], bytes]] = {}


def form(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """One more file, named after the function."""
    FORMS[make.__name__] = make
    return make


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    """A file that Pillow writes."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def packed(row: bytes, rows: int) -> bytes:
    """The deflated rows of a large, plain picture."""
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(row) for _ in range(rows)) + packer.flush()


def flat(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """One colour."""
    return Image.new(mode, (width, height), 90 if mode in ("L", "P", "1") else (80, 90, 100))


def small() -> Image.Image:
    """An ordinary picture."""
    return Image.fromarray(np.ascontiguousarray(quarters()[..., ::-1]))


def spoilt(data: bytes, old: bytes, new: bytes) -> bytes:
    """The file with some bytes exchanged."""
    assert old in data
    return data.replace(old, new)


def tiff(tags: dict[int, tuple[int, int, int]], tail: bytes = b"", following: int = 0) -> bytes:
    """A little-endian TIFF: one list of tags (type, count, value); from byte 512 what the values point at."""
    entries = b"".join(struct.pack("<HHII", tag, *value) for tag, value in sorted(tags.items()))
    head = b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return head.ljust(512, b"\0") + tail


def tiff_tags(width: int, height: int, **other: tuple[int, int, int]) -> dict[int, tuple[int, int, int]]:
    """The tags that a grey picture needs; `t123=(type, count, value)` for others."""
    tags = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1)}
    tags |= {273: (4, 1, 512), 277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, width * height)}
    return tags | {int(name[1:]): value for name, value in other.items()}


IDAT = packed(b"\0" + bytes(96 * 3), 64)
WHOLE = (b"IDAT", IDAT)


# PNG
@form
def png_60000() -> bytes:
    return png(60_000, 60_000, 8, 2, WHOLE)


@form
def png_zero() -> bytes:
    return png(0, 64, 8, 2, WHOLE)


@form
def png_10000() -> bytes:
    return png(10_000, 10_000, 8, 2, (b"IDAT", packed(b"\0" + b"\x50\x60\x70" * 10_000, 10_000)))


@form
def png_10000_of_64_bits() -> bytes:
    return png(10_000, 10_000, 16, 6, (b"IDAT", packed(bytes(1 + 8 * 10_000), 10_000)))


@form
def png_10000_grey() -> bytes:
    return png(10_000, 10_000, 8, 0, (b"IDAT", packed(bytes(10_001), 10_000)))


@form
def png_10000_of_one_bit() -> bytes:
    return png(10_000, 10_000, 1, 0, (b"IDAT", packed(bytes(1251), 10_000)))


@form
def png_interlaced() -> bytes:
    passes = [(8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)]
    rows = b"".join(bytes((1 + 9000 // x * 3) * (9000 // y)) for x, y in passes)
    data = png(9000, 9000, 8, 2, (b"IDAT", zlib.compress(rows, 1)))
    head = data[16:28] + b"\x01"
    return data[:8] + chunk(b"IHDR", head) + data[33:]


@form
def png_lying_small() -> bytes:
    return png(96, 64, 8, 2, (b"IDAT", packed(bytes(1 << 20), 300)))


@form
def png_many_chunks() -> bytes:
    return png(96, 64, 8, 2, *[(b"IDAT", IDAT[at : at + 1]) for at in range(len(IDAT))] * 300)


@form
def png_empty_chunks() -> bytes:
    return png(96, 64, 8, 2, *[(b"IDAT", b"")] * 300_000, WHOLE)


@form
def png_long_text() -> bytes:
    return png(96, 64, 8, 2, (b"tEXt", b"a\0" + b"x" * 50_000_000), WHOLE)


@form
def png_exif_loop() -> bytes:
    note = b"II*\0\x08\0\0\0" + struct.pack("<H", 65_535) + struct.pack("<HHII", 0x8769, 4, 1, 8) * 200
    return png(96, 64, 8, 2, (b"eXIf", note), WHOLE)


@form
def png_lying_frames() -> bytes:
    return png(96, 64, 8, 2, (b"acTL", struct.pack(">II", 0x7FFFFFFF, 0)), WHOLE)


@form
def png_many_frames() -> bytes:
    return saved(small(), "PNG", save_all=True, append_images=[flat(96, 64), small()] * 500)


@form
def png_beyond_palette() -> bytes:
    return png(96, 64, 8, 3, (b"PLTE", b"\1\2\3"), (b"IDAT", packed(b"\0" + b"\xff" * 96, 64)))


@form
def png_extreme_aspect() -> bytes:
    return saved(flat(12_000, 32), "PNG")


# JPEG
@form
def jpeg_10000() -> bytes:
    return saved(flat(10_000, 10_000), "JPEG")


@form
def jpeg_progressive_12000() -> bytes:
    return spoilt(jpeg_header(12_000, 12_000), b"\xff\xc0", b"\xff\xc2")


@form
def jpeg_progressive() -> bytes:
    return saved(flat(8000, 5900), "JPEG", progressive=True)


@form
def jpeg_progressive_fully_coloured() -> bytes:
    return saved(flat(6000, 4000), "JPEG", progressive=True, subsampling=0)


@form
def jpeg_many_segments() -> bytes:
    data = saved(small(), "JPEG")
    return data[:2] + b"\xff\xe5\0\x04ab" * 300_000 + data[2:]


@form
def jpeg_long_comments() -> bytes:
    data = saved(small(), "JPEG")
    return data[:2] + (b"\xff\xfe\xff\xff" + b"c" * 65_533) * 700 + data[2:]


@form
def jpeg_exif_monster() -> bytes:
    body = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 5000) + struct.pack("<HHII", 0x8769, 4, 1, 8) * 5000
    data = saved(small(), "JPEG")
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


@form
def jpeg_profile_monster() -> bytes:
    return saved(small(), "JPEG", icc_profile=bytes(255 * 65_519 - 1000))


@form
def jpeg_many_pictures_lying() -> bytes:
    note = b"MPF\0II*\0\x08\0\0\0" + struct.pack("<HHHII", 1, 0xB001, 4, 1, 0x7FFFFFFF) + bytes(4)
    data = saved(small(), "JPEG")
    return data[:2] + b"\xff\xe2" + struct.pack(">H", len(note) + 2) + note + data[2:]


@form
def jpeg_restarts() -> bytes:
    return saved(small(), "JPEG", restart_marker_blocks=1)


@form
def jpeg_cmyk() -> bytes:
    return saved(flat(11_000, 9000).convert("CMYK"), "JPEG")


@form
def jpeg_arithmetic() -> bytes:
    return spoilt(saved(small(), "JPEG"), b"\xff\xc0", b"\xff\xc9")


@form
def jpeg_turned_nowhere() -> bytes:
    return exif_turned(saved(small(), "JPEG"), 60_000)


# GIF
@form
def gif_65535() -> bytes:
    return b"GIF89a" + b"\xff" * 4 + b"\0\0\0" + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;"


@form
def gif_10000() -> bytes:
    return saved(flat(10_000, 10_000, "P"), "GIF")


@form
def gif_many_frames() -> bytes:
    data = saved(small().convert("P"), "GIF")
    at = data.index(b",\0\0\0\0")
    return data[:at] + data[at:-1] * 5000 + b";"


@form
def gif_long_comment() -> bytes:
    data = saved(small().convert("P"), "GIF")
    at = data.index(b",\0\0\0\0")
    return data[:at] + b"!\xfe" + (b"\xff" + b"c" * 255) * 200_000 + b"\0" + data[at:]


# TIFF
@form
def tiff_one_strip_grey() -> bytes:
    data = packed(bytes(11_000), 11_000)
    return tiff(tiff_tags(11_000, 11_000, t259=(3, 1, 8), t279=(4, 1, len(data))), data)


@form
def tiff_one_strip_deep() -> bytes:
    data = packed(bytes(11_000 * 6), 11_000)
    deep = tiff_tags(11_000, 11_000, t259=(3, 1, 8), t279=(4, 1, len(data) + 6), t277=(3, 1, 3))
    return tiff(
        deep | {258: (3, 3, 512), 262: (3, 1, 2), 273: (4, 1, 518)}, struct.pack("<3H", 16, 16, 16) + data
    )


@form
def tiff_of_rows() -> bytes:
    return saved(flat(6000, 4000), "TIFF", compression="tiff_lzw", tiffinfo={278: 1})


@form
def tiff_grey_10000() -> bytes:
    return saved(flat(10_000, 10_000, "L"), "TIFF", compression="tiff_lzw")


@form
def tiff_fax() -> bytes:
    return saved(flat(10_000, 10_000, "1"), "TIFF", compression="group4")


@form
def tiff_ifd_loop() -> bytes:
    return tiff(tiff_tags(96, 64), bytes(96 * 64), following=8)


@form
def tiff_sub_ifd_loop() -> bytes:
    return tiff(tiff_tags(96, 64, t330=(4, 1, 8), t34665=(4, 1, 8)), bytes(96 * 64))


@form
def tiff_no_rows() -> bytes:
    return tiff(tiff_tags(96, 64, t278=(4, 1, 0)), bytes(96 * 64))


@form
def tiff_planes() -> bytes:
    tags = tiff_tags(4000, 3000, t284=(3, 1, 2), t277=(3, 1, 3), t262=(3, 1, 2), t258=(3, 3, 512))
    tags |= {273: (4, 3, 518), 279: (4, 3, 530)}
    offsets = struct.pack("<3H6I", 8, 8, 8, *[600 + 12_000_000 * n for n in range(3)], *[12_000_000] * 3)
    return tiff(tags, offsets.ljust(88, b"\0") + bytes(36_000_000))


@form
def tiff_many_pages() -> bytes:
    return saved(small(), "TIFF", save_all=True, append_images=[small()] * 300)


@form
def tiff_12_bits() -> bytes:
    done, data = cv2.imencode(".tif", np.full((3000, 4000, 3), 4000, np.uint16))
    assert done
    return data.tobytes()


# BMP and PNM


@form
def bmp_10000_packed() -> bytes:
    head = struct.pack("<IIIIiiHHIIiiII", 1 << 20, 0, 1078, 40, 10_000, 10_000, 1, 8, 1, 0, 0, 0, 256, 0)
    return b"BM" + head + bytes(1024) + (b"\xff\x05" * 39 + b"\x37\x05\0\0") * 10_000 + b"\0\1"


@form
def bmp_large() -> bytes:
    return saved(flat(8000, 8000), "BMP")


@form
def pnm_many_comments() -> bytes:
    return b"P6\n" + b"#\n" * 5_000_000 + b"96 64\n255\n" + bytes(96 * 64 * 3)


@form
def pnm_deep() -> bytes:
    return b"P6\n5000 5000\n65535\n" + bytes(5000 * 5000 * 6)


@form
def pnm_written() -> bytes:
    return b"P3\n3000 3000\n255\n" + b"9 " * (3000 * 3000 * 3)


# WebP, JPEG 2000


@form
def webp_12000() -> bytes:
    return saved(flat(12_000, 12_000), "WEBP", method=0)


@form
def webp_whole() -> bytes:
    return saved(flat(5000, 3600), "WEBP", lossless=True, method=0)


@form
def webp_many_frames() -> bytes:
    return saved(small(), "WEBP", save_all=True, append_images=[flat(96, 64), small()] * 300, method=0)


@form
def jp2_10000() -> bytes:
    return saved(flat(10_000, 10_000, "L"), "JPEG2000")


# AVIF, HEIC
def lying(data: bytes, size: tuple[int, int], told: tuple[int, int]) -> bytes:
    """A file of this family whose `ispe` box tells another size."""
    return spoilt(data, b"ispe" + struct.pack(">III", 0, *size), b"ispe" + struct.pack(">III", 0, *told))


@form
def avif_large() -> bytes:
    return saved(flat(4500, 3300), "AVIF", speed=10)


@form
def avif_many_frames() -> bytes:
    return saved(small(), "AVIF", save_all=True, append_images=[flat(96, 64), small()] * 50, speed=10)


@form
def heic_large() -> bytes:
    return (HEIC / "24_megapixels.heic").read_bytes()


@form
def heic_48_megapixels() -> bytes:
    return (HEIC / "48_megapixels.heic").read_bytes()


@form
def heic_lying_small() -> bytes:
    data = (HEIC / "48_megapixels.heic").read_bytes()
    return lying(data, (8064, 6048), (640, 480))


@form
def heic_torn() -> bytes:
    return (HEIC / "plain.heic").read_bytes()[:-100]


# What is no picture
@form
def drawing() -> bytes:
    return b'<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"/>'


@form
def text() -> bytes:
    return b"these are no dice\n" * 1000


def make(folder: Path, name: str) -> Path:
    """Makes one of the files, or of the things that are none, in a folder."""
    path = folder / name
    if name in FORMS:
        path.write_bytes(FORMS[name]())
    elif name == "sparse":
        with path.open("wb") as file:
            file.truncate(190_000_000)
    elif name == "fifo":
        os.mkfifo(path)
    elif name == "folder":
        path.mkdir()
    elif name == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    else:
        path.symlink_to(
            {"loop": name, "nowhere": "nothing", "zeros": "/dev/zero", "memory": "/proc/self/mem"}[name]
        )
    return path


NAMES: Final = (*FORMS, "sparse", "fifo", "folder", "socket", "loop", "nowhere", "zeros", "memory")
