"""A camera on a network, as phone apps and small boards are: motion JPEG over HTTP, with faults on order."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZE = (96, 64)


class MjpegServer(ThreadingHTTPServer):
    """Sends numbered frames at `fps`. While `stalled` is set it sends none; `cut` ends each stream.

    `rubbish` sends bytes that are no picture. `first` are faults of the first streams, one each: "rubbish"
    alone, without an end if it is "endless rubbish"; a "cut" within a picture; a "stall" from the beginning.
    """

    daemon_threads = True

    def __init__(self, fps: float, first: Sequence[str] = ()) -> None:
        super().__init__(("127.0.0.1", 0), Stream)
        self.fps = fps
        self.first = first
        self.stalled = threading.Event()
        self.cut = threading.Event()
        self.rubbish = threading.Event()
        self.closing = threading.Event()
        self.streams = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing of clients that left."""


class Stream(BaseHTTPRequestHandler):
    server: MjpegServer

    def do_GET(self) -> None:
        server = self.server
        fault = server.first[server.streams] if server.streams < len(server.first) else ""
        server.streams += 1
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        number = 0
        if fault.endswith("rubbish"):
            self.wfile.write(b"rubbish" * 1000)
            while fault.startswith("endless") and not server.closing.is_set():
                self.wfile.write(b"rubbish" * 1000)
            return
        while not server.closing.wait(1 / server.fps):
            if server.cut.is_set():
                return
            if server.stalled.is_set() or fault == "stall":
                continue
            number += 1
            picture = np.full((SIZE[1], SIZE[0], 3), 40 + number % 100, np.uint8)
            picture[10:20, 10:20] = 200
            data = cv2.imencode(".jpg", picture)[1].tobytes()
            if server.rubbish.is_set():
                data = b"\xff\xd8" + b"rubbish" * 50
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            if fault == "cut":
                self.wfile.write(head.encode() + data[: len(data) // 2])
                return
            self.wfile.write(head.encode() + data + b"\r\n")

    def log_message(self, *_: object) -> None:
        """Keeps quiet."""


@contextmanager
def serving(fps: float = 30.0, first: Sequence[str] = ()) -> Iterator[MjpegServer]:
    server = MjpegServer(fps, first)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
