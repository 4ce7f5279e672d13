"""A real browser for the pages, if one is installed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; no browser is downloaded.

    Closed after each module: while it is open, its event loop runs in this thread, and nobody else's can.
    """
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium: apt install chromium")
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=program, args=arguments)
        yield made
        made.close()
