"""`dicetable read` as a user sees it: a line for each image; one bad image does not stop the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dicetable.__main__ import main
from dicetable.commands.read import in_words
from tests.dicetable.commands.usage import usage_error
from tests.hardware.files import png, quarters, write
from tests.vision.drawing import one_die, put_d6, soft, tray
from tests.zygote import run
from vision import checksums
from vision.nets import INSTALL
from vision.reading import DieReading, Doubt, Reading

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"kind", "value", "confidence", "sure", "box", "cocked", "doubt", "position_mm"}
FIELDS |= {"tilt_deg", "tilt_error_deg"}
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def throw(tmp_path: Path) -> Path:
    """Two dice, as a photograph."""
    frame = tray()
    put_d6(frame, 5, (150.0, 300.0), 60.0, 20.0)
    put_d6(frame, 2, (450.0, 120.0), 60.0, 50.0)
    return write(tmp_path / "throw.png", soft(frame))


def test_a_changed_model_is_one_line_that_says_what_to_do(
    throw: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(checksums.SHA256, "die.onnx", "0" * 64)
    assert main(["read", str(throw)]) == 1
    told, faults = lines(capsys)
    assert told == []
    assert faults == [f"dicetable: The model die.onnx was changed: {INSTALL}"]


def lines(capsys: Captured) -> tuple[list[Any], list[str]]:
    """The JSON lines on the output, and the lines on standard error."""
    output = capsys.readouterr()
    return [json.loads(line) for line in output.out.splitlines()], output.err.splitlines()


def test_a_line_has_the_fields_that_were_agreed(throw: Path, capsys: Captured) -> None:
    assert main(["read", "--json", str(throw)]) == 0
    (line,), errors = lines(capsys)
    assert errors == []
    assert list(line) == ["image", "ms", "dice"]
    assert line["image"] == str(throw)
    assert type(line["ms"]) is float
    assert line["ms"] > 0
    for die in line["dice"]:
        assert set(die) == FIELDS
        assert [type(side) for side in die["box"]] == [int] * 4
        assert isinstance(die["confidence"], float)
        assert die["sure"] == (die["doubt"] is None)
        assert 0 <= die["confidence"] <= 1
        assert die["sure"] in (True, False)
        assert die["cocked"] is False
    assert [(d["kind"], d["value"], d["sure"]) for d in line["dice"]] == [
        ("d6", 2, True),
        ("d6", 5, True),
    ]


def test_dice_come_sorted_by_y_then_x(throw: Path, capsys: Captured) -> None:
    main(["read", "--json", str(throw)])
    (line,), _ = lines(capsys)
    corners = [(die["box"][1], die["box"][0]) for die in line["dice"]]
    assert corners == sorted(corners)


def test_boxes_are_in_pixels_of_the_file(tmp_path: Path, capsys: Captured) -> None:
    small = one_die(3, 60.0, 20.0)
    large = np.repeat(np.repeat(small, 4, axis=0), 4, axis=1)
    main(["read", "--json", str(write(tmp_path / "1.jpg", small)), str(write(tmp_path / "2.jpg", large))])
    (one, other), _ = lines(capsys)
    assert [die["value"] for die in one["dice"] + other["dice"]] == [3, 3]
    assert other["dice"][0]["box"] == pytest.approx([4 * side for side in one["dice"][0]["box"]], abs=16)


def test_what_cannot_be_read_is_named_and_the_rest_is_read(
    throw: Path, tmp_path: Path, capsys: Captured
) -> None:
    torn = tmp_path / "torn.jpg"
    torn.write_bytes(b"\xff\xd8\xff")
    wide = tmp_path / "wide.png"
    wide.write_bytes(png(30_000, 100, 8, 2))
    pixel = write(tmp_path / "pixel.png", np.zeros((1, 1, 3), np.uint8))
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    (tmp_path / "empty.jpg").touch()
    bad = [
        str(p) for p in (torn, wide, pixel, text, tmp_path / "empty.jpg", tmp_path / "missing.jpg", tmp_path)
    ]
    assert main(["read", "--json", *bad[:3], str(throw), *bad[3:], str(throw)]) == 1
    told, errors = lines(capsys)
    assert [line["image"] for line in told] == [*bad[:3], str(throw), *bad[3:], str(throw)]
    for line in told:
        if line["image"] == str(throw):
            assert len(line["dice"]) == 2
        else:
            assert list(line) == ["image", "error"]
            assert line["error"]
    assert errors == [f"dicetable read: {x['image']}: {x['error']}" for x in told if "error" in x]


def test_an_empty_name_is_no_folder(throw: Path, capsys: Captured) -> None:
    assert main(["read", "", str(throw)]) == 1
    output = capsys.readouterr()
    assert output.err == "dicetable read: '': no photograph is named\n"
    assert output.out == f"{throw}: d6:2, d6:5\n"


def test_a_frame_without_dice_is_an_empty_list(tmp_path: Path, capsys: Captured) -> None:
    assert main(["read", "--json", str(write(tmp_path / "tray.png", tray()))]) == 0
    (line,), _ = lines(capsys)
    assert line["dice"] == []


def test_without_json_it_is_said_in_words(throw: Path, tmp_path: Path, capsys: Captured) -> None:
    empty = write(tmp_path / "tray.png", tray())
    assert main(["read", str(throw), str(empty), str(tmp_path / "none.png")]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines() == [f"{throw}: d6:2, d6:5", f"{empty}: no dice"]
    assert output.err == f"dicetable read: {tmp_path / 'none.png'}: there is no such file\n"


def test_what_is_doubtful_is_said_in_words() -> None:
    sure = DieReading("d6", 2, 0.99, (0, 0, 9, 9))
    guess = DieReading("d20", 17, 0.5, (20, 0, 9, 9), Doubt.LOW_CONFIDENCE)
    blank = DieReading(None, None, 0.1, (40, 0, 9, 9), Doubt.NOT_READ)
    assert in_words(Reading((sure, guess, blank))) == (
        "d6:2; doubtful: d20:17? (it is hard to read), die? (nothing on it can be read)"
    )
    assert in_words(Reading((blank,))) == "nothing sure; doubtful: die? (nothing on it can be read)"
    strange = replace(guess, doubt=Doubt.UNKNOWN_DIE)
    assert in_words(Reading((sure, strange))) == "d6:2; doubtful: d20:17? (none of your dice)"


IN_ANOTHER_LANGUAGE = """
from dicetable.commands.read import in_words
from dicetable.commands.umpire import JudgedThrow, Word
from dicetable.commands.watch import line_of
from vision.reading import Arrival, DieReading, Doubt, Reading
blank = DieReading(None, None, 0.1, (40, 0, 9, 9), Doubt.LOW_CONFIDENCE)
print(in_words(Reading(())))
print(in_words(Reading((blank,))))
print(line_of(JudgedThrow(1.5, Word.COUNTS, None, ((blank, Arrival.THROWN),)), as_json=False))
"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "de",
            [
                "keine Würfel",
                "nichts sicher; zweifelhaft: Würfel? (er ist schwer zu lesen)",
                "    1.50 s  zählt    Würfel:? geworfen",
            ],
        ),
        (
            "es",
            [
                "ningún dado",
                "nada seguro; dudosos: dado? (es difícil de leer)",
                "    1.50 s  vale     dado:? lanzado",
            ],
        ),
    ],
)
def test_another_language_is_not_mixed_with_english(
    monkeypatch: pytest.MonkeyPatch, language: str, said: list[str]
) -> None:
    monkeypatch.setenv("DICETABLE_LANGUAGE", language)
    monkeypatch.setenv("PYTHONUTF8", "1")
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_LANGUAGE], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines() == said


