"""`dicetable roll --web` under two cameras, as a laptop's user and one outside of its container see it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import cv2
import pytest

from common.texts import first_page as texts
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.gateway.serving import HANGING_S, free_port, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

WAIT_MS = 30_000
ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}
"""Sent with each request of a browser that is on another machine, or on that of a container."""
START = """
import sys, time
from pathlib import Path
import cv2
from dicetable.commands import phone_source, play, sources
from hardware.attached import AttachedCamera
from hardware.ports import Frame

port, folder = sys.argv[1], Path(sys.argv[2])

class Camera:
    degraded, notes = None, ()

    def __init__(self, path, clock):
        self.name, self.clock = str(path), clock

    def start(self): pass
    def stop(self): pass

    def frame(self, timeout_s):
        time.sleep(1 / 30)
        return Frame(cv2.imread(str(folder / f"{Path(self.name).name}.bmp")), self.clock.now_s())

def attached():
    return [AttachedCamera(Path(f"/dev/video{n}"), f"camera {n}", on_usb=True, modes=[]) for n in (0, 1)]

phone_source.LISTEN = f"127.0.0.1:{port}"
play.attached_cameras = sources.attached_cameras = attached
sources.usb = Camera
from dicetable.__main__ import main
sys.exit(main(["roll", "--web", "--ledger", str(folder / "ledger")]))
"""


def show(picture: cv2.typing.MatLike, path: Path) -> None:
    """Replaces what a camera sees."""
    cv2.imwrite(str(path.with_suffix(".new.bmp")), picture)
    path.with_suffix(".new.bmp").replace(path)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A tray that the first camera sees empty; the second one stands in the dark."""
    clock = VirtualClock()
    made = World(5, clock)
    empty = made.picture_at(clock.now_s()).copy()
    show(empty, tmp_path / "video0.bmp")
    show(empty // 16, tmp_path / "video1.bmp")
    return made


@pytest.fixture
def address(tmp_path: Path, world: World) -> Iterator[str]:  # noqa: ARG001 - its pictures have to be there
    """The address of the first page that the terminal shows."""
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run"), "XDG_STATE_HOME": str(tmp_path)}
    keyboard, terminal = os.openpty()
    out = tmp_path / "out"
    with out.open("w") as said:
        rolling = subprocess.Popen(
            [sys.executable, "-c", START, str(free_port()), str(tmp_path)],
            stdin=terminal, stdout=said, stderr=said, env=environment,
        )  # fmt: skip
    os.close(terminal)

    def found() -> str:
        assert rolling.poll() is None, out.read_text()
        shown = re.search(r"http://\S+/start#\S+", out.read_text())
        return shown[0] if shown else ""

    try:
        until(lambda: found() != "")
        yield found()
        os.write(keyboard, b"\x04")
        assert rolling.wait(HANGING_S) == 0, out.read_text()
    finally:
        rolling.kill()
        rolling.wait()
        os.close(keyboard)


def opened(browser: Browser, address: str, **context: object) -> Page:
    page = browser.new_context(**context).new_page()  # type: ignore[arg-type]
    until(lambda: answers(page, address))
    return page


def answers(page: Page, address: str) -> bool:
    """Opens the page; False if the gateway does not answer yet."""
    from playwright.sync_api import Error

    try:
        page.goto(address)
    except Error:
        return False
    return True


def says(page: Page, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#said")).to_have_text(text, timeout=WAIT_MS)


def test_the_first_page_shows_the_picture_what_will_do_and_the_cameras(
    browser: Browser, address: str, world: World, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    page = opened(browser, address)
    says(page, texts.THROW)
    checks = [texts.SHARP, texts.BRIGHT, texts.STEADY]  # how fast pictures come here depends on this machine
    expect(page.locator("#checks .good")).to_contain_text(checks, timeout=WAIT_MS)
    assert page.evaluate("document.getElementById('seen').naturalWidth") > 600
    expect(page.locator("#cameras option")).to_have_text(["camera 0", "camera 1"])
    world.throw(["d6", "d6"])
    world.settle()
    show(world.picture_at(world.clock.now_s()), tmp_path / "video0.bmp")
    expect(page.locator("#said")).to_contain_text("The table reads: ", timeout=WAIT_MS)
    page.select_option("#cameras", "/dev/video1")
    expect(page.locator("#checks .bad")).to_contain_text([texts.TOO_DARK], timeout=WAIT_MS)


def test_another_machine_s_browser_gets_in_once_with_the_terminal_s_address(
    browser: Browser, address: str
) -> None:
    bare = address.partition("#")[0]
    stranger = opened(browser, bare, extra_http_headers=ELSEWHERE)
    says(stranger, texts.ONLY_HERE)
    invited = opened(browser, address, extra_http_headers=ELSEWHERE)
    says(invited, texts.THROW)
    assert invited.url == bare
    invited.reload()
    says(invited, texts.THROW)
    stranger.goto(address)
    stranger.reload()
    says(stranger, texts.ONLY_HERE)


def test_a_phone_takes_the_seat_of_the_one_who_rolls(browser: Browser, address: str) -> None:
    from playwright.sync_api import expect

    site = address.partition("/start")[0]
    television = opened(browser, f"{site}/")
    expect(television.locator("#sit")).to_be_visible(timeout=WAIT_MS)
    code = re.sub(r"\D", "", television.locator("#codes li").first.inner_text())
    phone = opened(browser, f"{site}/phone", extra_http_headers=ELSEWHERE)
    phone.fill("#code", code)
    phone.press("#code", "Enter")
    expect(phone.locator("#seat")).to_contain_text("Your turn", timeout=WAIT_MS)
