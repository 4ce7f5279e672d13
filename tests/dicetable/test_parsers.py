"""Whatever a file or a stranger holds, each parser gives a value or its own error, and nothing else.

Parsers with a property test beside their other tests (config, ledger entries, frames of the panel link, the
eye's wire, the league's requests, JSON from outside) are not listed here again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import zipfile
from argparse import ArgumentTypeError
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from starlette.requests import Request

from common import files, messages, network, texts
from common.messages import WireError
from common.texts.speaking import language_in
from dicetable.commands import enrol, ledger
from dicetable.commands.league import numbered
from dicetable.config import form
from dicetable.eye import messages as eye_messages
from dicetable.eye.rig import (
    FOCAL_FILE,
    LENS_FILE,
    TRAY_FILE,
    CalibrationError,
    load_focal,
    load_lens,
    load_tray,
)
from dicetable.ledger import pictures, players, repair, stored_rows, unsent
from dicetable.ledger.database import DamageError
from dicetable.service import league, league_client, server
from dicetable.service.league import MembershipError
from dicetable.service.server import BadRequestError
from dicetable.statistics import tapes, totals
from firmware_bridge.errors import FlashError
from firmware_bridge.flash import checked_image
from gateway import displays, languages, requests
from gateway.link import BusyError
from gateway.middleware import HostCheck
from gateway.operator.codes import Codes
from gateway.operator.passphrase import passphrase_matches
from gateway.signals import league as gateway_league
from gateway.signals import mqtt, webhooks
from hardware import recordings, web_panel
from hardware.photograph import PhotographError, load_photograph
from hardware.simulated import faults
from tests.extent import extent
from vision import nets
from vision.recognition.enrolled import EnrolledDice, EnrolledDiceError, Gallery, GalleryError

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.text(st.characters(codec=None), max_size=8)
HUGE = [2**53, 2**63, 2**64, 10**400, -(10**400)]
"""Whole numbers that JavaScript, SQLite, numpy or a float can't hold."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(HUGE) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ODD = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"9" * 400,
    b"9" * 5000,
    b"NaN",
    b"1e999",
]


@dataclass(frozen=True)
class Parser:
    """A parser, the errors that are its own, and something that it takes: bytes, or else to be JSON."""

    parse: Callable[[bytes], object]
    own: tuple[type[Exception], ...] = ()
    sample: Any = None


ANSWER = {"id": 1, "accepted": True, "sentence": "", "result": {}, "bytes": 0}


def received(data: bytes) -> object:
    """The message that the gateway reads from the bytes of a table."""

    async def read() -> object:
        reader = asyncio.StreamReader(limit=messages.LONGEST_LINE_BYTES)
        reader.feed_data(data + b"\n")
        reader.feed_eof()
        return await messages.read_message(reader)

    return asyncio.run(read())


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """The parser of a file in a folder."""

    def parse(data: bytes) -> object:
        with TemporaryDirectory() as folder:
            (Path(folder) / name).write_bytes(data)
            return read(Path(folder))

    return parse


def sealed(data: bytes) -> object:
    """Totals with a checksum that is right."""
    return totals.load(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)


def forwarded(data: bytes) -> object:
    """The client of a request that a proxy passes on."""
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": [(b"x-forwarded-for", data)]}
    return network.ClientAddress(None, proxied=True).client(scope)  # type: ignore[arg-type]


def spoken_to(data: bytes) -> str:
    """The language for a phone with such a cookie and such a browser."""
    headers = [(b"cookie", languages.COOKIE.encode() + b"=" + data), (b"accept-language", data)]
    return languages.language_of(Request({"type": "http", "headers": headers}))


