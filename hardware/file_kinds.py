"""What a file is by its first bytes, to say so where the other kind was meant; nothing here decodes it."""

import os
from pathlib import Path
from typing import Final

HEAD_BYTES: Final = 16
EBML: Final = b"\x1aE\xdf\xa3"
"""The start of Matroska and WebM."""
PICTURES: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*")
STILL_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif", b"avis"}
)
"""The brands of ISO base media files (`ftyp`) that are pictures; those with any other are videos."""
MOVIE: Final = b"moov"
"""The box of an MP4 or QuickTime file that says where its frames are."""


def is_video(head: bytes) -> bool:
    return (
        head.startswith(EBML)
        or (head.startswith(b"RIFF") and head[8:12] == b"AVI ")
        or (head[4:8] == b"ftyp" and head[8:12] not in STILL_BRANDS)
        or head[4:8] in (MOVIE, b"mdat", b"wide")
    )


def is_picture(head: bytes) -> bool:
    """Whether it is a still picture; a GIF may move."""
    return (
        head.startswith(PICTURES)
        or (head.startswith(b"RIFF") and head[8:12] == b"WEBP")
        or (head[4:8] == b"ftyp" and head[8:12] in STILL_BRANDS)
    )


def head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def is_cut_short(path: Path) -> bool:
    """Whether a video says that it is longer than its file, or lacks what is written at the end."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(HEAD_BYTES)
        if head.startswith(b"RIFF"):
            return 8 + int.from_bytes(head[4:8], "little") > length
        if head.startswith(EBML):
            return False
        offset, has_movie = 0, False
        while offset + 8 <= length:
            file.seek(offset)
            box = file.read(HEAD_BYTES)
            has_movie |= box[4:8] == MOVIE
            size = int.from_bytes(box[:4])
            if size == 1:  # the length follows the name, in eight bytes
                size = int.from_bytes(box[8:16])
            elif size == 0:  # it reaches to the end of the file
                size = length - offset
            if size < 8:
                return False
            offset += size
        return offset > length or not has_movie
