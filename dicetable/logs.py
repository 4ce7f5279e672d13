"""The service's log: one line of key=value for each thing that happened, on standard error, never a flood."""

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

from common.texts.plain import shortened

MOST_LINES: Final = 20
"""Lines of one kind in one window; further ones are counted, and the count is logged with the next."""
WINDOW_S: Final = 60.0
LONGEST_LINE: Final = 2000
PRIORITIES: Final = {
    logging.CRITICAL: 2,
    logging.ERROR: 3,
    logging.WARNING: 4,
    logging.INFO: 6,
    logging.DEBUG: 7,
}


class KeyValue(logging.Formatter):
    """`level=warning at=eye.process eye=lost pid=7`, with a priority for journald, else with the time."""

    def __init__(self, *, journald: bool) -> None:
        super().__init__()
        self.journald = journald

    def format(self, record: logging.LogRecord) -> str:
        """One line without line feeds, cut if it is long."""
        source = record.name.removeprefix("dicetable.")
        text = f"level={record.levelname.lower()} at={source} {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            text += f" error={record.exc_info[1]!r}"
        if suppressed := getattr(record, "suppressed", 0):
            text += f" suppressed={suppressed}"
        text = shortened(text, LONGEST_LINE)
        if self.journald:
            return f"<{PRIORITIES.get(record.levelno, 7)}>{text}"
        return f"time={time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}Z {text}"


class RateLimit(logging.Filter):
    """Lets a number of lines of a kind through in each window, and logs how many it kept back."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__()
        self.now_s = now_s
        self.kinds: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """A kind is a logger and a message before its values are put in."""
        kind = (record.name, str(record.msg))
        now_s = self.now_s()
        began_s, count = self.kinds.get(kind, (now_s, 0))
        if now_s - began_s >= WINDOW_S:
            record.suppressed = max(0, count - MOST_LINES)
            began_s, count = now_s, 0
        self.kinds[kind] = (began_s, count + 1)
        return count < MOST_LINES


def set_up(
    now_s: Callable[[], float], environment: Mapping[str, str] = os.environ, *, quiet: bool = False
) -> None:
    """Sends everything of level info and above to standard error; only warnings and above if `quiet`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(KeyValue(journald="JOURNAL_STREAM" in environment))
    handler.addFilter(RateLimit(now_s))
    logging.basicConfig(level=logging.WARNING if quiet else logging.INFO, handlers=[handler], force=True)


def pairs(fields: Mapping[str, object], prefix: str = "") -> str:
    """`a=1 b.c="two words"`: the fields of nested settings, for one line of the log."""
    parts = []
    for key, value in fields.items():
        if isinstance(value, dict):
            parts.append(pairs(value, f"{prefix}{key}."))
        else:
            text = str(value)
            parts.append(f"{prefix}{key}={text if text and ' ' not in text else repr(text)}")
    return " ".join(part for part in parts if part)
