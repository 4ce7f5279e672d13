"""Options and fixtures that the whole suite shares."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import pytest
from hypothesis import HealthCheck, settings

from hardware.simulated import physics
from tests.extent import NIGHTLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

# Without chance, more examples find the same each time: the fresh ones of the night look further.
ON_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", ON_ANY_MACHINE, derandomize=True, max_examples=30)
settings.register_profile("fresh", ON_ANY_MACHINE, print_blob=True)
settings.load_profile("fresh" if NIGHTLY else "repeatable")

cv2.setNumThreads(1)  # as the eye does; the cores have workers of their own
ROOT = Path(__file__).resolve().parent.parent
MEMORY = Path("/dev/shm")
MOST_TEMPORARY = 4 * 2**30
HANGING_MS = 300_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test fails the run (for CI)")


def pytest_configure(config: pytest.Config) -> None:
    """Keeps what fast tests write in memory where there is room: ledgers wait for the disk at each row.

    Slow ones may hand their files to services that see no such folder.
    """
    if config.option.markexpr != "not slow":
        return
    with suppress(OSError):
        if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MOST_TEMPORARY:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if NIGHTLY:
        return
    left = [item for item in items if "nightly" in item.keywords]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if "nightly" not in item.keywords]


def pytest_runtest_setup() -> None:
    """Has a run that is stopped end what its fixtures started, also one that a shell put in the background.

    For each test, as an event loop that listened for a signal leaves it to kill the process.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from going through what was collected, which lives to the end anyway.

    A net is made once for all tests: ONNX Runtime takes longer to make it than to look at a few dice.
    """
    if nets := sys.modules.get("vision.nets"):
        nets.session = cache(nets.session)  # type: ignore[attr-defined]
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if not session.config.getoption("--no-skips"):
        return
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        for report in skipped:
            reporter.write_line(f"skipped, and none may be: {report.nodeid}: {report.longrepr[2]}", red=True)


@pytest.fixture(autouse=True)
def logging_ends_with_its_test() -> Iterator[None]:
    """Takes away the log that a command set up: it writes to an error stream that ends with the test."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield
    for handler in list(root.handlers):
        if handler not in before:
            root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def cheap_throws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice come to rest at once, for tests that are not about how they roll."""
    monkeypatch.setattr(physics, "available", lambda: False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real photographs and rules beside the project; skips where there is none."""
    folder = Path(os.environ.get("DICETABLE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared folder at {folder} (set DICETABLE_SHARED)")
    return folder


def patient(browser: Browser) -> None:
    """Has its pages wait for longer than a busy machine takes, where a test does not say how long."""
    new_context, new_page = browser.new_context, browser.new_page

    def context(**options: Any) -> BrowserContext:
        made = new_context(**options)
        made.set_default_timeout(HANGING_MS)
        return made

    def page(**options: Any) -> Page:
        made = new_page(**options)
        made.set_default_timeout(HANGING_MS)
        return made

    browser.new_context, browser.new_page = context, page  # type: ignore[method-assign]


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
        patient(made)
        yield made
        made.close()
