"""`dicetable enrol`: from photographs and under the camera; what is saved, missing faces, errors."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from dicetable.__main__ import main
from dicetable.commands import enrol
from dicetable.commands.enrol import missing, named_face
from tests.dicetable.commands.usage import usage_error
from tests.hardware.files import write
from tests.hardware.simulated.tables import pixels, world
from tests.vision.a_reader import READER
from tests.vision.drawing import one_die, put_d6, soft, tray
from vision.recognition.enrolled import EnrolledDice, Gallery, Learned, Origin, Prototype, gallery_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from games.dice import Die
    from vision.reading import Image

Captured = pytest.CaptureFixture[str]
CONFIG = """
[camera]
driver = "video"
file = "{folder}/none.avi"
[panel]
driver = "simulated"
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG.format(folder=tmp_path))
    return str(file)


def test_what_was_shown_is_kept_though_it_ends_early(
    tmp_path: Path, capsys: Captured, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two_faces(
        _camera: object, _reader: object, wanted: list[Die], _say: object
    ) -> Iterator[tuple[Die, Prototype]]:
        assert wanted == [("d4", value) for value in range(1, 5)]
        yield wanted[0], Prototype(np.ones(1600, np.float32), np.zeros(3, np.float32))
        yield wanted[2], Prototype(np.ones(1600, np.float32), np.zeros(3, np.float32))
        raise KeyboardInterrupt

    monkeypatch.setattr(enrol, "shown", two_faces)
    out = tmp_path / "own.npz"
    assert main(["enrol", "--camera", config, "--kinds", "d4", "--out", str(out)]) == 0
    assert "2 pictures of 2 faces: not shown yet: d4 2, 4" in capsys.readouterr().out
    assert EnrolledDice.load(out).shows == (("d4", 1), ("d4", 3))


def test_a_doubtful_die_of_a_throw_is_asked_about(
    tmp_path: Path, capsys: Captured, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    face = Prototype(np.ones(1600, np.float32), np.zeros(3, np.float32))

    def two_dice(
        _camera: object, _reader: object, name: Callable[..., Die | None], _say: object
    ) -> Iterator[tuple[Die, Prototype]]:
        assert name(1, 2) is None
        die = name(2, 2)
        assert die is not None
        yield die, face

    monkeypatch.setattr(enrol, "thrown", two_dice)
    monkeypatch.setattr("sys.stdin", StringIO("\nseven\nd6-7\nD6-3\n"))
    out = tmp_path / "own.npz"
    assert main(["enrol", "--camera", config, "--throw", "--name", "red", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "What does die 2 of 2 from the left show?" in said
    assert said.count("Type the kind and the face that counts") == 2
    assert EnrolledDice.load(out).shows == (("d6", 3),)
    assert EnrolledDice.load(out).names == ("red d6-3",)


@pytest.mark.slow
def test_a_camera_without_pictures_is_named(tmp_path: Path, capsys: Captured, config: str) -> None:
    assert main(["enrol", "--camera", config, "--out", str(tmp_path / "own.npz")]) == 1
    output = capsys.readouterr()
    assert "Take everything out of the tray" in output.out
    assert f"there is no video {tmp_path}/none.avi" in output.err
    assert not (tmp_path / "own.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--out", "x"], "required"),
        (["folder", "--camera", "table.toml", "--out", "x"], "not allowed with"),
        (["folder", "--kinds", "d6", "--out", "x"], "--kinds works only with --camera"),
        (["folder", "--throw", "--out", "x"], "--throw works only with --camera"),
        (["--camera", "x.toml", "--throw", "--kinds", "d6", "--out", "x"], "and without --kinds"),
        (["--list", "--add", "--out", "x"], "--add works only with new pictures"),
        (["--list", "--forget", "1", "--out", "x"], "not allowed with"),
        (["--camera", "table.toml", "--kinds", "d7", "--out", "x"], "invalid choice"),
    ],
)
def test_what_cannot_be_meant_is_refused(capsys: Captured, arguments: list[str], said: str) -> None:
    assert said in usage_error(["enrol", *arguments], capsys)


def test_photographs_are_named_after_their_faces(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "dice"
    folder.mkdir()
    picture = one_die(3)
    for name in ("my d6-3.png", "d6-7.png", "mine.png", "old6-3.png", "d6-3-d8-3.png"):
        assert cv2.imwrite(str(folder / name), picture)
    (folder / "d6-4.png").write_bytes(b"none")
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 1
    output = capsys.readouterr()
    assert "1 picture of 1 face: not shown yet: d6 1, 2, 4, 5, 6" in output.out
    assert "a d6 has no face 7" in output.err
    for unnamed in ("mine.png", "old6-3.png", "d6-3-d8-3.png"):
        assert f"{unnamed}: name it after the face that counts" in output.err
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 3),)


