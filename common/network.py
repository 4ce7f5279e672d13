"""Guards against strangers: addresses of clients, URLs of webhooks, rate limits, log lines.

The table's process imports this too, so nothing here needs more than the standard library.
"""

from __future__ import annotations

import http.client
import ipaddress
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit

from common.strict_json import parse_json

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

# Addresses of clients. A proxy on this machine connects from here and names the client in a header. That
# header is trusted only where the config names a proxy, and only from this machine; a client that it doesn't
# name is unknown, and never "this machine".

PROXY_HEADERS: Final = (b"forwarded", b"via", b"x-forwarded-for", b"x-real-ip")
"""Headers with which another machine may have sent the request, whatever the connection's address is."""
IPV6_PREFIX: Final = 64
"""The bits of an IPv6 address that name a network; a client can use every address in its own."""
LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse_address(text: str) -> Address | None:
    """The address without its zone, and as IPv4 where IPv6 carries one; None if the text is no address."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network_of(text: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 of an IPv6 address; empty if unknown."""
    address = parse_address(text)
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return str(ipaddress.ip_network((int(address) >> IPV6_PREFIX << IPV6_PREFIX, IPV6_PREFIX)))
    return str(address or "")


def client_of(request: HTTPConnection) -> str:
    """`network_of` the client of a request that `ClientAddress` has passed on."""
    return network_of(request.client.host) if request.client else ""


def is_loopback(client: str) -> bool:
    """Whether the address belongs to this machine."""
    address = parse_address(client)
    return address is not None and address.is_loopback


def host_of(header: str) -> str:
    """The name or address in a Host header, without port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].rstrip(".").lower()


class ClientAddress:
    """ASGI middleware: sets each request's client to the machine that sent it, or to None if unknown.

    `proxied`: a proxy on this machine passes requests on.
    """

    def __init__(self, app: ASGIApp, *, proxied: bool) -> None:
        self.app = app
        self.proxied = proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] == "http":
            scope["client"] = self.client(scope)
        await self.app(scope, receive, send)

    def client(self, scope: Scope) -> tuple[str, int] | None:
        """Address and port of the machine that sent the request; port 0 behind a proxy."""
        host, port = scope.get("client") or ("", 0)
        peer = parse_address(host)
        if peer is None:
            return None
        if not peer.is_loopback:
            return str(peer), port
        if self.proxied:
            named = forwarded_for(scope)
            return (str(named), 0) if named is not None and not named.is_loopback else None
        return None if any(name in PROXY_HEADERS for name, _ in scope["headers"]) else (str(peer), port)


def forwarded_for(scope: Scope) -> Address | None:
    """The last address in X-Forwarded-For: the proxy's own word, while clients can write all before it."""
    addresses = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
    last = addresses.rpartition(b",")[2].strip().decode("latin-1")
    if last.startswith("["):
        last = last[1:].partition("]")[0]
    return parse_address(last)


# Webhooks.

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

WEBHOOK_FIELD: Final = re.compile(r"\{(seat|dice|total|formula|result|verdict)\}")
"""What stands for a throw in the body of a webhook; other braces, as JSON has them, stay as they are."""
SEAT_FIELD: Final = "{seat}"
"""The only one that other events fill too."""


def webhook_url(url: str) -> SplitResult:
    """The parts of a URL that webhooks can be sent to. Raises ValueError for any other."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("characters that no URL has")
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError("no URL of http or https")
    if parts.username is not None or parts.fragment or parts.port == 0:
        raise ValueError("a user, a fragment or port 0 in the URL")
    return parts


def allowed_as(url: str) -> str:
    """The entry of `webhooks.allow` that the URL needs: its host, with any port but the default."""
    parts = webhook_url(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"


# A league's server.

ANSWER_S: Final = 15.0
LONGEST_ANSWER_BYTES: Final = 256 * 1024


def ask_server(server: str, method: str, path: str, data: bytes) -> tuple[http.client.HTTPResponse, Any]:
    """A server's response and the JSON in it, an empty object if it is empty.

    Raises OSError, HTTPException or ValueError if there is none.
    """
    address = urlsplit(server)
    secure = address.scheme == "https"
    made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = made(address.hostname or "", address.port, timeout=ANSWER_S)
    try:
        headers = {"content-type": "application/json"}
        connection.request(method, address.path.rstrip("/") + path, data or None, headers)
        response = connection.getresponse()
        return response, parse_json(response.read(LONGEST_ANSWER_BYTES) or b"{}")
    finally:
        connection.close()


MOST_NAMES: Final = 500
"""Names that a `RateLimit` remembers; of more, it forgets those not seen for longest."""


class RateLimit:
    """Token buckets by name: each lets `burst` requests through at once, then one every `every_s` seconds."""

    def __init__(self, now_s: Callable[[], float], burst: int, every_s: float) -> None:
        self.now_s = now_s
        self.burst = burst
        self.every_s = every_s
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self.lock = Lock()

    def allows(self, name: str) -> bool:
        """Whether this name may send one more request now; if so, that counts."""
        return self.wait_s(name, 0.0) == 0.0

    def wait_s(self, name: str, longest_s: float) -> float:
        """How long until this name may send one more; that counts, unless it is longer than `longest_s`."""
        with self.lock:
            tokens = self.tokens(name)
            wait_s = max(0.0, 1.0 - tokens) * self.every_s
            self.buckets.pop(name, None)
            self.buckets[name] = (tokens - 1.0 if wait_s <= longest_s else tokens, self.now_s())
            while len(self.buckets) > MOST_NAMES:
                self.buckets.popitem(last=False)
        return wait_s

    def tokens(self, name: str) -> float:
        """How many requests this name may send now."""
        now_s = self.now_s()
        left, then_s = self.buckets.get(name, (float(self.burst), now_s))
        return min(float(self.burst), left + (now_s - then_s) / self.every_s)


class OneLine(logging.Formatter):
    """Formats a record as one line with its control characters escaped; a traceback follows, indented.

    So no text from a stranger can look like a line of the log.
    """

    def __init__(self) -> None:
        super().__init__("level=%(levelname)s at=%(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in logging
        """The line."""
        return escape_control(super().formatMessage(record))

    def formatException(  # noqa: N802 - the name in logging
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """The traceback."""
        return "\n".join(f"    {escape_control(line)}" for line in super().formatException(ei).splitlines())


def escape_control(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


MINUTE_S: Final = 60.0


class OneAMinute(logging.Filter):
    """Lets one record of each text through in a minute, with the number of those that it held back.

    So no stranger fills the log with what goes wrong on connections.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.now_s = now_s
        self.held: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged."""
        text = str(record.msg)
        kind = f"{text} {record.exc_info[1]!r}" if record.exc_info else text
        since_s, held = self.held.get(kind, (float("-inf"), 0))
        if self.now_s() < since_s + MINUTE_S:
            self.held[kind] = since_s, held + 1
            return False
        self.held[kind] = self.now_s(), 0
        while len(self.held) > MOST_NAMES:
            self.held.popitem(last=False)
        if held:
            record.msg = f"{text} ({held} more like this)"
        return True


def set_up_logging() -> None:
    """Logs everything of level info and above to standard error, one line a record."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(OneAMinute())
