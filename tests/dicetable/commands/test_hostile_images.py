"""Every command that reads image files rejects a hostile one with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from tests.hardware.odd_images import make

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = {
    "read": ["read", "{image}"],
    "empty": ["read", "{other}", "--empty", "{image}"],
    "calibrate": ["calibrate", "--photo", "{image}"],
    "enrol": ["enrol", "{folder}", "--out", "{folder}/own.npz"],
    "play": ["play", "six_by_6", "--photos", "{folder}"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("heic_lying_small", "it is cut short, damaged or of an unknown kind: copy it again"),
        (
            "tiff_one_strip_grey",
            "11000×11000 pixels are too many: save it with at most 100 megapixels",
        ),
        ("fifo", "it is a device or a pipe: save the photograph in a file"),
    ],
)
def test_a_hostile_image_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str, why: str
) -> None:
    image = make(tmp_path, name).rename(tmp_path / "d6-1.jpg")
    (tmp_path / "other").mkdir()
    other = make(tmp_path / "other", "heic_torn")
    words = [word.format(image=image, other=other, folder=tmp_path) for word in COMMANDS[command]]
    assert main(words) == 1
    output = capsys.readouterr()
    said = [line for line in (output.out + output.err).splitlines() if why in line]
    assert len(said) == 1
    assert str(image) in said[0]
    assert "Traceback" not in output.err
