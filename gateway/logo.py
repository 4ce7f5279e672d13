"""The bar's logo: the picture that an operator sent, or else the file that the config names.

`python -m gateway.logo` draws a picture from standard input anew, as WebP on standard output, or
says why it does not. A program of its own: a decoder that fails on a hostile picture takes no screen with it.
"""

import io
import logging
import sys
from pathlib import Path
from typing import Final

from common import files, texts
from common.files import read_file

MOST_FILE_BYTES: Final = 500_000
KINDS: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}
SENT_KINDS: Final = ("PNG", "JPEG", "WEBP")
MOST_SENT_BYTES: Final = 4_000_000
MOST_PIXELS: Final = 12_000_000
"""The largest picture that is decoded. Larger: the gateway's memory has no room for its pixels."""
SIZE: Final = (1200, 400)
"""The largest width and height of the logo in pixels, enough for a television with 2160 lines."""
QUALITIES: Final = (90, 70, 50)
"""The qualities of WebP that are tried, from the best, until the picture fits into MOST_FILE_BYTES."""
MADE: Final = b"RIFF"
"""What WebP begins with; a sentence does not."""
NAME: Final = "logo.webp"
LOGO: Final = "/logo"
"""The path of the logo."""

log = logging.getLogger(__name__)


class Logo:
    """The logo that the pages show; `sent` is the operator's, drawn anew.

    `folder` keeps it; without one it goes with the gateway.
    """

    def __init__(self, configured: str, folder: Path | None) -> None:
        self.configured = logo_of(configured)
        self.file = folder / NAME if folder is not None else None
        stored = logo_of(str(self.file)) if self.file is not None and self.file.exists() else None
        self.sent = stored[0] if stored is not None else b""

    @property
    def shown(self) -> tuple[bytes, str] | None:
        """The picture and its media type; None without a logo."""
        return (self.sent, KINDS[".webp"]) if self.sent else self.configured

    def put(self, picture: bytes) -> None:
        """Shows the picture from now on, or with an empty one that of the config. Raises OSError."""
        if self.file is not None and picture:
            files.atomic_write(self.file, picture)
        elif self.file is not None:
            self.file.unlink(missing_ok=True)
        self.sent = picture


def logo_of(path: str) -> tuple[bytes, str] | None:
    """The picture in a file and its media type; None, and a line in the log, if it can't be shown."""
    if not path:
        return None
    kind = KINDS.get(Path(path).suffix.lower())
    if kind is None:
        log.warning("logo=none path=%r why='is no PNG, JPEG, WebP or SVG file'", path)
        return None
    try:
        return read_file(Path(path), MOST_FILE_BYTES), kind
    except OSError as error:
        log.warning("logo=none path=%r why=%r", path, error.strerror)
        return None


def drawn_anew(data: bytes) -> bytes:
    """The picture as WebP of at most SIZE pixels and MOST_FILE_BYTES, without anything else of the file.

    Raises ValueError with a sentence for the operator.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError  # only here: the gateway decodes no picture

    try:
        picture = Image.open(io.BytesIO(data), formats=SENT_KINDS)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        raise ValueError(texts.operator.LOGO_KIND) from None
    if picture.width * picture.height > MOST_PIXELS:
        raise ValueError(texts.operator.LOGO_PIXELS)
    try:
        upright = ImageOps.exif_transpose(picture).convert("RGBA")
    except (OSError, SyntaxError, ValueError):
        raise ValueError(texts.operator.LOGO_DAMAGED) from None
    upright.thumbnail(SIZE)
    for quality in QUALITIES:
        made = io.BytesIO()
        upright.save(made, "WEBP", quality=quality, alpha_quality=quality)
        if made.tell() <= MOST_FILE_BYTES:
            return made.getvalue()
    raise ValueError(texts.operator.LOGO_PIXELS)


if __name__ == "__main__":
    try:
        sys.stdout.buffer.write(drawn_anew(sys.stdin.buffer.read(MOST_SENT_BYTES + 1)))
    except ValueError as why:
        sys.stdout.write(str(why))
