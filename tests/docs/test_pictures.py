"""The pictures of the program in the documentation: one command makes each of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import cv2
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images"
MAKE = IMAGES / "make_pictures.py"
BY_HAND = {"panel-wiring.svg", "pins-wiring.svg", "rig.svg"}


def test_each_picture_is_made_by_the_command_or_drawn_by_hand() -> None:
    wide = os.environ | {"COLUMNS": "1000"}
    helped = subprocess.run(
        [sys.executable, MAKE, "--help"], env=wide, capture_output=True, text=True, check=True
    )
    made = set(re.findall(r"[\w-]+\.(?:jpg|svg)", helped.stdout))
    assert made
    assert made | BY_HAND == {file.name for file in IMAGES.iterdir() if file.suffix not in (".py", "")}


def test_labels_over_the_tray_are_recorded_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(IMAGES))
    made = import_module("make_terminal_table")
    screen = made.Screen()
    screen.write("\033[1;1H\033[38;2;9;9;9;48;2;9;9;9m▀▀▀\033[1;2H\033[97;40m6\033[0m\033[2;1HTHROW\033[K")
    assert screen.labels()[1][:2] == ((" ", made.GREY), ("6", "#ffffff"))
    assert 1 not in screen.text()
    assert screen.text()[2][0][0].rstrip() == "THROW"
    tray = cv2.imdecode(np.frombuffer(screen.tray(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert tray is not None
    assert tray.shape == (2, 3)


@pytest.mark.slow
def test_the_throw_is_made_anew_as_it_is(tmp_path: Path) -> None:
    name = "simulated-throw.jpg"
    subprocess.run([sys.executable, MAKE, "--out", tmp_path, name], check=True, timeout=300)
    made, kept = (cv2.imread(str(folder / name)) for folder in (tmp_path, IMAGES))
    assert made is not None
    assert kept is not None
    assert made.shape == kept.shape
    assert cv2.norm(made, kept, cv2.NORM_L1) / made.size < 2
