"""A phone as the eye sees it: numbered JPEGs on `camera.sock`, through the gateway's own sender."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import cv2
import numpy as np

from common.camera_socket import EVERY_S, SOCKET, FrameDoor, FrameSender

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = (96, 64)


def jpeg(number: int = 0, size: tuple[int, int] = SIZE, *flags: int) -> bytes:
    picture = np.full((size[1], size[0], 3), 40 + number % 100, np.uint8)
    picture[10:20, 10:20] = 200
    return cv2.imencode(".jpg", picture, flags)[1].tobytes()


@contextmanager
def door_at(folder: Path) -> Iterator[FrameDoor]:
    folder.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / SOCKET))
        listener.listen(4)
        yield FrameDoor(listener)


@contextmanager
def sending(path: Path) -> Iterator[None]:
    """A phone that sends a frame every EVERY_S."""
    loop = asyncio.new_event_loop()

    async def send() -> None:
        sender = FrameSender(path)
        running = asyncio.create_task(sender.run())
        number = 0
        while not running.done():
            number += 1
            sender.put(jpeg(number), time.monotonic())
            await asyncio.sleep(EVERY_S)

    task = loop.create_task(send())

    def run() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        left = asyncio.all_tasks(loop)
        for each in left:
            each.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
