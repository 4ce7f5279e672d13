"""The frames of a phone on `camera.sock`, from the gateway to the eye; the eye sets the pace.

The gateway connects while a phone is the camera. It sends a frame as a head (its bytes, when it was taken by
the clock that both ends share, and whether it is a photograph) and a JPEG, and no other before the eye has
answered with one byte. So nothing queues between them, and the next frame is always the newest. The eye takes
nothing for granted: who connects, how many bytes come, how often, and what time they claim.
"""

import asyncio
import logging
import math
import select
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from common import local_sockets

SOCKET: Final = "camera.sock"
HEAD: Final = struct.Struct(">Id?")
MOST_BYTES: Final = 400_000
"""The largest JPEG of one frame. At 1280 by 720 pixels a phone makes 60 to 200 kB."""
EVERY_S: Final = 1 / 20
"""Shortest time between two frames. A shorter one shows fast dice better, and costs network and processor."""
OLDEST_S: Final = 2.0
"""A frame that claims to be older, or to come from the future, counts as taken when it came."""
TAKEN, REFUSED = b"+", b"-"
ANSWER_S: Final = 10.0
"""An eye that does not answer for so long is left: reading many dice takes a slow machine some seconds."""
RETRY_S: Final = 0.5

log = logging.getLogger(__name__)


class FrameLine:
    """One connection of a gateway, at the eye's end."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.came_s = float("-inf")

    def waits(self, timeout_s: float) -> bool:
        """Whether a frame, or the end of the connection, comes within the time. Raises OSError."""
        return bool(select.select([self.connection], [], [], timeout_s)[0])

    def receive(self, timeout_s: float) -> tuple[bytes, float, bool] | None:
        """The next frame, when it was taken, and whether it is a photograph; None if the gateway hung up.

        Raises TimeoutError if none comes, ValueError if it is too large, OSError if the connection fails.
        """
        until_s = time.monotonic() + timeout_s
        head = self.whole(HEAD.size, until_s)
        if head is None:
            return None
        size, taken_s, photograph = HEAD.unpack(head)
        if not 0 < size <= MOST_BYTES:
            raise ValueError(f"a picture of {size} bytes")
        jpeg = self.whole(size, until_s)
        if jpeg is None:
            return None
        self.came_s = now_s = time.monotonic()
        honest = math.isfinite(taken_s) and now_s - OLDEST_S <= taken_s <= now_s
        return jpeg, taken_s if honest else now_s, photograph

    def whole(self, size: int, until_s: float) -> bytes | None:
        """That many bytes; None if the connection ends before."""
        data = bytearray()
        while len(data) < size:
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            self.connection.settimeout(left_s)
            part = self.connection.recv(size - len(data))
            if not part:
                return None
            data += part
        return bytes(data)

    def answer(self, *, taken: bool) -> None:
        """Asks for the next frame, EVERY_S after the last one; says whether that one could be used."""
        time.sleep(max(0.0, self.came_s + EVERY_S - time.monotonic()))
        self.connection.sendall(TAKEN if taken else REFUSED)

    def close(self) -> None:
        self.connection.close()


class FrameDoor:
    """The eye's end of `camera.sock`: lets one gateway in at a time."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.path = Path(listener.getsockname())

    def accept(self, timeout_s: float) -> FrameLine | None:
        """The connection of a gateway; None if none comes. Connections of other users are closed."""
        self.listener.settimeout(timeout_s)
        try:
            connection, _ = self.listener.accept()
        except TimeoutError:
            return None
        try:
            local_sockets.check_peer(connection, self.path)
        except OSError as error:
            log.warning("camera_socket=refused why=%r", str(error))
            connection.close()
            return None
        return FrameLine(connection)


class SentFrame(NamedTuple):
    """A JPEG on its way to the eye; the sender of a photograph waits until it is `answered`."""

    jpeg: bytes
    taken_s: float
    answered: asyncio.Future[bool] | None = None


class FrameSender:
    """The gateway's end: holds the newest frame until the eye asks for one.

    `connected` says whether the eye listens, `refused` counts the frames that it could not use, and `sent`
    all that it answered.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.newest: SentFrame | None = None
        self.news = asyncio.Event()
        self.wanted = False
        self.connected = False
        self.sent = self.refused = 0

    def put(self, jpeg: bytes, taken_s: float) -> None:
        """Hands over a frame; one that still waits is dropped."""
        self.hold(SentFrame(jpeg, taken_s))

    async def put_photograph(self, jpeg: bytes, now_s: float) -> bool:
        """Hands over a photograph; says whether the eye could use it. Raises TimeoutError without an eye."""
        answered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.hold(SentFrame(jpeg, now_s, answered))
        async with asyncio.timeout(ANSWER_S):
            return await answered

    def hold(self, frame: SentFrame) -> None:
        self.newest = frame
        self.wanted = True
        self.news.set()

    def leave(self) -> None:
        """No phone is the camera any more: hangs up, which the eye sees as a camera that was unplugged."""
        self.newest = None
        self.wanted = False
        self.news.set()

    async def run(self) -> None:
        """Sends frames until it is cancelled; connects again whenever the eye was away."""
        while True:
            await self.news.wait()
            if not self.wanted:
                self.news.clear()
                continue
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                await self.serve()
            self.connected = False
            if self.wanted:
                await asyncio.sleep(RETRY_S)

    async def serve(self) -> None:
        """Sends frames over one connection for as long as a phone is the camera."""
        reader, writer = await local_sockets.open_connection(self.path, HEAD.size)
        try:
            self.connected = True
            while self.wanted:
                if self.newest is None:
                    self.news.clear()
                    await self.news.wait()
                    continue
                frame = self.newest
                head = HEAD.pack(len(frame.jpeg), frame.taken_s, frame.answered is not None)
                writer.write(head + frame.jpeg)
                async with asyncio.timeout(ANSWER_S):
                    await writer.drain()
                    word = await reader.readexactly(1)
                self.sent += 1
                self.refused += word == REFUSED
                if self.newest is frame:
                    self.newest = None
                if frame.answered is not None and not frame.answered.done():
                    frame.answered.set_result(word == TAKEN)
        finally:
            writer.transport.abort()


class ArrivalClock:
    """Turns the times of a phone's clock into times of this machine's.

    The frame that travelled fastest shows by how much the clocks differ; older ones are forgotten bit by bit,
    because the two drift apart.
    """

    DRIFT: Final = 0.0005
    """How fast the difference may grow, in seconds a second. Clocks of phones drift by a tenth of this."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self.now_s = now_s
        self.behind_s: float | None = None
        self.last_s = 0.0

    def here_s(self, there_s: float) -> float:
        """When a frame that has just come was taken, by this machine's clock."""
        now_s = self.now_s()
        behind_s = now_s - there_s
        if self.behind_s is not None:
            behind_s = min(behind_s, self.behind_s + self.DRIFT * (now_s - self.last_s))
        self.behind_s, self.last_s = behind_s, now_s
        return there_s + behind_s
