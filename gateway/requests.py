"""Reads requests, refuses what is wrong with them, and runs programs for an answer, all within bounds.

A request that changes anything is a POST of JSON from the gateway's own pages, as its Origin header shows.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from common import local_sockets, programs, strict_json, texts
from common.messages import HIGHEST, Answer
from gateway.languages import language_of, translations
from gateway.sessions import OperatorSession

SESSION: Final = "dicetable_operator"
TOKEN: Final = "x-operator-token"  # noqa: S105 - a header's name
MOST_BODY_BYTES: Final = 64 * 1024
BODY_S: Final = 10.0
"""A body must arrive within this time."""
DEEPEST: Final = 12
MOST_OUTPUT_BYTES: Final = 4 * 2**20
PROGRAM_S: Final = 30.0
PROGRAMS_AT_ONCE: Final = 2

Handler = Callable[[Request], Awaitable[Response]]


class RequestRefusedError(Exception):
    """A request is refused: the status of the response and a sentence for people."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    def response(self, session: OperatorSession | None = None) -> Response:
        """The response, with the session's next token."""
        return answer({"error": self.sentence}, session, self.status)


def answer(body: Any, session: OperatorSession | None = None, status: int = 200) -> Response:
    """A JSON response that no cache keeps, with the session's next token."""
    headers = {"cache-control": "no-store"}
    if session is not None:
        headers[TOKEN] = session.token()
    return JSONResponse(body, status, headers)


def check_origin(request: Request) -> None:
    """Raises RequestRefusedError unless the request comes from one of the gateway's own pages."""
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    origins = request.headers.getlist("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if len(origins) != 1 or origins[0].lower() != own.lower() or site != "same-origin":
        raise RequestRefusedError(403, texts.operator.FOREIGN)


async def body_of(request: Request, most_bytes: int, too_large: str = texts.operator.TOO_LARGE) -> bytes:
    """The body. Raises RequestRefusedError if it has more bytes, or is slow."""
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                data += part
                if len(data) > most_bytes:
                    raise RequestRefusedError(413, too_large)
    except TimeoutError:
        raise RequestRefusedError(408, texts.operator.MALFORMED) from None
    return bytes(data)


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object in the body. Raises RequestRefusedError if there is none."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RequestRefusedError(415, texts.operator.MALFORMED)
    try:
        body = strict_json.parse_json(await body_of(request, MOST_BODY_BYTES), DEEPEST)
    except ValueError:
        raise RequestRefusedError(400, texts.operator.MALFORMED) from None
    if not isinstance(body, dict):
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return body


def text_of(body: dict[str, Any], name: str, longest: int = 200) -> str:
    """A text in the body, empty if missing. Raises RequestRefusedError if it is no text, or too long."""
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return value


def keep_cookie(
    response: Response,
    request: Request,
    name: str,
    value: str,
    path: str,
    age_s: int | None = None,
) -> None:
    """Sets a cookie that no script reads and no other site sends."""
    response.set_cookie(
        name,
        value,
        max_age=age_s,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def refusing(handler: Handler) -> Handler:
    """The handler, which answers a refusal with its sentence."""

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefusedError as error:
            translation = translations(language_of(request))
            response = answer({"error": translation.get(error.sentence, error.sentence)}, status=error.status)
            if error.status in (408, 413):
                response.headers["connection"] = "close"  # what is left of the body is not read
            return response

    return answered


def row_number(text: str) -> int | None:
    """The number of a row of the ledger; None if the text is none."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(HIGHEST)):
        return None
    number = int(text)
    return number if number <= HIGHEST else None


def accepted(answered: Answer) -> Answer:
    """The answer again. Raises RequestRefusedError with the table's sentence if the table refused."""
    if not answered.accepted:
        raise RequestRefusedError(409, answered.sentence)
    if error := answered.result.get("error"):
        raise RequestRefusedError(409, str(error))
    return answered


program_turns = asyncio.Semaphore(PROGRAMS_AT_ONCE)


async def run_program(command: Sequence[str], sent: bytes = b"", within_s: float = PROGRAM_S) -> bytes:
    """The program's standard output. Raises RequestRefusedError if it can't run, hangs or writes too much."""
    async with program_turns:
        try:
            _, output = await programs.run_program(command, sent, within_s, MOST_OUTPUT_BYTES)
        except TimeoutError:
            raise RequestRefusedError(503, texts.operator.TOO_SLOW) from None
        except programs.TooMuchOutputError:
            raise RequestRefusedError(503, texts.operator.TOO_MUCH) from None
        except OSError as error:
            raise RequestRefusedError(
                503, texts.operator.no_program(command[0], error.strerror or "")
            ) from None
    return output


async def ask_helper(path: Path, sent: bytes = b"") -> bytes:
    """All that a helper of this machine answers on its socket. Raises OSError."""
    received = bytearray()
    async with asyncio.timeout(PROGRAM_S):  # TimeoutError is an OSError
        reader, writer = await local_sockets.open_connection(path, MOST_OUTPUT_BYTES)
        writer.write(sent)
        while (part := await reader.read(65536)) and len(received) < MOST_OUTPUT_BYTES:
            received += part
        writer.close()
    return bytes(received)


async def run_module(module: str, *arguments: str, sent: bytes = b"") -> dict[str, Any]:
    """Runs `python -m module` and parses the JSON object that it prints."""
    return parse_object(await run_program([sys.executable, "-P", "-m", module, *arguments], sent))


def parse_answer(output: bytes) -> dict[str, Any]:
    """The JSON object in an answer. Raises RequestRefusedError if there is none, or for its `error`."""
    message = parse_object(output)
    if error := message.get("error"):
        raise RequestRefusedError(409, str(error))
    return message


def parse_object(output: bytes) -> dict[str, Any]:
    """The JSON object in an answer. Raises RequestRefusedError if there is none."""
    try:
        message = json.loads(output)
    except ValueError:
        raise RequestRefusedError(503, texts.operator.FAILED) from None
    if not isinstance(message, dict):
        raise RequestRefusedError(503, texts.operator.FAILED)
    return message
