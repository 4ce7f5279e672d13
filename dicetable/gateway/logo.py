"""The bar's logo: read once, from the file that [screen] names."""

from __future__ import annotations

import logging
from errno import ENOENT
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 500_000
KINDS: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}

log = logging.getLogger(__name__)


def logo_of(path: str) -> tuple[bytes, str] | None:
    """The picture and its media type; None, and a line in the log, if it can't be shown."""
    if not path:
        return None
    kind = KINDS.get(Path(path).suffix.lower())
    if kind is None:
        log.warning("logo=none path=%r why='is no PNG, JPEG, WebP or SVG file'", path)
        return None
    try:
        if not Path(path).is_file():
            raise FileNotFoundError(ENOENT, "is no file")
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        log.warning("logo=none path=%r why=%r", path, error.strerror)
        return None
    if len(data) > MOST_BYTES:
        log.warning("logo=none path=%r why='is larger than %d kB'", path, MOST_BYTES // 1000)
        return None
    return data, kind
