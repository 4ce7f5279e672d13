"""How much the guest page jumps while people play: the layout shift a minute, as Chromium measures it.

    python -m benchmarks.layout_shift [--game NAME] [--minutes N] [--size WIDTHxHEIGHT]

A simulated table plays at the pace of people, a real gateway serves it, and a page in Chromium follows. The
layout shift is the share of the screen that moved times how far it moved, of all that moved without an
animation and without a press; the parts of the page that moved most are listed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from playwright.sync_api import sync_playwright

from hardware.simulated import physics
from tests.dicetable.service.evenings import TURN_S, Evening
from tests.gateway.serving import Served

OBSERVER = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
        const named = (node) => node?.id || node?.getAttribute?.("class") || node?.nodeName || "";
        const moved = entry.sources.map(({ node }) => named(node));
        window.shifts.push([entry.value, moved]);
    }
}).observe({ type: "layout-shift", buffered: true });
"""


def measured(folder: Path, game: str, minutes: float, size: tuple[int, int]) -> list[tuple[float, list[str]]]:
    """Each shift and the parts of the page that moved."""
    evening = Evening(folder, game)
    evening.eye.looks = True
    with sync_playwright() as playwright, Served(evening.path) as served:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.add_init_script(OBSERVER)
        page.goto(f"http://127.0.0.1:{served.port}/")
        for _ in range(round(60 * minutes / TURN_S)):
            evening.turn()
            page.wait_for_timeout(1000 * TURN_S)
        found: list[tuple[float, list[str]]] = page.evaluate("window.shifts")
        browser.close()
    evening.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--game", default="six_shooter")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--size", default="1920x1080")
    given = parser.parse_args()
    wide, high = map(int, given.size.split("x"))
    physics.available = lambda: False
    with tempfile.TemporaryDirectory() as folder:
        shifts = measured(Path(folder), given.game, given.minutes, (wide, high))
    total = sum(value for value, _ in shifts)
    print(f"{given.game}, {given.size}: {total / given.minutes:.2f} a minute over {given.minutes:g} minutes")
    parts: defaultdict[str, float] = defaultdict(float)
    for value, moved in shifts:
        for part in moved:
            parts[part] += value / len(moved)
    for part, value in sorted(parts.items(), key=lambda each: -each[1])[:12]:
        print(f"  {value / given.minutes:.2f} {part}")


if __name__ == "__main__":
    main()