@pytest.mark.parametrize(
    ("names", "cause"),
    [
        (
            ("first.png", "d6-7.png"),
            "{folder}: none of its photographs was read, because none is named after a face",
        ),
        (("first.png", "d6-4.png"), "no die was found in the photographs of {folder}"),
        (("notes.txt",), "{folder} has no photographs: put some in it, named like d20-17.jpg"),
    ],
)
def test_why_nothing_was_enrolled(tmp_path: Path, capsys: Captured, names: Sequence[str], cause: str) -> None:
    folder = tmp_path / "dice"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(b"none")
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"dicetable enrol: {cause.format(folder=folder)}"


@pytest.mark.parametrize(("stem", "die"), [("d100-00", ("d100", 0)), ("my d100-30-b", ("d100", 30))])
def test_a_percentile_die_s_photographs_are_named_after_its_two_digits(stem: str, die: Die) -> None:
    assert named_face(stem) == die
    assert missing([("d100", value) for value in range(20, 100, 10)]) == "not shown yet: d100 0, 10"


def photographs(folder: Path, **shown: Image) -> str:
    """A folder of photographs, named after the faces."""
    folder.mkdir()
    for name, picture in shown.items():
        assert cv2.imwrite(str(folder / f"{name.replace('_', '-')}.png"), picture)
    return str(folder)


def test_a_photograph_that_surely_shows_another_face_is_refused(tmp_path: Path, capsys: Captured) -> None:
    folder = photographs(tmp_path / "dice", d6_1=one_die(6), d6_6=one_die(1), d6_3=one_die(3))
    assert main(["enrol", folder, "--out", str(tmp_path / "own.npz")]) == 1
    errors = capsys.readouterr().err
    assert "d6-1.png: it shows the 6 of a d6: correct its name" in errors
    assert "d6-6.png: it shows the 1 of a d6: correct its name" in errors
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 3),)


def test_noise_is_no_die(tmp_path: Path, capsys: Captured) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    folder = photographs(tmp_path / "dice", d6_1=noise)
    assert main(["enrol", folder, "--out", str(tmp_path / "own.npz")]) == 1
    assert "d6-1.png: no die is seen in it" in capsys.readouterr().err


