"""Reads typed lines without blocking."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 4096


class Typed:
    """Reads a stream without waiting; None, or a stream that has ended, gives no lines."""

    def __init__(self, stream: TextIO | None) -> None:
        self.descriptor = None if stream is None else stream.fileno()
        self.rest = b""

    def lines(self) -> Sequence[str]:
        """The lines that were typed since the last call."""
        while self.descriptor is not None and select.select([self.descriptor], [], [], 0)[0]:
            chunk = os.read(self.descriptor, CHUNK)
            if not chunk:
                self.descriptor = None
            self.rest += chunk
        *lines, self.rest = self.rest.split(b"\n")
        return [line.decode(errors="replace").strip() for line in lines if line.strip()]
