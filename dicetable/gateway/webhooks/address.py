"""The address of a webhook: what can be one, and which entry of the list of allowed hosts it needs."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit

USUAL_PORTS: Final = {"http": 80, "https": 443}


def parts(url: str) -> SplitResult:
    """The parts of a URL that something can be sent to; ValueError if it is none."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("characters that no URL has")
    found = urlsplit(url)
    if found.scheme not in USUAL_PORTS or not found.hostname:
        raise ValueError("no URL of http or https")
    if found.username is not None or found.fragment or found.port == 0:
        raise ValueError("a user, a fragment or port 0 in the URL")
    return found


def port_of(found: SplitResult) -> int:
    """The port that is connected to."""
    return found.port or USUAL_PORTS[found.scheme]


def allowed_as(url: str) -> str:
    """The host as the list names it: in small letters, with its port if that is not the usual one."""
    found = parts(url)
    host = (found.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return host if port_of(found) == USUAL_PORTS[found.scheme] else f"{host}:{found.port}"
