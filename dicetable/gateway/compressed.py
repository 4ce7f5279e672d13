"""Pages, styles and scripts, compressed once for the browsers that take it."""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request


def packed(data: bytes) -> bytes:
    """The data as gzip, always the same bytes."""
    return gzip.compress(data, mtime=0)


kept_packed = lru_cache(maxsize=64)(packed)
"""The same, for texts that stay as they are while the gateway runs."""


def takes_gzip(accepted: str) -> bool:
    """Whether a header `Accept-Encoding` names gzip and does not refuse it."""
    for each in accepted.lower().split(","):
        name, _, quality = each.partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def compressible(
    request: Request, data: bytes, kind: str, pack: Callable[[bytes], bytes] = kept_packed
) -> Response:
    """A text without secrets that a browser asks for anew each time; `pack` makes it gzip."""
    headers = {"cache-control": "no-cache", "vary": "accept-encoding"}
    if takes_gzip(request.headers.get("accept-encoding", "")):
        headers["content-encoding"] = "gzip"
        data = pack(data)
    return Response(data, media_type=kind, headers=headers)
