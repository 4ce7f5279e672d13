"""How a phone's frames reach the gateway: by a POST each, or by the messages of a WebSocket.

    python -m benchmarks.phone_frames [--rounds 6] [--seconds 4] [--slow-kbit 4000] [--delay-ms 20]

In turn, over TLS on loopback and through a proxy that is as slow as a poor wireless network. The product has
the POST alone. A new JPEG of 1280 × 720 pixels is there 20 times a second; the newest is sent once the one
before was answered, the others are lost. Timed from when it was there until the gateway has all of it. Both
clients are written here with nothing but sockets; the processor's time is that of the gateway's thread.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import ssl
import struct
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

import cv2
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from common.camera_socket import EVERY_S
from common.network import RateLimit
from gateway.certificate import own_certificate
from gateway.displays import digest
from gateway.phone_camera import COOKIE, PhoneCameraPages
from gateway.settings import GatewaySettings
from hardware.simulated.world import frame_of

HOST: Final = "localhost"
PHONE: Final = "phone"
QUALITY: Final = 80
CHUNK: Final = 4096
MANY: Final = 10_000
"""Frames that the application lets through at once: the clients keep the pace themselves."""
LATE_S: Final = 0.1
TIMED: Final = struct.Struct(">d")
Send = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes, float], Awaitable[None]]


class Pictures(PhoneCameraPages):
    """The product's own pages, which note when each frame has come instead of handing it on."""

    def take(self) -> dict[float, float]:
        """When each frame came, in seconds after it was there; the key is when that was."""
        self.arrived: dict[float, float] = {}
        self.sender.put = lambda *_: None  # type: ignore[method-assign]  # there is no table
        self.clock.here_s = self.noted  # type: ignore[method-assign,assignment]
        return self.arrived

    def noted(self, taken_s: float) -> float:
        self.arrived[taken_s] = time.monotonic() - taken_s
        return taken_s

    async def socket(self, websocket: WebSocket) -> None:
        """Takes frames over a WebSocket: eight bytes of time, and the JPEG; one byte answers each."""
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                message = await websocket.receive_bytes()
                self.noted(TIMED.unpack_from(message)[0])
                await websocket.send_bytes(b"+")


async def post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, jpeg: bytes, taken_s: float
) -> None:
    """Sends a frame with the headers of Chromium's `fetch`, and waits for the answer."""
    head = (
        f"POST /camera/frame HTTP/1.1\r\nHost: {HOST}\r\nOrigin: https://{HOST}\r\n"
        f"Cookie: {COOKIE}={PHONE}\r\nContent-Type: image/jpeg\r\nX-Taken-Ms: {1000 * taken_s!r}\r\n"
        f"Content-Length: {len(jpeg)}\r\nUser-Agent: {'Mozilla/5.0 (Linux; Android 14) ' * 4}\r\n"
        "Accept: */*\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en\r\n"
        "Cache-Control: no-cache\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"
        "Sec-Fetch-Dest: empty\r\n\r\n"
    )
    writer.write(head.encode() + jpeg)
    answered = await reader.readuntil(b"\r\n\r\n")
    if not answered.startswith(b"HTTP/1.1 200"):
        raise OSError(answered.decode())
    length = answered.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))


async def message(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, jpeg: bytes, taken_s: float
) -> None:
    """Sends a frame as one masked message, and waits for the byte that answers it."""
    data = TIMED.pack(taken_s) + jpeg
    mask = os.urandom(4)
    keys = np.resize(np.frombuffer(mask, np.uint8), len(data))
    body = (np.frombuffer(data, np.uint8) ^ keys).tobytes()
    writer.write(b"\x82" + struct.pack(">BQ", 0xFF, len(data)) + mask + body)
    await reader.readexactly(3)


async def upgraded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(
        f"GET /socket HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")


