"""What the whole service costs: `dicetable run` with a recorded camera, and a panel behind a pseudo-terminal.

    python -m benchmarks.service [--accept N] [--throws N] [--read N] [--phone N]

Start, idle load, memory, and a button's way through the service and back are measured from outside, on the
real program. The way of a throw that lies still, and growth, are measured in this process, in virtual time:
throws taken from the world's truth, and throws read from pixels. With `--phone` clips of throws are played in
real time before a USB camera, whose device is replaced by the clip, and before a phone, whose frames go over
TLS to the gateway and over its socket to the eye. Timed from stillness until the throw is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import math
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import cv2
import numpy as np
import uvicorn

from benchmarks.phone_frames import PHONE, connected, post
from dicetable.commands.roll_game import CameraRolls, RollLine, RollSettings
from dicetable.eye.in_process import InProcessEye
from dicetable.eye.messages import Eye
from dicetable.eye.process import resident_bytes
from dicetable.ledger.entries import Entry, Thrown
from dicetable.service.doctor_bench import Trial, record_idle
from dicetable.service.simulation import Simulation
from dicetable.simulated.eye import SimulatedEye
from gateway.certificate import own_certificate
from gateway.displays import digest
from gateway.phone_camera import PhoneCameraPages
from gateway.settings import GatewaySettings
from hardware.capture import CaptureCamera
from hardware.phone_camera import phone_camera
from hardware.ports import WHOLE_BOARD, Camera, Pixels, SystemClock
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.dicetable.service.fakes import service
from tests.dicetable.service.truthful_eye import TruthfulEye
from tests.firmware_bridge.pty_board import PtyBoard
from tests.gateway.serving import free_port, until
from tests.hardware.phone_frames import door_at

STARTS = 5
PRESSES = 20
IDLE_S = 15.0
VIDEO_S = 60
PERIOD_S = 1 / 15
"""Between two pictures of a clip: slower than the 20 a second that a phone may send."""
EMPTY_S = 2.0
MB = 2**20


def config(folder: Path) -> Path:
    path = folder / "table.toml"
    path.write_text(
        f'[camera]\ndriver = "video"\nfile = "{folder}/tray.avi"\n'
        f'[panel]\ndriver = "serial"\ndevice = "{folder}/panel"\n'
        f'[ledger]\nfolder = "{folder}/state"\n'
    )
    return path


async def until_other(board: PtyBoard, changed: object) -> None:
    """Waits until the board shows anything else."""
    while (board.lamps, tuple(board.lines)) == changed:
        await asyncio.sleep(0.0005)


async def button_to_answer_ms(board: PtyBoard) -> list[float]:
    """From a contact to the first change that the board shows; the line itself takes no time here."""
    times = []
    for number in range(PRESSES):
        await asyncio.sleep(0.7)
        which = WHOLE_BOARD.controls["seat1.ok" if number == 0 else "seat1.plus"]
        before = (board.lamps, tuple(board.lines))
        began_s = time.perf_counter()
        board.press(which, pressed=True)
        if number == 0:
            await asyncio.sleep(0.05)
            began_s = time.perf_counter()
            board.press(which, pressed=False)
            await asyncio.wait_for(until_other(board, before), 10)
        else:
            await asyncio.wait_for(until_other(board, before), 10)
            board.press(which, pressed=False)
        times.append(1000 * (time.perf_counter() - began_s))
    return times


async def outside(folder: Path) -> None:
    """All that is measured from outside."""
    board = PtyBoard(folder / "panel")
    await asyncio.sleep(0)
    starts, stops = [], []
    for _ in range(STARTS):
        running = Trial(folder)
        starts.append(await asyncio.to_thread(running.ready_s))
        await asyncio.sleep(1.0)
        stops.append(await asyncio.to_thread(running.stop))
    print(f"start → ready: median {median(starts):.2f} s of {STARTS}; SIGTERM → gone: {median(stops):.2f} s")
    running = Trial(folder)
    await asyncio.to_thread(running.ready_s)
    await asyncio.sleep(8.0)
    before_s = running.cpu_s()
    await asyncio.sleep(IDLE_S)
    load = (running.cpu_s() - before_s) / IDLE_S
    print(f"idle at 30 frames/s of 1280×720, MJPG: {100 * load:.1f} % of a core")
    rss, pss = running.memory_mb()
    print(f"memory of all processes: {rss:.0f} MB resident, {pss:.0f} MB with shared pages counted once")
    times = await button_to_answer_ms(board)
    print(f"button → answer, without the wire: median {median(times):.1f} ms, at most {max(times):.1f} ms")
    await asyncio.to_thread(running.stop)
    board.hang_up()


def settled_to_accepted_ms(throws: int, clock_s: Callable[[], float]) -> list[float]:
    """From the frame that shows a throw lying still to its place in the ledger and its view, for each throw.

    The eye works in this process, so the pipe from its own is left out; drawing the frame is not counted.
    `clock_s` is what times it; the processor's time hardly depends on what else the machine does.
    """
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        clock = VirtualClock()
        simulation = Simulation(1, clock, seats=4, presses=True)
        world = simulation.world
        made = service(Path(folder), clock, world.panel, SimulatedEye(world))
        made.parts.eye.start()
        append, draw = made.parts.ledger.append, world.camera.picture
        drawing_s, accepted = 0.0, False

        def timed(time_s: float) -> Pixels:
            nonlocal drawing_s
            began_s = clock_s()
            pixels = draw(time_s)
            drawing_s += clock_s() - began_s
            return pixels

        def counted(entry: Entry, evidence: bytes = b"") -> int:
            nonlocal accepted
            accepted = accepted or (isinstance(entry, Thrown) and not entry.by_hand)
            return append(entry, evidence)

        world.camera.picture = timed
        made.parts.ledger.append = counted  # type: ignore[method-assign]  # to time it
        while len(times) < throws:
            clock.sleep(1 / 30)
            drawing_s, accepted, began_s = 0.0, False, clock_s()
            made.turn()
            if accepted:
                times.append(1000 * (clock_s() - began_s - drawing_s))
            simulation.step(made.table, clock.now_s())
        made.parts.ledger.close()
    return times


def growth(eye_of: Callable[[World, VirtualClock], Eye], throws: int, turn_s: float) -> str:
    """Plays evenings in virtual time in this process; what is resident after each tenth of the throws."""
    with tempfile.TemporaryDirectory() as folder:
        clock = VirtualClock()
        simulation = Simulation(1, clock, seats=4, presses=True)
        world = simulation.world
        made = service(Path(folder), clock, world.panel, eye_of(world, clock))
        made.parts.eye.start()
        began_s, began_cpu_s, taken = clock.now_s(), time.process_time(), 0
        sizes: list[float] = []
        append = made.parts.ledger.append

        def counted(entry: Entry, evidence: bytes = b"") -> int:
            nonlocal taken
            taken += isinstance(entry, Thrown)
            return append(entry, evidence)

        made.parts.ledger.append = counted  # type: ignore[method-assign]  # to time it
        while taken < throws:
            clock.sleep(turn_s)
            made.turn()
            simulation.step(made.table, clock.now_s())
            if 10 * taken >= throws * (len(sizes) + 1):
                sizes.append(resident_bytes(os.getpid()) / MB)
        made.parts.ledger.close()
        hours = (clock.now_s() - began_s) / 3600
        listed = " ".join(f"{size:.1f}" for size in sizes)
        return (
            f"{throws} throws, {hours:.1f} h of play in {time.process_time() - began_cpu_s:.0f} s: "
            f"{listed} MB, {sizes[-1] - sizes[0]:+.1f} after the first tenth"
        )


@dataclass(frozen=True)
class Clip:
    """A throw as JPEGs, PERIOD_S apart, and when in it all dice lie still."""

    jpegs: list[bytes]
    still_s: float

    def due(self, begun_s: float, last: int) -> tuple[int, float]:
        """The newest picture after the last one, and its time; after the end the last picture stays."""
        number = max(last + 1, int((time.monotonic() - begun_s) / PERIOD_S))
        return number, begun_s + number * PERIOD_S

    def jpeg(self, number: int) -> bytes:
        return self.jpegs[max(0, min(number, len(self.jpegs) - 1))]


def clip_of(seed: int) -> Clip:
    """An empty tray for a while, then two dice are thrown."""
    clock = VirtualClock()
    world = World(seed, clock)
    world.camera.start()
    jpegs, begun_s, end_s = [], clock.now_s(), math.inf
    while clock.now_s() < end_s:
        jpegs.append(cv2.imencode(".jpg", np.asarray(world.picture_at(clock.now_s())))[1].tobytes())
        clock.sleep(PERIOD_S)
        if end_s == math.inf and clock.now_s() > begun_s + EMPTY_S:
            world.throw(["d6", "d6"])
            end_s = world.settled_at_s + 2 * PERIOD_S
    return Clip(jpegs, world.settled_at_s - begun_s)


class ClipSource:
    """A USB camera that sees the clip, from `begun_s` on."""

    def __init__(self, clip: Clip, begun_s: float) -> None:
        self.clip = clip
        self.begun_s = begun_s
        self.number = -1

    def open(self) -> list[str]:
        return []

    def read(self) -> tuple[Pixels, float]:
        self.number, due_s = self.clip.due(self.begun_s, self.number)
        time.sleep(max(0.0, due_s - time.monotonic()))
        data = np.frombuffer(self.clip.jpeg(self.number), np.uint8)
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), due_s

    def close(self) -> None:
        """Nothing is held."""


def gateway(folder: Path, port: int) -> None:
    """A process with the product's pages for a phone that is paired already."""
    certificate = own_certificate(folder)
    settings = GatewaySettings("127.0.0.1", 8080, str(folder / "table.sock"), camera_port=port)
    pages = PhoneCameraPages(settings, certificate.fingerprint)
    pages.phone = digest(PHONE)
    config = uvicorn.Config(
        pages.application(), host="127.0.0.1", port=port, log_level="error", http="h11",
        ssl_certfile=str(certificate.path), ssl_keyfile=str(certificate.key),
    )  # fmt: skip

    async def serve() -> None:
        sending = asyncio.create_task(pages.sender.run())
        await uvicorn.Server(config).serve()
        sending.cancel()

    asyncio.run(serve())


