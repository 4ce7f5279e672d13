"""Numbers in the words of each language."""

from __future__ import annotations

import pytest

from common.texts import statistics


@pytest.mark.parametrize(
    ("language", "number", "written"),
    [
        ("en", 46_656, "46,656"),
        ("en", 999, "999"),
        ("de", 46_656, "46.656"),
        ("de", 1_296, "1.296"),
        ("es", 46_656, "46.656"),
        ("es", 1_296, "1296"),
    ],
)
def test_digits_stand_in_groups_as_the_language_writes_them(
    monkeypatch: pytest.MonkeyPatch, language: str, number: float, written: str
) -> None:
    monkeypatch.setattr(statistics, "LANGUAGE", language)
    assert statistics.grouped(number) == written


def test_odds_are_said_in_words() -> None:
    assert statistics.one_in(46_656.0) == "1 in 46,656"
