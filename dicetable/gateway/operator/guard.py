"""Who may ask what of the operator page: each request is held against these rules before anything is done.

From another machine only over TLS, unless the config says otherwise. Whatever changes something is a POST of
JSON from our own page (Origin), by somebody who is logged in (cookie), with a token that was never used, and
not too often.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response

from dicetable import texts
from dicetable.network import outside_json

if TYPE_CHECKING:
    from starlette.requests import Request

    from dicetable.gateway.operator.sessions import OperatorSession

SESSION: Final = "dicetable_operator"
TOKEN: Final = "x-operator-token"  # noqa: S105 - a header's name
MOST_BODY_BYTES: Final = 64 * 1024
BODY_S: Final = 10.0
"""A body must have come within this time."""
DEEPEST: Final = 12


class RequestRefusedError(Exception):
    """The request is refused: a status and a sentence for people."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    def response(self, session: OperatorSession | None = None) -> Response:
        """The answer; a session's next token comes with it."""
        return answer({"error": self.sentence}, session, self.status)


def answer(body: Any, session: OperatorSession | None = None, status: int = 200) -> Response:
    """JSON that nobody may keep, with the next token."""
    headers = {"cache-control": "no-store"}
    if session is not None:
        headers[TOKEN] = session.token()
    return JSONResponse(body, status, headers)


def check_transport(request: Request, *, plain_http: bool) -> None:
    """RequestRefusedError for a request without TLS, unless `plain_http` allows it."""
    if request.url.scheme != "https" and not plain_http:
        raise RequestRefusedError(403, texts.operator.NEEDS_TLS)


def check_origin(request: Request) -> None:
    """RequestRefusedError unless the request comes from a page of ours."""
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    given = request.headers.getlist("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if len(given) != 1 or given[0].lower() != own.lower() or site != "same-origin":
        raise RequestRefusedError(403, texts.operator.FOREIGN)


async def json_body(request: Request) -> dict[str, Any]:
    """The object in the body; RequestRefusedError if there is none."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RequestRefusedError(415, texts.operator.MALFORMED)
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                data += part
                if len(data) > MOST_BODY_BYTES:
                    raise RequestRefusedError(413, texts.operator.TOO_LARGE)
    except TimeoutError:
        raise RequestRefusedError(408, texts.operator.MALFORMED) from None
    try:
        found = outside_json.parsed(bytes(data), DEEPEST)
    except ValueError:
        raise RequestRefusedError(400, texts.operator.MALFORMED) from None
    if not isinstance(found, dict):
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return found


def text_of(body: dict[str, Any], name: str, longest: int = 200) -> str:
    """A text of the body; RequestRefusedError if it is none, or too long."""
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return value
