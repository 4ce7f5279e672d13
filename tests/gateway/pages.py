"""What is measured on a page in a browser, whatever it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

from tests.gateway.states import IDLE

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = {"television": (1920, 1080), "phone": (390, 844)}
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
"""What the last run saw, for people to look at."""
CUT_OFF = """() => [...document.querySelectorAll("section, header")]
    .filter((each) => each.checkVisibility() && each.scrollHeight > each.clientHeight + 1)
    .map((each) => each.id || each.className)"""
"""What does not fit on a television, where nobody scrolls."""
CONTRAST = """() => {
    const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = numbers(getComputedStyle(at).backgroundColor);
            if (colour.length < 4 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const found = {};
    for (const element of document.querySelectorAll("body *:not(svg *)")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!own || !element.checkVisibility() || element.className === "unseen") continue;
        const pair = [light(numbers(getComputedStyle(element).color)), light(ground(element))].sort();
        const ratio = (pair[1] + 0.05) / (pair[0] + 0.05);
        if (ratio < 7) found[element.tagName + "#" + element.id + "." + element.className] = ratio;
    }
    return found;
}"""
LIVE_REGIONS = """() => [...document.querySelectorAll(
    "[aria-live], [role=status], [role=alert], [role=log], output")].map((each) => each.id)"""
"""What a screen reader says by itself."""


def barriers(page: Page) -> list[str]:
    """What axe-core finds that keeps people out."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['help']}" for each in found if each["impact"] in ("serious", "critical")]


def thrown(number: int, *, picture: bool = True) -> bytes:
    """A state whose last throw shows two dice."""
    dice = [{"kind": "d6", "value": 4}, {"kind": "d20", "value": 17}]
    throw = {"number": number, "game": "six_by_6", "seat": "Ann", "dice": dice, "by_hand": False}
    throw |= {"corrected": False, "unseen": 0, "vouched": False, "picture": picture}
    state = IDLE | {
        "revision": number,
        "phase": "play",
        "todo": "Ann: throw",
        "throws": [throw],
        "row": number,
    }
    return json.dumps(state).encode()
