"""Paired displays: browsers that may show codes, for they stand where only people at the table see them.

A browser on this machine itself is one, unless a proxy passed the request on. Another becomes one by
`dicetable gateway pair CODE`, with the code that it shows, at this machine.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
from typing import TYPE_CHECKING, Final

from dicetable.gateway.hosts import LOCAL, host_of
from dicetable.network import outside_json
from dicetable.network.addresses import client_of, is_here

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import HTTPConnection

COOKIE: Final = "dicetable_display"
MOST_DISPLAYS: Final = 16
MOST_BYTES: Final = 4096

log = logging.getLogger(__name__)


def is_this_machine(request: HTTPConnection) -> bool:
    """Whether the browser runs on this machine, by its address and by the name that it asks for."""
    return is_here(client_of(request)) and host_of(request.headers.get("host", "")) in LOCAL


class Displays:
    """The displays that were paired, by the digest of their cookies; kept in a file if there is a folder."""

    def __init__(self, folder: Path | None) -> None:
        self.file = folder / "paired.json" if folder else None
        self.paired: list[str] = []
        if self.file is not None and self.file.is_file():
            try:
                with self.file.open("rb") as file:
                    kept = outside_json.parsed(file.read(MOST_BYTES))
                self.paired = [str(each) for each in kept][-MOST_DISPLAYS:]
            except (OSError, ValueError, TypeError) as error:
                log.warning("paired=forgotten error=%r", str(error))

    def shows_codes(self, request: HTTPConnection) -> bool:
        """Whether the browser may show codes."""
        return is_this_machine(request) or digest(request.cookies.get(COOKIE, "")) in self.paired

    def pair(self, name: str) -> None:
        """The browser with this cookie may show codes from now on; the oldest may have to go."""
        self.paired = [*self.paired, digest(name)][-MOST_DISPLAYS:]
        self.keep()

    def forget_all(self) -> None:
        """No display but this machine's own is paired any more."""
        self.paired = []
        self.keep()

    def keep(self) -> None:
        """Writes the file; a disk that refuses costs the pairing at the next start, and no more."""
        if self.file is None:
            return
        part = self.file.with_suffix(".part")
        try:
            part.write_text(json.dumps(self.paired), "utf-8")
            os.replace(part, self.file)  # noqa: PTH105 - rename as one step
        except OSError as error:
            log.warning("paired=not_kept error=%r", str(error))


def new_name() -> str:
    """A name for a browser's cookie."""
    return secrets.token_urlsafe(32)


def digest(name: str) -> str:
    """What is kept of a cookie."""
    return hashlib.sha256(name.encode()).hexdigest()
