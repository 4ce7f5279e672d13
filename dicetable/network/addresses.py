"""Where a request comes from: one answer for every rule that depends on the client.

A proxy on this machine connects from here and says in a header who asks. Its word is taken only where the
config names a proxy, and only from this machine; what it does not say is not known, and never "this machine".
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

FORWARDED: Final = (b"forwarded", b"via", b"x-forwarded-for", b"x-real-ip")
"""Headers of a proxy: then another machine may ask, whatever the address of the connection is."""
FOR: Final = b"x-forwarded-for"
PREFIX: Final = 64
"""The bits of an IPv6 address that name a network; everyone has as many addresses in it as they like."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def address_in(text: str) -> Address | None:
    """The address, without a zone, and as IPv4 where IPv6 carries one; None if the text is none."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def network_of(text: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 of an IPv6 address; empty if unknown."""
    found = address_in(text)
    if isinstance(found, ipaddress.IPv6Address) and not found.is_loopback:
        return str(ipaddress.ip_network((int(found) >> PREFIX << PREFIX, PREFIX)))
    return str(found or "")


def is_here(client: str) -> bool:
    """Whether that is this machine."""
    found = address_in(client)
    return found is not None and found.is_loopback


def client_of(request: HTTPConnection) -> str:
    """The same for a request that `ClientAddress` has passed on."""
    return network_of(request.client.host) if request.client else ""


class ClientAddress:
    """Sets each request's client to the machine that asks; to None where that is not known."""

    def __init__(self, app: ASGIApp, *, proxied: bool) -> None:
        """`proxied`: a proxy on this machine passes requests on."""
        self.app = app
        self.proxied = proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] == "http":
            scope["client"] = self.client(scope)
        await self.app(scope, receive, send)

    def client(self, scope: Scope) -> tuple[str, int] | None:
        """The address and the port of the machine that asks; port 0 behind a proxy."""
        host, port = scope.get("client") or ("", 0)
        peer = address_in(host)
        if peer is None:
            return None
        if not peer.is_loopback:
            return str(peer), port
        if self.proxied:
            named = forwarded(scope)
            return (str(named), 0) if named is not None and not named.is_loopback else None
        return None if any(name in FORWARDED for name, _ in scope["headers"]) else (str(peer), port)


def forwarded(scope: Scope) -> Address | None:
    """The last address that was added to the header, which is the proxy's own word; None without one."""
    given = b",".join(value for name, value in scope["headers"] if name == FOR)
    last = given.rpartition(b",")[2].strip().decode("latin-1")
    if last.startswith("["):
        last = last[1:].partition("]")[0]
    return address_in(last)