def posted(data: bytes) -> object:
    """The JSON object that a page sends to the gateway."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
    body = asyncio.run(requests.json_body(Request(scope, receive)))
    return requests.text_of(body, "code")


def commanded(data: bytes) -> None:
    """What a broker sends to pause the game, and as a text for the screens."""
    link = SimpleNamespace(ask=AsyncMock(return_value=messages.Answer(accepted=True)))
    commands = mqtt.Commands(link, lambda text: text.encode())  # type: ignore[arg-type]
    for topic in ("table/pause/set", "table/message/set", data.decode(errors="replace")):
        asyncio.run(commands.take(topic, "table", data))


def membership(folder: Path) -> None:
    """A league's table, with what the table's loop reads of it."""
    found = league.read_member(folder)
    if found is not None:
        assert found.after + int(found.table, 16) is not None
        assert "".join((found.server, found.table, found.name, found.league)) is not None


def league_answers(ask: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Asks a league whose server answers with these bytes, as `dicetable league` does."""

    def parse(data: bytes) -> object:
        response = SimpleNamespace(status=200, reason="OK", read=lambda _: data)
        with TemporaryDirectory() as folder, patch("http.client.HTTPConnection") as connection:
            connection.return_value.getresponse.return_value = response
            return ask(Path(folder))

    return parse


def joined(folder: Path) -> None:
    """A table that registers, and what is printed and kept of that."""
    found = league.register(folder, "http://127.0.0.1", "ABCD")
    assert texts.league.registered(found.name, found.league, found.table)
    assert league.read_member(folder) == found


def next_here(folder: Path) -> None:
    """The next match at a table of a league, and what is printed of it."""
    league.made_key(folder)
    (folder / league.MEMBER).write_text(json.dumps(MEMBER | {"server": "http://127.0.0.1"}))
    found = league.next_match(folder, 1)
    assert texts.league.next_match(found.contest, texts.games.title(found.game), found.names)


def carried(data: bytes) -> None:
    """What the gateway brings the table of a league's answers: one that was refused costs nothing else."""
    answers = AsyncMock(side_effect=BusyError)
    waiting = {"table": "0" * 16, "number": 1, "path": "/v1", "body": "{}", "looks": 0}
    link = SimpleNamespace(ask=answers, payloads={"league": waiting}, news=asyncio.Event())
    link.read = AsyncMock(return_value=b"0" * 16 + b"\n{}")
    upload = gateway_league.Upload(link, "http://127.0.0.1")  # type: ignore[arg-type]
    response = SimpleNamespace(status=200, reason="OK", read=lambda _: data)
    with patch("http.client.HTTPConnection") as connection:
        connection.return_value.getresponse.return_value = response
        for step in (upload.step, upload.step, gateway_league.LeagueRelay(upload).step):
            with suppress(BusyError, OSError, ValueError, KeyError, TypeError):
                asyncio.run(step())
    for each in answers.call_args_list:
        messages.line_of({"payload": each.args[1]})


def claimed(data: bytes) -> object:
    """The seat that a phone takes with such a code and such a token."""
    claims = web_panel.SeatClaims(8)
    text = data.decode(errors="replace")
    return claims.claim(text, text, 0.0)


def logged_in(data: bytes) -> None:
    """An operator who types such a code, and a display that is paired with it."""
    codes = Codes(lambda: 0.0)
    text = data.decode(errors="replace")
    assert codes.new(text, text) is not None
    assert codes.use(text, text) is False
    assert codes.find(text) is None


def hosted(data: bytes) -> object:
    """Whether a request with such a Host header is for this machine."""
    scope = {"headers": [(b"host", data)], "server": ("127.0.0.1", 80)}
    return HostCheck(None, ()).accepts(scope)  # type: ignore[arg-type]


def faulty(data: bytes) -> None:
    """A fault that is named to the simulated table, and one with such a number."""
    text = data.decode(errors="replace")
    for typed in (f"bounce:{text}", f"leaning:{text}", text):
        faults.parse(typed)


def filmed(folder: Path) -> None:
    """All frames of a recording."""
    for time_s, pixels in recordings.Recording(folder / "film.mkv").frames():
        assert np.isfinite(time_s)
        assert pixels.ndim == 3


