"""`dicetable run --web` as a program of its own, and a browser in which somebody logs in as the operator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from axe_playwright_python.sync_playwright import Axe

from tests.gateway.serving import HANGING_S, ROOT, free_port, until
from tests.zygote import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SIZES = {"television": (1920, 1080), "phone": (390, 844)}
SCREENSHOTS = ROOT / "build" / "screenshots"
CONFIG = """# A table of its own
[camera]
driver = "simulated"
seed = 1

[panel]
driver = "keyboard"

[table]
seats = 2
names = {names}  # the regulars

[house]
throws = "friendly"  # a busy machine gives too few frames for strict ones

[ledger]
folder = '{folder}'

[web]
listen = "127.0.0.1:{port}"
operator_code_alone = {code_alone}
{more}
"""


class RunningTable:
    """The program; its keyboard panel is typed at by `type`."""

    def __init__(
        self,
        folder: Path,
        *,
        more: str = "",
        code_alone: bool = True,
        names: Sequence[str] = ("Ann", "Bob"),
        ledger: str = "ledger",
        program: Sequence[str] = ("-m", "dicetable"),
    ) -> None:
        self.folder = folder
        self.port = free_port()
        self.config = folder / "table.toml"
        self.ledger = folder / ledger
        text = CONFIG.format(
            folder=self.ledger,
            port=self.port,
            code_alone=json.dumps(code_alone),
            more=more,
            names=json.dumps(names),
        )
        self.config.write_text(text)
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(runtime)}
        self.environment.pop("NOTIFY_SOCKET", None)
        self.process = subprocess.Popen(
            [sys.executable, *program, "run", "--config", str(self.config), "--web"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: self.state() is not None)
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def state(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError):
            with urllib.request.urlopen(f"{self.url}/api/state", timeout=5) as told:
                found: dict[str, Any] = json.loads(told.read())
            return found
        return None

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run("-m", "dicetable", *arguments, cwd=ROOT, env=self.environment)

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(HANGING_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()


class Desk:
    """A browser at the operator's pages; what went wrong in them is in `faults`."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.context = browser.new_context(accept_downloads=True)
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.on("console", self.heard)
        self.size("television")

    def heard(self, message: Any) -> None:
        if "Content Security Policy" in message.text:
            self.faults.append(message.text)

    def size(self, name: str) -> None:
        width, height = SIZES[name]
        self.page.set_viewport_size({"width": width, "height": height})

    def log_in(self, passphrase: str = "") -> None:
        page = self.page
        page.goto(f"{self.url}/operator")
        until(self.code_is_shown, 4 * HANGING_S)
        page.fill("#typed", page.inner_text("#code"))
        if passphrase:
            page.fill("#passphrase", passphrase)
        page.click("#form button[type=submit]")
        page.wait_for_selector("nav")

    def code_is_shown(self) -> bool:
        """Has a code shown; whether it is: one address gets three at once, and then one in twenty seconds."""
        self.page.click("#ask")
        self.page.wait_for_selector("#code:not([hidden]), #said.bad")
        if self.page.locator("#code:not([hidden])").count():
            return True
        self.page.wait_for_timeout(2000)
        return False

    def go(self, name: str) -> None:
        self.page.goto(f"{self.url}/operator" + (f"/{name}" if name else ""))

    def keep(self, name: str, contrast: str) -> None:
        """A screenshot of each size; nothing is wider than the page, every text can be read."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for size, (width, _) in SIZES.items():
            self.size(size)
            self.page.screenshot(path=SCREENSHOTS / f"operator-{name}-{size}.png", full_page=size == "phone")
            assert self.page.evaluate("document.documentElement.scrollWidth") <= width
            assert self.page.evaluate(contrast) == {}
            assert self.barriers() == []
        self.size("television")
        assert self.faults == []

    def barriers(self) -> list[str]:
        """What axe-core finds that keeps people out."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']][:3]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def said(self) -> str:
        self.page.wait_for_selector("#said:not([hidden])")
        return self.page.inner_text("#said")

    def close(self) -> None:
        self.context.close()
