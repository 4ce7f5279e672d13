"""A phone as the camera, at the gateway: who may send frames, how large and how often, and over what."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from common.camera_socket import ArrivalClock, FrameSender
from gateway.certificate import own_certificate
from gateway.phone_camera import COOKIE, PhoneCameraPages
from gateway.settings import GatewaySettings
from hardware.simulated.clock import VirtualClock
from tests.gateway.serving import HANGING_S, Served, free_port, until
from tests.hardware.phone_frames import door_at, jpeg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ORIGIN = "https://localhost"
Message = dict[str, Any]


class Phone:
    """A browser on a phone, asking the application over TLS."""

    def __init__(self, pages: PhoneCameraPages) -> None:
        self.application = pages.application()
        self.cookie = ""

    def post(self, path: str, body: bytes = b"", origin: str = ORIGIN, **headers: str) -> tuple[int, Any]:
        return self.post_in_parts(path, [body], origin, **headers)

    def post_in_parts(
        self, path: str, parts: list[bytes], origin: str = ORIGIN, **headers: str
    ) -> tuple[int, Any]:
        given = {"host": "localhost", "origin": origin, "cookie": self.cookie, **headers}
        scope = {
            "type": "http",
            "method": "POST",
            "path": f"/camera/{path}",
            "raw_path": b"",
            "query_string": b"",
            "scheme": "https",
            "server": ("127.0.0.1", 8443),
            "client": ("127.0.0.1", 5),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items()],
            "http_version": "1.1",
        }
        waiting = [
            {"type": "http.request", "body": part, "more_body": at + 1 < len(parts)}
            for at, part in enumerate(parts)
        ]
        sent: list[Message] = []

        async def receive() -> Message:
            return waiting.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(self.application(scope, receive, send))  # type: ignore[arg-type]  # plain dicts are messages
        self.unread = len(waiting)
        for name, value in sent[0]["headers"]:
            if name == b"set-cookie":
                self.cookie = value.decode().partition(";")[0]
        return sent[0]["status"], json.loads(sent[1]["body"])

    def pair(self, code: str) -> tuple[int, Any]:
        return self.post("pair", json.dumps({"code": code}).encode(), content_type="application/json")

    def frame(self, taken_ms: float, data: bytes | None = None, **headers: str) -> tuple[int, Any]:
        told = {"content_type": "image/jpeg", "x_taken_ms": str(taken_ms), **headers}
        return self.post("frame", jpeg() if data is None else data, **told)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def pages(tmp_path: Path, clock: VirtualClock) -> PhoneCameraPages:
    return made(tmp_path, clock)


def made(folder: Path, clock: VirtualClock) -> PhoneCameraPages:
    settings = GatewaySettings("127.0.0.1", 8080, str(folder / "table.sock"), camera_port=8443)
    return PhoneCameraPages(settings, "AB:CD", folder, clock.now_s)


def code_of(pages: PhoneCameraPages) -> str:
    return str(json.loads(pages.invite())["address"]).partition("#")[2]


@pytest.fixture
def phone(pages: PhoneCameraPages) -> Phone:
    paired = Phone(pages)
    assert paired.pair(code_of(pages))[0] == 200
    return paired


def test_a_code_pairs_one_phone_once(pages: PhoneCameraPages) -> None:
    code = code_of(pages)
    first, second = Phone(pages), Phone(pages)
    assert first.pair(code)[0] == 200
    assert first.cookie.startswith(COOKIE)
    status, told = second.pair(code)
    assert (status, "scan a new one" in told["error"]) == (403, True)
    assert first.pair("")[0] == 200, "a page that is opened again needs no code"


def test_a_code_grows_old(pages: PhoneCameraPages, clock: VirtualClock) -> None:
    code = code_of(pages)
    clock.sleep(601)
    assert Phone(pages).pair(code)[0] == 403


def test_a_second_phone_is_refused_while_the_first_one_sends_and_keeps_its_code(
    pages: PhoneCameraPages, phone: Phone, clock: VirtualClock
) -> None:
    assert phone.frame(1000.0)[0] == 200
    code, other = code_of(pages), Phone(pages)
    status, told = other.pair(code)
    assert (status, "Another phone" in told["error"]) == (409, True)
    clock.sleep(11)
    assert other.pair(code)[0] == 200
    status, told = phone.frame(2000.0)
    assert (status, "scan a new code" in told["error"]) == (401, True)


def test_nobody_sends_frames_without_having_been_paired(pages: PhoneCameraPages) -> None:
    stranger = Phone(pages)
    assert stranger.frame(1.0)[0] == 401
    assert pages.sender.newest is None


def test_another_site_can_neither_pair_nor_send(pages: PhoneCameraPages, phone: Phone) -> None:
    told = {"content_type": "image/jpeg", "x_taken_ms": "1"}
    assert phone.post("frame", jpeg(), "https://elsewhere.example", **told)[0] == 403
    assert phone.post("leave", b"", "http://localhost")[0] == 403
    assert pages.sender.newest is None


def test_a_phone_is_known_after_a_restart(tmp_path: Path, phone: Phone, clock: VirtualClock) -> None:
    phone.application = made(tmp_path, clock).application()
    assert phone.frame(1.0)[0] == 200


def test_a_frame_above_400_kB_is_refused_before_it_is_read(pages: PhoneCameraPages, phone: Phone) -> None:  # noqa: N802 - a unit
    told = {"content_type": "image/jpeg", "x_taken_ms": "1"}
    parts = [b"x" * 100_000] * 100
    assert phone.post_in_parts("frame", parts, **told)[0] == 413
    assert phone.unread == 95
    clocked = phone.post_in_parts("frame", parts, content_length="1000000000", **told)
    assert (clocked[0], phone.unread) == (413, 100)
    assert phone.post("frame", b"x" * 400_000, **told)[0] == 200
    assert pages.sender.newest is not None


@pytest.mark.parametrize("taken", ["", "nan", "inf", "-1", "1e400", "x" * 100])
def test_a_time_that_is_none_is_refused(phone: Phone, taken: str) -> None:
    assert phone.post("frame", jpeg(), content_type="image/jpeg", x_taken_ms=taken)[0] == 400


def test_other_bodies_than_jpeg_are_refused(phone: Phone) -> None:
    assert phone.frame(1.0, content_type="image/svg+xml")[0] == 415
    assert phone.frame(1.0, b"")[0] == 400


def test_frames_come_at_most_twenty_times_a_second(phone: Phone, clock: VirtualClock) -> None:
    taken, start_s = 0, clock.now_s()
    for number in range(40):
        taken += phone.frame(1.0 + number)[0] == 200
        clock.sleep(0.01)
    passed_s = clock.now_s() - start_s
    assert 20 * passed_s <= taken <= 20 * passed_s + 6


def test_the_newest_frame_wins_even_if_an_older_one_arrives_later(
    pages: PhoneCameraPages, phone: Phone, clock: VirtualClock
) -> None:
    phone.frame(1000.0, jpeg(1))
    clock.sleep(0.1)
    phone.frame(1100.0, jpeg(2))
    phone.frame(1050.0, jpeg(3))
    assert pages.sender.newest is not None
    assert pages.sender.newest[0] == jpeg(2)


def test_the_page_learns_the_rate_and_whether_the_table_takes_the_frames(
    phone: Phone, clock: VirtualClock
) -> None:
    for number in range(31):
        told = phone.frame(1.0 + 100 * number)[1]
        clock.sleep(0.1)
    assert told == {"rate": 10.0, "table": False, "refused": 0}


def test_a_page_that_is_closed_unplugs_the_camera(pages: PhoneCameraPages, phone: Phone) -> None:
    phone.frame(1.0)
    assert pages.sender.wanted
    assert phone.post("leave")[0] == 200
    assert not pages.sender.wanted


def test_times_of_a_phone_become_times_of_this_machine() -> None:
    clock = VirtualClock()
    arrivals = ArrivalClock(clock.now_s)
    start_s = clock.now_s()
    times = []
    for number, late_s in enumerate([0.3, 0.02, 0.5, 0.1]):  # by so much the network delays each frame
        clock.sleep(start_s + number + late_s - clock.now_s())
        times.append(arrivals.here_s(1e6 + number) - start_s)
    assert times == [pytest.approx(0.3), *(pytest.approx(at + 0.02, abs=0.002) for at in (1, 2, 3))]


def test_a_clock_that_runs_slow_is_followed() -> None:
    clock = VirtualClock()
    arrivals = ArrivalClock(clock.now_s)
    start_s = clock.now_s()
    for number in range(3600):
        there_s = 1e6 + number * 0.9999
        assert arrivals.here_s(there_s) == pytest.approx(start_s + number, abs=0.01)
        clock.sleep(1.0)


def test_frames_that_wait_are_replaced_and_the_eye_sets_the_pace(tmp_path: Path) -> None:
    async def story() -> list[bytes]:
        with door_at(tmp_path / "sockets") as door:
            sender = FrameSender(door.path)
            running = asyncio.create_task(sender.run())
            sender.put(jpeg(1), 1.0)
            line = await asyncio.to_thread(door.accept, HANGING_S)
            assert line is not None
            got = [await asyncio.to_thread(line.receive, HANGING_S)]
            for number in (2, 3, 4):
                sender.put(jpeg(number), 1.0)
            await asyncio.to_thread(lambda: line.answer(taken=True))
            got.append(await asyncio.to_thread(line.receive, HANGING_S))
            running.cancel()
            line.close()
            return [each[0] for each in got if each]

    assert asyncio.run(story()) == [jpeg(1), jpeg(4)]


def test_the_certificate_is_made_once_and_is_this_user_s_alone(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    first = own_certificate(folder)
    assert own_certificate(folder) == first
    assert first.key.stat().st_mode & 0o777 == 0o600
    assert len(first.fingerprint.split(":")) == 32


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    port = free_port()
    with Served(tmp_path / "table.sock", camera_host="127.0.0.1", camera_port=port) as serving:
        until(lambda: listens(port))
        yield serving


def listens(port: int) -> bool:
    """Whether the entrance over TLS is open; it opens after the first one."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def over_tls(served: Served, path: str) -> http.client.HTTPResponse:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    port = served.operator["camera_port"]
    with closing(
        http.client.HTTPSConnection("127.0.0.1", port, timeout=HANGING_S, context=trusting)
    ) as asking:
        asking.request("GET", path)
        response = asking.getresponse()
        response.read()
        return response


def test_over_tls_there_is_the_camera_s_page_alone_and_only_it_may_use_the_camera(served: Served) -> None:
    assert over_tls(served, "/camera").headers["permissions-policy"].startswith("camera=(self)")
    assert [over_tls(served, path).status for path in ("/", "/operator", "/events", "/phone")] == [404] * 4
    status, headers, body = served.get("/camera")
    assert (status, headers["permissions-policy"].startswith("camera=()")) == (200, True)
    assert f"https://127.0.0.1:{served.operator['camera_port']}/camera".encode() in body


def test_without_a_phone_as_the_camera_there_is_no_such_page(tmp_path: Path) -> None:
    with Served(tmp_path / "table.sock") as serving:
        assert serving.get("/camera")[0] == 404
