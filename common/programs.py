"""Runs a program for one answer, bounded in time and size."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress


class TooMuchOutputError(Exception):
    """The program wrote more than its caller takes."""


async def run_program(
    command: Sequence[str], sent: bytes, within_s: float, most_bytes: int
) -> tuple[int, bytes]:
    """The exit code of a program, and what it writes to standard output.

    It is killed if it takes longer than `within_s` (TimeoutError), if it writes more than `most_bytes`
    (TooMuchOutputError), and when the caller is cancelled. Raises OSError if it cannot be started.
    """
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(within_s):
            if child.stdin is not None:
                with suppress(OSError):
                    child.stdin.write(sent)
                    await child.stdin.drain()
                child.stdin.close()
            output = bytearray()
            while child.stdout is not None and (part := await child.stdout.read(65536)):
                output += part
                if len(output) > most_bytes:
                    raise TooMuchOutputError
            return await child.wait(), bytes(output)
    finally:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