def film() -> bytes:
    """A short recording of small frames."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "film.mkv"
        writer = recordings.RecordingWriter(path, 48, 32)
        for number in range(4):
            writer.write(np.full((32, 48, 3), 60 * number, np.uint8), number / 15)
        writer.close()
        return path.read_bytes()


def picture(kind: str) -> bytes:
    """A small photograph that says it was taken sideways."""
    data = BytesIO()
    exif = Image.Exif()
    exif[SIDEWAYS] = 6
    Image.new("RGB", (48, 40), "red").save(data, kind, exif=exif)
    return data.getvalue()


def as_archive(load: Callable[[Path], object]) -> Callable[[bytes], object]:
    """The parser of an archive of arrays: each value of a JSON object becomes one."""

    def read(folder: Path) -> object:
        path = folder / "own.npz"
        try:
            arrays = json.loads(path.read_bytes())
            made = {str(name): np.array(value) for name, value in arrays.items()}
            np.savez(path, allow_pickle=False, **made)
        except (ValueError, AttributeError, RecursionError, TypeError, OSError):
            pass  # then the bytes themselves are read
        return load(path)

    return in_file("own.npz", read)


SIDEWAYS = 274
"""The EXIF tag of the orientation."""
CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]]
MARKERS = {str(number): CORNERS for number in range(4)}
TRAY = {"version": 1, "width_px": 640, "height_px": 480, "markers_mm": MARKERS, "markers_px": MARKERS}
LENS = {
    "version": 1, "width_px": 640, "height_px": 480, "focal_px": [600, 600], "centre_px": [320, 240],
    "distortion": [0, 0, 0, 0, 0], "error_px": 0.2, "focal_error": 0.01,
}  # fmt: skip
SUM = "0" * 64
FOCAL = {"version": 1, "tray_sha256": SUM, "sides": 1.0, "error": 0.1}
DAY = {"dice": [{"kind": "d6", "name": None, "counts": {"a": [1]}}], "tallies": {}}
TOTALS = {"v": totals.VERSION, "first": 1, "reached": 2, "unreadable": 0, "days": {"2026-11-21": DAY}}
FITTED = json.loads((nets.FOLDER / nets.FITTED).read_bytes())
FACE = {
    "format": 3,
    "kinds": [1],
    "values": [1],
    "reliefs": [[0.5] * 4],
    "tints": [[0, 0, 0]],
    "names": ["a"],
}
LEARNED = {
    "format": 1, "kinds": [1], "values": [1], "reliefs": [[0.5] * 4], "tints": [[0, 0, 0]], "rows": [1],
    "seeds": [1], "revisions": [1], "dates": ["2026-11-21"], "confirmed": [True],
}  # fmt: skip
MEMBER = {"server": "https://a", "table": "0" * 16, "name": "bar", "league": "cup", "after": 3}
JOINED = {"v": 1, "table": "0" * 16, "name": "bar", "league": "cup"}
NEXT = {
    "v": 1,
    "contest": "Cup",
    "game": "sixes",
    "match": None,
    "players": [{"player": "0" * 16, "name": "Ann"}],
}
TAUGHT = {"number": 0, "kind": "d6", "value": 3, "confirmed": False}
LESSON = {"time_s": 1.5, "row": 3, "seed": 7, "revision": 2, "dice": [TAUGHT], "lesson": "learn"}
KEPT = {"contests": [{"contest": 1, "name": "Cup", "waiting": [], "called": []}], "links": {"ann": "0" * 16}}

PARSERS = {
    "tray.json": Parser(in_file(TRAY_FILE, load_tray), (CalibrationError,), TRAY),
    "lens.json": Parser(in_file(LENS_FILE, lambda at: load_lens(at, (480, 640))), (CalibrationError,), LENS),
    "focal.json": Parser(
        in_file(FOCAL_FILE, lambda at: load_focal(at, "0" * 64)), (CalibrationError,), FOCAL
    ),
    "enrolled dice": Parser(as_archive(EnrolledDice.load), (EnrolledDiceError,), FACE),
    "learned dice": Parser(as_archive(Gallery.load), (GalleryError,), LEARNED),
    "weights": Parser(lambda data: nets.weights(data, "put it right"), (nets.ModelError,), FITTED),
    "paired displays": Parser(in_file("paired.json", displays.Displays), (), ["0" * 64]),
    "code of a display": Parser(displays.command_in, (ValueError,), {"pair": "1234"}),
    "passphrase": Parser(
        lambda data: passphrase_matches("x" * 9, data.decode(errors="surrogateescape")),
        (),
        "scrypt$2$8$1$AA$AA",
    ),
    "webhook secret": Parser(webhooks.signing_key, (), "whsec_AAAA"),
    "totals": Parser(sealed, (totals.TotalsError,), TOTALS),
    "sheet": Parser(
        lambda data: tapes.read_sheet(data.decode(errors="replace").splitlines()), (tapes.SheetError,)
    ),
    "note of a repair": Parser(
        in_file(repair.NOTE, repair.noted),
        (),
        {"why": "x", "aside": "damaged-1", "kept": 1, "last_lost": 2, "head": ""},
    ),
    "head": Parser(
        in_file(stored_rows.HEAD_NAME, lambda at: stored_rows.read_head(at / stored_rows.HEAD_NAME)),
        (DamageError,),
    ),
    "evidence": Parser(lambda data: (pictures.parts(data), pictures.note_of(data))),
    "note in a picture": Parser(lambda data: pictures.note_of(comment(data)), (), {"dice": [["d6", 1]]}),
    "entry with names": Parser(
        lambda data: (players.replaced(data, lambda _: "0" * 16), players.named_in(data)),
        (UnicodeError,),
        {"entry": "opened", "seats": ["ann", "bob"], "options": {}},
    ),
    "message of the table": Parser(received, (WireError, ConnectionResetError), ANSWER),
    "request to the table": Parser(
        server.parse_request, (WireError, BadRequestError), {"id": 1, "kind": "press", "payload": {}}
    ),
    "what the league said": Parser(
        in_file(league_client.KEPT_FILE, lambda at: league_client.erase_name(at, "ann")), (OSError,), KEPT
    ),
    "seats of phones": Parser(
        lambda data: web_panel.restored(data, 8), (web_panel.DamagedClaimsError,), {"1": "0" * 64}
    ),
    "forwarded address": Parser(forwarded),
    "mounts": Parser(in_file("mountinfo", lambda at: files.network_kind(at, at / "mountinfo"))),
    "language of a phone": Parser(spoken_to, (), "de;q=0.5, en"),
    "language of a config": Parser(
        in_file("a.toml", lambda at: language_in(at / "a.toml")), (), b'[table]\nlanguage = "de"\n'
    ),
    "what a page sends": Parser(posted, (requests.RequestRefusedError,), {"code": "1234", "name": "Ann"}),
    "change of settings": Parser(
        form.request,
        (ValueError,),
        {"changes": {"table.seats": 3}, "version": "0", "chosen": {"camera": "a"}},
    ),
    "command of a broker": Parser(commanded, (), b"ON"),
    "member of a league": Parser(in_file(league.MEMBER, membership), (), MEMBER),
    "key of a table": Parser(in_file(league.KEY, league.read_key), (), b"0" * 64),
    "rows that went unsent": Parser(in_file(unsent.PRUNED, unsent.pruned), (), [[1, 2], [4, 7]]),
    "row that a league has": Parser(in_file(unsent.ACKNOWLEDGED, unsent.acknowledged), (), 12),
    "recording": Parser(in_file("film.mkv", filmed), (recordings.RecordingError,), film()),
    **{
        f"photograph ({kind})": Parser(
            in_file("a.jpg", lambda at: load_photograph(at / "a.jpg")), (PhotographError,), picture(kind)
        )
        for kind in ("JPEG", "PNG", "TIFF", "WEBP")
    },
    "registration's answer": Parser(league_answers(joined), (MembershipError,), JOINED),
    "next match's answer": Parser(league_answers(next_here), (MembershipError,), NEXT),
    "rows' and news' answer": Parser(carried, (), {"row": 3, "contests": [], "players": [], "game": "sixes"}),
    "code of a seat": Parser(claimed, (web_panel.ClaimError,), "123456"),
    "code of an operator": Parser(logged_in, (), "123 456"),
    "host": Parser(hosted, (), "127.0.0.1:80"),
    "address of a webhook": Parser(
        lambda data: network.allowed_as(data.decode(errors="replace")), (ValueError,), "https://a:81/b?c"
    ),
    "lesson": Parser(eye_messages.decoded_lesson, (eye_messages.BadLessonError,), LESSON),
    "fault": Parser(faulty, (faults.FaultError,), "9"),
    "number of a contest": Parser(
        lambda data: numbered(data.decode(errors="replace")), (ArgumentTypeError,), "12"
    ),
    "name of a photograph": Parser(
        lambda data: enrol.named_face(data.decode(errors="replace")), (ValueError,), "old red d20-17"
    ),
    "die of a correction": Parser(
        lambda data: ledger.die(data.decode(errors="replace")), (ValueError,), "d6:4"
    ),
    "firmware": Parser(in_file("image.hex", lambda at: checked_image(at / "image.hex")), (FlashError,)),
}


def comment(data: bytes) -> bytes:
    """A JPEG with such a note."""
    text = pictures.NOTE + data[: pictures.LONGEST_NOTE - len(pictures.NOTE)]
    return pictures.START + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text


def spoil(sample: Any, draw: st.DrawFn) -> Any:
    """The sample with one value in it replaced, or one taken out."""
    if not isinstance(sample, dict | list) or not sample or draw(st.integers(0, 9)) == 0:
        return draw(VALUES)
    keys = sorted(sample) if isinstance(sample, dict) else list(range(len(sample)))
    key = draw(st.sampled_from(keys))
    changed = dict(sample) if isinstance(sample, dict) else list(sample)
    if draw(st.integers(0, 5)) == 0:
        del changed[key]
    else:
        changed[key] = spoil(sample[key], draw)
    return changed


@st.composite
def inputs(draw: st.DrawFn, sample: Any) -> bytes:
    """Bytes of any kind, often near to what is taken."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.binary(max_size=80) | st.sampled_from(ODD))
    if isinstance(sample, bytes):
        cut = bytearray(sample)
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(cut)) | st.integers(0, min(len(cut), 80)))
            cut[at : at + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
        return bytes(cut[: draw(st.integers(0, len(cut)) | st.just(len(cut)))])
    whole = sample if draw(st.integers(0, 3)) == 0 else spoil(sample, draw)
    data = json.dumps(whole, ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")
    if isinstance(whole, str) and draw(st.booleans()):
        data = whole.encode(errors="surrogatepass")
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]
    return data


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_raises_its_own_error_alone(name: str) -> None:
    parser = PARSERS[name]

    def taken(data: bytes) -> None:
        try:
            parser.parse(data)
        except parser.own as error:
            assert str(error) or isinstance(error, UnicodeError)  # noqa: PT017 - it may be raised or not

    for odd in ODD:
        taken(odd)
    settings(max_examples=extent(5, 300), deadline=None)(given(inputs(parser.sample))(taken))()


def test_an_archive_that_claims_more_values_than_any_memory_holds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    for name in ("format", "kinds", "reliefs"):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**12},), }}".ljust(117) + "\n"
        claim = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{name}.npy", claim)
        with pytest.raises(EnrolledDiceError, match="enrol the dice again"):
            EnrolledDice.load(path)
        with pytest.raises(GalleryError, match="learns anew"):
            Gallery.load(path)


def test_a_pipe_in_place_of_learned_dice_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "learned.npz")
    with pytest.raises(GalleryError, match="learns anew"):
        Gallery.load(tmp_path / "learned.npz")


def test_a_pipe_in_place_of_paired_displays_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "paired.json")
    assert displays.Displays(tmp_path).paired == []
