"""The captions of the last throw's dice in a real browser: what they say, and where they stand."""

from __future__ import annotations

import json
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from common import messages
from dicetable.eye.evidence import evidence, strip
from dicetable.service.throws import marks
from games import words
from games.dice import FACES
from tests.gateway.pages import CUT_OFF, SCREENSHOTS, SIZES, thrown
from tests.gateway.serving import PretendTable, Served

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from games.dice import Die
    from vision.reading import Box

pytestmark = pytest.mark.slow

WIDE, HIGH = 1280, 720
DIE = 72

LAID = """() => {
    const rect = (each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [x, y, width, height];
    };
    const image = document.getElementById("picture");
    const shown = image.getBoundingClientRect();
    const scale = Math.min(shown.width / image.naturalWidth, shown.height / image.naturalHeight);
    return {
        picture: [shown.x, shown.y, image.naturalWidth * scale, image.naturalHeight * scale],
        frames: [...document.querySelectorAll("#marks .around")].map(rect),
        tags: [...document.querySelectorAll("#marks .tag")].map(rect),
        texts: [...document.querySelectorAll("#marks text")].map((each) =>
            [each.textContent, each.getBoundingClientRect().x, each.getBoundingClientRect().width]),
        drawn: [...document.querySelectorAll("#dice .die")].map((each) => each.getAttribute("aria-label")),
        named: [...document.querySelectorAll("#dice figcaption")].map((each) => each.textContent),
    };
}"""


def covered(a: list[float], b: list[float]) -> bool:
    """Whether two boxes overlap by more than half a pixel each way."""
    return all(min(a[i] + a[i + 2], b[i] + b[i + 2]) - max(a[i], b[i]) > 0.5 for i in (0, 1))


def inside(small: list[float], large: list[float]) -> bool:
    return all(
        large[i] - 0.5 <= small[i] and small[i] + small[i + 2] <= large[i] + large[i + 2] + 0.5
        for i in (0, 1)
    )


def scattered(count: int, seed: int, apart: int = DIE) -> list[Box]:
    """Boxes of this many dice somewhere in the picture, none over another."""
    chance = Random(seed)
    found: list[Box] = []
    while len(found) < count:
        x, y = chance.randrange(WIDE - DIE), chance.randrange(HIGH - DIE)
        if all(abs(x - left) >= apart or abs(y - top) >= apart for left, top, _, _ in found):
            found.append((x, y, DIE, DIE))
    return found


ROW: list[Box] = [(200 + DIE * at, 300, DIE, DIE) for at in range(4)]
LAYOUTS: dict[str, tuple[list[Box], bool]] = {
    "corners": ([(x, y, DIE, DIE) for x in (0, WIDE - DIE) for y in (0, HIGH - DIE)], True),
    "over-the-edge": ([(-20, 300, DIE, DIE), (600, -20, DIE, DIE), (WIDE - 50, HIGH - 50, DIE, DIE)], True),
    "row": (ROW, True),
    "column": ([(600, 100 + DIE * at, DIE, DIE) for at in range(6)], True),
    "cluster": ([(540, 310, 72, 70), (545, 240, 74, 70), (610, 350, 70, 70)], True),
    "many": (scattered(18, 1, 90), False),
    "most": (scattered(30, 2), False),
}
"""The boxes of the dice of a throw; whether there is room for each caption beside all dice."""


def dice_of(boxes: list[Box], kinds: str) -> list[Die]:
    """As many dice, with their highest faces."""
    named = [kind for kind in FACES if kind == "d6" or kinds == "mixed"]
    return [(named[-1 - at % len(named)], FACES[named[-1 - at % len(named)]]) for at in range(len(boxes))]


@pytest.mark.parametrize("kinds", ["d6", "mixed"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_captions_are_values_and_cover_nothing(
    browser: Browser, tmp_path: Path, name: str, kinds: str
) -> None:
    boxes, roomy = LAYOUTS[name]
    dice = dice_of(boxes, kinds)
    frame = np.full((HIGH, WIDE, 3), 90, np.uint8)
    picture, sheet = evidence(frame), strip([(0.0, frame), (0.1, frame)], 0.1)
    table = PretendTable(tmp_path / "pretend.sock")
    table.bodies[(messages.PICTURE, 5)] = picture
    table.bodies[(messages.MARKS, 5)] = json.dumps(marks(boxes, picture, sheet)).encode()
    state = json.loads(thrown(5))
    state["throws"][0]["dice"] = [{"kind": kind, "value": value} for kind, value in dice]
    table.state = json.dumps(state).encode()
    with closing(table), Served(table.path) as served:
        for size, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
            page.goto(f"http://127.0.0.1:{served.port}/")
            page.wait_for_selector("#seen:not([hidden])")
            laid = page.evaluate(LAID)
            page.screenshot(path=SCREENSHOTS / f"captions-{name}-{kinds}-{size}.png")
            assert page.evaluate(CUT_OFF) == [] or size == "phone"
            page.close()
            says_what_lies(laid, dice)
            covers_nothing(laid, roomy=roomy)


def says_what_lies(laid: dict[str, Any], dice: list[Die]) -> None:
    """Captions are values; drawn dice name kinds where the panel does, in its words."""
    mixed = any(kind != "d6" for kind, _ in dice)
    panel = words.dice(dice).split() if mixed else [str(value) for _, value in dice]
    assert [text for text, *_ in laid["texts"]] == [str(value) for _, value in dice]
    assert laid["drawn"] == panel
    assert laid["named"] == [kind for kind, _ in dice if mixed]


def covers_nothing(laid: dict[str, Any], *, roomy: bool) -> None:
    """All is within the picture; no caption is over another, or over a die if there is room beside it."""
    tags, frames = laid["tags"], laid["frames"]
    for each in [*tags, *frames]:
        assert inside(each, laid["picture"])
    for tag, (text, left, wide) in zip(tags, laid["texts"], strict=True):
        assert tag[0] <= left, text
        assert left + wide <= tag[0] + tag[2], text
    for at, tag in enumerate(tags):
        assert not any(covered(tag, other) for other in tags[:at])
        if roomy:
            assert not any(covered(tag, [x + 4, y + 4, w - 8, h - 8]) for x, y, w, h in frames)
