"""How soon what the table accepts is on the screens, what the gateway holds, what all this costs the table.

    python -m benchmarks.screen [--screens N] [--entries N] [--hours N]

Two simulated tables play the same game five times as fast as people do, in turns of 20 ms as on the bar: one
by itself, and one with a real gateway and screens that are read here. An entry is on a screen when the last
byte of its state has come; what the browser needs to draw it is not in it. From settled to accepted is the
processor time of the turn in which the table takes the dice. Growth is what the gateway holds after the
states, pictures and visits of many hours of play, told as fast as it takes them.
"""

from __future__ import annotations

import argparse
import json
import re
import selectors
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles

from common import messages
from dicetable.eye.process import resident_bytes
from hardware.simulated import physics
from tests.dicetable.service.evenings import Evening
from tests.gateway.serving import PretendTable, Served, Stream, first_page

TURN_S = 0.02
REVISION = re.compile(rb'"revision":(\d+)}\n\n')
MB = 2**20
STATES_PER_HOUR = 3600
"""A busy table's: a change each second."""
THROWS_PER_HOUR = 360
VISITS_PER_HOUR = 60


class Screens:
    """Reads all streams in a thread; `came_s` holds when each revision came to each of them."""

    def __init__(self, streams: list[Stream]) -> None:
        self.came_s: dict[int, list[float]] = {}
        self.selector = selectors.DefaultSelector()
        for stream in streams:
            stream.socket.settimeout(0.0)
            self.selector.register(stream.socket, selectors.EVENT_READ, bytearray(stream.seen))
        self.ended = False
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self) -> None:
        while not self.ended:
            for key, _ in self.selector.select(0.1):
                key.data.extend(key.fileobj.recv(2**18))  # type: ignore[union-attr]  # sockets alone are registered
                while (found := REVISION.search(key.data)) is not None:
                    self.came_s.setdefault(int(found[1]), []).append(time.monotonic())
                    del key.data[: found.end()]


class Clocked:
    """A table whose turns are timed.

    `accepted` holds the revision that shows each entry, and when that was accepted. `ways_s` is the processor
    time from the beginning of that turn, which finds the dice settled, until then; `turns_s` that of
    the whole turn.
    """

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.accepted: list[tuple[int, float]] = []
        self.ways_s: list[float] = []
        self.turns_s: list[float] = []
        self.moment: list[tuple[float, float]] = []
        evening.service.parts.ledger.accepted = lambda: self.moment.append(
            (time.monotonic(), time.thread_time())
        )

    def turn(self) -> None:
        """A tenth of a second goes by."""
        began_s = time.thread_time()
        self.evening.turn()
        if self.moment:
            server = self.evening.service.parts.sockets.server
            at_s, worked_s = self.moment[0]
            self.ways_s.append(worked_s - began_s)
            self.turns_s.append(time.thread_time() - began_s)
            self.accepted.append((self.evening.published["revision"] if server else 0, at_s))
            self.moment.clear()


def played(folder: Path, screens: int, entries: int) -> None:
    """Two tables in turn, one with screens."""
    (folder / "alone").mkdir()
    (folder / "shown").mkdir()
    alone = Clocked(Evening(folder / "alone", "six_shooter", screens=False))
    shown = Clocked(Evening(folder / "shown", "six_shooter"))
    served = Served(shown.evening.path)
    served.start()
    if served.process is None:
        raise SystemExit("nothing is served")
    for _ in range(20):
        shown.turn()
        time.sleep(TURN_S)
    parts = first_page(served.port)
    idle = resident_bytes(served.process.pid)
    streams = [served.stream() for _ in range(screens)]
    reading = Screens(streams)
    shown.accepted.clear()
    while min(len(alone.accepted), len(shown.accepted)) < entries:
        for each in (alone, shown):
            each.turn()
        time.sleep(TURN_S)
    busy = resident_bytes(served.process.pid)
    time.sleep(1.0)
    reading.ended = True
    reading.thread.join()
    ways = [1000 * (came - at) for number, at in shown.accepted for came in reading.came_s.get(number, [])]
    print(f"accepted -> on {screens} screens: {len(ways)} of {len(shown.accepted) * screens} came,")
    print(f"  median {median(ways):.0f} ms, 95th percentile {quantiles(ways, n=20)[-1]:.0f} ms")
    print("processor time, median, without and with screens:")
    for name, without, with_them in (
        ("settled -> accepted", alone.ways_s, shown.ways_s),
        ("the whole turn", alone.turns_s, shown.turns_s),
    ):
        print(f"  {name} {1000 * median(without):.2f} and {1000 * median(with_them):.2f} ms")
    print(f"gateway: {idle / MB:.1f} MB without screens, {busy / MB:.1f} MB with {screens}")
    print(f"first page: {sum(parts.values()) / 1000:.1f} kB in {len(parts)} answers")
    for stream in streams:
        stream.close()
    served.kill()
    for each in (alone, shown):
        each.evening.close()


def grown(folder: Path, hours: int) -> None:
    """The gateway's memory after each eighth of `hours`."""
    table = PretendTable(folder / "pretend.sock")
    served = Served(table.path)
    served.start()
    if served.process is None:
        raise SystemExit("nothing is served")
    readers = [served.stream() for _ in range(3)]
    for reader in readers:
        reader.until(b"event: state")
    held = []
    row = 0
    for revision in range(1, hours * STATES_PER_HOUR + 1):
        if revision % (STATES_PER_HOUR // THROWS_PER_HOUR) == 0:
            row = revision
            table.bodies = {(messages.PICTURE, row): b"\xff\xd8" + bytes(30_000)}
            served.get(f"/throws/{row}.jpg")
        if revision % (STATES_PER_HOUR // VISITS_PER_HOUR) == 0:
            visitor = served.stream()
            served.get("/operator")
            visitor.until(b'"revision"')
            visitor.close()
        state = {"v": 1, "row": row, "throws": [], "events": [], "pad": "x" * 3000, "revision": revision}
        table.tell(json.dumps(state).encode())
        if revision % 100 == 0:
            for reader in readers:
                reader.until(b'"revision": %d}' % revision)
                reader.seen = b""
        if revision % max(1, hours * STATES_PER_HOUR // 8) == 0:
            held.append(resident_bytes(served.process.pid) / MB)
    shown = ", ".join(f"{each:.1f}" for each in held)
    print(f"growth over {hours} hours of play, MB held at each eighth of them: {shown}")
    for reader in readers:
        reader.close()
    served.kill()
    table.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--screens", type=int, default=100)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--hours", type=int, default=24)
    args = parser.parse_args()
    physics.available = lambda: False
    with tempfile.TemporaryDirectory() as folder:
        if args.entries:
            played(Path(folder), args.screens, args.entries)
        if args.hours:
            grown(Path(folder), args.hours)


if __name__ == "__main__":
    main()
