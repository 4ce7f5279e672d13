"""How soon what the table accepts is on the screens, and what the gateway holds.

    python -m benchmarks.screen [--screens N] [--entries N]

A simulated table plays five times as fast as people do, in turns of 20 ms as on the bar. A real gateway
serves screens that are read here: an entry is on a screen when the last byte of its state has come. What the
browser needs to draw it is not in it.
"""

from __future__ import annotations

import argparse
import re
import selectors
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles

from dicetable.eye.process import resident_bytes
from hardware.simulated import physics
from tests.dicetable.gateway.serving import Served, Stream
from tests.dicetable.state.evenings import Evening

TURN_S = 0.02
REVISION = re.compile(rb'"revision":(\d+)}\n\n')
MB = 2**20
SCRIPTS = ("guest", "dice", "stream", "sound")
FIRST_PAGE = ("/", "/static/guest.css", "/qr.svg", *(f"/static/{name}.js" for name in SCRIPTS))


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
        """Until it is ended."""
        while not self.ended:
            for key, _ in self.selector.select(0.1):
                key.data.extend(key.fileobj.recv(2**18))  # type: ignore[union-attr]
                while (found := REVISION.search(key.data)) is not None:
                    self.came_s.setdefault(int(found[1]), []).append(time.monotonic())
                    del key.data[: found.end()]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--screens", type=int, default=100)
    parser.add_argument("--entries", type=int, default=100)
    args = parser.parse_args()
    physics.available = lambda: False
    with tempfile.TemporaryDirectory() as folder:
        evening = Evening(Path(folder), "six_shooter")
        served = Served(evening.path)
        served.start()
        if evening.server is None or served.process is None:
            raise SystemExit("nothing is served")
        parts = [len(served.get(path)[2]) for path in FIRST_PAGE]
        for _ in range(20):
            evening.turn()
            time.sleep(TURN_S)
        idle = resident_bytes(served.process.pid)
        streams = [served.stream() for _ in range(args.screens)]
        screens = Screens(streams)
        accepted: list[tuple[int, float]] = []
        record = evening.service.parts.record
        moment: list[float] = []
        record.accepted = lambda: moment.append(time.monotonic())
        while len(accepted) < args.entries:
            evening.turn()
            if moment:
                accepted.append((evening.server.state.number if evening.server.state else 0, moment[0]))
                moment.clear()
            time.sleep(TURN_S)
        busy = resident_bytes(served.process.pid)
        time.sleep(1.0)
        screens.ended = True
        screens.thread.join()
        ways = [1000 * (came - at) for number, at in accepted for came in screens.came_s.get(number, [])]
        print(f"accepted -> on {args.screens} screens: {len(ways)} of {len(accepted) * args.screens} came,")
        print(f"  median {median(ways):.0f} ms, 95th percentile {quantiles(ways, n=20)[-1]:.0f} ms")
        print(f"gateway: {idle / MB:.0f} MB without screens, {busy / MB:.0f} MB with {args.screens}")
        print(f"first page: {sum(parts) / 1000:.1f} kB")
        for stream in streams:
            stream.close()
        served.kill()
        evening.close()


if __name__ == "__main__":
    main()
