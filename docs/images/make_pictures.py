"""Makes the pictures of docs/images that show the program, from the program as it is: `make pictures`.

It needs chromium, and takes some minutes. The drawings of the rig and of the wiring are made by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from make_terminal_table import make as make_terminal_table
from playwright.sync_api import Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.dicetable.service.evenings import Evening
from tests.gateway.serving import Served
from vision.annotate import annotate
from vision.reader import DiceReader

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "laptop.toml"
QUALITY = 88
LIMIT_S = 600.0
"""What a busy machine may take until the table shows what is wanted."""
LOOK_S = 20.0
WIDTH_PX = 1280
ENTRIES = 25
GAME_IS_SEEN = """(revision) => Number(document.body.dataset.revision) >= revision
    && document.getElementById("moment").hidden
    && !document.getElementById("seen").hidden
    && [...document.images].every((each) => each.complete)"""


def main() -> int:
    """Makes all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description="make the pictures of the documentation")
    parser.add_argument("names", nargs="*", metavar="PICTURE", help=f"of {', '.join(PICTURES)}; default: all")
    parser.add_argument("--out", type=Path, default=HERE, metavar="DIR")
    args = parser.parse_args()
    if unknown := [name for name in args.names if name not in PICTURES]:
        parser.error(f"no picture is called {unknown[0]}")
    for name in args.names or PICTURES:
        PICTURES[name](args.out / name)
        print(f"{args.out / name}: {(args.out / name).stat().st_size:,} bytes")
    return 0


def make_simulated_throw(out: Path) -> None:
    """Six dice as the camera of a simulated table sees them, and below them what the reader read."""
    world = World(21, VirtualClock())
    world.camera.start()
    world.throw(["d6", "d8", "d10", "d12", "d20", "d6"])
    world.settle(1.0)
    frame = world.camera.frame(1.0)
    if frame is None:
        raise TimeoutError("the camera sent no picture")
    reading = DiceReader().read(frame.pixels)
    both = np.vstack([frame.pixels, annotate(frame.pixels, reading)])
    cv2.imwrite(str(out), cv2.resize(both, (960, 1080), interpolation=cv2.INTER_AREA), jpeg())


def jpeg() -> list[int]:
    return [cv2.IMWRITE_JPEG_QUALITY, QUALITY]


def make_screen(out: Path) -> None:
    """The guest page in the middle of a game of simulated people."""
    with tempfile.TemporaryDirectory() as folder, browser(1920, 1080) as page:
        evening = Evening(Path(folder), "six_shooter", names=("Ann", "Bob", "Cleo"))
        served = Served(evening.path)
        try:
            evening.eye.looks = True
            served.start()
            page.goto(f"http://127.0.0.1:{served.port}/")
            wait(lambda: page.evaluate("document.body.dataset.link") == "live", evening.turn)
            while evening.service.parts.ledger.count < ENTRIES:
                evening.turn()
            wait(lambda: page.evaluate(GAME_IS_SEEN, evening.published["revision"]), evening.service.turn)
            page.screenshot(path=out, quality=QUALITY)
        finally:
            served.kill()
            evening.close()


def make_operator_calibrate(out: Path) -> None:
    """The operator's page after a look at the empty tray."""
    with (
        table(('driver = "simulated"            # or', 'driver = "keyboard" #')) as url,
        browser(1600, 960) as page,
    ):
        page.goto(f"{url}/operator")
        page.click("#ask")
        page.fill("#typed", page.inner_text("#code:not([hidden])"))
        page.click("#form button[type=submit]")
        for field in ("#again", "#form:has(#again) #first"):  # the first operator chooses a passphrase
            page.fill(field, "the wheel turns")
        page.click("#form:has(#again) button[type=submit]")
        page.wait_for_selector("nav")
        page.goto(f"{url}/operator/calibrate")
        wait(lambda: found_good(page))
        page.screenshot(path=out, quality=QUALITY)


def found_good(page: Page) -> bool:
    """Takes a look at the tray; a busy machine may need several until the picture will do."""
    page.click("#look:not([disabled])")
    with suppress(PlaywrightTimeoutError):
        page.wait_for_selector("#keep:not([disabled])", timeout=1000 * LOOK_S)
        return True
    return False


PICTURES: dict[str, Callable[[Path], None]] = {
    "simulated-throw.jpg": make_simulated_throw,
    "screen.jpg": make_screen,
    "operator-calibrate.jpg": make_operator_calibrate,
    "terminal-table.svg": make_terminal_table,
}


@contextmanager
def table(*changes: tuple[str, str]) -> Iterator[str]:
    """The address of the table of examples/laptop.toml, with these changes to its text."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        text = EXAMPLE.read_text()
        for old, new in (("~/.local/share/dicetable", folder), *changes):
            before, _, after = text.partition(old)
            text = before + new + after
        config = Path(folder) / "table.toml"
        config.write_text(f'{text}\n[web]\nlisten = "127.0.0.1:{port}"\n')
        program = subprocess.Popen(
            [sys.executable, "-m", "dicetable", "run", "--config", str(config), "--web"],
            env=os.environ | {"XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            wait(lambda: bool(read(url)))
            yield url
        finally:
            program.terminate()
            program.communicate(timeout=60)


def read(url: str) -> dict[str, Any]:
    """The table's state; empty while there is none."""
    with suppress(OSError, ValueError), urllib.request.urlopen(f"{url}/api/state", timeout=5) as answer:  # noqa: S310
        state: dict[str, Any] = json.load(answer)
        return state
    return {}


def wait(happened: Callable[[], bool], turn: Callable[[], None] = lambda: None) -> None:
    """Until it has happened; takes turns meanwhile."""
    end_s = time.monotonic() + LIMIT_S
    while not happened():
        if time.monotonic() > end_s:
            raise TimeoutError(f"the table did not get there within {LIMIT_S:.0f} s")
        turn()
        time.sleep(0.05)


@contextmanager
def browser(wide: int, high: int) -> Iterator[Page]:
    """A page of this size in Debian's chromium; its pictures are smaller."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("make_pictures: there is no chromium: apt install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=arguments)
        page = opened.new_page(
            viewport={"width": wide, "height": high},
            device_scale_factor=WIDTH_PX / wide,
            reduced_motion="reduce",
        )
        page.set_default_timeout(1000 * LIMIT_S)
        yield page
        opened.close()


if __name__ == "__main__":
    sys.exit(main())
