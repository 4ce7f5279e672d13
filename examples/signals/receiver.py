"""Takes webhooks of a table, refuses those that the table has not signed, and lights a WLED strip.

    python3 receiver.py SECRET_FILE http://wled.local [PORT]

A starting point for your own ideas: only the standard library, one file. The table's config:

    [webhooks]
    allow = ["127.0.0.1:8787"]
    secret_file = "/etc/dicetable/webhook-secret"

    [[webhooks.to]]
    url = "http://127.0.0.1:8787/"
    events = ["turn", "rack"]
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

OLDEST_S = 300
"""A delivery that was signed longer ago is refused: it may be replayed."""
MOST_BYTES = 10_000


def is_signed(secret: bytes, headers: Any, body: bytes, now_s: float) -> bool:
    """Whether the table has signed this body, a short while ago."""
    delivery, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(now_s - int(sent)) > OLDEST_S:
        return False
    digest = hmac.digest(secret, f"{delivery}.{sent}.".encode() + body, hashlib.sha256)
    right = f"v1,{base64.b64encode(digest).decode()}"
    return any(hmac.compare_digest(right, each) for each in headers.get("webhook-signature", "").split())


def lamp(event: dict[str, Any]) -> dict[str, Any]:
    """WLED's JSON state: a colour that follows from the player's name, or a rainbow."""
    if event["type"] == "rack":
        return {"on": True, "seg": [{"fx": 9, "sx": 200}]}
    seat = str(event["data"].get("seat", ""))
    colour = hashlib.sha256(seat.encode()).digest()
    return {"on": True, "seg": [{"fx": 0, "col": [[colour[0], colour[1], colour[2]]]}]}


class Receiver(BaseHTTPRequestHandler):
    """Answers the table."""

    secret = b""
    wled = ""

    def do_POST(self) -> None:
        """One delivery."""
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length) if length <= MOST_BYTES else b""
        if not is_signed(self.secret, self.headers, body, time.time()):
            self.send_error(401, "not signed by the table")
            return
        told = json.dumps(lamp(json.loads(body))).encode()
        request = Request(f"{self.wled}/json/state", told, {"content-type": "application/json"})  # noqa: S310
        with urlopen(request, timeout=5) as answer:  # noqa: S310 - the address that was given
            self.send_response(200 if answer.status == 200 else 502)
        self.send_header("content-length", "0")
        self.end_headers()


if __name__ == "__main__":
    Receiver.secret = Path(sys.argv[1]).read_bytes().partition(b"\n")[0].strip()
    Receiver.wled = sys.argv[2].rstrip("/")
    port = int(sys.argv[3]) if len(sys.argv) > 3 else 8787
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
