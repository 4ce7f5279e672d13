"""A bar with phones in a real browser, and a gateway beside a table that only pretends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gateway.bar import Bar, chosen
from tests.gateway.serving import PretendTable, Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture
def bar(tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bar]:
    """A bar whose choices are written down."""
    chosen.clear()
    made = Bar(tmp_path, browser)
    choose = made.evening.table.choose

    def taking(seat: int, label: str, numbers: tuple[int, ...]) -> bool:
        taken = choose(seat, label, numbers)
        if taken:
            chosen.append((seat, label, numbers))
        return taken

    monkeypatch.setattr(made.evening.table, "choose", taking)
    yield made
    assert made.faults == []
    made.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PretendTable]:
    made = PretendTable(tmp_path / "pretend.sock")
    yield made
    made.close()


@pytest.fixture
def served(table: PretendTable) -> Iterator[Served]:
    """Not started: the gateway fetches the table's state as soon as it runs."""
    made = Served(table.path)
    yield made
    made.kill()
