"""The QR code of the phone page, and the address that phones on the table's network reach it by."""

from __future__ import annotations

import io
import socket
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import segno

from dicetable.gateway.hosts import LOCAL, host_of

if TYPE_CHECKING:
    from starlette.requests import Request

SOMEWHERE: Final = ("192.0.2.1", 9)
"""An address of no machine (RFC 5737): only the way there is asked for, nothing is sent."""


def own_address(request: Request) -> str:
    """`http://HOST:PORT` as phones reach this gateway: as the browser does, unless it runs on this machine.

    A television on the Pi asks for `localhost`; its phones are told the address of the Pi in its network.
    """
    given = request.headers.get("host", "")
    server = request.scope.get("server") or ("127.0.0.1", 80)
    if host_of(given) in LOCAL and (address := network_address()) is not None:
        return f"{request.url.scheme}://{address}:{server[1]}"
    return f"{request.url.scheme}://{given}"


def network_address() -> str | None:
    """This machine's address in its network; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(SOMEWHERE)
        except OSError:
            return None
        found: str = probe.getsockname()[0]
    return None if found.startswith("127.") or found == "0.0.0.0" else found  # noqa: S104 - compared, not bound


@lru_cache(maxsize=8)
def qr_svg(text: str) -> bytes:
    """A QR code, SVG, dark on light."""
    out = io.BytesIO()
    segno.make(text, error="m").save(out, kind="svg", border=2, dark="#10141b", light="#f6f1e3", scale=4)
    return out.getvalue()
