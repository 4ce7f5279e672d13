"""`dicetable roll --camera phone` with Chromium as the phone: its camera plays a clip of simulated throws."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from common import texts
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.gateway.phone_program import START
from tests.gateway.serving import HANGING_S, free_port, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

FPS = 30
"""Chromium plays a file of JPEGs at this rate, again and again."""
EMPTY_S, CLIP_S = 3.0, 9.0
WAIT_MS = 30_000


def write_clip(path: Path) -> None:
    """An empty tray, and a throw of two dice."""
    clock = VirtualClock()
    world = World(5, clock)
    frames = []
    for number in range(round(CLIP_S * FPS)):
        if number == round(EMPTY_S * FPS):
            world.throw(["d6", "d6"])
        frames.append(cv2.imencode(".jpg", np.asarray(world.picture_at(clock.now_s())))[1].tobytes())
        clock.sleep(1 / FPS)
    path.write_bytes(b"".join(frames))


@contextmanager
def phone(clip: Path) -> Iterator[Browser]:
    """A browser whose camera plays the clip; a page may use it if its context has the permission."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium: apt install chromium")
    from playwright.sync_api import sync_playwright

    arguments = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={clip}"]
    arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


def opened(browser: Browser, address: str) -> Page:
    """The camera's page on one phone, reached as a person reaches it."""
    page = browser.new_context(ignore_https_errors=True).new_page()
    page.set_default_timeout(1000 * HANGING_S)
    page.goto(address)
    page.click("#open")
    page.wait_for_url("https://*/camera*")
    return page


def says(page: Page, text: str) -> None:
    from playwright.sync_api import expect

    shown = re.escape(text).replace(re.escape("{rate}"), r"\d+")
    expect(page.locator("#said")).to_have_text(re.compile(shown), timeout=WAIT_MS)


@contextmanager
def running(folder: Path, keyboard: int, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command under a phone's camera, and the address in its code."""
    (folder / "run").mkdir(mode=0o700)
    ports = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder / "run"), "XDG_DATA_HOME": str(folder)}
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *ports, *arguments, "--camera", "phone"],
            stdin=keyboard, stdout=out, stderr=err, env=environment, text=True,
        )  # fmt: skip

    def address() -> str:
        assert process.poll() is None, (folder / "err").read_text()
        found = re.search(r"^http\S+#\S+$", (folder / "err").read_text(), re.MULTILINE)
        return found[0] if found else ""

    try:
        until(lambda: address() != "")
        yield process, address()
    finally:
        process.kill()
        process.wait()


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out").read_text().splitlines()]


@pytest.mark.slow
def test_a_clip_before_a_phone_becomes_a_throw_that_counts(tmp_path: Path) -> None:
    """Refused first, then allowed, closed, opened again, cut off, and disturbed by a second phone."""
    clip = tmp_path / "clip.mjpeg"
    write_clip(clip)
    words = texts.phone_camera.PAGE
    rolling = running(tmp_path, subprocess.DEVNULL, "roll", "--json", "--ledger", str(tmp_path / "ledger"))
    with rolling as (process, address), phone(clip) as browser:
        page = opened(browser, address)
        says(page, words["refused"])
        context, url = page.context, page.url
        context.grant_permissions(["camera"])
        page.click("#start")
        says(page, words["running"])
        second = opened(browser, address)
        says(second, texts.phone_camera.WRONG_CODE)
        page.close()
        page = context.new_page()
        page.goto(url)
        says(page, words["running"])
        context.set_offline(offline=True)
        says(page, words["network"])
        context.set_offline(offline=False)
        says(page, words["running"])
        until(lambda: read(tmp_path) != [])
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 130
    assert {len(line["dice"]) for line in read(tmp_path)} == {2}
    counted = [die for line in read(tmp_path) if line["verdict"] == "counts" for die in line["dice"]]
    assert {die["arrival"] for die in counted} <= {"thrown"}


def read(folder: Path) -> list[dict[str, Any]]:
    """The throws whose values are known; people vouch for them if a busy machine missed pictures."""
    return [line for line in lines(folder) if line["verdict"] in ("counts", "vouch")]


SHORT = """
[camera]
driver = "simulated"
[panel]
driver = "simulated"
[[games.house_rules]]
name = "Short"
game = "rolls"
options = { rolls = 1 }
"""


@pytest.mark.slow
def test_a_whole_game_is_played_before_a_phone(tmp_path: Path) -> None:
    """Two players throw what the clip shows, once each."""
    clip, config = tmp_path / "clip.mjpeg", tmp_path / "table.toml"
    write_clip(clip)
    config.write_text(SHORT)
    keyboard, terminal = os.openpty()
    game = ("play", "rolls", "--friendly", "--rules", "Short", "--config", str(config))
    with running(tmp_path, terminal, *game) as (process, address), phone(clip) as browser:
        page = opened(browser, address)
        says(page, texts.phone_camera.PAGE["refused"])
        page.context.grant_permissions(["camera"])
        page.click("#start")
        assert process.wait(240) == 0, (tmp_path / "err").read_text()
    for descriptor in (keyboard, terminal):
        os.close(descriptor)
    said = (tmp_path / "out").read_text()
    *_, last = said.splitlines()
    assert re.fullmatch(r".*\(ann max \d+, bob max \d+\)", last), last
