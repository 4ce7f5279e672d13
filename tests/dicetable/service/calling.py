"""Contests called at a table of a league."""

from __future__ import annotations

from typing import Any


async def called(app: Any, method: str, path: str, data: bytes) -> tuple[int, bytes]:
    """Status and body of one request to an ASGI application."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    await app({**scope, "headers": [], "http_version": "1.1", "scheme": "http"}, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])
