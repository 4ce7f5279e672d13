"""Six By 6 from real photographs: suitable ones are played as labelled, others rejected without effect."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import cv2
import pytest

from dicetable.__main__ import main
from dicetable.commands.terminal_game import PhotographGame
from dicetable.table import display
from games.match import Match
from games.requests import Dice
from hardware.photograph import FolderCamera, load_photograph
from tests.hardware.fakes import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

THROWS = ("0798.jpg", "0258.jpg", "0522.jpg", "0241.jpg")
"""Six dice, then as many as are due."""
TOO_FEW = "0004.jpg"
SEATS = ["ann", "bob"]


@pytest.fixture
def labels(shared: Path) -> dict[str, list[Any]]:
    lines = (shared / "photos" / "train" / "rune_pips_grey" / "labels.jsonl").read_text().splitlines()
    return {image["image"]: image["dice"] for image in map(json.loads, lines)}


@pytest.fixture
def throws(shared: Path, tmp_path: Path, labels: dict[str, list[Any]]) -> Path:
    """2 has too few dice; in 3 one die is still moving; the others fit."""
    source, folder = shared / "photos" / "train" / "rune_pips_grey", tmp_path / "throws"
    folder.mkdir()
    first, few, *others = (
        load_photograph(source / name).pixels for name in (THROWS[0], TOO_FEW, *THROWS[1:])
    )
    moving = others[0].copy()
    x, y, w, h = labels[THROWS[1]][0]["bbox"]
    moving[y : y + h, x : x + w] = cv2.blur(moving[y : y + h, x : x + w], (w // 3, h // 3))
    for number, picture in enumerate([first, few, moving, *others], 1):
        cv2.imwrite(str(folder / f"throw{number}.png"), picture)
    return folder


@pytest.mark.slow
@pytest.mark.photos
def test_the_game_goes_as_the_labels_say(
    throws: Path, labels: dict[str, list[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    camera = FolderCamera(throws, FakeClock())
    camera.start()
    game = PhotographGame(camera, None, StringIO())
    game.open("six_by_6", SEATS, 1)
    match, refused, states = game.table.state.match, [], []
    while camera.left:
        name = camera.waiting[0].name
        game.album.turn()
        for message in game.album.messages():
            game.table.eye(message)
        if game.table.state.match is match:
            refused.append(name)
        else:
            match = game.table.state.match
            assert match is not None
            states.append(match.state())
    direct, expected = Match.new("six_by_6", SEATS, seed=1), []
    for name in THROWS:
        direct = direct.apply(Dice([("d6", die["value"]) for die in labels[name]]))
        expected.append(direct.state())
    assert refused == ["throw2.png", "throw3.png"]
    assert states == expected

    assert main(["play", "six_by_6", "--photos", str(throws), "--seats", *SEATS]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "    I see one die, not 5." in told
    assert told[-1].endswith(
        f"at {', '.join(display.scores(direct))}, awaiting: {display.awaited_line(direct)}"
    )


def test_photographs_of_which_none_can_be_read_are_nothing_to_play_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.jpg").write_bytes(b"none")
    assert main(["play", "six_by_6", "--photos", str(tmp_path), "--seats", *SEATS]) == 1
    assert "1.jpg: it is not a picture" in capsys.readouterr().out
