"""`dicetable doctor --bench`: whether this machine meets the table's budgets.

Times are medians of processor time on one thread, as in benchmarks/, so that other load on the machine hardly
changes them. The whole service runs for some seconds on a recording of an idle tray, without a panel.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, Self

from common.texts import doctor
from dicetable.service.doctor_machine import SYS, Check, sensors
from hardware.ports import Pixels

READ_MS: Final = {0: 13.0, 1: 14.0, 6: 30.0, 30: 120.0}
"""Time to read one settled frame, by its number of dice."""
WATCH_MS: Final = 1.5
MOVING_MS: Final = 33.0
"""The longest time for a moving frame: a slower machine can't follow rolling dice at 30 frames a second."""
START_S: Final = 2.0
IDLE_PERCENT: Final = 25.0
MEMORY_MB: Final = 250.0
RUNS: Final = 7
RATE: Final = 30
WARM_UP_S: Final = 4.0
"""After the table is ready, the eye needs this long to load its nets and find the tray."""
IDLE_S: Final = 8.0
SPARE_S: Final = 3.0
"""How much longer the recording is than the measurement with the slowest allowed start."""
CONFIG: Final = """
[camera]
driver = "video"
file = "{folder}/tray.avi"
[panel]
driver = "serial"
device = "{folder}/panel"
[ledger]
folder = "{folder}/state"
"""


@dataclass(frozen=True, slots=True)
class Measured(Check):
    """A check with a measured figure, its unit and its upper limit."""

    measured: float = 0.0
    unit: str = ""
    budget: float = 0.0


def measured(part: str, figure: float, unit: str, budget: float, subject: str) -> Measured:
    holds = figure <= budget
    say = doctor.within if holds else doctor.over
    return Measured(
        f"bench.{part}",
        ok=holds,
        state=say(figure, unit, subject, budget),
        remedy="" if holds else doctor.FASTER,
        measured=round(figure, 3),
        unit=unit,
        budget=budget,
    )


def bench(sys: Path = SYS) -> Iterator[Check]:
    """All measurements: speed, the idle service, then temperature and supply, and the verdict."""
    budgets: list[Check] = []
    for part in (speed, service):
        for finding in part():
            budgets.append(finding)
            yield finding
    yield from sensors(sys)
    yield verdict(budgets)


def verdict(findings: Sequence[Check]) -> Check:
    over = [finding.part for finding in findings if not finding.ok]
    if over:
        state = doctor.budgets_not_met(len(over), len(findings), ", ".join(over))
        return Check("bench", ok=False, state=state, remedy=doctor.FASTER)
    return Check("bench", ok=True, state=doctor.budgets_met(len(findings)))


def speed() -> Iterator[Check]:
    import cv2

    from hardware.simulated.world import frame_of
    from vision.motion.segmentation import Segmenter
    from vision.motion.watch import Motion, MotionWatch
    from vision.reader import DiceReader

    cv2.setNumThreads(1)
    reader = DiceReader()
    for dice, budget_ms in READ_MS.items():
        frame = frame_of(dice, seed=dice + 1)
        figure_ms = cost_ms([partial(reader.read, frame)] * RUNS)
        yield measured(f"read.{dice}", figure_ms, "ms", budget_ms, doctor.to_read(dice))
    watch = MotionWatch(Segmenter(reader.nets.segmentation))
    frames = idle_frames()
    for number, frame in enumerate(frames):
        if watch.watch(frame, number / RATE) is Motion.SETTLED:
            watch.settle(number / RATE)
    looks = [partial(watch.watch, frame, number / RATE) for number, frame in enumerate(frames, RATE)]
    yield measured("watch", cost_ms(looks), "ms", WATCH_MS, doctor.TO_WATCH)
    moving = MotionWatch(Segmenter(reader.nets.segmentation))  # until dice are read it segments each frame
    figure_ms = cost_ms([partial(moving.watch, frame, number / RATE) for number, frame in enumerate(frames)])
    yield measured("moving", figure_ms, "ms", MOVING_MS, doctor.to_follow(round(1000 / figure_ms)))


def idle_frames() -> list[Pixels]:
    """A second of the empty simulated tray, each frame with its own noise."""
    from hardware.simulated.clock import VirtualClock
    from hardware.simulated.world import World

    world = World(1, VirtualClock())
    world.camera.start()
    frames = [world.camera.frame(1.0) for _ in range(RATE)]
    return [frame.pixels for frame in frames if frame is not None]


def cost_ms(work: Sequence[Callable[[], object]]) -> float:
    work[0]()
    times = []
    for once in work:
        begun_s = time.process_time()
        once()
        times.append(1000 * (time.process_time() - begun_s))
    return median(times)


def service() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record_idle(folder / "tray.avi", START_S + WARM_UP_S + IDLE_S + SPARE_S)
        (folder / "table.toml").write_text(CONFIG.format(folder=folder))
        with Trial(folder) as trial:
            try:
                ready_s = trial.ready_s()
            except TimeoutError:
                state = doctor.NOT_STARTING
                yield Check("bench.start", ok=False, state=state, remedy=doctor.SEE_OUTPUT)
                return
            time.sleep(WARM_UP_S)
            before_s = trial.cpu_s()
            time.sleep(IDLE_S)
            load = 100 * (trial.cpu_s() - before_s) / IDLE_S
            _, memory_mb = trial.memory_mb()
    yield measured("start", ready_s, "s", START_S, doctor.TO_START)
    yield measured("idle", load, "%", IDLE_PERCENT, doctor.idle(RATE))
    yield measured("memory", memory_mb, "MB", MEMORY_MB, doctor.RESIDENT)


def record_idle(file: Path, seconds: float) -> None:
    import cv2

    frames = idle_frames()
    height, width = frames[0].shape[:2]
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (width, height))
    for number in range(round(RATE * seconds)):
        writer.write(frames[number % len(frames)])
    writer.release()


TICKS: Final = os.sysconf("SC_CLK_TCK")
PATIENCE_S: Final = 30.0


class Trial:
    """A running service, until the end of the with block."""

    def __init__(self, folder: Path) -> None:
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self.notifications.bind(str(address))
        self.notifications.settimeout(PATIENCE_S)
        self.began_s = time.monotonic()
        self.program = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "dicetable", "run", "--config", str(folder / "table.toml")],
            env=os.environ | {"NOTIFY_SOCKET": str(address)},
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ready_s(self) -> float:
        """Waits until the service is ready; how long that took from its start. TimeoutError after 30 s."""
        while self.notifications.recv(1000) != b"READY=1":
            pass
        return time.monotonic() - self.began_s

    def processes(self) -> Iterator[int]:
        yield self.program.pid
        children = Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children").read_text()
        yield from map(int, children.split())

    def cpu_s(self) -> float:
        fields = [
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.processes()
        ]
        return sum(int(stat[11]) + int(stat[12]) for stat in fields) / TICKS

    def memory_mb(self) -> tuple[float, float]:
        """Resident memory of all of them, and the same with what they share counted once."""
        rss = pss = 0
        for pid in self.processes():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            sizes = {line.split()[0]: int(line.split()[1]) for line in lines[1:]}
            rss, pss = rss + sizes["Rss:"], pss + sizes["Pss:"]
        return rss / 1024, pss / 1024

    def stop(self) -> float:
        """Ends it by SIGTERM, or else by force; how long that took."""
        began_s = time.monotonic()
        self.program.send_signal(signal.SIGTERM)
        try:
            self.program.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
        self.notifications.close()
        return time.monotonic() - began_s
