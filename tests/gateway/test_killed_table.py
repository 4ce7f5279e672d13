"""The table is killed under a hundred screens: they say so, and go on when it is back."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.dicetable.service.program import config, entries
from tests.gateway.pages import SCREENSHOTS, SIZES
from tests.gateway.serving import HANGING_S, ROOT, Served, until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

SCREENS = 100
TIMES = 3


class Table:
    """`dicetable run` with simulated people, and sockets of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = config(folder)
        with self.config.open("a") as file:
            file.write('[web]\nlisten = "127.0.0.1:1"\n')
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(runtime)}
        self.environment.pop("NOTIFY_SOCKET", None)
        self.socket = runtime / "dicetable" / "table.sock"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dicetable", "run", "--config", str(self.config)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(HANGING_S)


def test_screens_say_that_the_table_is_gone_and_come_back_with_it(browser: Browser, tmp_path: Path) -> None:
    table = Table(tmp_path)
    served = Served(table.socket)
    table.start()
    served.start()
    try:
        until(lambda: served.get("/health")[0] == 200)
        screens = [served.stream() for _ in range(SCREENS)]
        pages = {name: browser.new_page(viewport={"width": w, "height": h}) for name, (w, h) in SIZES.items()}
        for page in pages.values():
            page.goto(f"http://127.0.0.1:{served.port}/")
            page.wait_for_selector("body[data-link=live]")
        for _ in range(TIMES):
            before = served.json("/api/state")["row"]
            until(lambda before=before: served.json("/api/state")["row"] > before)  # type: ignore[misc]
            for screen in screens:
                screen.seen = b""
            table.kill()
            known = entries(tmp_path)
            for screen in screens:
                screen.until(b"event: away")
            for name, page in pages.items():
                page.wait_for_selector("body[data-link=stale]")
                assert "the table isn't answering" in page.inner_text("#link")
                page.screenshot(path=SCREENSHOTS / f"table-away-{name}.png")
            assert served.get("/health")[0] == 503
            table.start()
            for screen in screens:
                screen.seen = b""
                screen.until(b"event: state")
            for page in pages.values():
                page.wait_for_selector("body[data-link=live]", timeout=1000 * HANGING_S)
            until(lambda known=known: served.json("/api/state")["row"] >= known)  # type: ignore[misc]
            assert entries(tmp_path) >= known
        assert served.json("/health")["screens"] == SCREENS + len(pages)
        for screen in screens:
            screen.close()
        for page in pages.values():
            page.close()
    finally:
        table.kill()
        served.kill()