def test_read_tells_a_stranger_s_die_from_the_enrolled(tmp_path: Path, capsys: Captured) -> None:
    folder = photographs(tmp_path / "dice", d6_4=one_die(4), d6_2=one_die(2))
    out = str(tmp_path / "own.npz")
    assert main(["enrol", folder, "--out", out]) == 0
    own = write(tmp_path / "own.png", one_die(4, degrees=37))
    strange = write(tmp_path / "strange.png", one_die(4, degrees=37, dark=True))
    capsys.readouterr()
    assert main(["read", str(own), str(strange)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{own}: d6:4", f"{strange}: d6:4"]
    assert main(["read", str(own), str(strange), "--dice", out]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [f"{own}: d6:4", f"{strange}: nothing sure; doubtful: d6:4? (none of your dice)"]


def test_where_nothing_can_be_kept_nothing_is_asked(tmp_path: Path, capsys: Captured, config: str) -> None:
    for out in (tmp_path / "none" / "own.npz", tmp_path):
        assert main(["enrol", "--camera", config, "--out", str(out)]) == 1
        output = capsys.readouterr()
        assert f"--out {out} cannot be written: " in output.err
        assert "name a file in a folder that exists" in output.err
        assert output.out == ""


def test_photographs_that_were_not_all_seen_replace_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(_path: object, _reader: object) -> None:
        raise KeyboardInterrupt

    folder = photographs(tmp_path / "dice", d6_3=one_die(3), d6_4=one_die(4))
    out = tmp_path / "own.npz"
    out.write_bytes(b"of last week")
    monkeypatch.setattr(enrol, "enrolled", ended)
    assert main(["enrol", folder, "--out", str(out)]) == 130
    assert out.read_bytes() == b"of last week"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dice", "own.npz"]


def test_a_folder_without_dice_keeps_nothing(tmp_path: Path, capsys: Captured) -> None:
    assert main(["enrol", str(tmp_path), "--out", str(tmp_path / "own.npz")]) == 1
    assert "has no photographs: put some in it" in capsys.readouterr().err
    assert main(["enrol", str(tmp_path / "none"), "--out", str(tmp_path / "own.npz")]) == 1
    assert "name a folder of photographs" in capsys.readouterr().err


def test_a_photograph_of_two_dice_is_refused(tmp_path: Path, capsys: Captured) -> None:
    frame = tray()
    put_d6(frame, 5, (150.0, 300.0), 60.0, 20.0)
    put_d6(frame, 3, (450.0, 120.0), 60.0, 50.0)
    folder = tmp_path / "dice"
    folder.mkdir()
    assert cv2.imwrite(str(folder / "d6-5.png"), soft(frame))
    assert cv2.imwrite(str(folder / "d6-3.png"), one_die(3))
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 1
    assert f"{folder / 'd6-5.png'}: 2 dice are seen in it: photograph one" in capsys.readouterr().err
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 3),)


def test_a_photograph_gives_its_whole_die_where_the_border_cuts_others(tmp_path: Path) -> None:
    frame = tray()
    put_d6(frame, 5, (300.0, 220.0), 60.0, 20.0)
    put_d6(frame, 3, (frame.shape[1] - 20.0, 120.0), 60.0, 50.0)
    folder = tmp_path / "dice"
    folder.mkdir()
    assert cv2.imwrite(str(folder / "d6-5.png"), soft(frame))
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 0
    assert EnrolledDice.load(tmp_path / "own.npz").shows == (("d6", 5),)


def test_photographs_of_every_kind_are_taken_or_named(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "dice"
    folder.mkdir()
    kinds = (".ppm", ".tif", ".TIFF", ".webp", ".bmp", ".JPG", ".avif", ".jp2")
    for kind in kinds:
        write(folder / f"d6-3{kind}", one_die(3))
    for other in ("d6-4.heic", "IMG_1.HEIF"):
        (folder / other).write_bytes(b"\0\0\0\x18ftypheic" + bytes(100))
    for unnamed in ("notes.txt", ".DS_Store", "._d6-3.jpg"):
        (folder / unnamed).write_bytes(b"nothing of the dice")
    (folder / "d6-5.raw").write_bytes(b"a camera's own kind")
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 1
    output = capsys.readouterr()
    assert output.out.startswith(f"{len(kinds)} pictures of 1 face:")
    assert [line.partition(": ")[2].partition(": ")[0] for line in output.err.splitlines()] == [
        str(folder / name) for name in ("IMG_1.HEIF", "d6-4.heic", "d6-5.raw")
    ]
    assert "d6-4.heic: it is cut short, damaged" in output.err


def test_the_table_s_markers_are_no_dice(tmp_path: Path, capsys: Captured) -> None:
    table = world(77)
    table.throw(["d8"], values=[3])
    table.settle()
    folder = tmp_path / "dice"
    folder.mkdir()
    write(folder / "d8-3.png", pixels(table))
    assert main(["enrol", str(folder), "--out", str(tmp_path / "own.npz")]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_kept_is_listed_and_a_wrong_picture_is_found_and_forgotten(
    tmp_path: Path, capsys: Captured
) -> None:
    own = tmp_path / "own.npz"
    five, four = (relief_of(value) for value in (5, 4))
    shown: list[tuple[Die, Prototype]] = [
        (("d6", 5), Prototype(five, np.zeros(3, np.float32), "d6-5.png")),
        (("d6", 4), Prototype(four, np.zeros(3, np.float32), "d6-4.png")),
        (("d6", 4), Prototype(five, np.zeros(3, np.float32), "d6-4-b.png")),
        (("d6", 4), Prototype(four, np.zeros(3, np.float32), "d6-4-c.png")),
    ]
    own.write_bytes(EnrolledDice.of(shown).packed())
    assert main(["enrol", "--list", "--out", str(own)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["2", "d6", "4", "d6-4.png"]
    assert "3  d6   4  d6-4-b.png  looks like the 5 of a d6" in lines[2]
    assert main(["enrol", "--forget", "3", "--out", str(own)]) == 0
    assert "1 picture forgotten, 3 left" in capsys.readouterr().out
    assert EnrolledDice.load(own).names == ("d6-5.png", "d6-4.png", "d6-4-c.png")


def relief_of(value: int) -> np.ndarray:
    """How the face looks when it is enrolled."""
    frame = one_die(value)
    (detection,) = READER.detector.detect(frame)
    return np.asarray(READER.prototype(frame, detection).relief)


def test_nothing_is_forgotten_that_is_not_there_or_would_leave_none(tmp_path: Path, capsys: Captured) -> None:
    own = tmp_path / "own.npz"
    face = Prototype(np.ones(1600, np.float32), np.zeros(3, np.float32))
    own.write_bytes(EnrolledDice.of([(("d6", 1), face), (("d6", 2), face)]).packed())
    for numbers, said in ((["3"], "has no picture 3"), (["1", "2"], "no picture would be left")):
        assert main(["enrol", "--forget", *numbers, "--out", str(own)]) == 1
        assert said in capsys.readouterr().err
    assert main(["enrol", "--list", "--out", str(tmp_path / "none.npz")]) == 1
    assert len(EnrolledDice.load(own).shows) == 2


def learned(row: int, value: int, relief: np.ndarray, *, confirmed: bool = False) -> Learned:
    face = Prototype(relief, np.zeros(3, np.float32))
    return Learned(("d6", value), face, Origin(row, 7, 1, "2026-11-25", confirmed))


def test_what_was_learned_is_listed_with_its_throw_and_forgotten(tmp_path: Path, capsys: Captured) -> None:
    own = tmp_path / "own.npz"
    five, four = (relief_of(value) for value in (5, 4))
    faces: list[tuple[Die, Prototype]] = [
        (("d6", value), Prototype(relief, np.zeros(3, np.float32)))
        for value, relief in ((5, five), (4, four))
    ]
    own.write_bytes(EnrolledDice.of(faces).packed())
    file = gallery_beside(own)
    pictures = (learned(1234, 4, five, confirmed=True), learned(1240, 5, five), learned(1250, 4, four))
    file.write_bytes(Gallery(pictures).packed())
    assert main(["enrol", "--list", "--out", str(own)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith(
        "1234/d6-4  learned on 2026-11-25, confirmed by another seat  looks like the 5"
    )
    assert lines[3] == "1240/d6-5  learned on 2026-11-25, read for sure"
    assert main(["enrol", "--forget", "1234/d6-4", "--out", str(own)]) == 0
    assert capsys.readouterr().out == "1 picture forgotten, 2 left\n"
    assert [one.origin.row for one in Gallery.load(file).pictures] == [1240, 1250]
    for name, code, said in (
        ("1234/d6-4", 1, "has no picture 1234/d6-4: see --list"),
        ("d6-4", 2, "name a picture as --list does"),
        ("0", 1, "has no picture 0"),
    ):
        assert main(["enrol", "--forget", name, "--out", str(own)]) == code
        assert said in capsys.readouterr().err
    file.write_bytes(b"PK")
    assert main(["enrol", "--list", "--out", str(own)]) == 1
    assert "own.learned.npz is damaged: delete it, and the table learns anew" in capsys.readouterr().err
    assert main(["enrol", "--forget", "learned", "--out", str(own)]) == 0
    assert not file.exists()
    assert len(EnrolledDice.load(own).shows) == 2


def test_new_dice_begin_without_what_was_learned_of_the_old_ones(tmp_path: Path) -> None:
    own, folder = tmp_path / "own.npz", tmp_path / "dice"
    folder.mkdir()
    cv2.imwrite(str(folder / "d6-3.png"), one_die(3))
    file = gallery_beside(own)
    file.write_bytes(Gallery((learned(1, 3, np.ones(1600, np.float32)),)).packed())
    own.write_bytes(EnrolledDice.of([(("d6", 1), learned(1, 3, np.ones(1600, np.float32)).face)]).packed())
    assert main(["enrol", str(folder), "--add", "--out", str(own)]) == 0
    assert file.exists()
    assert main(["enrol", str(folder), "--out", str(own)]) == 0
    assert not file.exists()


def test_pictures_are_added_to_those_that_are_kept(tmp_path: Path, capsys: Captured) -> None:
    own = tmp_path / "own.npz"
    face = Prototype(np.ones(1600, np.float32), np.zeros(3, np.float32))
    own.write_bytes(EnrolledDice.of([(("d6", 1), face)]).packed())
    folder = tmp_path / "dice"
    folder.mkdir()
    cv2.imwrite(str(folder / "d6-3.png"), one_die(3))
    assert main(["enrol", str(folder), "--add", "--out", str(own)]) == 0
    assert "2 pictures of 2 faces: not shown yet: d6 2, 4, 5, 6" in capsys.readouterr().out
    assert EnrolledDice.load(own).shows == (("d6", 1), ("d6", 3))
    assert main(["enrol", str(folder), "--add", "--out", str(tmp_path / "none.npz")]) == 1
