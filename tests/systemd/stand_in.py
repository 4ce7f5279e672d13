"""Keeps the contract with systemd as `dicetable run` does, and nothing else."""

import logging
import signal
import time
from pathlib import Path

from dicetable.service.notify import Notifier, watchdog_period_s
from dicetable.service.starts import CountFile, Starts
from dicetable.service.watchdog import Watchdog

logging.basicConfig()
starts = Starts(CountFile(Path("/var/lib/dicetable/starts")))
safe = starts.begin()
notifier = Notifier.from_environment()
watchdog = Watchdog(watchdog_period_s(), time.monotonic())
ending: list[bool] = []
signal.signal(signal.SIGTERM, lambda *_: ending.append(True))
notifier.ready()
notifier.status("safe mode" if safe else "ready")
starts.ready(time.monotonic())
while not ending:
    time.sleep(0.1)
    for part in ("loop", "session", "eye"):
        watchdog.met(part, time.monotonic())
    if watchdog.feed(time.monotonic()):
        notifier.alive()
    starts.tick(time.monotonic())
    if Path("/var/lib/dicetable/accept").exists():
        starts.accepted()
notifier.stopping()
starts.stopped()
