"""The documentation site, opened from the disk as a reader without a network opens it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import COMMANDS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "site"


@pytest.fixture(scope="module")
def site() -> Path:
    """Built anew; that ends with an error at a link that leads nowhere."""
    subprocess.run(["make", "docs"], cwd=ROOT, check=True, timeout=600, capture_output=True)
    return SITE


def test_every_page_and_every_command_is_in_it(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        made = site / page.relative_to(ROOT).with_suffix(".html")
        assert made.with_name("index.html" if page.name == "README.md" else made.name).is_file()
    said = (site / "docs" / "commands.html").read_text()
    for name in COMMANDS:
        assert re.search(rf"<h2[^>]*>dicetable {name}\b", said)
    assert "--allow-downgrades" in (site / "docs" / "install.html").read_text()


def test_messages_and_python_modules_are_in_it(site: Path) -> None:
    said = (site / "docs" / "messages.html").read_text()
    for anchor in ("http", "the-snapshot", "tablesock", "press", "operator_start"):
        assert f'id="{anchor}"' in said
    assert "<code>GET /api/state</code>" in said
    named = {
        "games": ("games.game.Game", "games.match.Match.apply", "games.protocol.Engine"),
        "vision": ("vision.reader.DiceReader.read", "vision.reading.Reading", "vision.observer.Observer"),
        "hardware": ("hardware.ports.Camera.frame", "hardware.ports.PanelView"),
    }
    for package, names in named.items():
        page = (site / "docs" / f"python-{package}.html").read_text()
        for name in names:
            assert f'id="{name}"' in page, name


def test_search_works_from_the_disk_and_nothing_is_fetched(site: Path) -> None:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium: apt install chromium")
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "docs" / "play.html").as_uri())
        assert_found(page, "roll back", "You keep the games played since the upgrade")
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def assert_found(page: Page, words: str, text: str) -> None:
    """Types the words into the search and waits for a result that shows the text."""
    page.locator("button:visible", has_text="Search").click()
    page.get_by_placeholder("Search").fill(words)
    page.get_by_text(text).first.wait_for(timeout=300_000)
