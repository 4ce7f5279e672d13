"""How soon what happens is at the broker, and what the gateway holds with everything switched on.

    python -m benchmarks.signals [--screens N] [--rows N]

A simulated table plays five times as fast as people do, in turns of 20 ms as on the bar. A real gateway has a
real Mosquitto, a webhook for every event, /metrics that is asked for every second, and screens. An event is
at the broker when a subscriber has it; it has happened when its row of the ledger is durable.
The rival is the same table with the gateway as it is without any of this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import selectors
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

from dicetable.eye.process import resident_bytes
from gateway.settings import NO_SIGNALS, Metrics, Mqtt, Signals, Webhook, Webhooks
from hardware.simulated import physics
from tests.dicetable.service.evenings import Evening
from tests.gateway.serving import Served, Stream
from tests.gateway.signals.broker import at_home, open_broker
from tests.gateway.signals.targets import target

TURN_S = 0.02
MB = 2**20
KINDS = ("throw", "turn", "bust", "rack", "game_over")


class Listening:
    """Listens at the broker and takes webhooks in a thread; `came_s` is when each row's first event came."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.hook_port = 0
        self.came_s: dict[int, float] = {}
        self.ended = False
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))
        self.thread.start()
        self.ready.wait()

    async def run(self) -> None:
        async with target() as hook, at_home(self.port) as home:
            self.hook_port = hook.port
            self.ready.set()
            seen = 0
            while not self.ended:
                for topic, text in home.heard[seen:]:
                    if "/event/" in topic:
                        self.came_s.setdefault(json.loads(text)["row"], time.monotonic())
                seen = len(home.heard)
                await asyncio.sleep(0.001)


class Run:
    """An evening with these signals on; `happened_s` is when each row of the ledger was durable."""

    def __init__(self, folder: Path, signals: Signals, screens: int, rows: int) -> None:
        folder.mkdir()
        self.evening = Evening(folder, "six_shooter")
        self.served = Served(self.evening.path, signals=signals)
        self.served.start()
        self.spent_ms: list[float] = []
        self.happened_s: dict[int, float] = {}
        self.ledger = self.evening.service.parts.ledger
        self.ledger.accepted = self.durable
        for _ in range(50):
            self.turn()
        self.idle_bytes = self.resident()
        self.happened_s.clear()
        self.streams = [self.served.stream() for _ in range(screens)]
        threading.Thread(target=drain, args=(self.streams,), daemon=True).start()
        asked_s = 0.0
        while len(self.happened_s) < rows:
            self.turn()
            if signals.metrics is not None and time.monotonic() > asked_s + 1:
                asked_s = time.monotonic()
                threading.Thread(target=self.served.get, args=("/metrics",), daemon=True).start()
        time.sleep(0.5)
        self.busy_bytes = self.resident()

    def durable(self) -> None:
        self.happened_s.setdefault(self.ledger.count, time.monotonic())

    def turn(self) -> None:
        started_s = time.perf_counter()
        self.evening.turn()
        self.spent_ms.append(1000 * (time.perf_counter() - started_s))
        time.sleep(TURN_S)

    def resident(self) -> int:
        return resident_bytes(self.served.process.pid) if self.served.process is not None else 0

    def close(self) -> None:
        for stream in self.streams:
            stream.close()
        self.served.kill()
        self.evening.close()


def drain(streams: list[Stream]) -> None:
    selector = selectors.DefaultSelector()
    for stream in streams:
        stream.socket.settimeout(0.0)
        selector.register(stream.socket, selectors.EVENT_READ, stream.socket)
    with suppress(OSError, ValueError):
        while True:
            for key, _ in selector.select(0.2):
                key.data.recv(2**18)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--screens", type=int, default=100)
    parser.add_argument("--rows", type=int, default=100)
    args = parser.parse_args()
    physics.available = lambda: False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "secret").write_text("a secret of some length")
        broker = open_broker(folder)
        broker.start()
        listening = Listening(broker.port)
        host = f"127.0.0.1:{listening.hook_port}"
        everything = Signals(
            Mqtt("127.0.0.1", broker.port, "dicetable", "homeassistant", 3, commands=True),
            Metrics(("127.0.0.1",)),
            Webhooks((host,), str(folder / "secret"), (Webhook(f"http://{host}/", KINDS),)),
        )
        for title, signals in (("nothing on", NO_SIGNALS), ("everything on", everything)):
            run = Run(folder / title, signals, args.screens, args.rows)
            print(f"{title}: the gateway holds {run.idle_bytes / MB:.0f} MB idle, ", end="")
            print(f"{run.busy_bytes / MB:.0f} MB with {args.screens} screens")
            last = quantiles(run.spent_ms, n=100)[-1]
            print(f"  a turn of the table: median {median(run.spent_ms):.2f} ms, 99 % {last:.1f} ms")
            came_s = listening.came_s
            ways = [1000 * (came_s[row] - at) for row, at in run.happened_s.items() if row in came_s]
            if signals.mqtt is not None:
                print(f"  event -> broker: {len(ways)} rows, median {median(ways):.0f} ms, ", end="")
                print(f"95 % {quantiles(ways, n=20)[-1]:.0f} ms")
            run.close()
        listening.ended = True
        listening.thread.join()
        broker.kill()


if __name__ == "__main__":
    main()