def test_annotate_writes_a_picture_for_each_image(throw: Path, tmp_path: Path, capsys: Captured) -> None:
    namesake = tmp_path / "again" / "throw.png"
    namesake.parent.mkdir()
    namesake.write_bytes(throw.read_bytes())
    target = tmp_path / "deep" / "seen"
    assert main(["read", str(throw), str(namesake), "--annotate", str(target)]) == 0
    pictures = sorted(target.iterdir())
    assert len(pictures) == 2
    assert all(picture.read_bytes() != throw.read_bytes() for picture in pictures)
    assert throw.exists()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("light", "aside"), [(1.0, 0), (0.7, 0), (1.1, 6)])
def test_an_empty_tray_helps(tmp_path: Path, capsys: Captured, light: float, aside: int) -> None:
    empty = tray(seed=3)
    put_d6(empty, 5, (150.0, 300.0), 60.0, 20.0)
    frame = empty.copy()
    put_d6(frame, 2, (450.0, 120.0), 60.0, 50.0)
    empty = np.clip(np.roll(empty, aside, axis=1) * light, 0, 255).astype(np.uint8)
    files = [str(write(tmp_path / f"{n}.png", soft(f))) for n, f in enumerate((frame, empty))]
    assert main(["read", "--json", files[0], "--empty", files[1], "--tray-mm", "180"]) == 0
    (line,), _ = lines(capsys)
    assert [die["value"] for die in line["dice"] if die["sure"]] == [2]


