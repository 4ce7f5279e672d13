from __future__ import annotations

import logging

from dicetable.logs import WINDOW_S, KeyValue, RateLimit, pairs


def record(message: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("dicetable.eye.process", logging.WARNING, __file__, 1, message, values, None)


def test_a_line_has_its_level_and_place() -> None:
    line = KeyValue(journald=True).format(record("eye=lost why=%r", "it hangs"))
    assert line == "<4>level=warning at=eye.process eye=lost why='it hangs'"


def test_the_time_is_told_where_nobody_else_tells_it() -> None:
    line = KeyValue(journald=False).format(record("eye=lost"))
    assert line.startswith("time=20")
    assert line.endswith("Z level=warning at=eye.process eye=lost")


def test_a_line_stays_one_line_of_bounded_length() -> None:
    line = KeyValue(journald=True).format(record("said=%s", "a\nb\x1b[2J" + "x" * 5000))
    assert "\n" not in line
    assert "\x1b" not in line
    assert len(line) <= 2003


def test_a_flood_is_kept_back_and_counted() -> None:
    time_s = 0.0
    limit = RateLimit(lambda: time_s)
    told = [record("eye=lost pid=%d", number) for number in range(100)]
    assert sum(limit.filter(each) for each in told) == 20
    assert limit.filter(record("another kind"))
    time_s = WINDOW_S
    late = record("eye=lost pid=%d", 100)
    assert limit.filter(late)
    assert KeyValue(journald=True).format(late).endswith("pid=100 suppressed=80")


def test_nested_settings_are_told_in_one_line() -> None:
    assert pairs({"a": 1, "b": {"c": "two words", "d": ""}}) == "a=1 b.c='two words' b.d=''"
