"""The bar's own sounds: what counts as one, and what a gateway serves of them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from common.sound_folder import sounds_in
from dicetable.config.gateway import ScreenSection, file_faults
from gateway.settings import Look
from tests.gateway.serving import PretendTable, Served

if TYPE_CHECKING:
    from pathlib import Path

FAULTS = {
    "big.mp3": "is larger than 1 MB",
    "bust-Ann.mp3": "",
    "folder.wav": "can't be read: is no file",
    "liar.ogg": "is no OGG file by its content",
    "take.aiff": "is no MP3, Ogg or WAV file by its name",
    "win.wav": "",
}


def filled(folder: Path) -> Path:
    (folder / "bust-Ann.mp3").write_bytes(b"ID3 and so on")
    (folder / "win.wav").write_bytes(b"RIFF and so on")
    (folder / "liar.ogg").write_bytes(b"<script>")
    (folder / "big.mp3").write_bytes(b"ID3" + bytes(1_000_000))
    (folder / "readme.txt").write_text("by whom the sounds are")
    (folder / "LICENSE").write_text("what may be done with them")
    (folder / "take.aiff").write_bytes(b"FORM")
    (folder / ".hidden.mp3").write_bytes(b"ID3")
    (folder / "folder.wav").mkdir()
    return folder


def test_only_sounds_are_played_and_the_others_are_told(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    assert {path.name: fault for path, fault in sounds_in(folder)} == FAULTS
    told = list(file_faults(None, None, ScreenSection(sounds=folder)))
    assert [fault.what for fault in told] == [f"{folder / name} {why}" for name, why in FAULTS.items() if why]
    (gone,) = file_faults(None, None, ScreenSection(sounds=folder / "none"))
    assert gone.what.endswith("No such file or directory")


def test_at_most_200_sounds_are_played(tmp_path: Path) -> None:
    for number in range(202):
        (tmp_path / f"{number:03}.ogg").write_bytes(b"OggS")
    assert [path.name for path, fault in sounds_in(tmp_path) if fault] == ["200.ogg", "201.ogg"]


def test_a_gateway_serves_them_and_nothing_else_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "sounds"
    folder.mkdir()
    filled(folder)
    (tmp_path / "secret.mp3").write_bytes(b"ID3")
    table = PretendTable(tmp_path / "table.sock")
    with closing(table), Served(table.path, look=Look(sounds=str(folder))) as served:
        assert b'data-sounds="[&quot;bust-Ann.mp3&quot;, &quot;win.wav&quot;]"' in served.get("/")[2]
        status, headers, body = served.get("/sounds/bust-Ann.mp3")
        assert (status, headers["content-type"], body) == (200, "audio/mpeg", b"ID3 and so on")
        for name in ("liar.ogg", "readme.txt", ".hidden.mp3", "../secret.mp3", "..%2Fsecret.mp3"):
            assert served.get(f"/sounds/{name}")[0] == 404
        (folder / "win.wav").unlink()
        assert served.get("/sounds/win.wav")[0] == 404
