"""Runs a program of ours for one answer, a few at once at most."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.operator.guard import RequestRefusedError
from dicetable.network.programs import TooMuchOutputError, run_program

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_BYTES: Final = 4 * 2**20
PROGRAM_S: Final = 30.0
AT_ONCE: Final = 2

turns = asyncio.Semaphore(AT_ONCE)


async def output_of(command: Sequence[str], given: bytes = b"", within_s: float = PROGRAM_S) -> bytes:
    """What the program writes to standard output; RequestRefusedError if it fails, hangs or says too much."""
    async with turns:
        try:
            _, output = await run_program(command, given, within_s, MOST_BYTES)
        except TimeoutError:
            raise RequestRefusedError(503, texts.operator.TOO_SLOW) from None
        except TooMuchOutputError:
            raise RequestRefusedError(503, texts.operator.TOO_MUCH) from None
        except OSError as error:
            raise RequestRefusedError(
                503, texts.operator.no_program(command[0], error.strerror or "")
            ) from None
    return output


async def json_of(module: str, *arguments: str, given: bytes = b"") -> dict[str, Any]:
    """The JSON object that a module of ours answers with; RequestRefusedError if it does not."""
    output = await output_of([sys.executable, "-P", "-m", module, *arguments], given)
    return object_in(output)


def object_in(output: bytes) -> dict[str, Any]:
    """The JSON object; RequestRefusedError if there is none."""
    try:
        found = json.loads(output)
    except ValueError:
        raise RequestRefusedError(503, texts.operator.FAILED) from None
    if not isinstance(found, dict):
        raise RequestRefusedError(503, texts.operator.FAILED)
    return found