async def film(port: int, clip: Clip, begun_s: float, ended: threading.Event) -> None:
    """A phone that sends the clip, and then its last picture."""
    reader, writer = await connected(port)
    number = -1
    while not ended.is_set():
        number, due_s = clip.due(begun_s, number)
        await asyncio.sleep(due_s - time.monotonic())
        await post(reader, writer, clip.jpeg(number), due_s)
    writer.close()


class ShownRolls(CameraRolls):
    """Rolls that end with the first line about a throw; `shown_s` is when that was told."""

    shown_s: float | None = None

    def tell(self, line: RollLine) -> None:
        if line.dice:
            self.shown_s = self.shown_s or time.monotonic()

    def by_itself(self, now_s: float) -> str:
        return "shown" if self.shown_s else super().by_itself(now_s)


def shown_ms(camera: Camera, clip: Clip, begun_s: float) -> float:
    """From stillness until the throw is shown."""
    rolls = ShownRolls(RollSettings(asks=True), InProcessEye(camera, SystemClock()), None, io.StringIO())
    rolls.begin(1)
    rolls.play()
    return 1000 * ((rolls.shown_s or math.nan) - begun_s - clip.still_s)


def still_to_shown(throws: int) -> None:
    """Plays each clip before a USB camera, then before a phone."""
    clips = [clip_of(seed) for seed in range(1, throws + 1)]
    times: dict[str, list[float]] = {"USB": [], "phone": []}
    with tempfile.TemporaryDirectory() as name, door_at(Path(name) / "run") as door:
        port = free_port()
        serving = get_context("spawn").Process(target=gateway, args=(Path(name) / "run", port), daemon=True)
        serving.start()
        until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        for clip in clips:
            begun_s = time.monotonic() + 1
            usb = CaptureCamera("USB", partial(ClipSource, clip, begun_s), SystemClock())
            times["USB"].append(shown_ms(usb, clip, begun_s))
            begun_s, ended = time.monotonic() + 1, threading.Event()
            filming = threading.Thread(target=asyncio.run, args=(film(port, clip, begun_s, ended),))
            filming.start()
            times["phone"].append(shown_ms(phone_camera(door, SystemClock()), clip, begun_s))
            ended.set()
            filming.join()
        serving.terminate()
        serving.join()
    for camera, each in times.items():
        print(f"still → shown, {camera:>5}: median {median(each):.0f} ms, at most {max(each):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accept", type=int, default=0, metavar="N", help="N throws from stillness on")
    parser.add_argument("--throws", type=int, default=0, metavar="N", help="growth over N throws, not read")
    parser.add_argument(
        "--read", type=int, default=0, metavar="N", help="growth over N throws read from pixels"
    )
    parser.add_argument(
        "--phone", type=int, default=0, metavar="N", help="N throws before a USB camera and a phone, no more"
    )
    args = parser.parse_args()
    cv2.setNumThreads(1)  # as the eye's own process has it
    if args.phone:
        still_to_shown(args.phone)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record_idle(folder / "tray.avi", VIDEO_S)
        config(folder)
        asyncio.run(outside(folder))
    if args.accept:
        for name, clock_s in (("in all", time.perf_counter), ("of the processor", time.process_time)):
            times = settled_to_accepted_ms(args.accept, clock_s)
            print(f"settled → accepted, {name}: median {median(times):.0f} ms, at most {max(times):.0f} ms")
    if args.throws:
        print("growth:", growth(lambda world, _: TruthfulEye(world), args.throws, 0.05))
    if args.read:
        print(
            "growth, read:", growth(lambda world, clock: InProcessEye(world.camera, clock), args.read, 1 / 30)
        )


if __name__ == "__main__":
    main()
