"""A folder of the bar's own sounds: which of its files a television may play in place of its own sounds.

A file is named after what it is for, such as `bust.mp3`, `bust-Ann.ogg` or `win-six_by_6.wav`.
"""

import mimetypes
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from common.files import first_bytes

KINDS: Final = {".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".wav": "audio/wav"}
BEGINNINGS: Final = {
    ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xfa"),
    ".ogg": (b"OggS",),
    ".wav": (b"RIFF",),
}
"""What a file of each kind begins with."""
MOST_FILES: Final = 200
"""The names are in the page of the television: more would make it slow to load."""
MOST_BYTES: Final = 1_000_000
"""The size of a sound: the television decodes it as it comes."""
RIGHT: Final = "an MP3, Ogg or WAV file of at most 1 MB"


def sounds_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """The sounds of a folder, sorted by name, each with its fault; the fault of a playable file is empty.

    What is no sound by its name, such as a licence, is left out. Raises OSError if the folder cannot be read.
    """
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and is_sound(path))
    for count, path in enumerate(paths, 1):
        yield path, f"is more than the {MOST_FILES} sounds that fit" if count > MOST_FILES else fault(path)


def is_sound(path: Path) -> bool:
    """Whether the file is a sound by its name, even of a kind that is not played."""
    kind, _ = mimetypes.guess_type(path.name.lower())
    return path.suffix.lower() in KINDS or (kind or "").startswith(("audio/", "video/"))


def fault(path: Path) -> str:
    """Why a file can't be played; empty if it can."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        return "is no MP3, Ogg or WAV file by its name"
    try:
        if path.stat().st_size > MOST_BYTES:
            return "is larger than 1 MB"
        beginning = first_bytes(path, 4)
    except OSError as error:
        return f"can't be read: {error.strerror}"
    return "" if beginning.startswith(BEGINNINGS[kind]) else f"is no {kind[1:].upper()} file by its content"
