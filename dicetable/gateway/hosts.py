"""Refuses requests to other hosts: a browser sends them that was led here by a false name (DNS rebinding)."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from dicetable.network.addresses import address_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")


def own_names() -> set[str]:
    """What this machine is called."""
    name = socket.gethostname().lower()
    return {*LOCAL, name, name.partition(".")[0], f"{name.partition('.')[0]}.local"}


def host_of(header: str) -> str:
    """The name or the address in a Host header, without port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].rstrip(".").lower()


class OwnHost:
    """Passes on what is asked of this machine: by its names, by `names`, or by the address it has here."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        self.names = own_names() | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """421 for a request to another host."""
        if scope["type"] != "http" or self.is_own(scope):
            await self.app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 421, "headers": headers})
        await send({"type": "http.response.body", "body": b"this is another host\n"})

    def is_own(self, scope: Scope) -> bool:
        """Whether there is one Host header, and it names this machine."""
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return False
        host = host_of(given[0])
        here = address_in(scope["server"][0]) if scope.get("server") else None
        return host in self.names or (here is not None and address_in(host) == here)
