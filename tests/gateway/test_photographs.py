"""A phone without a camera's page: one photograph of each throw over plain HTTP, to the end of a game."""

from __future__ import annotations

import http.client
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
from contextlib import closing, suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
from PIL import Image

from common import texts
from gateway.displays import SOCKET_NAME, ask_gateway
from hardware.phone_camera import phone_camera
from hardware.ports import SystemClock
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from tests.gateway.phone_program import START
from tests.gateway.serving import HANGING_S, Served, free_port, until
from tests.hardware.phone_frames import door_at, jpeg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

STARTING_S = 120.0
WAIT_MS = 60_000


class Phone:
    """A phone that sends photographs over plain HTTP, as the page does."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    def post(self, path: str, body: bytes, kind: str) -> tuple[int, Any]:
        own = f"127.0.0.1:{self.port}"
        headers = {"origin": f"http://{own}", "content-type": kind, "cookie": self.cookie}
        with closing(http.client.HTTPConnection(own, timeout=HANGING_S)) as asking:
            asking.request("POST", f"/camera/{path}", body, headers)
            response = asking.getresponse()
            cookie = response.getheader("set-cookie", "").partition(";")[0]
            self.cookie = cookie or self.cookie
            said = response.read()
            return response.status, json.loads(said) if said.startswith(b"{") else said

    def pair(self, code: str) -> tuple[int, Any]:
        return self.post("pair", json.dumps({"code": code}).encode(), "application/json")

    def send(self, jpeg: bytes) -> tuple[int, Any]:
        return self.post("photograph", jpeg, "image/jpeg")

    def state(self) -> dict[str, Any]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGING_S)) as asking:
            asking.request("GET", "/api/state")
            response = asking.getresponse()
            found: dict[str, Any] = json.loads(response.read())
            return found if response.status == 200 else {}


class Thrower:
    """Throws simulated dice and takes a picture of them each time, from another place."""

    def __init__(self) -> None:
        self.thrown = 0

    def photograph(self, dice: int) -> bytes:
        self.thrown += 1
        clock = VirtualClock()
        world = World(self.thrown, clock)
        world.throw(["d6"] * dice)
        world.settle()
        picture = np.asarray(world.picture_at(clock.now_s()))
        return cv2.imencode(".jpg", picture)[1].tobytes()


class Command:
    """A command at a terminal, under a phone's camera; `screen` is all that it has shown."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.screen = bytearray()
        (folder / "run").mkdir(mode=0o700)
        port = free_port()
        self.phone = Phone(port)
        listen = [f"127.0.0.1:{port}", f"127.0.0.1:{free_port()}"]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder / "run"), "XDG_DATA_HOME": str(folder)}
        self.master, terminal = pty.openpty()
        with (folder / "err").open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, *listen, *arguments, "--camera", "phone"],
                stdin=terminal, stdout=terminal, stderr=err, env=environment,
            )  # fmt: skip
        os.close(terminal)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        with suppress(OSError):
            while data := os.read(self.master, 65536):
                self.screen += data

    def code(self) -> str:
        """What the phone scans; empty until it is shown."""
        told = (self.folder / "err").read_text()
        assert self.process.poll() is None, told
        found = re.search(r"^http\S+#(\S+)$", told, re.MULTILINE)
        return found[1] if found else ""

    def __enter__(self) -> Self:
        until(lambda: self.code() != "", STARTING_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(HANGING_S)
        self.process.kill()
        self.process.wait()
        self.reader.join(HANGING_S)
        os.close(self.master)


@pytest.mark.slow
def test_a_game_is_played_to_its_end_with_a_photograph_of_each_throw(tmp_path: Path) -> None:
    with Command(tmp_path, "play", "six_by_6", "--friendly") as playing:
        phone, thrower, dice = playing.phone, Thrower(), 6
        assert phone.pair(playing.code())[0] == 200
        while playing.process.poll() is None:
            with suppress(OSError, http.client.HTTPException):  # it is over
                if phone.send(thrower.photograph(dice)) != (200, {}):
                    # The game has ended, and the gateway with it, before the answer came.
                    playing.process.wait(HANGING_S)
                    break
                dice = len(phone.state().get("due", ())) or dice
            assert thrower.thrown < 200
        assert playing.process.wait() == 0
        playing.reader.join(HANGING_S)
        assert re.search(rb"(ann|bob) wins? \(", bytes(playing.screen))


@pytest.mark.slow
def test_a_browser_sends_a_large_photograph_upright_and_says_what_the_table_says_of_it(
    tmp_path: Path,
) -> None:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium: apt install chromium")
    from playwright.sync_api import expect, sync_playwright

    (tmp_path / "throw.jpg").write_bytes(large(Thrower().photograph(2)))
    (tmp_path / "none.jpg").write_bytes(b"rubbish")
    words = texts.phone_camera.PAGE
    with Command(tmp_path, "roll", "--expect", "2d6") as rolling, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.set_default_timeout(1000 * HANGING_S)
        page.goto(f"http://127.0.0.1:{rolling.phone.port}/camera#{rolling.code()}")
        page.click("#photographs")
        page.set_input_files("#picture", tmp_path / "none.jpg")
        said = page.locator("#said")
        expect(said).to_have_text(words["no_picture"], timeout=WAIT_MS)
        page.set_input_files("#picture", tmp_path / "throw.jpg")
        expect(said).to_have_text(texts.throws.PHOTOGRAPH, timeout=WAIT_MS)
        assert page.evaluate(
            "[document.getElementById('seen').width, document.getElementById('seen').height]"
        ) == [1280, 720]
        browser.close()


def large(jpeg: bytes) -> bytes:
    """The picture with 12 megapixels, as a phone that is held upright stores it."""
    picture = Image.open(BytesIO(jpeg)).resize((4608, 2592)).transpose(Image.Transpose.ROTATE_90)
    orientation = Image.Exif()
    orientation[0x0112] = 6
    file = BytesIO()
    picture.save(file, "JPEG", exif=orientation, quality=95)
    return file.getvalue()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    with Served(tmp_path / "table.sock", camera_host="127.0.0.1", camera_port=free_port()) as serving:
        yield serving


def paired(served: Served, folder: Path) -> Phone:
    phone = Phone(served.port)
    code = json.loads(ask_gateway(folder / SOCKET_NAME, {"camera": ""}))["address"].partition("#")[2]
    assert phone.pair(code)[0] == 200
    return phone


def test_a_phone_that_is_paired_over_plain_http_sends_photographs_to_the_eye(
    served: Served, tmp_path: Path
) -> None:
    stranger = Phone(served.port)
    assert stranger.send(jpeg())[0] == 401
    phone = paired(served, tmp_path)
    assert phone.send(b"x" * 400_001) == (413, {"error": texts.phone_camera.TOO_LARGE})
    with door_at(tmp_path) as door:
        camera = phone_camera(door, SystemClock())
        camera.start()
        assert phone.send(jpeg(7)) == (200, {})
        frame = camera.frame(HANGING_S)
        assert frame is not None
        assert frame.photograph
        status, told = phone.send(b"rubbish")
        assert (status, told) == (422, {"error": texts.phone_camera.PAGE["damaged"]})
        camera.stop()


def test_the_page_over_plain_http_takes_a_picture_with_any_browser(served: Served) -> None:
    steps = served.get("/camera")[2].decode()
    assert 'href="/camera/photograph"' in steps
    status, _, page = served.get("/camera/photograph")
    assert status == 200
    assert 'type="file" accept="image/*" capture="environment"' in page.decode()