class Served(NamedTuple):
    """The gateway's application on a thread of its own."""

    port: int
    pages: Pictures
    cpu_s: Callable[[], float]


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    certificate = own_certificate(folder)
    settings = GatewaySettings("127.0.0.1", 8080, str(folder / "table.sock"), camera_port=8443)
    pages = Pictures(settings, certificate.fingerprint)
    pages.phone = digest(PHONE)
    pages.limit = RateLimit(time.monotonic, MANY, EVERY_S)
    routes = [WebSocketRoute("/socket", pages.socket), Mount("/", pages.application())]
    config = uvicorn.Config(
        Starlette(routes=routes), host="127.0.0.1", port=0, log_level="error",
        http="h11", ws="websockets-sansio", ws_per_message_deflate=False,
        ssl_certfile=str(certificate.path), ssl_keyfile=str(certificate.key),
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    try:
        yield Served(port, pages, lambda: time.clock_gettime(clock))
    finally:
        server.should_exit = True
        thread.join()


def gateway(folder: Path, orders: Connection) -> None:
    """The gateway's process: tells its port; then, at each order, the times since the last and their cost."""
    with serving(folder) as served:
        orders.send(served.port)
        arrived, before_s = served.pages.take(), served.cpu_s()
        while orders.recv():
            orders.send((list(arrived.values()), served.cpu_s() - before_s))
            arrived, before_s = served.pages.take(), served.cpu_s()


@contextmanager
def own_process(folder: Path) -> Iterator[Connection]:
    orders, theirs = Pipe()
    process = get_context("spawn").Process(target=gateway, args=(folder, theirs), daemon=True)
    process.start()
    yield orders
    orders.send(None)
    process.join()


@contextmanager
def own_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop on a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop

    async def end() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(end(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


async def slow_proxy(port: int, kbit: int, delay_s: float) -> int:
    """The port of a proxy that passes on `kbit` kilobits a second from the client, each `delay_s` later."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, slowly: bool) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(16)

        async def deliver() -> None:
            while True:
                due_s, data = await waiting.get()
                await asyncio.sleep(due_s - time.monotonic())
                writer.write(data)

        delivering = asyncio.create_task(deliver())
        free_s = time.monotonic()
        while data := await reader.read(CHUNK):
            # A sleep that lasted too long is made up for, so that the rate is kept.
            free_s = max(free_s, time.monotonic() - LATE_S) + (len(data) * 8 / (1000 * kbit) if slowly else 0)
            await asyncio.sleep(free_s - time.monotonic())
            await waiting.put((free_s + delay_s, data))
        delivering.cancel()
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner, outer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(asyncio.CancelledError, OSError):
            await asyncio.gather(carry(reader, outer, slowly=True), carry(inner, writer, slowly=False))

    server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=CHUNK)
    return int(server.sockets[0].getsockname()[1])


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection over TLS, by any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return await asyncio.open_connection("127.0.0.1", port, ssl=context)


async def phone(port: int, send: Send, jpegs: list[bytes], seconds: float) -> None:
    """Sends frames for so long."""
    reader, writer = await connected(port)
    if send is message:
        await upgraded(reader, writer)
    begun_s, number = time.monotonic(), 0
    while time.monotonic() < begun_s + seconds:
        # The newest frame: those that were there while the one before was sent are lost.
        number = max(number + 1, int((time.monotonic() - begun_s) / EVERY_S))
        taken_s = begun_s + number * EVERY_S
        await asyncio.sleep(taken_s - time.monotonic())
        await send(reader, writer, jpegs[number % len(jpegs)], taken_s)
    writer.close()


def percentiles(times: list[float]) -> str:
    return f"median {median(times):5.1f} ms, 95 % {quantiles(times, n=20)[-1]:5.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.phone_frames", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--rounds", type=int, default=6, help="of both ways over each link")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each way in a round")
    parser.add_argument("--slow-kbit", type=int, default=4000, help="kilobits a second of the slow link")
    parser.add_argument("--delay-ms", type=float, default=20.0, help="of the slow link, each way")
    args = parser.parse_args()
    quality = [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    jpegs = [cv2.imencode(".jpg", frame_of(6, seed), quality)[1].tobytes() for seed in range(1, 5)]
    print(f"JPEGs of {min(map(len, jpegs)) / 1000:.0f} to {max(map(len, jpegs)) / 1000:.0f} kB")
    with tempfile.TemporaryDirectory() as folder, own_process(Path(folder)) as orders, own_loop() as loop:
        fast = orders.recv()
        proxy = slow_proxy(fast, args.slow_kbit, args.delay_ms / 1000)
        slow = asyncio.run_coroutine_threadsafe(proxy, loop).result()
        for link, port in (("loopback", fast), ("slow link", slow)):
            times: dict[Send, list[float]] = {post: [], message: []}
            cpu_s = dict.fromkeys(times, 0.0)
            for _, send in product(range(args.rounds), times):
                asyncio.run(phone(port, send, jpegs, args.seconds))
                orders.send("times")
                arrived_s, used_s = orders.recv()
                cpu_s[send] += used_s
                times[send] += [1000 * each for each in arrived_s]
            for send, name in ((post, "POST"), (message, "WebSocket")):
                count = len(times[send])
                rate = count / (args.rounds * args.seconds)
                cpu_ms = 1000 * cpu_s[send] / count
                print(f"{link:>9} {name:>9}: {percentiles(times[send])}, {rate:4.1f} frames/s,", end=" ")
                print(f"{cpu_ms:.2f} ms of processor a frame", flush=True)


if __name__ == "__main__":
    main()
