"""The reader on real, labelled photographs: right and wrong as the score tool counts them."""

from __future__ import annotations

import importlib.util
import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.commands.read import die_json
from hardware.photograph import load_photograph
from tests.vision.a_reader import read_dice

if TYPE_CHECKING:
    from pathlib import Path

IMAGES = 250
MOST_WRONG = 0.03
LEAST_RIGHT = 0.45
"""Of the labelled dice; to be raised as the reader improves."""


def score_image(shared: Path) -> Any:
    """The tool's own count of one image."""
    spec = importlib.util.spec_from_file_location("score_photos", shared / "tools" / "score_photos.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.score_image


@pytest.mark.slow
@pytest.mark.photos
def test_pips_on_grey_trays(shared: Path) -> None:
    folder = shared / "photos" / "train" / "rune_pips_grey"
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    score = score_image(shared)
    total = {"dice": 0, "right": 0, "asked": 0, "wrong": 0}
    for image in Random(0).sample(labels, IMAGES):
        photograph = load_photograph(folder / image["image"])
        dice = [die_json(die, photograph.scale) for die in read_dice(photograph.pixels).dice]
        counted = score(image["dice"], {"dice": dice})
        total = {key: total[key] + counted[key] for key in total}
    assert total["wrong"] <= MOST_WRONG * total["dice"], total
    assert total["right"] >= LEAST_RIGHT * total["dice"], total