def test_a_photograph_against_itself_has_nothing_sure(throw: Path, capsys: Captured) -> None:
    assert main(["read", str(throw), "--empty", str(throw)]) == 0
    same = "the empty tray looks the same there"
    assert capsys.readouterr().out == f"{throw}: nothing sure; doubtful: d6:2? ({same}), d6:5? ({same})\n"


def test_an_empty_tray_that_cannot_be_read_is_named(throw: Path, tmp_path: Path, capsys: Captured) -> None:
    assert main(["read", str(throw), "--empty", str(tmp_path / "none.png")]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"dicetable read: --empty {tmp_path / 'none.png'}: there is no such file\n"


@pytest.mark.parametrize("width", ["0", "-5", "9.9", "10001", "nan", "inf", "wide"])
def test_a_width_that_no_tray_has(throw: Path, width: str, capsys: Captured) -> None:
    assert "--tray-mm" in usage_error(["read", str(throw), f"--tray-mm={width}"], capsys)


@pytest.mark.parametrize("option", ["--empty", "--dice", "--annotate"])
def test_an_option_that_names_nothing(throw: Path, option: str, capsys: Captured) -> None:
    assert f"argument {option}: the name is empty" in usage_error(["read", str(throw), option, ""], capsys)


@pytest.mark.parametrize("argv", [["read"], ["read", "x.png", "--colour"], ["read", "x.png", "--empty"]])
def test_bad_usage_is_one_line(argv: list[str], capsys: Captured) -> None:
    assert usage_error(argv, capsys)


def test_a_process_tells_its_faults_on_standard_error_without_traceback(throw: Path, tmp_path: Path) -> None:
    missing = tmp_path / "none.png"
    done = run("-m", "dicetable", "read", "--json", missing, throw)
    assert done.returncode == 1
    assert done.stderr == f"dicetable read: {missing}: there is no such file\n"
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first == {"image": str(missing), "error": "there is no such file"}
    assert [die["value"] for die in second["dice"]] == [2, 5]


def test_the_narrowest_photographs_are_read(tmp_path: Path, capsys: Captured) -> None:
    for name, size in (("wide.jpg", (12_000, 32)), ("high.jpg", (32, 12_000)), ("tiny.jpg", (32, 32))):
        assert main(["read", "--json", str(write(tmp_path / name, quarters(*size)))]) == 0
    told, errors = lines(capsys)
    assert errors == []
    assert not any(die["sure"] for line in told for die in line["dice"])
